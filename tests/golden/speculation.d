/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma D option nspec=3
BEGIN { self->a = speculation(); self->b = speculation(); self->c = speculation(); self->d = speculation();
 printf("%d %d %d %d", self->a, self->b, self->c, self->d); }
BEGIN { speculate(self->a); printf("in a %d", 1); }
BEGIN { speculate(self->b); printf("in b %d", 2); }
BEGIN { speculate(self->a); }
BEGIN { printf("before commit"); }
BEGIN { commit(self->a); discard(self->b); }
BEGIN { printf("after commit"); }
BEGIN { speculate(self->a); printf("never"); }
BEGIN { speculate(0); x = 5; }
BEGIN { printf("x=%d", x); }
BEGIN { commit(1024); }
BEGIN { self->a = speculation(); printf("%d", self->a); exit(0); }
