/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Logarithmic steps, linear within: three magnitudes of ten. */
profile-97 { @ = llquantize(arg1, 10, 0, 2, 10); }
