/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma D attributes Stable/Sound/Common x
BEGIN
{
	x = 1;
}
