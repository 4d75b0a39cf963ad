/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
BEGIN
{
	@ = lquantize(pid, 1 << 40L, 100, 10);
	@ = lquantize(pid, 1L << 40, 100, 10);
}
