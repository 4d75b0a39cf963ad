/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma D depends_on provider nosuch
#pragma D depends_on library nosuch.d
#pragma D depends_on module kernel
#pragma D depends_on provider profile
BEGIN
{
	trace(1);
}
