/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
char x[88294967295];
BEGIN { exit(0); }
