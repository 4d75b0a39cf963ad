/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
inline int x = "one";

BEGIN
{
	exit(0);
}
