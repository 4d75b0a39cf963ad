/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
struct s { int a:3; };
BEGIN { trace(sizeof (((struct s *)0)->a)); }
