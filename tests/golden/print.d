/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma D option quiet
struct bits { int a : 3; unsigned b : 5; struct { short x, y; }; int c[3]; char *p; };
enum eh { FIRSTVAL = 0, SECONDVAL = 1, THIRDVAL = 3 };
struct test_struct { int a; char b[5]; union { uint8_t c; uint64_t d; } u; struct { void *e; uint64_t f; } s; uint8_t g; enum eh h; int z; };
BEGIN {
	t = (struct test_struct *)alloca(sizeof (struct test_struct));
	t->a = 1; t->b[0] = 't'; t->b[1] = 'e'; t->b[2] = 's'; t->b[3] = 't'; t->b[4] = '\0';
	t->u.d = 123456789; t->s.e = (void *)0xffff9b7aca7e0000; t->s.f = 987654321; t->g = 1; t->h = SECONDVAL;
	print(*t); print(1); print("abc"); print(t->h); print(t->b); print(execname); print((int64_t)-1); print(t->s.e);
	this->b = (struct bits *)alloca(sizeof (struct bits)); this->b->a = -1; this->b->b = 17; this->b->y = 7; this->b->c[1] = 5; print(*this->b); this->b->p = (char *)0x1000; print(*this->b); exit(0);
}
