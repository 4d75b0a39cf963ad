/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
this int a[string];
BEGIN
{
	exit(0);
}
