/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* timestamp, walltimestamp and %Y. */
#pragma D option quiet
profile-97 { printf("%d %d %Y\n", timestamp, walltimestamp, walltimestamp); }
