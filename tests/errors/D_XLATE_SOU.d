/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
struct b { int y; };
translator int < struct b *p > { x = p->y; };
BEGIN { }
