/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
long a[2];
BEGIN
{
	a[1] = curthread;
}
