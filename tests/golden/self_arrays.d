/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Thread-local associative arrays: every thread has elements of its own; what was never made, or became 0, is not there. */
#pragma D option quiet
self int declared[string, int];
profile-97 { self->n[execname, 1]++; self->s[cpu] = probename; self->declared["k", cpu] += arg1; }
profile-97 /tid == 2/ { self->n[execname, 1] *= 10; }
profile-97 /tid == 3/ { self->s[cpu] = ""; self->n[execname, 1] = 0; self->never[1] = 0; self->n["none", 1] = 0; }
profile-97
{
	printf("%d: %d %s %d | %d [%s] %d\n", tid, self->n[execname, 1], self->s[cpu], self->declared["k", cpu],
	    self->n[execname, 2], self->s[cpu + 1], self->declared["", cpu]);
}
END { printf("END: %d [%s]\n", self->n["a", 1], self->s[0]); }
