/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
syscall::openat:entry
/arg0 == -100 || (int)arg0 == -100 || arg0 != -1/
{
}

syscall::openat:entry, syscall::close:entry
/arg1 == -1/
{
}

syscall::open*:return
/arg0 == -1 || (int)arg1 == -1 || (int)arg0 < 0/
{
}

BEGIN
{
	x = (uint8_t)5;
	trace(x == 300);
	trace(x == 200);
	trace(timestamp < 0);
	trace((x & 7) == 8);
	trace(1 == 2);
	trace(execname == "a-name-that-is-longer");
	trace(execname == "123456789012345");
}
