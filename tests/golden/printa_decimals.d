/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* %@f: what normalize() and avg() leave behind the point, cut off; %@r: the value before normalize(). %J: strings as JSON. */
#pragma D option quiet

BEGIN
{
	@s = sum(2); @n = sum(-2); @c = count(); @z = sum(0);
	@a = avg(1); @a = avg(2); @a = avg(2);
	@m = min(-7); @x = max(9223372036854775807);
}

BEGIN
{
	printa("%@f %@r\n", @s);
	normalize(@s, 3); normalize(@n, 3); normalize(@c, -8); normalize(@z, 7); normalize(@m, 2);
	printa("%@f %@.2f %@.0f %@d %@r\n", @s);
	printa("%@f %@.2f %@.0f %@d %@r\n", @n);
	printa("%@.3f %@r\n", @c);
	printa("%@.2f %@r\n", @z);
	printa("%@.1f %@d %@r\n", @m);
	printa("%@.18f %@.99f\n", @s);
	printa("%@.2f %@d\n", @a);
	normalize(@a, 10);
	printa("%@.4f %@r\n", @a);
	normalize(@x, 10000000000);
	printa("%@.10f %@r\n", @x);
	printa("[%@8.2f] [%@-8.2f] [%@08.2f] [%@+.2f] [%@ .2f] [%@8r]\n", @s);
	printa("%@.1f %@.1f\n", @s, @n);
}

BEGIN
{
	printf("%J %J %J %J\n", "plain", "a \"quote\" \\", "tab\tline\nbell\a", "\303\244 \377");
	printf("[%12J] [%-8J]\n", "abc", "");
	@k["x\ty"] = count();
	printa("%J: %@d\n", @k);
	exit(0);
}
