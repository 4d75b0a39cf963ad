/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A sum to which nothing but zeros was added is 0; one to which nothing was added is not there. */
#pragma D option quiet

BEGIN
{
	@zero = sum(0);
	@both = sum(5);
	@both = sum(-5);
	@with = sum(0);
	@other = count();
	printa("%@d\n", @zero);
	printa("%@d\n", @both);
	printa("%@d %@d\n", @with, @other);
	clear(@zero);
	printa("cleared: %@d\n", @zero);
	trunc(@both);
	printa("truncated: %@d\n", @both);
	exit(0);
}

BEGIN
/0/
{
	@never = sum(0);
}

END
{
	printa("never: %@d\n", @never);
	printa("%@d\n", @zero);
}
