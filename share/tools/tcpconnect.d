/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "TCP connections that processes open"
#pragma dtr usage "[--failed] [--port PORT] [-p PID | -c COMMAND]"
#pragma dtr about "Prints a line for each connection that is established or fails: seconds since tracing began, the"
#pragma dtr more "process that called connect(), the error (0: none; -: closed without one, for example by the"
#pragma dtr more "process), local and remote address and port, and microseconds from the request until it was"
#pragma dtr more "established or failed. With -p or -c only connections that the process and its descendants open."
#pragma dtr option --failed $1=1 "only connections that fail"
#pragma dtr option --port port $2 "only to this port"
#pragma D option quiet
#pragma D option defaultargs
#pragma D option argdefaults=0,0
#pragma D option dynvarsize=8m
#pragma D option bufsize=8m
#pragma D option strsize=64

struct request {
	uint64_t at;
	pid_t pid;
	string name;
};
struct request request[uint64_t];

BEGIN
{
	start = timestamp;
	printf("%10s %7s %-16s %5s %-15s %5s %-15s %5s %10s\n", "TIME s", "PID", "NAME", "ERROR", "LOCAL", "PORT",
	    "REMOTE", "PORT", "TIME us");
}

tcp:::state-change	/* in the thread that calls connect() */
/args[3]->tcps_state == TCP_STATE_SYN_SENT && (!$2 || args[3]->tcps_rport == $2) && (!$target || progenyof($target))/
{
	request[args[1]->cs_cid].at = timestamp;
	request[args[1]->cs_cid].pid = pid;
	request[args[1]->cs_cid].name = execname;
}

tcp:::state-change
/(args[3]->tcps_state == TCP_STATE_CLOSED || (args[3]->tcps_state == TCP_STATE_ESTABLISHED && !$1)) &&
    request[args[1]->cs_cid].at/
{
	this->t = (timestamp - start) / 1000;
	this->error = ((struct sock *)args[1]->cs_addr)->sk_err;
	printf("%3d.%06d %7d %-16s %5s %-15s %5d %-15s %5d %10d\n", this->t / 1000000, this->t % 1000000,
	    request[args[1]->cs_cid].pid, request[args[1]->cs_cid].name, args[3]->tcps_state == TCP_STATE_ESTABLISHED ?
	    "0" : this->error ? lltostr(this->error) : "-", args[3]->tcps_laddr, args[3]->tcps_lport,
	    args[3]->tcps_raddr, args[3]->tcps_rport, (timestamp - request[args[1]->cs_cid].at) / 1000);
}

tcp:::state-change
/args[3]->tcps_state == TCP_STATE_CLOSED || args[3]->tcps_state == TCP_STATE_ESTABLISHED/
{
	request[args[1]->cs_cid].at = 0;
	request[args[1]->cs_cid].pid = 0;
	request[args[1]->cs_cid].name = 0;
}
