/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
BEGIN
{
	@ = llquantize(1, 1, 0, 6, 20);
}
