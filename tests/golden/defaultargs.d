/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Arguments that are not there. */
#pragma D option quiet
#pragma D option defaultargs
BEGIN { printf("[%d] [%d] [%s]\n", $1, $2, $$3); }
