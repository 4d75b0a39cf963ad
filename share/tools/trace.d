/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What `dtr trace` runs, with the probes of the chosen calls: docs/trace.md. */
#pragma D option quiet
#pragma D option zdefs
#pragma D option strsize=1024
#pragma D option switchrate=20ms
#pragma D option dynvarsize=256k

/* Calls whose texts could not be read yet, and which arguments these are. The second key keeps it out of the tables
 * that programs search themselves: it is rarely used, and would make them longer. */
int misses;
int missed[uint64_t, uint64_t];

proc:::signal-handle
/is_traced/
{
	trace((uint64_t)tid << 32 | (uint64_t)pid << 10 | 4); trace((int)arg0);
	if ((uint64_t)arg1 > 1)
		tracemem(arg1, 48);
}

proc:::lwp-exit
/is_traced/
{
	this->group = curthread->signal->flags & 4;
	trace((uint64_t)tid << 32 | (uint64_t)pid << 10 | 3);
	trace((int)(this->group ? curthread->signal->group_exit_code : curthread->exit_code));
	if (misses && missed[tid, 0]) {
		misses--;
		missed[tid, 0] = 0;
	}
	if (follows && !curthread->signal->live.counter)
		traced[pid] = 0;
}
