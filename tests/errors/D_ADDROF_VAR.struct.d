/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
struct s { int a; } v;
BEGIN { v.a = 1; trace(&v); }
