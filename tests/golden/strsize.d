/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* strsize cuts what is longer, its NUL included. */
#pragma D option quiet
#pragma D option strsize=16
BEGIN { s = "0123456789abcdefghij"; printf("[%s]\n", s); @[s] = count(); }
