/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "packets of TCP that the kernel drops, with its stack"
#pragma dtr usage "[-4 | -6] [-p PID | -c COMMAND]"
#pragma dtr about "Prints for each packet of TCP that the kernel drops: seconds since tracing began, the process"
#pragma dtr more "that runs (any, if an interrupt drops it), version of IP, the packet's source and destination, the"
#pragma dtr more "state of the socket (-: it has none), its flags, the number of the reason (enum skb_drop_reason),"
#pragma dtr more "and the kernel's stack. Packets that a firewall drops are shown, too. With -p or -c only while"
#pragma dtr more "that process and its descendants run."
#pragma dtr option -4 $1=4 "only IPv4"
#pragma dtr option -6 $1=6 "only IPv6"
#pragma D option quiet
#pragma D option defaultargs
#pragma D option argdefaults=0
#pragma D option bufsize=8m
#pragma D option strsize=64

inline string state[int s] = s == 1 ? "ESTABLISHED" : s == 2 ? "SYN_SENT" : s == 3 ? "SYN_RECV" :
    s == 4 ? "FIN_WAIT1" : s == 5 ? "FIN_WAIT2" : s == 6 ? "TIME_WAIT" : s == 7 ? "CLOSE" : s == 8 ? "CLOSE_WAIT" :
    s == 9 ? "LAST_ACK" : s == 10 ? "LISTEN" : s == 11 ? "CLOSING" : s == 12 ? "NEW_SYN_RECV" : "-";
inline string flag[int set, int bit, string letter] = set & bit ? letter : "";

BEGIN
{
	start = timestamp;
	printf("%10s %7s %-2s %-21s > %-21s %s\n", "TIME(s)", "PID", "IP", "SADDR:SPORT", "DADDR:DPORT",
	    "STATE (FLAGS) REASON");
}

sdt:::kfree_skb	/* ETH_P_IP, ETH_P_IPV6 in network byte order; SKB_CONSUMED 1 is no drop */
/args[2] > 1 && (args[0]->protocol == 0x0008 || args[0]->protocol == 0xdd86) && args[0]->network_header &&
    (!$target || progenyof($target))/
{
	this->six = args[0]->protocol == 0xdd86;
	this->ip = args[0]->head + args[0]->network_header;
	this->kind = this->six ? this->ip[6] : this->ip[9];
	this->tcp = this->ip + (this->six ? 40 : (this->ip[0] & 15) * 4);
}

sdt:::kfree_skb	/* IPPROTO_TCP 6 */
/this->kind == 6 && (!$1 || (this->six ? 6 : 4) == $1)/
{
	this->t = (timestamp - start) / 1000;
	this->source = this->six ? inet_ntoa6((in6_addr_t *)(this->ip + 8)) : inet_ntoa((ipaddr_t *)(this->ip + 12));
	this->to = this->six ? inet_ntoa6((in6_addr_t *)(this->ip + 24)) : inet_ntoa((ipaddr_t *)(this->ip + 16));
	this->sk = args[0]->sk;
	printf("%3d.%06d %7d %-2d %s:%-5d > %s:%-5d %s (%s%s%s%s%s) %d", this->t / 1000000, this->t % 1000000, pid,
	    this->six ? 6 : 4, this->source, this->tcp[0] << 8 | this->tcp[1], this->to,
	    this->tcp[2] << 8 | this->tcp[3], this->sk ? state[this->sk->__sk_common.skc_state] : "-",
	    flag[this->tcp[13], TH_SYN, "S"], flag[this->tcp[13], TH_FIN, "F"], flag[this->tcp[13], TH_RST, "R"],
	    flag[this->tcp[13], TH_PUSH, "P"], flag[this->tcp[13], TH_ACK, "A"], (int)args[2]);
	stack();
	printf("\n");
}
