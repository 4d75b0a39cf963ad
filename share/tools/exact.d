/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * exact - who had the CPUs, measured from switch to switch, not sampled
 *
 * usage: dtr exact [-i PERIOD] [-k KEY] [-I] [--hook FILE] [--json] [-o FILE] [-p PID | -c COMMAND]
 *
 * After each period a row for each process: its share of all the CPUs' time in hundredths of a percent, n * 10000 / N.
 *
 *   -i PERIOD = $1	how long a period is (1s)
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D option argdefaults=1s,pid,0

inline string key = $$2;
inline int who = key == "pid" ? pid : key == "tid" ? tid : 0;
inline string name = key == "pid" ? curpsinfo->pr_fname : execname;

struct account { uint64_t since, ended, idle, apart[5]; };
struct account on[511];		/* of each CPU */
uint64_t begin, end, idle, cpus;

sched:::off-cpu
{
	this->end = end;
	this->next = on[cpu].ended == this->end;
	this->to = !this->end ? 0 : this->next || timestamp < this->end ? timestamp : this->end;
}

profile:::sweep-$1
{
	this->end = end;
	this->next = on[cpu].ended == this->end;
	this->to = this->next ? 0 : arg2 ? this->end : arg1;
}

sched:::off-cpu, profile:::sweep-$1
/this->to/
{
	this->ran = this->to - (on[cpu].since > begin ? on[cpu].since : begin);
	on[cpu].since = this->to;
	if (!pid) { on[cpu].idle += this->ran; }
	else if ((this->end ^ this->next) & 1) { @odd[who, name] = sum(10000 * this->ran); }
	else { @even[who, name] = sum(10000 * this->ran); }
}

/* The period has ended here. */
sched:::off-cpu, profile:::sweep-$1
/this->to && this->to != timestamp/
{
	on[cpu].ended = this->end;
	idle += on[cpu].idle;
	on[cpu].idle = 0;
	cpus++;
}

sched:::off-cpu
/this->to && this->to != timestamp/
{
	on[cpu].since = timestamp;
	if (!pid) { on[cpu].idle = timestamp - this->to; }
	else if (this->end & 1) { @even[who, name] = sum(10000 * (timestamp - this->to)); }
	else { @odd[who, name] = sum(10000 * (timestamp - this->to)); }
}

profile:::sweep-$1
/!arg0 && end/
{
	this->all = (arg1 - begin) * cpus;
	printf("%Y  %d ms, %d CPUs\n%8s %7s %s\n", walltimestamp, (arg1 - begin) / 1000000, cpus, "1/100 %", "PID", "NAME");
	printf("%8d %7d %s\n", 10000 * idle / this->all, 0, "(idle)");
}

profile:::sweep-$1 /this->all && end & 1/ { normalize(@odd, this->all); printa("%@8d %7d %s\n", @odd); trunc(@odd); }
profile:::sweep-$1 /this->all && !(end & 1)/ { normalize(@even, this->all); printa("%@8d %7d %s\n", @even); trunc(@even); }

profile:::sweep-$1
/!arg0/
{
	begin = end ? arg1 : timestamp;
	idle = cpus = 0;
	end = (arg2 & ~1) | !(end & 1);
}
