/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
struct a { int x; } a;
struct b { int x; };
inline struct b b = a;

BEGIN
{
	trace(b.x);
}
