/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* exit() in BEGIN: nothing else fires but END; the status is its own. */
BEGIN { exit(3); }
tick-1s { trace("never"); }
END { printf("end"); }
