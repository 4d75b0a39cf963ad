/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Aggregations that are always updated together share rows, and it must not show: several functions, keys of several
 * types, another order in another clause, one that is in a pair only here, one whose value faults, one that is cleared.
 */
#pragma D option quiet
#pragma D option aggsortkey
profile-97 {
	@n[execname, cpu] = count();
	@avg[execname, cpu] = avg(arg1);
	@low[execname, cpu] = min(arg1);
	@hist[execname, cpu] = quantize(arg1, 2);
}
profile-97 /cpu == 0/ {
	@hist[execname, cpu] = quantize(arg1, 2);
	@low[execname, cpu] = min(arg1);
	@avg[execname, cpu] = avg(arg1);
	@n[execname, cpu] = count();
}
profile-97 { @pair[pid] = count(); @fault[pid] = sum(100 / arg1); @cleared[pid] = sum(arg1); }
profile-97 { @other[pid] = sum(1); @odd[pid] = sum(arg1); }
profile-97 /pid == 2/ { @other[pid] = sum(1000); }
profile-97 { if (cpu) { @x[pid] = max(arg1); @y[pid] = sum(arg1); } else { @y[pid] = sum(arg1); @x[pid] = max(arg1); } }
END {
	printa("%s %d %@d %@d %@d\n", @n, @avg, @low);
	printa("%s %d%@d", @hist);
	printa("pair %d %@d\n", @pair);
	printa("fault %d %@d\n", @fault);
	printa("cleared %d %@d\n", @cleared);
	clear(@cleared);
	printa("other %d %@d\n", @other);
	printa("odd %d %@d\n", @odd);
	printa("x %d %@d %@d\n", @x, @y);
}
