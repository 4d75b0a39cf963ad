/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
struct in { int a; };
struct out { int a; };
translator struct out <struct in *i> { a = i->nothing; };
BEGIN
{
	trace(1);
}
