/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Associative arrays: tuple keys, a missing element is 0, assigning 0 deletes. */
#pragma D option quiet
profile-97 { a[pid, execname] += arg1; printf("%s %d\n", execname, a[pid, execname]); }
profile-97 /pid == 2/ { a[pid, execname] = 0; }
END { printf("%d %d %d\n", a[1, "x"], a[2, "y"], a[3, "none"]); }
