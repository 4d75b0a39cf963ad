/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* trunc() keeps the largest rows, with a negative number the smallest; without one it empties. */
#pragma D option quiet
profile-97 { @a[execname] = count(); @b[execname] = count(); @c[execname] = count(); }
END
{
	trunc(@a, 2); printa("a %s %@d\n", @a);
	trunc(@b, -1); printa("b %s %@d\n", @b);
	trunc(@c); printa("c %s %@d\n", @c);
}
