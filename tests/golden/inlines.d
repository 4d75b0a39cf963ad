/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* inline constants. */
#pragma D option quiet
inline int LIMIT = 3;
inline string NAME = "name";
int n;
profile-97 /n < LIMIT/ { n++; printf("%d %s\n", n, NAME); }
