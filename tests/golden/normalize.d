/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* normalize() divides what is printed, not what is counted. */
#pragma D option quiet
int zero;
profile-97 { @n = sum(arg1); @q = quantize(arg1); }
tick-1s
{
	normalize(@n, 10); printa("%@d\n", @n);
	denormalize(@n); printa("%@d\n", @n);
	normalize(@n, zero);
	normalize(@q, 2); printa(@q);
}
