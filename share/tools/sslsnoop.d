/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "reads, writes and handshakes of OpenSSL, and how long they take"
#pragma dtr usage "[-s FILE] [-p PID | -c COMMAND]"
#pragma dtr about "Prints a line for each SSL_read(), SSL_write(), SSL_read_ex(), SSL_write_ex() and SSL_do_handshake()"
#pragma dtr more "that returns, in every process that uses libssl, also in containers: microseconds since tracing"
#pragma dtr more "began, thread, its name, microseconds, result, function. The result is the number of bytes, of"
#pragma dtr more "SSL_..._ex() and SSL_do_handshake() 1, or at most 0 after a failure. With -p or -c only that process"
#pragma dtr more "and the children that it creates from then on are traced."
#pragma dtr option -s file $1 "the program or library with these functions: a path, or a name (default: libssl)"
#pragma D option quiet
#pragma D option tailreturn
#pragma D option defaultargs
#pragma D option argdefaults=libssl
#pragma D option followfork
#pragma D option bufsize=8m

self uint64_t at;

BEGIN
{
	start = timestamp;
	printf("%-10s %-8s %-16s %7s %5s %s\n", "TIME(us)", "TID", "COMM", "LAT(us)", "RET", "FUNC");
}

pid*:$1:SSL_read:entry, pid*:$1:SSL_write:entry, pid*:$1:SSL_read_ex:entry, pid*:$1:SSL_write_ex:entry,
pid*:$1:SSL_do_handshake:entry
{
	self->at = timestamp;
}

pid*:$1:SSL_read:return, pid*:$1:SSL_write:return, pid*:$1:SSL_read_ex:return, pid*:$1:SSL_write_ex:return,
pid*:$1:SSL_do_handshake:return
/self->at/
{
	printf("%-10d %-8d %-16s %7d %5d %s\n", (timestamp - start) / 1000, tid, execname,
	    (timestamp - self->at) / 1000, (int)arg1, probefunc);
	self->at = 0;
}
