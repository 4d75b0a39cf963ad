/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
struct point { int x, y; } a;
struct place { int x, y; } b;

BEGIN
{
	seen[a] = 1;
	seen[b] = 1;
}
