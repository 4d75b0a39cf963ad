/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma D attributes Private/Private/Unknown curthread
BEGIN
{
	trace(1);
}
