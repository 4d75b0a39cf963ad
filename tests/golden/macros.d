/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Macro arguments as numbers, words and strings. */
#pragma D option quiet
BEGIN { printf("%d %s %s %d\n", $1, $$1, $$2, $3 + 1); }
profile-97 /pid == $1/ { printf("it is %d\n", pid); }
