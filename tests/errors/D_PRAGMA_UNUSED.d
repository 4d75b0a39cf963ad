/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma D binding "1.0" x
#pragma D binding "1.0" nowhere
BEGIN
{
	x = 1;
}
