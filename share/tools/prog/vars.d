/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * dtr prog --vars: how often variables are read or written, how often their values change, their smallest and largest
 * values. dtr replaces the description by the chosen variables.
 */
#pragma D option quiet
#pragma D option oformat=tables
#pragma D option aggprobes=accesses
#pragma D option strsize=128

int64_t last[string, string, string], seen[string, string, string];
int on;				/* as in lines.d */

BEGIN
{
	on = 1;
}

watch$target:::$1
/on > 0/
{
	@accesses[probemod, probefunc, probename] = count();
	@smallest[probemod, probefunc, probename] = min((int64_t)arg0);
	@largest[probemod, probefunc, probename] = max((int64_t)arg0);
}

watch$target:::$1
/on > 0 && seen[probemod, probefunc, probename] && last[probemod, probefunc, probename] != arg0/
{
	@changes[probemod, probefunc, probename] = count();
}

watch$target:::$1
{
	last[probemod, probefunc, probename] = arg0;
	seen[probemod, probefunc, probename] = 1;
}
