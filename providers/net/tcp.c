/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Segments and connections of TCP sockets. Segments are seen where IP gets them from a socket, and where TCP has
 * found their socket. The other probes fire at tracepoints, where Linux passes the socket, but not the segment:
 * args[] describe the segment as far as the socket does.
 */
#include "providers/net/net.h"
#include "providers/registry.h"

/* IPPROTO_TCP 6, SOCK_STREAM 1. Replies for which there is no socket come from one of the kernel's (SOCK_RAW). */
#define SENT NET_IS(6)
#define RECEIVED NET_IS_TYPE(6, 1)
/* TCP_SYN_SENT 2; a SYN without an ACK, for the first time. */
#define REQUEST RECEIVED " && " NET_STATE(NET_OWNER) " == 2 && (" NET_FLAGS(0) " & 0x12) == 2 && " \
	"!((struct inet_connection_sock *)" NET_OWNER ")->icsk_retransmits"
/* A reset in reply to a segment without an ACK: its sequence number is 0. */
#define REFUSAL SENT " && (" NET_FLAGS(0) " & 0x14) == 0x14 && " \
	"((struct tcphdr *)(" NET_HEAD(0) "->transport_header))->seq == 0"
/* The segment that is reset is a SYN without an ACK. */
#define REFUSED "_raw1 && (" NET_FLAGS(1) " & 0x12) == 2"

/* inet_sock_set_state(sock, old, new); other protocols use it, too. TCP_ESTABLISHED 1, SYN_SENT 2, SYN_RECV 3 */
#define CHANGE(condition) "inet_sock_set_state", .when = NET_SOCK(0) "->sk_protocol == 6" condition
#define FROM(old) " && (int)_raw2 == 1 && (int)_raw1 == " #old

/* An event: arg3 is the previous state, arg4 the flags of its segment. */
#define EVENT(state, previous, flags) { "0", "_raw0", state, previous, flags, NET_EVENT }
#define REPLY { "_raw1", "_raw0", "7", NET_HEAD(1) "->network_header", NET_HEAD(1) "->transport_header", NET_REPLY }

#define TCPSINFO { .native = "struct net_conn *", .mapped = "tcpsinfo_t *", .value = "(struct net_conn *)arg1" }
#define TCPINFO \
	{ .native = "struct tcphdr *", .mapped = "tcpinfo_t *", .value = "(struct tcphdr *)arg4" }
#define ARGS NET_PKTINFO, NET_CSINFO, NET_IPINFO, TCPSINFO, TCPINFO
#define TCPLSINFO { .native = "int", .mapped = "tcplsinfo_t *", .value = "(int)arg3" }

static const struct site_row rows[] = {
	{ .name = "accept-established", SITES({ CHANGE(FROM(3)), .arg = EVENT("1", "3", "0x10") }), ARGUMENTS(ARGS) },
	{ .name = "accept-refused", SITES({ "tcp_send_reset", .when = REFUSED, .arg = REPLY }),
	  ARGUMENTS(ARGS), .has = FACT_RESET_REASON },
	/* on others, the tracepoint did not fire without a socket */
	{ .name = "accept-refused", SITES({ CGROUP_SENT, .when = REFUSAL, .arg = NET_PACKET(NET_SEND) }),
	  ARGUMENTS(ARGS), .lacks = FACT_RESET_REASON },
	{ .name = "connect-established", SITES({ CHANGE(FROM(2)), .arg = EVENT("1", "2", "0x12") }), ARGUMENTS(ARGS) },
	{ .name = "connect-refused", SITES({ "tcp_receive_reset", .when = NET_STATE(NET_SOCK(0)) " == 2",
		.arg = EVENT("2", "2", "0x14") }), ARGUMENTS(ARGS) },
	{ .name = "connect-request", SITES({ CGROUP_SENT, .when = REQUEST, .arg = NET_PACKET(NET_SEND_OWN) }),
	  ARGUMENTS(ARGS) },
	{ .name = "receive", SITES({ CGROUP_RECEIVED, .when = RECEIVED, .arg = NET_PACKET(NET_RECEIVE) }),
	  ARGUMENTS(ARGS) },
	{ .name = "send", SITES({ CGROUP_SENT, .when = SENT, .arg = NET_PACKET(NET_SEND) }), ARGUMENTS(ARGS) },
	{ .name = "state-change", SITES({ CHANGE(""), .arg = EVENT("(int)_raw2", "(int)_raw1", "0") }),
	  ARGUMENTS(ARGS, TCPLSINFO) },
};

static const struct provider_sites tcp_sites = {
	.list = site_list, .rows = rows, .nrows = sizeof rows / sizeof *rows, .prelude = true,
};

const struct provider provider_tcp = {
	.name = "tcp", .attr = &site_attr, .enumerate = site_enumerate, .late = site_late, .args = site_args,
	.sites = &tcp_sites, .ctx = site_ctx, .attach = site_attach, .detach = site_detach,
};
