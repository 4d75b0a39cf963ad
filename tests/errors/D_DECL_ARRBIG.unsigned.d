/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
int a[sizeof (int) - 5];
BEGIN { }
