/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
BEGIN { x = ustackid(0); }
