/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Several clauses of one probe run in order, and one clause on several probes. */
#pragma D option quiet
BEGIN, END { printf("%s ", probename); }
BEGIN { printf("one "); }
BEGIN { printf("two "); }
END { printf("last\n"); }
