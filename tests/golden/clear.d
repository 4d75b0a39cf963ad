/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* clear() keeps the keys; counts between clears add up. */
#pragma D option quiet
profile-97 { @[execname] = count(); }
tick-1s { printa("%s %@d\n", @); clear(@); printf("--\n"); }
END { printa("%s %@d\n", @); }
