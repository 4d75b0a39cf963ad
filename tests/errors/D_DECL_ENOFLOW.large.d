/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
enum sizes { SMALL = -2147483648, LARGE = 2147483648 };

BEGIN
{
	exit(0);
}
