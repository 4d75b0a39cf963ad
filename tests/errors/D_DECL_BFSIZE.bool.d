/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
struct s { _Bool a:2; };
BEGIN { }
