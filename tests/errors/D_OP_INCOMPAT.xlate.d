/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
struct out { int a; };
struct other { int a; };
translator struct out <int i> { a = i; };
inline struct other me = xlate <struct out> (1);
BEGIN
{
	trace(1);
}
