/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
inline int twice[int x] = x + x;
BEGIN
{
	trace(twice[i++]);
}
