/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "for which locks a program waits, how long it holds them"
#pragma dtr usage "[-A | -C | -H] [-e PERIOD] {PID | -c COMMAND | COMMAND ...}"
#pragma dtr about "Prints a row for each mutex or readers/writer lock and function that wanted it: how often threads"
#pragma dtr more "blocked (waited asleep) for it, or held it, the mean and the sum of the times in nanoseconds, the"
#pragma dtr more "lock and the function."
#pragma dtr option -A $1=0 "where threads block, and how long they hold locks (the default)"
#pragma dtr option -C $1=1 "only where they block"
#pragma dtr option -H $1=2 "only how long they hold locks"
#pragma dtr option -e period $2 "end after this time: 5 (seconds), 500ms (default: with the program)"
#pragma dtr operand pid target
#pragma dtr operand [command] target
#pragma D option quiet
#pragma D option zdefs
#pragma D option defaultargs
#pragma D option argdefaults=0,1d
#pragma D option aggsortrev
#pragma D option dynvarsize=16m
self uint64_t asleep;
/* By the address of a lock: since when the thread has it, from where, how often (readers/writer locks). */
self uint64_t since[uint64_t], caller[uint64_t];
self int times[uint64_t];

plockstat$target:::mutex-block, plockstat$target:::rw-block
{
	self->asleep = timestamp;
}

plockstat$target:::mutex-blocked, plockstat$target:::rw-blocked
/$1 != 2 && self->asleep/
{
	this->event = probename == "mutex-blocked" ? "mutex-block" : arg1 ? "writer-block" : "reader-block";
	@count[this->event, arg0, uaddr(arg3)] = count();
	@mean[this->event, arg0, uaddr(arg3)] = avg(timestamp - self->asleep);
	@sum[this->event, arg0, uaddr(arg3)] = sum(timestamp - self->asleep);
	self->asleep = 0;
}

plockstat$target:::mutex-release, plockstat$target:::rw-release
/self->since[arg0] && (probename == "rw-release" ? --self->times[arg0] == 0 : !arg1)/
{
	this->event = probename == "mutex-release" ? "mutex-hold" : arg1 ? "writer-hold" : "reader-hold";
	@count[this->event, arg0, uaddr(self->caller[arg0])] = count();
	@mean[this->event, arg0, uaddr(self->caller[arg0])] = avg(timestamp - self->since[arg0]);
	@sum[this->event, arg0, uaddr(self->caller[arg0])] = sum(timestamp - self->since[arg0]);
	self->since[arg0] = self->caller[arg0] = 0;
}

plockstat$target:::mutex-acquire, plockstat$target:::rw-acquire
/$1 != 1 && (probename == "rw-acquire" ? self->times[arg0]++ == 0 : !arg1)/
{
	self->since[arg0] = timestamp;
	self->caller[arg0] = arg3;
}

tick-$2 { exit(0); }
END
{
	printf("  COUNT    MEAN ns      TOTAL ns %-12s %-16s %s\n", "EVENT", "LOCK", "CALLER");
	printa("%@7d %@10d %@13d %-12s %-16p %A\n", @count, @mean, @sum);
}
