/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
struct nowhere_to_be_found *p;	/* a pointer may lead anywhere */
struct nowhere_to_be_found s;

BEGIN
{
	exit(0);
}
