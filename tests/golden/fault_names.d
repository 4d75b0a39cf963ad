/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Kinds of faults have names. */
#pragma D option quiet
#pragma D option aggsize=1k

BEGIN { @[pid > 0] = count(); }

BEGIN { trace(1 / (pid - pid)); }
BEGIN { trace(*(int *)8); }
BEGIN { trace(*(char *)alloca(1000000 + cpu)); }

ERROR
{
	n++;
	printf("%d %d %d\n", arg4 == DTRACEFLT_DIVZERO, arg4 == DTRACEFLT_BADADDR, arg4 == DTRACEFLT_NOSCRATCH);
}

BEGIN { printf("%d\n", n); exit(0); }
