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
#define ARGS { NET_PKTINFO, NET_CSINFO, NET_IPINFO, \
	{ .native = "struct net_device *", .mapped = "ifinfo_t *", .value = "(struct net_device *)arg2" }, \
	HEADER("4", "ipv4info_t *"), HEADER("6", "ipv6info_t *") }

static const struct site_row rows[] = {
	{ "receive", { { "netif_receive_skb", .when = OURS,
		.arg = PACKET("(uint64_t)" NET_SKB(0) "->data", NET_RECEIVE) } }, ARGS, NULL, 0, 0 },
	{ "send", { { "net_dev_queue", .when = IP, .arg = PACKET(NET_HEAD(0) "->network_header", NET_SEND) } }, ARGS,
	  NULL, 0, 0 },
};

enum { NROWS = sizeof rows / sizeof *rows };

static void ip_enumerate(struct probe_set *s)
{
	site_enumerate(s, &provider_ip, rows, NROWS);
}

static bool ip_late(const struct probe_spec *spec)
{
	return site_late(spec, rows, NROWS);
}

static const struct provider_sites ip_sites = { .list = site_list, .prelude = true };

const struct provider provider_ip = {
	.name = "ip", .attr = &site_attr, .enumerate = ip_enumerate, .late = ip_late,
	.args = site_args, .sites = &ip_sites, .ctx = site_ctx, .attach = site_attach, .detach = site_detach,
};
