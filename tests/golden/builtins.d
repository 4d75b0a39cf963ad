/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a clause knows about its firing. */
#pragma D option quiet
profile-97
{
	printf("%d %d %d %d %d %s %d %d\n", pid, tid, uid, gid, cpu, execname, epid, id >= 4);
	printf("%s %s %s %s\n", probeprov, probemod, probefunc, probename);
}
