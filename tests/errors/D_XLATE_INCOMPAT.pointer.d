/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
struct out { int *p; };
translator struct out <int i> { p = i; };
BEGIN
{
	trace(xlate <struct out> (1).p);
}
