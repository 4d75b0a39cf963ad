/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ERROR sees what happened: arg1 enabling, arg2 action, arg4 kind, arg5 value. */
#pragma D option quiet
ERROR { printf("ERROR %d %d %d %x\n", arg1, arg2, arg4, arg5); @errors[arg4] = count(); }
profile-97 { trace(1); trace(1 / arg1); }
profile-97 { printf("after\n"); }
tick-1s { this->p = (char *)16; trace(*this->p); }
