/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "TCP connections that processes accept"
#pragma dtr usage "[--port PORT] [-p PID | -c COMMAND]"
#pragma dtr about "Prints a line for each connection that accept() or accept4() returns: seconds since tracing began,"
#pragma dtr more "the process that called it, local and remote address and port, and microseconds that the established"
#pragma dtr more "connection waited for the call (-: it was established before tracing began). With -p or -c only those"
#pragma dtr more "of the process and its descendants. What is accepted without a system call (io_uring, the kernel's"
#pragma dtr more "servers) is not shown."
#pragma dtr option --port port $1 "only at this local port"
#pragma D option quiet
#pragma D option defaultargs
#pragma D option dynvarsize=8m
#pragma D option bufsize=8m
#pragma D option strsize=64

uint64_t since[uint64_t];
inline struct sock *accepted = ((struct socket *)curthread->files->fdt->fd[arg0]->private_data)->sk;
inline struct sock_common *ends = &accepted->__sk_common;

BEGIN
{
	start = timestamp;
	printf("%10s %7s %-16s %-15s %5s %-15s %5s %10s\n", "TIME s", "PID", "NAME", "LOCAL", "PORT", "REMOTE", "PORT",
	    "WAIT us");
}

tcp:::accept-established
/!$1 || args[3]->tcps_lport == $1/
{
	since[args[1]->cs_cid] = timestamp;
}

tcp:::state-change
/args[3]->tcps_state == TCP_STATE_CLOSED/
{
	since[args[1]->cs_cid] = 0;
}

syscall::accept:return, syscall::accept4:return	/* IPPROTO_TCP 6, IPPROTO_MPTCP 262; AF_INET6 10 */
/(int)arg0 >= 0 && (!$target || progenyof($target)) && (accepted->sk_protocol == 6 || accepted->sk_protocol == 262) &&
    (!$1 || ends->skc_num == $1)/
{
	this->t = (timestamp - start) / 1000;
	this->since = since[(uint64_t)accepted];
	since[(uint64_t)accepted] = 0;
	printf("%3d.%06d %7d %-16s %-15s %5d %-15s %5d %10s\n", this->t / 1000000, this->t % 1000000, pid, execname,
	    ends->skc_family == 10 ? inet_ntoa6((in6_addr_t *)&ends->skc_v6_rcv_saddr) :
	    inet_ntoa((ipaddr_t *)&ends->skc_rcv_saddr), ends->skc_num, ends->skc_family == 10 ?
	    inet_ntoa6((in6_addr_t *)&ends->skc_v6_daddr) : inet_ntoa((ipaddr_t *)&ends->skc_daddr),
	    ntohs(ends->skc_dport), this->since ? lltostr((timestamp - this->since) / 1000) : "-");
}
