/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A predicate that is false: nothing of its clause. */
#pragma D option quiet
profile-97 /pid/ { printf("pid "); }
profile-97 /execname == "sh"/ { printf("sh "); }
profile-97 /pid && execname != "sh"/ { printf("other "); }
profile-97 /arg0/ { printf("kernel\n"); }
profile-97 /arg1/ { printf("user\n"); }
