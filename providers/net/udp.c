/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Datagrams of UDP sockets. One that IP sends in fragments is one, as the program sees it. */
#include "providers/net/net.h"
#include "providers/registry.h"

/* SOCK_DGRAM 2, IPPROTO_UDP 17 */
#define UDP NET_IS_TYPE(17, 2)
static const struct arg_desc udp_args[] = {
	NET_PKTINFO, NET_CSINFO, NET_IPINFO,
	{ .native = "struct net_conn *", .mapped = "udpsinfo_t *", .value = "(struct net_conn *)arg1" },
	{ .native = "struct udphdr *", .mapped = "udpinfo_t *", .value = "(struct udphdr *)arg4" },
	{ 0 }
};

static const struct site_row rows[] = {
	{ .name = "receive", SITES({ CGROUP_RECEIVED, .when = UDP, .arg = NET_PACKET(NET_RECEIVE) }), .arg = udp_args },
	{ .name = "send", SITES({ CGROUP_SENT, .when = UDP, .arg = NET_PACKET(NET_SEND) }), .arg = udp_args },
};

static const struct provider_sites udp_sites = {
	.list = site_list, .rows = rows, .nrows = sizeof rows / sizeof *rows, .prelude = true,
};

const struct provider provider_udp = {
	.name = "udp", .attr = &site_attr, .enumerate = site_enumerate, .late = site_late, .args = site_args,
	.sites = &udp_sites, .ctx = site_ctx, .attach = site_attach, .detach = site_detach,
};
