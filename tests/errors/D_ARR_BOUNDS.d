/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
int a[5];
BEGIN
{
	a[5] = 0;
}
