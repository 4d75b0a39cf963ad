/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
inline int twice[int] = 3;
BEGIN
{
	trace(1);
}
