/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * exact - who had the CPUs, measured from switch to switch, not sampled
 *
 * usage: dtr exact [-i PERIOD] [-k pid|tid|execname|cpu] [-a] [--hook FILE] [--json] [-p PID | -c COMMAND]
 *
 * After each period, and when it ends: a row for each process, n * 10000 / N, its time in hundredths of a percent of all CPUs'
 * time. Rows add up to 10000 but for rounding. With -p or -c all but that process and its descendants is one row.
 *
 *   -i PERIOD = $1	how long a period is (1s)
 *   -k pid|tid|execname|cpu = $2	a row is a process, a thread, a name; or a process on a CPU, then each CPU adds up to 10000
 *   -a = $3=1	N is the time that the CPUs were not idle (with -p or -c: that these processes had)
 *   --hook FILE = -s FILE	D clauses of yours for profile:::sweep-$1 /!arg0/, which run after each period
 *   --json = -O json	JSON lines
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D option argdefaults=1s,pid,0

inline string by = $$2;
inline int mine = (pid || by == "cpu") && (!$target || progenyof($target));
inline int where = by == "cpu" ? cpu : 0;
inline int who = by == "tid" ? tid : by == "execname" ? 0 : pid;
inline string name = by == "pid" || by == "cpu" ? curpsinfo->pr_fname : execname;

struct account { uint64_t since, ended, rest, apart[5]; };
struct account on[511];		/* of a CPU: since when its thread runs, which period has ended on it */
uint64_t begin, end, rest, cpus;	/* the period; odd and even ends take turns, as the tables do */

sched:::off-cpu { this->end = end; this->to = timestamp < this->end ? 0 : this->end; }
profile:::sweep-$1 { this->end = end; this->to = arg2 ? this->end : arg1; }

sched:::off-cpu
/timestamp < this->end/
{
	this->ran = timestamp - (on[cpu].since > begin ? on[cpu].since : begin);
	on[cpu].since = timestamp;
	if (!mine) { on[cpu].rest += this->ran; }
	else if (this->end & 1) { @odd[where, who, name] = sum(10000 * this->ran); }
	else { @even[where, who, name] = sum(10000 * this->ran); }
}

/* The period has ended, which a CPU learns by its next switch or by the sweep: the running thread gets its time up to the end. */
sched:::off-cpu, profile:::sweep-$1
/this->to && on[cpu].ended != this->end/
{
	this->ran = this->to - (on[cpu].since > begin ? on[cpu].since : begin);
	on[cpu].since = this->to;
	on[cpu].ended = this->end;
	rest += on[cpu].rest + (mine ? 0 : this->ran);
	on[cpu].rest = 0;
	cpus++;
	if (mine && this->end & 1) { @odd[where, who, name] = sum(10000 * this->ran); }
	else if (mine) { @even[where, who, name] = sum(10000 * this->ran); }
}

/* Behind the end: the time of the next period. */
sched:::off-cpu
/this->to/
{
	this->ran = timestamp - on[cpu].since;
	on[cpu].since = timestamp;
	if (!mine) { on[cpu].rest += this->ran; }
	else if (this->end & 1) { @even[where, who, name] = sum(10000 * this->ran); }
	else { @odd[where, who, name] = sum(10000 * this->ran); }
}

/* All CPUs know. */
profile:::sweep-$1
/!arg0 && end/
{
	this->n = (arg1 - begin) * (by == "cpu" ? 1 : cpus) - ($3 && by != "cpu" ? rest : 0);
	this->n = this->n ? this->n : 1;
	printf("\n%Y, %d ms, %d CPUs\n%8s %3s %7s %s\n", walltimestamp, (arg1 - begin) / 1000000, cpus, "1/100 %", "CPU", "ID", "NAME");
}
profile:::sweep-$1 /this->n && !$3 && by != "cpu"/ { printf("%8d %3s %7d %s\n", 10000 * rest / this->n, "", 0, $target ? "(the rest)" : "(idle)"); }
profile:::sweep-$1 /this->n && end & 1/ { normalize(@odd, this->n); printa("%@8d %3d %7d %s\n", @odd); trunc(@odd); }
profile:::sweep-$1 /this->n && !(end & 1)/ { normalize(@even, this->n); printa("%@8d %3d %7d %s\n", @even); trunc(@even); }

profile:::sweep-$1
/!arg0/
{
	begin = end ? arg1 : timestamp;
	rest = cpus = 0;
	end = (arg2 & ~1) | !(end & 1);
}
