/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "CPU time by process, measured at context switches, not sampled"
#pragma dtr usage "[-i PERIOD] [-k pid|tid|execname|cpu] [-a] [--hook FILE] [--json] [-p PID | -c COMMAND]"
#pragma dtr about "Prints each process's share of all CPUs' time after each period. With -p or -c all other processes"
#pragma dtr more "share one row."
#pragma dtr option -i period $1 "length of a period: 2 (seconds), 500ms, 1h (default: 1s)"
#pragma dtr option -k pid|tid|execname|cpu $2 "one row for each of these; cpu: one for each process on each CPU"
#pragma dtr option -a $3=1 "shares of non-idle time (with -p, -c: of these processes' time); with -k cpu: of all CPUs'"
#pragma dtr more "time"
#pragma dtr option --hook file pass "-s %s" "add clauses from a file; profile:::sweep-$1 /!arg0 && arg1/ runs after"
#pragma dtr more "each period"
#pragma dtr option --json $4=1 "JSON lines: one per period and one per share (in percent)"
#pragma D option quiet
#pragma D option aggsortrev
#pragma D option argdefaults=1s,pid,0,0
#pragma D option defaultargs
inline string by = $$2;
inline int alone = by == "cpu" && !$3; inline int mine = (pid || alone) && (!$target || progenyof($target));
inline int where = by == "cpu" ? cpu : 0; inline int who = by == "tid" ? tid : by == "execname" ? 0 : pid;
inline string name = by == "pid" || by == "cpu" ? curpsinfo->pr_fname : execname;
inline string others = $target ? "(the rest)" : "(idle)";
/* %.0d: a key that all rows have alike, 0 */
inline string heads = by == "cpu" ? "CPU      ID " : by == "execname" ? "" : "     ID ";
inline string rows = by == "cpu" ? "%@7.2f %% %3d %7d %s\n" : by == "execname" ? "%@7.2f %%%.0d%.0d %s\n" :
	"%@7.2f %%%.0d %7d %s\n";
inline string objects = by == "cpu" ?
	"{\"type\":\"share\",\"share\":%@.6f,\"ns\":%@r,\"cpu\":%d,\"id\":%d,\"name\":%J}\n" :
	by == "execname" ?
	"{\"type\":\"share\",\"share\":%@.6f,\"ns\":%@r,\"cpu\":null%.0d,\"id\":null%.0d,\"name\":%J}\n" :
	"{\"type\":\"share\",\"share\":%@.6f,\"ns\":%@r,\"cpu\":null%.0d,\"id\":%d,\"name\":%J}\n";
/* per CPU: since when its thread runs, the end of the last period added up */
struct account { uint64_t since, ended, rest, apart[5]; };
struct account on[511];
uint64_t begin, end, all, rest, cpus;	/* the period; odd and even ends alternate, and so do the two tables */

sched:::off-cpu { this->end = end; this->to = timestamp < this->end ? 0 : this->end; }
profile:::sweep-$1 { this->end = end; this->to = arg1 ? this->end : 0; }

sched:::off-cpu, profile:::sweep-$1
/this->to && on[cpu].ended != this->end/	/* the period is over: the thread's time before its end */
{
	this->from = on[cpu].since > begin ? on[cpu].since : begin;
	this->to = this->to > this->from ? this->to : this->from; this->ran = this->to - this->from;
	on[cpu].since = this->to; on[cpu].ended = this->end; cpus++; all += this->to - begin;
	rest += on[cpu].rest + (mine ? 0 : this->ran); on[cpu].rest = 0;
	if (mine && this->end & 1) { @odd[where, who, name] = sum(this->ran); }
	else if (mine) { @even[where, who, name] = sum(this->ran); }
}
sched:::off-cpu
/this->end/					/* the thread's time since; after the end it belongs to the next
						 * period */
{
	this->ran = timestamp - (on[cpu].since > begin ? on[cpu].since : begin);
	on[cpu].since = timestamp;
	if (!mine) { on[cpu].rest += this->ran; }
	else if ((this->end ^ (this->to != 0)) & 1) { @odd[where, who, name] = sum(this->ran); }
	else { @even[where, who, name] = sum(this->ran); }
}
profile:::sweep-$1
/!arg0 && arg1/					/* the last CPU: clear a terminal, print the head of the table */
{
	if ($lines > 8 && !$4) { printf("\033[H\033[J"); trunc(@odd, end & 1 ? $lines - 4 : 1 << 30);
		trunc(@even, end & 1 ? 1 << 30 : $lines - 4); }
	this->all = alone ? arg1 - begin : all - ($3 ? rest : 0); this->n = this->all < 100 ? 1 : this->all / 100;
		this->r = 100 * rest / this->n;
	if ($4) { printf("{\"type\":\"period\",\"time\":%d,\"walltime\":%d,\"ns\":%d,\"cpus\":%d,\"total\":%d}\n", arg1,
			 walltimestamp, arg1 - begin, cpus, this->all); }
	else { printf("%Y  %d ms, %d CPUs\n%9s %sNAME\n", walltimestamp, (arg1 - begin) / 1000000, cpus, "SHARE",
		      heads); }
	if ($3 || by == "cpu") { }
	else if ($4) { printf("{\"type\":\"share\",\"share\":%d.%06d,\"ns\":%d,\"cpu\":null,\"id\":null,\"name\":%J}\n",
			      rest / this->n, rest % this->n * 1000000 / this->n, rest, others); }
	else { printf(by == "execname" ? "%4d.%02d %%%.0s %s\n" : "%4d.%02d %% %7s %s\n", this->r / 100, this->r % 100,
		      "-", others); }
}
profile:::sweep-$1 /this->n && end & 1/ { normalize(@odd, this->n); printa($4 ? objects : rows, @odd); trunc(@odd); }
profile:::sweep-$1 /this->n && !(end & 1)/ { normalize(@even, this->n); printa($4 ? objects : rows, @even);
	trunc(@even); }
/* the next end is unknown */
profile:::sweep-$1 /!arg0 && arg1/ { begin = end; all = rest = cpus = 0; end = -2 | !(end & 1); }
/* the next end is announced */
profile:::sweep-$1 /!arg1/ { begin = begin ? begin : timestamp; end = (arg2 & ~1) | (end & 1); }
END { trunc(@odd); trunc(@even); }		/* the time after the last table */
