/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "states of TCP connections, and how long each lasted"
#pragma dtr usage "[-L PORT] [-D PORT] [-4 | -6] [-p PID | -c COMMAND]"
#pragma dtr about "Prints a line each time a TCP socket gets another state: seconds since tracing began, the address"
#pragma dtr more "of the socket in the kernel, the process that runs (of many changes that are caused by packets,"
#pragma dtr more "any), local and remote address and port, both states, and milliseconds in the old one (0: since"
#pragma dtr more "before tracing began). With -p or -c only changes while the process and its descendants run."
#pragma dtr option -L port $1 "only with this local port"
#pragma dtr option -D port $2 "only with this remote port"
#pragma dtr option -4 $3=4 "only IPv4"
#pragma dtr option -6 $3=6 "only IPv6"
#pragma D option quiet
#pragma D option defaultargs
#pragma D option argdefaults=0,0,0
#pragma D option dynvarsize=8m
#pragma D option bufsize=8m
#pragma D option strsize=64

uint64_t since[uint64_t];
inline string state[int s] = s == 1 ? "ESTABLISHED" : s == 2 ? "SYN_SENT" : s == 3 ? "SYN_RECV" :
    s == 4 ? "FIN_WAIT1" : s == 5 ? "FIN_WAIT2" : s == 6 ? "TIME_WAIT" : s == 7 ? "CLOSE" : s == 8 ? "CLOSE_WAIT" :
    s == 9 ? "LAST_ACK" : s == 10 ? "LISTEN" : s == 11 ? "CLOSING" : "NEW_SYN_RECV";

BEGIN
{
	start = timestamp;
	printf("%10s %-16s %7s %-10s %-15s %5s %-15s %5s %-11s    %-11s %s\n", "TIME(s)", "SKADDR", "C-PID", "C-COMM",
	    "LADDR", "LPORT", "RADDR", "RPORT", "OLDSTATE", "NEWSTATE", "MS");
}

tcp:::state-change
/(!$target || progenyof($target)) && (!$1 || args[3]->tcps_lport == $1) && (!$2 || args[3]->tcps_rport == $2) &&
    (!$3 || (((struct sock *)args[1]->cs_addr)->__sk_common.skc_family == 10 ? 6 : 4) == $3)/
{
	this->t = (timestamp - start) / 1000;
	this->us = since[args[1]->cs_cid] ? (timestamp - since[args[1]->cs_cid]) / 1000 : 0;
	printf("%3d.%06d %16x %7d %-10s %-15s %5d %-15s %5d %-11s -> %-11s %d.%03d\n", this->t / 1000000,
	    this->t % 1000000, args[1]->cs_addr, pid, execname, args[3]->tcps_laddr, args[3]->tcps_lport,
	    args[3]->tcps_raddr, args[3]->tcps_rport, state[args[5]->tcps_state], state[args[3]->tcps_state],
	    this->us / 1000, this->us % 1000);
}

tcp:::state-change
{
	since[args[1]->cs_cid] = args[3]->tcps_state == TCP_STATE_CLOSED ? 0 : timestamp;
}
