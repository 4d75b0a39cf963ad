/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A fault in a predicate. */
#pragma D option quiet
profile-97
/10 %
 arg1/
{ printf("%d\n", 10 % arg1); }
