/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
struct out { int a; };
translator struct out <struct task_struct *t> { a = t; };
BEGIN
{
	trace(1);
}
