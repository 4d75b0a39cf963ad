/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The divisor of normalize() may be below 0 or beyond 63 bits. */
#pragma D option quiet

BEGIN
{
	@s = sum(7);
	@a = avg(-21);
	@l = min(5);
	@h = max(9);
	@c = count();
	@d = stddev(-9);
	@d = stddev(3);
	@q = quantize(4);
	normalize(@s, -1);
	normalize(@a, -7);
	normalize(@l, (int8_t)-5);
	normalize(@h, -3LL);
	normalize(@c, -1);
	normalize(@d, -2);
	normalize(@q, -1);
	printa("%@d %@d %@d %@d %@d %@d\n", @s, @a, @l, @h, @c, @d);
	printa(@q);
	this->by = -7;
	normalize(@s, this->by);
	printa("%@d ", @s);
	this->large = (uint64_t)-7;
	normalize(@s, this->large);
	printa("%@d ", @s);
	normalize(@s, 0x7fffffffffffffff);
	printa("%@d ", @s);
	denormalize(@s);
	printa("%@d\n", @s);
	normalize(@s, -2);
	exit(0);
}
