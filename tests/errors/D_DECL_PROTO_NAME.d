/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
int area(void nothing);

BEGIN
{
	exit(0);
}
