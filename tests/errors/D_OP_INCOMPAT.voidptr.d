/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
void *p;

BEGIN
{
	trace((long)(p + 1));
}
