/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a session says about itself: matches, a warning, faults, the status. */
int zero;
profile-97
{
	self->seen = 1;
	@a[cpu, pid] = count();
	@b[pid] = count();
}
profile-97 /pid == 7/ { printf("%d\n", 1 / (cpu - cpu)); }
profile-97 /pid == 7/ { trace(*(int *)((long)pid * 2)); }
tick-1s { printf("%d\n", self->seen); }
tick-1s { normalize(@b, zero); exit(9); }
