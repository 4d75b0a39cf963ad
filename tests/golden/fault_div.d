/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A division by zero ends its clause only; what it had done stays; the others run. */
#pragma D option quiet
profile-97 { n++; trace("all "); trace(1 / arg1); printf(" of it "); }
profile-97 { printf("n=%d\n", n); }
