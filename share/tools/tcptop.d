/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "TCP connections with the most data, by process"
#pragma dtr usage "[-C] [-4 | -6] [INTERVAL [COUNT]] [-p PID | -c COMMAND]"
#pragma dtr about "Prints after each interval for each process and TCP connection how many kilobytes it has received"
#pragma dtr more "and sent with system calls; the largest last. Needs the tracepoints sock_send_length and"
#pragma dtr more "sock_recv_length, which kernels before 6.3 lack. With -p or -c only what that process and its"
#pragma dtr more "descendants do."
#pragma dtr option -C $1=1 "add up: do not start again after an interval"
#pragma dtr option -4 $2=2 "only IPv4"
#pragma dtr option -6 $2=10 "only IPv6"
#pragma dtr operand [period:INTERVAL] $3 "length of an interval: 2 (seconds), 500ms (default: 1s)"
#pragma dtr operand [count] $4 "end after so many intervals"
#pragma D option quiet
#pragma D option defaultargs
#pragma D option argdefaults=0,0,1s,0
#pragma D option strsize=64

inline struct sock_common *ends = &((struct sock *)arg0)->__sk_common;
inline string local = ends->skc_family == 10 ? inet_ntoa6((in6_addr_t *)&ends->skc_v6_rcv_saddr) :
    inet_ntoa((ipaddr_t *)&ends->skc_rcv_saddr);
inline string remote = ends->skc_family == 10 ? inet_ntoa6((in6_addr_t *)&ends->skc_v6_daddr) :
    inet_ntoa((ipaddr_t *)&ends->skc_daddr);

sdt:::sock_send_length, sdt:::sock_recv_length	/* IPPROTO_TCP 6, IPPROTO_MPTCP 262, MSG_PEEK 2 */
/args[1] > 0 && !(args[2] & 2) && (args[0]->sk_protocol == 6 || args[0]->sk_protocol == 262) &&
    (ends->skc_family == 2 || ends->skc_family == 10) && (!$2 || ends->skc_family == $2) &&
    (!$target || progenyof($target))/
{
	this->sent = probename == "sock_send_length";
	@rx[pid, execname, local, ends->skc_num, remote, ntohs(ends->skc_dport)] = sum(this->sent ? 0 : args[1]);
	@tx[pid, execname, local, ends->skc_num, remote, ntohs(ends->skc_dport)] = sum(this->sent ? args[1] : 0);
}

tick-$3, END
/!$4 || printed < $4/
{
	normalize(@rx, 1024);
	normalize(@tx, 1024);
	printf("%Y\n%7s %-12s %-15s %5s %-15s %5s %8s %8s\n", walltimestamp, "PID", "COMM", "LADDR", "LPORT", "RADDR",
	    "RPORT", "RX_KB", "TX_KB");
	printa("%7d %-12s %-15s %5d %-15s %5d %@8d %@8d\n", @rx, @tx);
	$1 ? 1 : trunc(@rx);
	$1 ? 1 : trunc(@tx);
	printed++;
}

tick-$3 /printed == $4/ { exit(0); }
