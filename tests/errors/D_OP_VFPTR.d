/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
long n;

BEGIN
{
	n += alloca(8);
}
