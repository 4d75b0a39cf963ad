/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Strings: assign, compare, order, keep, choose. */
#pragma D option quiet
string last;
profile-97 { printf("%s after %s: %s\n", execname, last, execname < last ? "less" : execname == last ? "same" : "more"); }
profile-97 { last = execname; names[pid] = execname; self->n = execname; }
END { printf("%s %s [%s] %d\n", names[1], names[2], names[3], names[1] == "b"); }
