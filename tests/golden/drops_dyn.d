/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* An associative array that is full. */
#pragma D option quiet
#pragma D option dynvarsize=4k
#pragma D option strsize=1k
profile-97 { a[pid] = "value"; printf("%d [%s]\n", pid, a[pid]); }
