/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Aggregations without a key, printed at the end in the order of their first use. */
profile-97 { @c = count(); @s = sum(arg1); @lo = min(arg1); @hi = max(arg1); @mean = avg(arg1); @dev = stddev(arg1); }
