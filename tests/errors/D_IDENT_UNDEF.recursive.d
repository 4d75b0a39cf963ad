/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
inline int x = y + 1;
inline int y = x + 1;

BEGIN
{
	trace(x);
}
