/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Aggregations as JSON: a row an object, histograms as their buckets, a key that one of two has not. */
#pragma D option quiet
profile-97
{
	@n[execname, pid] = count();
	@other[execname, pid] = sum(pid - 50);
	@q[execname] = quantize(pid - 50);
	@l = lquantize(pid - 50, -10, 10, 10);
	@ll = llquantize(pid, 10, 0, 2, 10);
	@avg = avg(pid);
}
profile-97 /pid == 70/ { @odd[execname, pid] = max(pid); }
tick-1s
{
	normalize(@other, 10);
	printa(@n);
	printa("%s: %d %@d and %@d\n", @n, @odd);
	printf("that is all\n");
	clear(@n);
	trunc(@odd);
	denormalize(@other);
}
