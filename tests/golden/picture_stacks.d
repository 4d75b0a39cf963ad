/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Stacks as pictures: keys first, then the process, then the kernel; what clear() takes away is in; what was printed is told. */
#pragma D option quiet
BEGIN { printf("begins\n"); }
profile-97 { @[execname, stack(), ustack()] = count(); @named[ustack(3), cpu] = sum(arg2); @m[stack()] = max(arg2); @no[pid] = count(); }
tick-1s { printa(@); clear(@); trace("cleared\n"); }
