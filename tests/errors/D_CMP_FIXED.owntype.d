/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
struct s { unsigned int b:3; char c; } v;
BEGIN
{
	trace((char)pid == 300);
	trace(v.b < 0);
	trace(v.c != 1000);
	trace((unsigned)pid < 0);
}
