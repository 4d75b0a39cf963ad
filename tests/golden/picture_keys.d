/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Pictures of aggregations without stacks: keys are the frames. Histograms count their events. */
#pragma D option quiet
profile-97
{
	@ = count();
	@n[execname, pid, (void *)arg0, sym(arg0)] = count();
	@q[execname] = quantize(arg2);
	@l[cpu] = lquantize(arg2, -10, 10, 5);
	@big = sum(0x7000000000000000);
	@a[pid] = avg(arg2);
	@gone[pid] = count();
}
tick-1s { trunc(@gone); normalize(@n, 2); }
