/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Structures and unions that 0 is assigned to: an element or thread variable goes, the others are zeros. */
#pragma D option quiet

struct pair { int x, y; char name[5]; } one, by[int];
union both { int i; char c; } u;
self struct pair mine;
this struct pair here;

BEGIN
{
	one.x = 1;
	one.y = 2;
	by[1] = one;
	by[2] = one;
	self->mine = one;
	self->by[1] = one;
	this->here = one;
	u.i = 7;
	by[1] = 0;
	self->mine = 0;
	self->by[1] = 0;
	printf("%d %d %d %d %d\n", by[1].y, by[2].y, self->mine.x, self->by[1].x, this->here.y);
	one = 0;
	this->here = 0;
	u = 0;
	printf("%d %d %d\n", one.y, this->here.y, u.i);
	exit(0);
}
