/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* An aggregation that is full. */
#pragma D option quiet
#pragma D option aggsize=4k
#pragma D option strsize=1k
#pragma D option droptags
string s;
profile-97 { s = "key"; @[s, pid] = count(); }
END { printa("%s %d %@d\n", @); }
