/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* -x interval: only counts of samples of one rate get shares; trunc(n) does not change them, clear() begins again. */
#pragma D option quiet
#pragma D option interval
profile-97 { @[execname] = count(); @pid[pid] = count(); @cut[pid] = count(); @sum[pid] = sum(pid); }
profile-97 { @two = count(); }
tick-1s { @two = count(); @tick = count(); printa(@cut); clear(@cut); }
profile-199 { @other[execname] = count(); @mixed = count(); }
profile-97 { @mixed = count(); }
sweep-1s { @sweep[execname] = count(); }
END { normalize(@pid, 2); trunc(@cut, 1); printa("%d %@u\n", @pid); }
