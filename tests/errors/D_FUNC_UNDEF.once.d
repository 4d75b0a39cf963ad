/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
BEGIN /nosuch(1)/
{
	trace(nosuch(2));
	nosuch(3);
}
