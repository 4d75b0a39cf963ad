/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "TCP segments that are sent again"
#pragma dtr usage "[--count] [--port PORT]"
#pragma dtr about "Prints a line for each packet that TCP sends again: seconds since tracing began, local and remote"
#pragma dtr more "address and port, the state of the connection, the flags (S: SYN, F: FIN, P: PSH, A: ACK), the bytes"
#pragma dtr more "and the number of segments of the packet, and why: timeout; fast (the other end reports the gap);"
#pragma dtr more "probe (whether the end of the data was lost). A SYN-ACK is sent again after a timeout. The process is"
#pragma dtr more "not known: the kernel does this in whichever thread runs."
#pragma dtr option --count $1=1 "at the end, a row for each pair of ends: packets, segments and bytes"
#pragma dtr option --port port $2 "only with this local or remote port"
#pragma D option quiet
#pragma D option defaultargs
#pragma D option argdefaults=0,0
#pragma D option bufsize=8m
#pragma D option strsize=64

inline struct sock_common *ends[uint64_t k] = &((struct sock *)k)->__sk_common;
inline uint16_t lport[uint64_t k] = ends[k]->skc_num;
inline uint16_t rport[uint64_t k] = ntohs(ends[k]->skc_dport);
inline string laddr[uint64_t k] = ends[k]->skc_family == 10 ? inet_ntoa6((in6_addr_t *)&ends[k]->skc_v6_rcv_saddr) :
    inet_ntoa((ipaddr_t *)&ends[k]->skc_rcv_saddr);
inline string raddr[uint64_t k] = ends[k]->skc_family == 10 ? inet_ntoa6((in6_addr_t *)&ends[k]->skc_v6_daddr) :
    inet_ntoa((ipaddr_t *)&ends[k]->skc_daddr);
inline string flag[uint64_t set, uint64_t bit, string letter] = set & bit ? letter : "";

BEGIN
/!$1/
{
	start = timestamp;
	printf("%10s %-15s %5s %-15s %5s %-18s %-5s %6s %8s %s\n", "TIME s", "LOCAL", "PORT", "REMOTE", "PORT", "STATE",
	    "FLAGS", "BYTES", "SEGMENTS", "WHY");
}

rawtp:::tcp_retransmit_skb, rawtp:::tcp_retransmit_synack	/* the request of a connection begins like a socket */
{
	this->reply = probename == "tcp_retransmit_synack";
	this->k = this->reply ? arg1 : arg0;
	this->wanted = !$2 || lport[this->k] == $2 || rport[this->k] == $2;
	this->packet = this->reply ? (struct tcp_skb_cb *)0 : (struct tcp_skb_cb *)((struct sk_buff *)arg1)->cb;
	this->flags = this->reply ? TH_SYN | TH_ACK : this->packet->tcp_flags;
	this->bytes = this->reply ? 0 : ((struct sk_buff *)arg1)->len;
	this->segments = this->reply ? 1 : this->packet->tcp_gso_segs;
	this->state = this->reply ? 4 : ((struct inet_connection_sock *)arg0)->icsk_ca_state;
}

rawtp:::tcp_retransmit_skb, rawtp:::tcp_retransmit_synack	/* TCP_CA_Recovery 3, TCP_CA_Loss 4 */
/!$1 && this->wanted/
{
	this->t = (timestamp - start) / 1000;
	printf("%3d.%06d %-15s %5d %-15s %5d %-18s %s%s%s%-2s %6d %8d %s\n", this->t / 1000000, this->t % 1000000,
	    laddr[this->k], lport[this->k], raddr[this->k], rport[this->k], tcp_state_string[ends[this->k]->skc_state],
	    flag[this->flags, TH_SYN, "S"], flag[this->flags, TH_FIN, "F"], flag[this->flags, TH_PUSH, "P"],
	    flag[this->flags, TH_ACK, "A"], this->bytes, this->segments,
	    this->state == 4 ? "timeout" : this->state == 3 ? "fast" : "probe");
}

rawtp:::tcp_retransmit_skb, rawtp:::tcp_retransmit_synack
/$1 && this->wanted/
{
	@packets[laddr[this->k], lport[this->k], raddr[this->k], rport[this->k]] = count();
	@segments[laddr[this->k], lport[this->k], raddr[this->k], rport[this->k]] = sum(this->segments);
	@bytes[laddr[this->k], lport[this->k], raddr[this->k], rport[this->k]] = sum(this->bytes);
}

END
/$1/
{
	printf("%-15s %5s %-15s %5s %8s %8s %10s\n", "LOCAL", "PORT", "REMOTE", "PORT", "PACKETS", "SEGMENTS", "BYTES");
	printa("%-15s %5d %-15s %5d %@8d %@8d %@10d\n", @packets, @segments, @bytes);
}
