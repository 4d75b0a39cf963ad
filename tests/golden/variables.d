/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Globals keep, this-> is one firing's (and shared by its clauses), self-> a thread's. */
#pragma D option quiet
int total;
BEGIN { total = 100; }
profile-97 { this->x = pid * 2; total += this->x; }
profile-97 { printf("%d %d ", this->x, total); }
profile-97 { self->seen++; printf("%d\n", self->seen); }
