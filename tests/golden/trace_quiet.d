/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Under quiet trace() prints the bare value. */
#pragma D option quiet
BEGIN
{
	trace((char)-5);
	trace((short)-300);
	trace(123456);
	trace(-1LL);
	trace("a string");
	trace(execname);
}
