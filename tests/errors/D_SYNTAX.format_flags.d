/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
BEGIN { printf("%-5.3y\n", 1); }
