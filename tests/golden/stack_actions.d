/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* stacks and symbols as actions: one frame a line, an empty line before; symbols in a column of 50 */
profile-97
{
	trace(pid);
	stack();
	ustack();
	jstack(2, 512);
	stack(2);
	trace("end");
}

profile-97
{
	sym(arg0);
	func(arg0);
	mod(arg0);
	usym(arg1);
	ufunc(arg1);
	umod(arg1);
	uaddr(arg1);
}

profile-97
/pid == 7/
{
	printf("%k|%k|%a|%-24a|%A|%p", stack(1), ustack(1), arg0, sym(arg0), uaddr(arg1), arg1);
}

profile-97
/pid == 8/
{
	if (arg0)
		stack(1);
	else
		trace("user");
}
