/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A script that does not compile: each error with its place; nothing but that and the end. */
BEGIN { trace(nothing); }
END { printf("%d %d\n", 1); }
