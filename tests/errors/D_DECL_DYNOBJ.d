/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
struct s { int x[int]; };
BEGIN { exit(0); }
