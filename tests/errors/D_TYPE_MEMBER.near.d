/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
struct s { int first; struct { int second; }; };
struct s *p;
BEGIN
{
	trace(p->secnod);
}
