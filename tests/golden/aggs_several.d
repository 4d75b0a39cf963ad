/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Several aggregations at the end: the rows of all below one empty line. */
profile-97 { @names[execname] = count(); @cpus[cpu] = count(); @total = count(); }
