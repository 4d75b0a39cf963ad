/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
BEGIN
{
	@ = lquantize(pid, 0, execname, 10);
}
