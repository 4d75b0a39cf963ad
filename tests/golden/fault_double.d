/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A fault inside ERROR is counted, not followed. */
#pragma D option quiet
#pragma D option droptags
int zero;
ERROR { trace(1 / zero); }
profile-97 { trace(1 / zero); }
profile-97 { printf("after\n"); }
