/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Rows sort by value, then by key; a CPU's rows join those of the others. */
profile-97 { @[pid, execname] = count(); }
