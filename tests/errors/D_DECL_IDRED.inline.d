/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
inline int rand = 7;
BEGIN { exit(0); }
