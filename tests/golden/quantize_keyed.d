/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A histogram stands below its key. */
profile-97 { @[execname] = quantize(arg1); }
