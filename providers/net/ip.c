/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * IP packets at network devices. A packet that is passed from one device to another (a bridge, a tunnel, a router) is
 * sent and received at each.
 */
#include "providers/net/net.h"
#include "providers/registry.h"

/* skb->protocol in network byte order; 3: PACKET_OTHERHOST, for another machine */
#define IP "(" NET_SKB(0) "->protocol == htons(0x0800) || " NET_SKB(0) "->protocol == htons(0x86dd))"
#define OURS IP " && " NET_SKB(0) "->pkt_type != 3"
#define PACKET(header, direction) { "_raw0", "(uint64_t)" NET_SKB(0) "->sk", "(uint64_t)" NET_SKB(0) "->dev", header, \
	"0", direction }
#define HEADER(version, type) { .native = "struct net_header *", .mapped = (type), \
	.value = "(struct net_header *)(_ip_version[arg3] == " version " ? arg3 : 0)" }
static const struct arg_desc ip_args[] = {
	NET_PKTINFO, NET_CSINFO, NET_IPINFO,
	{ .native = "struct net_device *", .mapped = "ifinfo_t *", .value = "(struct net_device *)arg2" },
	HEADER("4", "ipv4info_t *"), HEADER("6", "ipv6info_t *"),
	{ 0 }
};

static const struct site_row rows[] = {
	{ .name = "receive", SITES({ "netif_receive_skb", .when = OURS,
		.arg = PACKET("(uint64_t)" NET_SKB(0) "->data", NET_RECEIVE) }), .arg = ip_args },
	{ .name = "send", SITES({ "net_dev_queue", .when = IP,
		.arg = PACKET(NET_HEAD(0) "->network_header", NET_SEND) }), .arg = ip_args },
};

static const struct provider_sites ip_sites = {
	.list = site_list, .rows = rows, .nrows = sizeof rows / sizeof *rows, .prelude = true,
};

const struct provider provider_ip = {
	.name = "ip", .attr = &site_attr, .enumerate = site_enumerate, .late = site_late, .args = site_args,
	.sites = &ip_sites, .ctx = site_ctx, .attach = site_attach, .detach = site_detach,
};
