/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Steps of one: the resolution test of the guide. */
profile-5000 { @ms = lquantize((timestamp / 1000000) % 10, 0, 10, 1); }
tick-1s /i++ >= 1/ { exit(0); }
