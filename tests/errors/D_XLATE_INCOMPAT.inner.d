/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
struct in { int a; };
struct out { struct in i; struct out *o; };
translator struct in <int i> { a = i; };
translator struct out <int i> { i = xlate <struct in> (i); o = xlate <struct in *> (i); };
BEGIN
{
	trace(1);
}
