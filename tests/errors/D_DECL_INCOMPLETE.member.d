/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
struct nowhere;
struct s { struct nowhere x; };
BEGIN { }
