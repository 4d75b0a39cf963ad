/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* trace() of each width and of strings, in DTrace's columns. */
BEGIN
{
	trace((char)-5);
	trace((short)-300);
	trace(123456);
	trace(-1LL);
	trace(9223372036854775807);
	trace("a string");
	trace(execname);
}

BEGIN
{
	trace("a string of more than thirty-three characters");
	trace("");
	trace(7);
}
