/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
inline int first = args[0];
BEGIN
{
	trace(1);
}
