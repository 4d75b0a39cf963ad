/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Inlines that are other names of structures. */
#pragma D option quiet

struct point { int x, y; } here, grid[2];
union both { int i; char c; } u;
inline struct point there = here;
inline struct point corner[int i] = grid[i];
inline union both v = u;

BEGIN
{
	here.x = 3;
	u.i = 'u';
	grid[1].y = 9;
	copy = there;
	printf("%d %c %d %d\n", there.x, v.c, corner[1].y, copy.x);
	exit(0);
}
