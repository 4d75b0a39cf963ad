/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Two clauses of one firing work on one snapshot; what is printed between clears adds up to what happened. */
#pragma D option quiet
profile-97 { @ = count(); }
tick-1s { printa("%@d\n", @); }
tick-1s { clear(@); }
END { printa("%@d\n", @); }
