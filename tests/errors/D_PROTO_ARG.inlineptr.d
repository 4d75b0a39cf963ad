/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
inline int twice[int i] = i * 2;
BEGIN
{
	trace(twice[curthread]);
}
