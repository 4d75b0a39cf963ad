/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
inline int x = pid + x;

BEGIN
{
	exit(0);
}
