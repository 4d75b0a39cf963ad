/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Stacks and symbols as JSON, in records and as keys. */
#pragma D option quiet
profile-97 { stack(); ustack(2); trace(pid); sym(arg0); umod(arg1); @[stack(2), usym(arg1)] = count(); }
