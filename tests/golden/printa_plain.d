/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* printa() without a format begins with an empty line; what it printed is not printed again at the end. */
profile-97 { @a[execname] = count(); @b = count(); }
tick-1s { printa(@a); }
