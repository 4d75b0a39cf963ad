/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
BEGIN /seen/
{
	seen[pid] = 1;
	trace(seen);
	seen = 2;
}
