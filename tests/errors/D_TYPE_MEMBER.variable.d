/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
struct s { int i; }; struct s a;
BEGIN
{
	a.j = 1;
}
