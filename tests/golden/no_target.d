/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* $target is 0 without a target. */
#pragma D option quiet
BEGIN { printf("%d %d\n", $target, $1); }
