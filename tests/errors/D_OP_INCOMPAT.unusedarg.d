/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
inline char *x[int i] = i;
BEGIN
{
	trace(1);
}
