/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
enum e { A = -1, B = ~0u };
BEGIN { }
