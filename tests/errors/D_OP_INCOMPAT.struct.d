/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
struct s { int i; }; struct t { int i; }; struct s a; struct t b;
BEGIN
{
	a = b;
}
