/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
struct out { int a; };
translator struct out <int i> { a = i; a = "text"; };
BEGIN
{
	trace(xlate <struct out> (1).a);
}
