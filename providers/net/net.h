/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What ip, tcp and udp share: the arguments of their sites. arg0: the packet (struct sk_buff), or 0. arg1: the
 * socket, or 0. arg2: the state of the connection. arg3 and arg4: the headers of IP and of the protocol. arg5: the
 * direction, and whether the current thread is the socket's. args[] are translated from them (share/net.d).
 */
#ifndef PROVIDERS_NET_NET_H
#define PROVIDERS_NET_NET_H

#include "providers/cgroup.h"
#include "providers/site/site.h"

/* Words of the context, in D: a packet, a socket. */
#define NET_SKB(word) "((struct sk_buff *)_raw" #word ")"
#define NET_SOCK(word) "((struct sock *)_raw" #word ")"
#define NET_HEAD(word) "(uint64_t)" NET_SKB(word) "->head + " NET_SKB(word)

/* The socket of a packet. Conditions on its protocol, and on its type, too (IR_CGROUP_SOCKET). */
#define NET_OWNER "((struct sock *)" NET_SKB(0) "->sk)"
#define NET_IS(protocol) "(_raw1 & 0xffff) == " #protocol
#define NET_IS_TYPE(protocol, type) "_raw1 == (" #type " << 16 | " #protocol ")"
#define NET_STATE(sock) sock "->__sk_common.skc_state"
/* The flags of TCP. */
#define NET_FLAGS(word) "(((uint8_t *)(" NET_HEAD(word) "->transport_header))[13])"

/* The last argument. */
#define NET_EVENT "0"
#define NET_SEND "1"
#define NET_RECEIVE "2"
#define NET_SEND_OWN "5"
#define NET_REPLY "8"

#define NET_PACKET(direction) { "_raw0", "(uint64_t)" NET_OWNER, NET_STATE(NET_OWNER), \
	NET_HEAD(0) "->network_header", NET_HEAD(0) "->transport_header", direction }

#define NET_PKTINFO { .native = "struct net_packet *", .mapped = "pktinfo_t *", .value = "(struct net_packet *)arg0" }
#define NET_CSINFO { .native = "struct net_conn *", .mapped = "csinfo_t *", .value = "(struct net_conn *)arg1" }
#define NET_IPINFO { .native = "struct net_header *", .mapped = "ipinfo_t *", .value = "(struct net_header *)arg3" }

#endif
