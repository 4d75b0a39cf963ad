/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* An index times the size of an element never wraps round: what lies outside of an array is a fault, however far away. */
#pragma D option quiet
int a[3];
int m[2][3];
char c[8];
struct pair { int x; short y[2]; };
struct pair pairs[4];
struct pair keyed[int];
self int t[4];

BEGIN
{
	huge = 0x4000000000000001;
	half = 0x2000000000000000;
	low = -0x7fffffffffffffff;
	top = 0x8000000000000001; four = 4; minus = -2; beyond = 0x100000001;
	a[1] = 5;
	m[1][1] = 7;
	c[1] = 'c';
	pairs[1].y[1] = 8;
	keyed[1].y[1] = 9;
	self->t[1] = 10;
	printf("%d %d %d %d %d %d %d\n", a[1], m[0][four], c[1], pairs[1].y[1], keyed[1].y[1], self->t[1], m[1][1]);
	printf("%d %d %d\n", *(&a[2] - 1), m[1][minus], (&m[1][0])[1]);
	s = "hello";
	printf("[%d] [%d] [%d] [%d]\n", s[beyond], s[low], s[top], s[half]);
}

BEGIN { printf("lost %d\n", a[huge]); }
BEGIN { printf("lost %d\n", a[huge + minus + 2]); }
BEGIN { a[huge] = 99; }
BEGIN { a[huge]++; }
BEGIN { a[huge] += 99; }
BEGIN { printf("lost %d\n", a[low]); }
BEGIN { printf("lost %d\n", a[top]); }
BEGIN { printf("lost %d\n", a[minus + 1]); }
BEGIN { printf("lost %d\n", m[half][half + 1]); }
BEGIN { printf("lost %d\n", m[huge][1]); }
BEGIN { printf("lost %d\n", m[1][huge]); }
BEGIN { printf("lost %d\n", c[low]); }
BEGIN { printf("lost %d\n", ((&c[1] + low) + low)[2]); }
BEGIN { printf("lost %d\n", pairs[half + 1].y[1]); }
BEGIN { pairs[half + 1].y[1] = 99; }
BEGIN { printf("lost %d\n", pairs[1].y[low]); }
BEGIN { printf("lost %d\n", keyed[1].y[top]); }
BEGIN { self->t[huge] = 99; }
BEGIN { p = a; printf("lost %d\n", p[huge]); }
BEGIN { p = &a[huge]; printf("lost %d\n", *p); }
BEGIN { p = a; p += huge; printf("lost %d\n", *p); }
BEGIN { p = a; printf("lost %d\n", *(p - low)); }
BEGIN { printf("lost %d\n", *(huge + a)); }
BEGIN { this->q = (int *)alloca(16); this->q[huge] = 99; }
BEGIN { printf("%d %d %d %d %d\n", a[1], pairs[1].y[1], keyed[1].y[1], self->t[1], *(p = &a[1])); exit(0); }
ERROR { printf("%d %x\n", arg4, arg5); }
