/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* aggsortpos: the second aggregation decides the order. */
#pragma D option quiet
#pragma D option aggsortpos=1
profile-97 { @n[execname] = count(); @s[execname] = sum(arg1); }
END { printa("%s %@d %@d\n", @n, @s); }
