/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "reads, writes, creations, opens and syncs of files each second"
#pragma dtr usage "[INTERVAL [COUNT]] [-p PID | -c COMMAND]"
#pragma dtr about "Prints after each interval how many operations on files there were each second: read() and its"
#pragma dtr more "relatives, write() and its relatives, opens that create the file, opens, and fsync(). System calls"
#pragma dtr more "are counted, also those for pipes, sockets and devices; what the kernel does by itself is not."
#pragma dtr more "With -p or -c only those of that process and its descendants."
#pragma dtr operand [period:INTERVAL] $1 "length of an interval: 2 (seconds), 500ms (default: 1s)"
#pragma dtr operand [count] $2 "end after so many intervals"
#pragma D option quiet
#pragma D option defaultargs
#pragma D option argdefaults=1s,0

BEGIN
{
	last = timestamp;
	printf("%-20s %8s %8s %8s %8s %8s\n", "TIME", "READ/s", "WRITE/s", "CREATE/s", "OPEN/s", "FSYNC/s");
	@read = sum(0);
	@write = sum(0);
	@create = sum(0);
	@open = sum(0);
	@fsync = sum(0);
}

fsinfo:::read /!$target || progenyof($target)/ { @read = sum(1000000); }
fsinfo:::write /!$target || progenyof($target)/ { @write = sum(1000000); }
fsinfo:::create /!$target || progenyof($target)/ { @create = sum(1000000); }
fsinfo:::open /!$target || progenyof($target)/ { @open = sum(1000000); }
fsinfo:::fsync /!$target || progenyof($target)/ { @fsync = sum(1000000); }

tick-$1
{
	this->us = (timestamp - last) / 1000;
	last = timestamp;
	normalize(@read, this->us);
	normalize(@write, this->us);
	normalize(@create, this->us);
	normalize(@open, this->us);
	normalize(@fsync, this->us);
	printf("%Y", walltimestamp);
	printa(" %@8d %@8d %@8d %@8d %@8d\n", @read, @write, @create, @open, @fsync);
	clear(@read);
	clear(@write);
	clear(@create);
	clear(@open);
	clear(@fsync);
	printed++;
}

tick-$1 /printed == $2/ { exit(0); }
