/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * DTrace's structures for packets and connections, translated from the kernel's own: those of the providers ip, tcp and
 * udp. Like prelude.d; read if a script names one that prelude.d lacks.
 */

typedef uint32_t ipaddr_t;
typedef struct in6_addr in6_addr_t;

typedef struct pktinfo {
	uintptr_t pkt_addr;		/* the struct sk_buff; 0: no packet */
} pktinfo_t;

typedef struct csinfo {
	uintptr_t cs_addr;		/* the struct sock; 0: no socket */
	uint64_t cs_cid;		/* identifies the connection: the same */
	pid_t cs_pid;			/* the process, or -1: unknown */
	zoneid_t cs_zoneid;
} csinfo_t;

typedef struct ipinfo {
	uint8_t ip_ver;			/* 4 or 6 */
	uint32_t ip_plength;		/* bytes after the header (of IPv6: after the first one) */
	string ip_saddr;		/* source address */
	string ip_daddr;		/* destination address */
} ipinfo_t;

typedef uint64_t netstackid_t;

typedef struct ifinfo {
	string if_name;
	int8_t if_local;		/* 1: the loopback device */
	netstackid_t if_ipstack;	/* inode number of the network name space */
	uintptr_t if_addr;		/* the struct net_device */
} ifinfo_t;

typedef struct ipv4info {
	uint8_t ipv4_ver;		/* 4; 0: not a packet of IPv4, and all other members are 0 */
	uint8_t ipv4_ihl;		/* bytes */
	uint8_t ipv4_tos;
	uint16_t ipv4_length;		/* bytes with the header */
	uint16_t ipv4_ident;
	uint8_t ipv4_flags;		/* IPH_DF ... */
	uint16_t ipv4_offset;
	uint8_t ipv4_ttl;
	uint8_t ipv4_protocol;
	string ipv4_protostr;		/* "TCP" */
	uint16_t ipv4_checksum;
	ipaddr_t ipv4_src;
	ipaddr_t ipv4_dst;
	string ipv4_saddr;
	string ipv4_daddr;
	struct iphdr *ipv4_hdr;
} ipv4info_t;

typedef struct ipv6info {
	uint8_t ipv6_ver;		/* 6; 0: not a packet of IPv6, and all other members are 0 */
	uint8_t ipv6_tclass;
	uint32_t ipv6_flow;
	uint16_t ipv6_plen;
	uint8_t ipv6_nexthdr;
	string ipv6_nextstr;		/* "TCP" */
	uint8_t ipv6_hlim;
	in6_addr_t *ipv6_src;
	in6_addr_t *ipv6_dst;
	string ipv6_saddr;
	string ipv6_daddr;
	struct ipv6hdr *ipv6_hdr;
} ipv6info_t;

typedef struct tcpsinfo {
	uintptr_t tcps_addr;		/* the struct sock */
	int tcps_local;			/* 1: both ends have the same address */
	int tcps_active;
	uint16_t tcps_lport;
	uint16_t tcps_rport;
	string tcps_laddr;
	string tcps_raddr;
	int32_t tcps_state;		/* TCP_STATE_CLOSED ... */
	uint32_t tcps_iss;
	uint32_t tcps_suna;		/* the first byte that is not acknowledged */
	uint32_t tcps_snxt;		/* the next one to send */
	uint32_t tcps_rack;		/* the last one that is acknowledged to the other end */
	uint32_t tcps_rnxt;		/* the next one that is expected */
	uint32_t tcps_swnd;		/* windows in bytes */
	int32_t tcps_snd_ws;		/* and by how many bits they are scaled */
	uint32_t tcps_rwnd;
	int32_t tcps_rcv_ws;
	uint32_t tcps_cwnd;		/* in bytes */
	uint32_t tcps_cwnd_ssthresh;
	uint32_t tcps_sack_fack;
	uint32_t tcps_sack_snxt;
	uint32_t tcps_rto;		/* ms */
	uint32_t tcps_mss;
	int tcps_retransmit;		/* 1: the segment is sent again */
} tcpsinfo_t;

typedef struct tcplsinfo {
	int32_t tcps_state;		/* the previous one */
} tcplsinfo_t;

typedef struct tcpinfo {
	uint16_t tcp_sport;
	uint16_t tcp_dport;
	uint32_t tcp_seq;
	uint32_t tcp_ack;
	uint8_t tcp_offset;		/* bytes of the header */
	uint8_t tcp_flags;		/* TH_SYN ... */
	uint16_t tcp_window;
	uint16_t tcp_checksum;
	uint16_t tcp_urgent;
	struct tcphdr *tcp_hdr;
} tcpinfo_t;

typedef struct udpsinfo {
	uintptr_t udps_addr;		/* the struct sock */
	uint16_t udps_lport;
	uint16_t udps_rport;
	string udps_laddr;
	string udps_raddr;
} udpsinfo_t;

typedef struct udpinfo {
	uint16_t udp_sport;
	uint16_t udp_dport;
	uint16_t udp_length;		/* bytes with the header */
	uint16_t udp_checksum;
	struct udphdr *udp_hdr;
} udpinfo_t;

inline string tcp_state_string[int32_t state] =
    state == 1 ? "state-established" : state == 2 ? "state-syn-sent" : state == 3 ? "state-syn-received" :
    state == 4 ? "state-fin-wait-1" : state == 5 ? "state-fin-wait-2" : state == 6 ? "state-time-wait" :
    state == 7 ? "state-closed" : state == 8 ? "state-close-wait" : state == 9 ? "state-last-ack" :
    state == 10 ? "state-listen" : state == 11 ? "state-closing" : state == 12 ? "state-syn-received" :
    state == 13 ? "state-bound" : "<unknown>";

/*
 * What args[] are translated from: a packet, its IP header, a connection. arg5 says what there is. 0: no packet, only a
 * socket (arg1) that has got a segment with the flags arg4. 1: a packet that is sent; 2: one that is received. 5: sent
 * in the thread that owns the socket. 8: a SYN that is answered by a reset, which is not there yet, and perhaps no
 * socket.
 */
struct net_packet;
struct net_header;
struct net_conn;

inline uint8_t _ip_first[uint64_t H] = *(uint8_t *)H;
inline uint8_t _ip_version[uint64_t H] = _ip_first[H] >> 4;
/* With what follows it, without the headers of the device. */
inline uint32_t _ip_length[uint64_t H] = ((struct sk_buff *)arg0)->len - (H - (uint64_t)((struct sk_buff *)arg0)->data);
inline string _ip_source[uint64_t H] =
    _ip_version[H] == 4 ? inet_ntoa((ipaddr_t *)(H + 12)) : inet_ntoa6((in6_addr_t *)(H + 8));
inline string _ip_destination[uint64_t H] =
    _ip_version[H] == 4 ? inet_ntoa((ipaddr_t *)(H + 16)) : inet_ntoa6((in6_addr_t *)(H + 24));
inline string _ip_protocol[uint8_t P] = P == 1 ? "ICMP" : P == 2 ? "IGMP" : P == 6 ? "TCP" : P == 17 ? "UDP" :
    P == 41 ? "IPV6" : P == 47 ? "GRE" : P == 58 ? "ICMPV6" : P == 132 ? "SCTP" : "<unknown>";

inline struct sock_common *_net_common[uint64_t K] = &((struct sock *)K)->__sk_common;
/* The socket gives back its port before it is closed, but remembers it. */
inline uint16_t _net_port[uint64_t K] =
    _net_common[K]->skc_num ? _net_common[K]->skc_num : ntohs(((struct inet_sock *)K)->inet_sport);
inline string _net_local[uint64_t K] = _net_common[K]->skc_family == 10 ?
    inet_ntoa6((in6_addr_t *)&_net_common[K]->skc_v6_rcv_saddr) :
    inet_ntoa((ipaddr_t *)&_net_common[K]->skc_rcv_saddr);
inline string _net_remote[uint64_t K] = _net_common[K]->skc_family == 10 ?
    inet_ntoa6((in6_addr_t *)&_net_common[K]->skc_v6_daddr) : inet_ntoa((ipaddr_t *)&_net_common[K]->skc_daddr);
/* 1: the socket is not connected; then the addresses are the packet's. */
inline int _net_of_packet[uint64_t K] = arg5 == 8 || (arg5 && !_net_common[K]->skc_dport);
/* 1: its structure is a TCP socket's. */
inline int _net_stream[uint64_t K] = arg5 != 8 && ((struct sock *)K)->sk_type == 1;
inline struct tcp_sock *_net_tcp[uint64_t K] = (struct tcp_sock *)K;
/* The bytes of sequence numbers that a segment takes up. */
inline uint32_t _net_taken[uint64_t T] = _ip_length[arg3] - (T - arg3) - (((uint8_t *)T)[12] >> 4) * 4 +
    ((((uint8_t *)T)[13] & 3) != 0);

translator pktinfo_t < struct net_packet *P > {
	pkt_addr = (uintptr_t)P;
};

translator csinfo_t < struct net_conn *K > {
	cs_addr = (uintptr_t)K;
	cs_cid = (uint64_t)K;
	cs_pid = arg5 & 4 ? pid : -1;
	cs_zoneid = 0;
};

translator ipinfo_t < struct net_header *H > {
	ip_ver = arg5 ? _ip_version[(uint64_t)H] : _net_common[arg1]->skc_family == 2 ||
	    _net_common[arg1]->skc_v6_daddr.in6_u.u6_addr32[2] == htonl(0xffff) ? 4 : 6;
	ip_plength = arg5 == 0 ? _net_tcp[arg1]->tcp_header_len : arg5 == 8 ? 20 : _ip_length[(uint64_t)H] -
	    (_ip_version[(uint64_t)H] == 4 ? (_ip_first[(uint64_t)H] & 15) * 4 : 40);
	ip_saddr = arg5 == 0 ? _net_remote[arg1] : arg5 == 8 ? _ip_destination[(uint64_t)H] : _ip_source[(uint64_t)H];
	ip_daddr = arg5 == 0 ? _net_local[arg1] : arg5 == 8 ? _ip_source[(uint64_t)H] : _ip_destination[(uint64_t)H];
};

translator ifinfo_t < struct net_device *D > {
	if_name = stringof (D->name);
	if_local = (D->flags & 8) != 0;
	if_ipstack = D->nd_net.net->ns.inum;
	if_addr = (uintptr_t)D;
};

/* H is 0 for packets of the other version, whose members are 0 and empty. */
translator ipv4info_t < struct net_header *H > {
	ipv4_ver = _ip_version[arg3] == 4 ? 4 : 0;
	ipv4_ihl = _ip_version[arg3] == 4 ? (_ip_first[arg3] & 15) * 4 : 0;
	ipv4_tos = _ip_version[arg3] == 4 ? ((struct iphdr *)arg3)->tos : 0;
	ipv4_length = _ip_version[arg3] == 4 ? ntohs(((struct iphdr *)arg3)->tot_len) : 0;
	ipv4_ident = _ip_version[arg3] == 4 ? ntohs(((struct iphdr *)arg3)->id) : 0;
	ipv4_flags = _ip_version[arg3] == 4 ? ntohs(((struct iphdr *)arg3)->frag_off) >> 8 & 0xe0 : 0;
	ipv4_offset = _ip_version[arg3] == 4 ? ntohs(((struct iphdr *)arg3)->frag_off) & 0x1fff : 0;
	ipv4_ttl = _ip_version[arg3] == 4 ? ((struct iphdr *)arg3)->ttl : 0;
	ipv4_protocol = _ip_version[arg3] == 4 ? ((struct iphdr *)arg3)->protocol : 0;
	ipv4_protostr = _ip_version[arg3] == 4 ? _ip_protocol[((struct iphdr *)arg3)->protocol] : "";
	ipv4_checksum = _ip_version[arg3] == 4 ? ntohs(((struct iphdr *)arg3)->check) : 0;
	ipv4_src = _ip_version[arg3] == 4 ? ((struct iphdr *)arg3)->saddr : 0;
	ipv4_dst = _ip_version[arg3] == 4 ? ((struct iphdr *)arg3)->daddr : 0;
	ipv4_saddr = _ip_version[arg3] == 4 ? _ip_source[arg3] : "";
	ipv4_daddr = _ip_version[arg3] == 4 ? _ip_destination[arg3] : "";
	ipv4_hdr = _ip_version[arg3] == 4 ? (struct iphdr *)arg3 : (struct iphdr *)0;
};

translator ipv6info_t < struct net_header *H > {
	ipv6_ver = _ip_version[arg3] == 6 ? 6 : 0;
	ipv6_tclass = _ip_version[arg3] == 6 ? ntohl(*(uint32_t *)arg3) >> 20 & 0xff : 0;
	ipv6_flow = _ip_version[arg3] == 6 ? ntohl(*(uint32_t *)arg3) & 0xfffff : 0;
	ipv6_plen = _ip_version[arg3] == 6 ? ntohs(((struct ipv6hdr *)arg3)->payload_len) : 0;
	ipv6_nexthdr = _ip_version[arg3] == 6 ? ((struct ipv6hdr *)arg3)->nexthdr : 0;
	ipv6_nextstr = _ip_version[arg3] == 6 ? _ip_protocol[((struct ipv6hdr *)arg3)->nexthdr] : "";
	ipv6_hlim = _ip_version[arg3] == 6 ? ((struct ipv6hdr *)arg3)->hop_limit : 0;
	ipv6_src = (in6_addr_t *)(_ip_version[arg3] == 6 ? arg3 + 8 : 0);
	ipv6_dst = (in6_addr_t *)(_ip_version[arg3] == 6 ? arg3 + 24 : 0);
	ipv6_saddr = _ip_version[arg3] == 6 ? _ip_source[arg3] : "";
	ipv6_daddr = _ip_version[arg3] == 6 ? _ip_destination[arg3] : "";
	ipv6_hdr = _ip_version[arg3] == 6 ? (struct ipv6hdr *)arg3 : (struct ipv6hdr *)0;
};

translator tcpsinfo_t < struct net_conn *K > {
	tcps_addr = (uintptr_t)K;
	tcps_local = (_net_of_packet[(uint64_t)K] ? _ip_source[arg3] : _net_local[(uint64_t)K]) ==
	    (_net_of_packet[(uint64_t)K] ? _ip_destination[arg3] : _net_remote[(uint64_t)K]);
	tcps_lport = _net_of_packet[(uint64_t)K] ? ntohs(((uint16_t *)arg4)[arg5 & 1 ? 0 : 1]) :
	    _net_port[(uint64_t)K];
	tcps_rport = ntohs(_net_of_packet[(uint64_t)K] ? ((uint16_t *)arg4)[arg5 & 1 ? 1 : 0] :
	    _net_common[(uint64_t)K]->skc_dport);
	tcps_laddr = _net_of_packet[(uint64_t)K] ? (arg5 & 1 ? _ip_source[arg3] : _ip_destination[arg3]) :
	    _net_local[(uint64_t)K];
	tcps_raddr = _net_of_packet[(uint64_t)K] ? (arg5 & 1 ? _ip_destination[arg3] : _ip_source[arg3]) :
	    _net_remote[(uint64_t)K];
	tcps_state = (int32_t)arg2;
	tcps_suna = _net_stream[(uint64_t)K] ? _net_tcp[(uint64_t)K]->snd_una : 0;
	tcps_snxt = _net_stream[(uint64_t)K] ? _net_tcp[(uint64_t)K]->snd_nxt : 0;
	tcps_rack = _net_stream[(uint64_t)K] ? _net_tcp[(uint64_t)K]->rcv_wup : 0;
	tcps_rnxt = _net_stream[(uint64_t)K] ? _net_tcp[(uint64_t)K]->rcv_nxt : 0;
	tcps_swnd = _net_stream[(uint64_t)K] ? _net_tcp[(uint64_t)K]->snd_wnd : 0;
	tcps_snd_ws = _net_stream[(uint64_t)K] ? _net_tcp[(uint64_t)K]->rx_opt.snd_wscale : 0;
	tcps_rwnd = _net_stream[(uint64_t)K] ? _net_tcp[(uint64_t)K]->rcv_wnd : 0;
	tcps_rcv_ws = _net_stream[(uint64_t)K] ? _net_tcp[(uint64_t)K]->rx_opt.rcv_wscale : 0;
	tcps_cwnd = _net_stream[(uint64_t)K] ?
	    _net_tcp[(uint64_t)K]->snd_cwnd * _net_tcp[(uint64_t)K]->mss_cache : 0;
	tcps_cwnd_ssthresh = _net_stream[(uint64_t)K] == 0 ? 0 : _net_tcp[(uint64_t)K]->snd_ssthresh >= 0x7fffffff ?
	    0x7fffffff : _net_tcp[(uint64_t)K]->snd_ssthresh * _net_tcp[(uint64_t)K]->mss_cache;
	/* as the kernel computes it, from times in us; icsk_rto is in ticks */
	tcps_rto = _net_stream[(uint64_t)K] == 0 ? 0 : (_net_tcp[(uint64_t)K]->srtt_us == 0 ? 1000 :
	    ((_net_tcp[(uint64_t)K]->srtt_us >> 3) + _net_tcp[(uint64_t)K]->rttvar_us) / 1000) <<
	    _net_tcp[(uint64_t)K]->inet_conn.icsk_backoff;
	tcps_mss = _net_stream[(uint64_t)K] ? _net_tcp[(uint64_t)K]->mss_cache : 0;
	tcps_retransmit = (arg5 & 1) && _net_stream[(uint64_t)K] && arg2 != 10 && _net_taken[arg4] &&
	    (int32_t)(ntohl(((struct tcphdr *)arg4)->seq) - _net_tcp[(uint64_t)K]->snd_nxt) < 0;
};

translator tcplsinfo_t < int S > {
	tcps_state = S;
};

translator tcpinfo_t < struct tcphdr *T > {
	tcp_sport = ntohs(arg5 == 0 ? _net_common[arg1]->skc_dport : arg5 == 8 ? T->dest : T->source);
	tcp_dport = arg5 == 0 ? _net_port[arg1] : ntohs(arg5 == 8 ? T->source : T->dest);
	tcp_seq = arg5 == 0 ? _net_tcp[arg1]->rcv_nxt - (arg4 & 2 ? 1 : 0) : arg5 == 8 ? 0 : ntohl(T->seq);
	tcp_ack = arg5 == 0 ? (arg4 & 4 ? _net_tcp[arg1]->snd_nxt : _net_tcp[arg1]->snd_una) :
	    arg5 == 8 ? ntohl(T->seq) + _net_taken[arg4] : ntohl(T->ack_seq);
	tcp_offset = arg5 == 0 ? _net_tcp[arg1]->tcp_header_len : arg5 == 8 ? 20 : (((uint8_t *)T)[12] >> 4) * 4;
	tcp_flags = arg5 == 0 ? arg4 : arg5 == 8 ? 0x14 : ((uint8_t *)T)[13];
	tcp_window = arg5 == 0 || arg5 == 8 ? 0 : ntohs(T->window);
	tcp_checksum = arg5 == 0 || arg5 == 8 ? 0 : ntohs(T->check);
	tcp_urgent = arg5 == 0 || arg5 == 8 ? 0 : ntohs(T->urg_ptr);
	tcp_hdr = arg5 == 0 || arg5 == 8 ? (struct tcphdr *)0 : T;
};

translator udpsinfo_t < struct net_conn *K > {
	udps_addr = (uintptr_t)K;
	udps_lport = _net_port[(uint64_t)K];
	udps_rport = ntohs(_net_of_packet[(uint64_t)K] ? ((uint16_t *)arg4)[arg5 & 1 ? 1 : 0] :
	    _net_common[(uint64_t)K]->skc_dport);
	udps_laddr = _net_of_packet[(uint64_t)K] ? (arg5 & 1 ? _ip_source[arg3] : _ip_destination[arg3]) :
	    _net_local[(uint64_t)K];
	udps_raddr = _net_of_packet[(uint64_t)K] ? (arg5 & 1 ? _ip_destination[arg3] : _ip_source[arg3]) :
	    _net_remote[(uint64_t)K];
};

translator udpinfo_t < struct udphdr *U > {
	udp_sport = ntohs(U->source);
	udp_dport = ntohs(U->dest);
	udp_length = ntohs(U->len);
	udp_checksum = ntohs(U->check);
	udp_hdr = U;
};
