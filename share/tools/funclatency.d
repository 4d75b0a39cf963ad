/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "how long functions take"
#pragma dtr usage "[-u | -m] [-F] [-T] [-i INTERVAL] [-d DURATION] [-p PID | -c COMMAND] FUNCTION"
#pragma dtr about "Prints a histogram of the time, in nanoseconds, from the call of a function, or of all that a"
#pragma dtr more "pattern matches, until it returns; also their average, total and number. c:malloc is a function of"
#pragma dtr more "libc, /bin/bash:readline of a program, in every process; vfs_read is a function of the kernel, which"
#pragma dtr more "needs kprobes, as fbt does. Of a function that calls itself, the innermost call"
#pragma dtr more "counts. With -p or -c only that process and its descendants are traced."
#pragma dtr option -u $2=1000 "in microseconds"
#pragma dtr option -m $2=1000000 "in milliseconds"
#pragma dtr option -F $3=1 "a histogram for each function"
#pragma dtr option -i period:INTERVAL $4 "print and reset after this time: 2 (seconds), 500ms"
#pragma dtr option -d period:DURATION $5 "end after this time"
#pragma dtr option -T $6=1 "the time of each output"
#pragma dtr operand function $1 "what is measured"
#pragma D option quiet
#pragma D option tailreturn
#pragma D option defaultargs
#pragma D option argdefaults=,1,0,100d,100d,0
#pragma D option followfork
#pragma D option dynvarsize=16m

$1:entry
/pid != $pid && (!$target || progenyof($target))/
{
	self->at[probefunc] = timestamp;
}

$1:return
/self->at[probefunc]/
{
	this->took = (timestamp - self->at[probefunc]) / $2;
	self->at[probefunc] = 0;
	@times[$3 ? probefunc : ""] = quantize(this->took);
	@avg[$3 ? probefunc : ""] = avg(this->took);
	@total[$3 ? probefunc : ""] = sum(this->took);
	@count[$3 ? probefunc : ""] = count();
}

tick-$4, END /$6/ { printf("%Y\n", walltimestamp); }
tick-$4, END
{
	printf("%s\n", $2 == 1 ? "nsecs" : $2 == 1000 ? "usecs" : "msecs");
	printa("%s%@d avg = %@d, total = %@d, count = %@d\n", @times, @avg, @total, @count);
	trunc(@times);
	trunc(@avg);
	trunc(@total);
	trunc(@count);
}

tick-$5
{
	exit(0);
}
