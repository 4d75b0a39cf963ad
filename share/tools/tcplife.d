/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "TCP connections that end"
#pragma dtr usage "[--port PORT] [-p PID | -c COMMAND]"
#pragma dtr about "Prints a line for each established connection that ends: seconds since tracing began, the process,"
#pragma dtr more "local and remote address and port, the bytes of data sent (without repetitions) and received, and"
#pragma dtr more "milliseconds since it was requested or, at the other end, established (-: before tracing began)."
#pragma dtr more "TIME_WAIT does not count. The process is the one that called connect() or that accept() returned the"
#pragma dtr more "connection to, otherwise the one that closes it (0: neither is known). With -p or -c only connections"
#pragma dtr more "of the process and its descendants."
#pragma dtr option --port port $1 "only with this local or remote port"
#pragma D option quiet
#pragma D option defaultargs
#pragma D option dynvarsize=4m
#pragma D option bufsize=8m
#pragma D option strsize=64

uint64_t began[uint64_t];
pid_t owner[uint64_t];
string name[uint64_t];
inline uint64_t accepted = (uint64_t)((struct socket *)curthread->files->fdt->fd[arg0]->private_data)->sk;
/* The end of the other side counts as a byte (SOCK_DONE 1). */
inline int done[uint64_t k] = (((struct sock_common *)k)->skc_flags & 2) != 0;

BEGIN
{
	start = timestamp;
	printf("%10s %7s %-16s %-15s %5s %-15s %5s %10s %10s %10s\n", "TIME s", "PID", "NAME", "LOCAL", "PORT",
	    "REMOTE", "PORT", "SENT", "RECEIVED", "TIME ms");
}

tcp:::state-change
/args[3]->tcps_state == TCP_STATE_SYN_SENT || (args[3]->tcps_state == TCP_STATE_ESTABLISHED && !began[args[1]->cs_cid])/
{
	began[args[1]->cs_cid] = timestamp;
}

tcp:::state-change	/* in the thread that calls connect() or, if it has no owner yet, shutdown() or close() */
/(args[3]->tcps_state == TCP_STATE_SYN_SENT || ((args[3]->tcps_state == TCP_STATE_FIN_WAIT_1 ||
    args[3]->tcps_state == TCP_STATE_LAST_ACK) && !owner[args[1]->cs_cid])) && (!$target || progenyof($target))/
{
	owner[args[1]->cs_cid] = pid;
	name[args[1]->cs_cid] = execname;
}

syscall::accept:return, syscall::accept4:return
/(int)arg0 >= 0 && began[accepted] && (!$target || progenyof($target))/
{
	owner[accepted] = pid;
	name[accepted] = execname;
}

tcp:::state-change	/* which was established: not TCP_STATE_SYN_SENT ... */
/args[3]->tcps_state == TCP_STATE_CLOSED && 1 << args[5]->tcps_state & 0xb72 && (owner[args[1]->cs_cid] || !$target) &&
    (!$1 || args[3]->tcps_lport == $1 || args[3]->tcps_rport == $1)/
{
	this->t = (timestamp - start) / 1000;
	this->us = (timestamp - began[args[1]->cs_cid]) / 1000;
	this->tcp = (struct tcp_sock *)args[1]->cs_addr;
	printf("%3d.%06d %7d %-16s %-15s %5d %-15s %5d %10d %10d %10s\n", this->t / 1000000, this->t % 1000000,
	    owner[args[1]->cs_cid], name[args[1]->cs_cid], args[3]->tcps_laddr, args[3]->tcps_lport,
	    args[3]->tcps_raddr, args[3]->tcps_rport, this->tcp->bytes_sent - this->tcp->bytes_retrans,
	    this->tcp->bytes_received - done[args[1]->cs_cid],
	    began[args[1]->cs_cid] ? strjoin(lltostr(this->us / 1000), strjoin(".",
	    substr(lltostr(1000 + this->us % 1000), 1))) : "-");
}

tcp:::state-change
/args[3]->tcps_state == TCP_STATE_CLOSED/
{
	began[args[1]->cs_cid] = 0;
	owner[args[1]->cs_cid] = 0;
	name[args[1]->cs_cid] = 0;
}
