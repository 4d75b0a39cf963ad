/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Several aggregations with one key side by side; a key that one does not have is 0 there. */
#pragma D option quiet
profile-97 { @n[execname] = count(); }
profile-97 /arg1 > 10/ { @big[execname] = count(); @max[execname] = max(arg1); }
END { printa(@n, @big, @max); printa("%-10s %@5d %@5d %@u\n", @n, @big, @max); }
