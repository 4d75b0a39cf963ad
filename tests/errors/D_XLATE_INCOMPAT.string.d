/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
struct out { string s; };
translator struct out <int i> { s = i; };
BEGIN
{
	trace(1);
}
