/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
struct a { int x; } a;

BEGIN
{
	tracemem(a, 4);
}
