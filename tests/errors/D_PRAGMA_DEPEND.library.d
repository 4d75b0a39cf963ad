/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma D depends_on module kernel
#pragma D depends_on provider profile
#pragma D depends_on library nosuch.d
BEGIN
{
	trace(1);
}
