/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A compound assignment reads its left side before it evaluates its right side. */
#pragma D option quiet
struct s { int n; char b : 3; } s, one[int];
int v[4];
self int t;
BEGIN
{
	x = 1; x += (x = 5); printf("%d ", x);
	x = 10; x -= x++; printf("%d ", x);
	x = 2; x *= (x = 3); printf("%d ", x);
	x = 1; x <<= (x = 4); printf("%d ", x);
	x = 1; x += (y = 5) + x; printf("%d %d\n", x, y);
	this->x = 1; this->x += (this->x = 5); printf("%d ", this->x);
	self->t = 1; self->t += (self->t = 5); printf("%d ", self->t);
	a[1] = 4; a[1] += (a[1] = 7); printf("%d ", a[1]);
	i = 1; b[i] += i++; printf("%d %d %d\n", b[1], b[2], i);
	s.n = 4; s.n += (s.n = 7); printf("%d ", s.n);
	s.b = 1; s.b += (s.b = 2); printf("%d ", s.b);
	one[3].n = 4; one[3].n |= (one[3].n = 8); printf("%d ", one[3].n);
	v[2] = 4; v[2] -= (v[2] = 7); printf("%d ", v[2]);
	this->p = (int *)alloca(8); this->p[1] = 3; this->p[1] += (this->p[1] = 9); printf("%d\n", this->p[1]);
	q = (int *)0x1000; q += (q = (int *)0x2000) != NULL; printf("%x ", (uintptr_t)q);
	x = 1; x += x += x; printf("%d ", x);
	x = 1; x += strlen((name = "abc")) + (x == 1 ? (x = 100) : 0); printf("%d\n", x);
	exit(0);
}
