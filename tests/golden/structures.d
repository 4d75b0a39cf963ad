/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Variables that are structures and C arrays, in every class; structures as a whole. */
#pragma D option quiet
struct in { char name[12]; short v[3]; };
struct foo { int a; int b : 3; unsigned int c : 7; struct in i; struct foo *p; };
union u { uint32_t w; uint8_t b[4]; struct { uint16_t lo, hi; } h; };
struct foo g;
int arr[5];
this struct foo t;
self struct foo s;
struct foo aa[int, string];
union u un;

BEGIN
{
	g.a = 5; g.b = -2; g.c = 33;
	g.i.v[1] = 7; g.i.v[epid] = 9; g.i.v[epid + 1] = -4;
	g.i.name[0] = 'x'; g.i.name[epid] = 'y';
	printf("%d %d %d %d %d %d %s|\n", g.a, g.b, g.c, g.i.v[0], g.i.v[1], g.i.v[epid + 1], g.i.name);
	g.b++; g.c += 100; g.a <<= 3;
	printf("%d %d %d %d %d\n", g.a, g.b, g.c, sizeof (g), offsetof(struct foo, i.v));
	arr[3] = 8; arr[epid] += 5; arr[epid]++; arr[0] = arr[3] * arr[epid];
	printf("%d %d %d %d %d\n", arr[3], arr[1], *arr, *(arr + 3), sizeof (arr));
	un.w = 0x01020304;
	printf("%d %d %x %d\n", un.b[0], un.b[epid + 2], un.h.hi, sizeof (union u));
}

BEGIN
{
	printf("%d %d %s.\n", this->t.a, self->s.c, aa[1, "x"].i.name);
	this->t = g;
	self->s = this->t;
	aa[3, "k"] = self->s;
	aa[3, "k"].a++;
	aa[3, "k"].i.v[epid] = 77;
	self->s.i.v[epid - 2] = -1;
	self->s.i.v[1]--;
	printf("%d %d %d %d\n", this->t.c, self->s.i.v[0], aa[3, "k"].a, aa[3, "k"].i.v[2]);
	printf("%d %d %s\n", self->s.i.v[1], aa[4, "k"].a, aa[3, "k"].i.name);
	this->copy = aa[3, "k"];
	printf("%d %d\n", this->copy.a, g.a);
	g.p = (struct foo *)alloca(sizeof (struct foo));
	*g.p = this->copy;
	g.p->a = 12;
	g.p->i.v[epid] = 13;
	g = *g.p;
	printf("%d %d %d %d\n", g.p == NULL, g.a, g.i.v[2], g.c);
}

BEGIN
{
	printf("not printed");
	arr[epid + 4] = 1;
}

BEGIN
{
	trace(arr[epid - 5]);
}

BEGIN
{
	trace(g.i.v[6 + epid / epid]);
}

ERROR
{
	printf("fault %d: %x\n", arg4, arg5);
}

profile-97
{
	self->s.a++;
	aa[pid, execname].a += tid;
	aa[pid, execname].i.v[pid % 3] = pid;
	printf("%d %d %d\n", self->s.a, aa[pid, execname].a, aa[pid, execname].i.v[1]);
}
