/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The order of rows under the options of the pragmas. */
#pragma D option quiet
#pragma D option aggsortkey
profile-97 { @[pid, execname] = count(); }
END { printa("%d %s %@d\n", @); }
