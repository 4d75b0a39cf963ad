/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The guide's priority histogram: below the base, at the limit and above, bars of forty columns. */
profile-1001 { @[execname] = lquantize((int)uid, 0, 100, 10); }
