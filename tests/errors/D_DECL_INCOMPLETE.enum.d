/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
struct s { enum nowhere x[2]; int y; };
BEGIN { }
