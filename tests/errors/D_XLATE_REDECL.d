/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
struct a { int x; };
struct b { int y; };
translator struct a < struct b *p > { x = p->y; };
translator struct a < struct b *p > { x = p->y; };
BEGIN { }
