/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
inline int x = curthread;
BEGIN
{
	trace(1);
}
