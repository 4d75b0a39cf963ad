/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Records that find no room are counted, by CPU. */
#pragma D option quiet
#pragma D option bufsize=4k
#pragma D option strsize=1k
string s;
profile-97 { n++; s = "x"; printf("%s%d\n", s, n); }
