/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
struct point { int x, y; } a;

BEGIN
{
	trace(a * 2);
}
