/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counters of network protocols, with the names of RFC 1213 as Solaris has them. arg0 is the increment, arg1 is 0, arg2
 * is the number of the network name space (the inode of /proc/PID/ns/net).
 */
#include "providers/registry.h"
#include "providers/site/site.h"

#define SOCK(word) "((struct sock *)_raw" #word ")"
#define SKB(word) "((struct sk_buff *)_raw" #word ")"
#define NET_OF_SOCK(word) SOCK(word) "->__sk_common.skc_net.net->ns.inum"
#define NET_OF_SKB(word) SKB(word) "->dev->nd_net.net->ns.inum"
#define ADDS(number, net) .arg = { number, "0", net }
static const struct arg_desc increment[] = {
	{ .native = "uint64_t" }, { .native = "uint64_t *" }, { .native = "uint32_t" }, { 0 }
};
#define COUNT .arg = increment

/* ---- sockets ---- */

/* A change of a TCP socket's state, from _raw1 to _raw2: 1 ESTABLISHED, 2 SYN_SENT, 3 SYN_RECV, 7 CLOSE, 8 CLOSE_WAIT,
 * 10 LISTEN. include/net/tcp_states.h */
#define TURNS(condition) SITES({ "inet_sock_set_state", .when = SOCK(0) "->sk_protocol == 6 && " condition, \
	ADDS("1", NET_OF_SOCK(0)) }), COUNT
/* A call of a socket's user that returned _raw1, of flags _raw2 (2: MSG_PEEK, 0x8000: MSG_MORE). */
#define SENDS(condition) SITES({ "sock_send_length", .when = condition, ADDS("1", NET_OF_SOCK(0)) }), COUNT, \
	.has = FACT_SOCK_SEND
#define RECEIVES(condition) SITES({ "sock_recv_length", .when = "(int)_raw1 >= 0 && !(_raw2 & 2) && " condition, \
	ADDS("1", NET_OF_SOCK(0)) }), COUNT, .has = FACT_SOCK_RECEIVE
#define UDP SOCK(0) "->sk_protocol == 17"
#define RAW SOCK(0) "->sk_type == 3 && (" SOCK(0) "->__sk_common.skc_family == 2 || " \
	SOCK(0) "->__sk_common.skc_family == 10)"

/* ---- packets ---- */

/*
 * Received packets at netif_receive_skb begin with the network header. At net_dev_queue, headers have offsets; packets
 * that have not been received by a device (skb_iif) are not forwarded. Numbers are in network byte order.
 */
#define IN_HEADER SKB(0) "->data"
#define OUT_HEADER "(" SKB(0) "->head + " SKB(0) "->network_header)"
#define IP4(header) "((struct iphdr *)" header ")"
#define IP6(header) "((struct ipv6hdr *)" header ")"
#define IS_IP4 SKB(0) "->protocol == 0x0008"
#define IS_IP6 SKB(0) "->protocol == 0xdd86"
/* Not a second or later fragment. */
#define FIRST(header) "!(" IP4(header) "->frag_off & 0xff1f)"
/* True if the packet's data are of this protocol. Of IPv6 only packets without extension headers, except the one with
 * the length of packets of more than 64 KB (0, then the number of the protocol). */
#define CARRIES4(header, number) IS_IP4 " && " IP4(header) "->protocol == " #number " && " FIRST(header)
#define CARRIES(header, number) "(" IS_IP4 " ? " IP4(header) "->protocol == " #number " && " FIRST(header) " : " \
	IS_IP6 " && (" IP6(header) "->nexthdr ? " IP6(header) "->nexthdr : *(uint8_t *)(" header " + 40)) == " \
	#number ")"
/* What follows the header. */
#define DATA4(header) header " + " IP4(header) "->ihl * 4"

/* For this machine: not for another one that is seen because the device is promiscuous. */
#define FOR_US SKB(0) "->pkt_type != 3"
#define LOCAL SKB(0) "->skb_iif == 0"
#define IN(condition, number) SITES({ "netif_receive_skb", .when = FOR_US " && " condition, \
	ADDS(number, NET_OF_SKB(0)) }), COUNT
#define OUT(condition, number) SITES({ "net_dev_queue", .when = LOCAL " && " condition, \
	ADDS(number, NET_OF_SKB(0)) }), COUNT

#define SHARED "((struct skb_shared_info *)(" SKB(0) "->head + " SKB(0) "->end))"
/* A packet may stand for several, which the device or the kernel makes later. */
#define SEGMENTS "(" SHARED "->gso_segs ? " SHARED "->gso_segs : 1)"

#define ICMP_TYPE(header) "*(uint8_t *)(" DATA4(header) ")"
#define ICMP_CODE(header) "*(uint8_t *)(" DATA4(header) " + 1)"
#define ICMP_IN(type) IN(CARRIES4(IN_HEADER, 1) " && " ICMP_TYPE(IN_HEADER) " == " #type, "1")
#define ICMP_OUT(type) OUT(CARRIES4(OUT_HEADER, 1) " && " ICMP_TYPE(OUT_HEADER) " == " #type, "1")

/* The TCP header of a sent packet: flags (1 FIN, 2 SYN, 4 RST, 16 ACK, 32 URG) and the size of the data. */
#define TCP_HEADER "(" SKB(0) "->head + " SKB(0) "->transport_header)"
#define TCP_FLAGS "*(uint8_t *)(" TCP_HEADER " + 13)"
#define TCP_BYTES "((int64_t)" SKB(0) "->len - (int64_t)(" TCP_HEADER " - " SKB(0) "->data) - " \
	"(*(uint8_t *)(" TCP_HEADER " + 12) >> 4) * 4)"
#define TCP_OUT(condition, number) OUT(CARRIES(OUT_HEADER, 6) " && " condition, number)

/*
 * Data that arrive at an established connection: _raw0 the socket, _raw1 the packet, whose control block begins with
 * the numbers of its first byte and of the one after its last. In order, all of them received before, or after a gap.
 */
#define EXPECTED "((struct tcp_sock *)_raw0)->rcv_nxt"
#define SEQUENCE "*(uint32_t *)((uint64_t)" SKB(1) "->cb)"
#define SEQUENCE_END "*(uint32_t *)((uint64_t)" SKB(1) "->cb + 4)"
#define ARRIVED "((int64_t)" SKB(1) "->len - (*(uint8_t *)(" SKB(1) "->data + 12) >> 4) * 4)"
#define IN_ORDER "(int32_t)(" SEQUENCE " - " EXPECTED ") <= 0 && (int32_t)(" SEQUENCE_END " - " EXPECTED ") > 0"
#define DUPLICATE "(int32_t)(" SEQUENCE_END " - " EXPECTED ") <= 0"
#define UNORDERED "(int32_t)(" SEQUENCE " - " EXPECTED ") > 0"
#define TCP_DATA(condition, number) SITES({ "tcp_probe", .when = ARRIVED " > 0 && " condition, \
	ADDS(number, NET_OF_SOCK(0)) }), COUNT

/* The segments of a retransmitted packet: in its control block, at 8 (tcp_gso_segs in struct tcp_skb_cb). */
#define RETRANSMITTED "*(uint16_t *)((uint64_t)" SKB(1) "->cb + 8)"

/* Dropped because no socket has the port: the reason is _raw2, whose numbers differ between kernels. */
#define NO_PORT SITES({ "kfree_skb", \
	.when = "(enum skb_drop_reason)_raw2 == SKB_DROP_REASON_NO_SOCKET && (" IS_IP4 " ? " \
	IP4("(" SKB(0) "->head + " SKB(0) "->network_header)") "->protocol == 17 : " IS_IP6 " && " \
	IP6("(" SKB(0) "->head + " SKB(0) "->network_header)") "->nexthdr == 17)", ADDS("1", NET_OF_SKB(0)) }), COUNT

#define SEE_NSTAT "Linux has no tracepoint where it counts this"
#define FBT(function) "Linux has no tracepoint where it counts this; where it has kprobes, fbt::" function ":entry"

static const struct site_row rows[] = {
	{ .name = "icmpInDestUnreachs", ICMP_IN(3) },
	{ .name = "icmpInEchoReps", ICMP_IN(0) },
	{ .name = "icmpInEchos", ICMP_IN(8) },
	{ .name = "icmpInErrors", .never = SEE_NSTAT },
	{ .name = "icmpInMsgs", IN(CARRIES4(IN_HEADER, 1), "1") },
	{ .name = "icmpInParmProbs", ICMP_IN(12) },
	{ .name = "icmpInRedirects", ICMP_IN(5) },
	{ .name = "icmpInSrcQuenchs", ICMP_IN(4) },
	{ .name = "icmpInTimeExcds", ICMP_IN(11) },
	{ .name = "icmpInTimestampReps", ICMP_IN(14) },
	{ .name = "icmpInTimestamps", ICMP_IN(13) },
	{ .name = "icmpOutDestUnreachs", ICMP_OUT(3) },
	{ .name = "icmpOutEchoReps", ICMP_OUT(0) },
	{ .name = "icmpOutEchos", ICMP_OUT(8) },
	{ .name = "icmpOutErrors", .never = SEE_NSTAT },
	{ .name = "icmpOutFragNeeded", OUT(CARRIES4(OUT_HEADER, 1) " && " ICMP_TYPE(OUT_HEADER) " == 3 && "
		ICMP_CODE(OUT_HEADER) " == 4", "1") },
	{ .name = "icmpOutMsgs", OUT(CARRIES4(OUT_HEADER, 1), "1") },
	{ .name = "icmpOutParmProbs", ICMP_OUT(12) },
	{ .name = "icmpOutRedirects", ICMP_OUT(5) },
	{ .name = "icmpOutTimeExcds", ICMP_OUT(11) },
	{ .name = "icmpOutTimestampReps", ICMP_OUT(14) },
	{ .name = "ipForwDatagrams", .never = FBT("ip_forward") },
	{ .name = "ipFragCreates", .never = FBT("ip_do_fragment") },
	{ .name = "ipFragFails", .never = SEE_NSTAT },
	{ .name = "ipFragOKs", .never = FBT("ip_do_fragment") },
	{ .name = "ipInDelivers", .never = FBT("ip_protocol_deliver_rcu") },
	{ .name = "ipInDiscards", .never = SEE_NSTAT },
	{ .name = "ipInHdrErrors", .never = SEE_NSTAT },
	{ .name = "ipInReceives", IN(IS_IP4, "1") },
	{ .name = "ipInUnknownProtos", .never = SEE_NSTAT },
	{ .name = "ipOutDiscards", .never = SEE_NSTAT },
	{ .name = "ipOutNoRoutes", .never = SEE_NSTAT },
	{ .name = "ipOutRequests", OUT(IS_IP4 " && " FIRST(OUT_HEADER), "1") },
	{ .name = "ipReasmFails", .never = SEE_NSTAT },
	{ .name = "ipReasmOKs", .never = SEE_NSTAT },
	{ .name = "ipReasmReqds", .never = FBT("ip_defrag") },
	{ .name = "ipv6InReceives", IN(IS_IP6, "1") },
	{ .name = "ipv6OutRequests", OUT(IS_IP6, "1") },
	{ .name = "rawipInDatagrams", RECEIVES(RAW) },
	{ .name = "rawipOutDatagrams", SENDS("(int)_raw1 >= 0 && " RAW) },
	{ .name = "tcpActiveOpens", TURNS("(int)_raw1 == 7 && (int)_raw2 == 2") },
	{ .name = "tcpAttemptFails", TURNS("((int)_raw1 == 2 || (int)_raw1 == 3) && (int)_raw2 == 7") },
	{ .name = "tcpCurrEstab", .never = "it is not a counter of events: see tcpActiveOpens, tcpPassiveOpens" },
	{ .name = "tcpEstabResets", TURNS("((int)_raw1 == 1 || (int)_raw1 == 8) && (int)_raw2 == 7") },
	{ .name = "tcpHalfOpenDrop", .never = SEE_NSTAT },
	{ .name = "tcpInDataDupBytes", TCP_DATA(DUPLICATE, ARRIVED) },
	{ .name = "tcpInDataDupSegs", TCP_DATA(DUPLICATE, "1") },
	{ .name = "tcpInDataInorderBytes", TCP_DATA(IN_ORDER, ARRIVED) },
	{ .name = "tcpInDataInorderSegs", TCP_DATA(IN_ORDER, "1") },
	{ .name = "tcpInDataUnorderBytes", TCP_DATA(UNORDERED, ARRIVED) },
	{ .name = "tcpInDataUnorderSegs", TCP_DATA(UNORDERED, "1") },
	{ .name = "tcpInErrs", SITES({ "tcp_bad_csum", ADDS("1", NET_OF_SKB(0)) }), COUNT },
	{ .name = "tcpInSegs", IN(SKB(0) "->pkt_type == 0 && " CARRIES(IN_HEADER, 6), "1") },
	{ .name = "tcpListenDrop", .never = SEE_NSTAT },
	{ .name = "tcpListenDropQ0", .never = SEE_NSTAT },
	{ .name = "tcpOutAck", TCP_OUT(TCP_BYTES " == 0 && (" TCP_FLAGS " & 23) == 16", "1") },
	{ .name = "tcpOutControl", TCP_OUT(TCP_FLAGS " & 7", "1") },
	{ .name = "tcpOutDataBytes", TCP_OUT(TCP_BYTES " > 0", TCP_BYTES) },
	{ .name = "tcpOutDataSegs", TCP_OUT(TCP_BYTES " > 0", SEGMENTS) },
	{ .name = "tcpOutRsts", SITES({ "tcp_send_reset",
		ADDS("1", "(_raw0 ? " NET_OF_SOCK(0) " : " NET_OF_SKB(1) ")") }),
	  COUNT },
	{ .name = "tcpOutSegs", OUT(CARRIES(OUT_HEADER, 6), SEGMENTS) },
	{ .name = "tcpOutUrg", TCP_OUT(TCP_FLAGS " & 32", "1") },
	{ .name = "tcpPassiveOpens", TURNS("(int)_raw1 == 10 && (int)_raw2 == 3") },
	{ .name = "tcpRetransBytes", SITES({ "tcp_retransmit_skb", ADDS(SKB(1) "->len", NET_OF_SOCK(0)) }), COUNT },
	{ .name = "tcpRetransSegs", SITES({ "tcp_retransmit_skb", ADDS(RETRANSMITTED, NET_OF_SOCK(0)) },
		{ "tcp_retransmit_synack", ADDS("1", NET_OF_SOCK(0)) }), COUNT },
	{ .name = "tcpRttUpdate", .never = SEE_NSTAT },
	{ .name = "tcpTimKeepalive", .never = FBT("tcp_keepalive_timer") },
	{ .name = "tcpTimRetrans", .never = FBT("tcp_retransmit_timer") },
	/* the names of newer versions of Solaris */
	{ .name = "udpHCInDatagrams", RECEIVES(UDP) },
	{ .name = "udpHCOutDatagrams", SENDS("(int)_raw1 >= 0 && !(_raw2 & 0x8000) && " UDP) },
	{ .name = "udpInCksumErrs", .never = SEE_NSTAT },
	{ .name = "udpInDatagrams", RECEIVES(UDP) },
	{ .name = "udpInErrors", SITES({ "udp_fail_queue_rcv_skb", ADDS("1", NET_OF_SOCK(1)) }), COUNT },
	{ .name = "udpInOverflows", SITES({ "udp_fail_queue_rcv_skb", .when = "(int)_raw0 == -12",
		ADDS("1", NET_OF_SOCK(1)) }), COUNT },
	{ .name = "udpNoPorts", NO_PORT },
	{ .name = "udpOutDatagrams", SENDS("(int)_raw1 >= 0 && !(_raw2 & 0x8000) && " UDP) },
	{ .name = "udpOutErrors", SENDS("(int)_raw1 < 0 && " UDP) },
};

static const struct provider_sites mib_sites = {
	.list = site_list, .rows = rows, .nrows = sizeof rows / sizeof *rows,
};

const struct provider provider_mib = {
	.name = "mib", .attr = &site_attr, .enumerate = site_enumerate, .late = site_late,
	.provide = site_provide, .args = site_args, .sites = &mib_sites, .ctx = site_ctx, .attach = site_attach,
	.detach = site_detach, .matching = &(const struct provider_matching){ .exists = site_exists },
};
