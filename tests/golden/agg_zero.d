/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A cell of zeros is a value: a sum of zeros, or an extreme minimum or maximum. Without a value there is no row. */
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
	@min = min(0x7fffffffffffffff);
	@max = max(-0x7fffffffffffffff - 1);
	printa("%@d\n", @min);
	printa("%@d\n", @max);
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
