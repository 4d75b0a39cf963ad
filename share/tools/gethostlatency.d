/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "how long programs wait for addresses of host names"
#pragma dtr usage "[-p PID | -c COMMAND]"
#pragma dtr about "Prints a line for each getaddrinfo(), gethostbyname() and gethostbyname2() of the C library that"
#pragma dtr more "returns, in every process, also in containers: seconds since tracing began, process, milliseconds,"
#pragma dtr more "name. Programs with their own resolver, as those in Go, do not call them. With -p or -c only that"
#pragma dtr more "process and the children that it creates from then on are traced."
#pragma D option quiet
#pragma D option tailreturn
#pragma D option followfork
#pragma D option strsize=256
#pragma D option cutmark

self uint64_t at, host;

BEGIN
{
	start = timestamp;
	printf("%-10s %-7s %-16s %10s %s\n", "TIME(s)", "PID", "COMM", "LATms", "HOST");
}

pid*:libc:getaddrinfo:entry, pid*:libc:gethostbyname:entry, pid*:libc:gethostbyname2:entry,
pid*:ld-musl*:getaddrinfo:entry, pid*:ld-musl*:gethostbyname:entry, pid*:ld-musl*:gethostbyname2:entry
{
	self->at = timestamp;
	self->host = arg0;
}

pid*:libc:getaddrinfo:return, pid*:libc:gethostbyname:return, pid*:libc:gethostbyname2:return,
pid*:ld-musl*:getaddrinfo:return, pid*:ld-musl*:gethostbyname:return, pid*:ld-musl*:gethostbyname2:return
/self->at/
{
	this->t = (timestamp - start) / 1000;
	this->us = (timestamp - self->at) / 1000;
	printf("%3d.%06d %-7d %-16s %7d.%02d %S\n", this->t / 1000000, this->t % 1000000, pid, execname,
	    this->us / 1000, this->us % 1000 / 10, self->host ? copyinstr(self->host) : "");
	self->at = 0;
}
