/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * dtr prog --lines: how often the lines of a program are executed, and its functions called. Lines that have not been
 * executed are shown with 0. dtr replaces the description by the chosen lines.
 */
#pragma D option quiet
#pragma D option oformat=tables
#pragma D option aggsize=16m
#pragma D option aggprobes=count
#pragma D option strsize=256
#pragma D option lineblocks
#pragma D option linepaths

int on;				/* counts the parts of the run that are measured; 0 or less: this one is not */

BEGIN
{
	on = 1;
}

line$target:*::
/on > 0/
{
	@count[probemod, probefunc, probename] = count();
}

line$target:*::entry
/on > 0/
{
	@called[probemod, probefunc] = count();
}
