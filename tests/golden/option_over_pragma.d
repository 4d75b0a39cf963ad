/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The command line overrules the script. */
#pragma D option quiet
BEGIN { trace(1); }
