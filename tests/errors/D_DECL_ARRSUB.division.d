/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
int a[1 ? 1 / 0 : 2];
BEGIN { }
