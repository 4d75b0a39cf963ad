/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The script of `dtr top exact`: the time of each thread on the CPUs, from switch to switch. Every 100 ms the time of
 * the threads that did not leave their CPU is added, too.
 */
#pragma D option quiet

uint64_t since[511];			/* by CPU: up to when its time has been added */

inline int mine = pid && (!$target || progenyof($target));
inline int who = mine ? pid : 0;
inline int thread = mine ? tid : 0;
inline string idle = pid ? "(others)" : "(idle)";
inline string process = mine ? curpsinfo->pr_fname : idle;
inline string name = mine ? execname : idle;

sched:::off-cpu
/since[cpu]/
{
	this->ran = timestamp - since[cpu];
	@processes[who, process] = sum(this->ran);
	@threads[thread, name] = sum(this->ran);
	@cpus[cpu, who, process] = sum(this->ran);
}

profile:::sweep-100ms
/since[cpu] && arg1/
{
	this->ran = timestamp - since[cpu];
	@processes[who, process] = sum(this->ran);
	@threads[thread, name] = sum(this->ran);
	@cpus[cpu, who, process] = sum(this->ran);
}

sched:::off-cpu
{
	since[cpu] = timestamp;
}

profile:::sweep-100ms
/arg1/
{
	since[cpu] = timestamp;
}
