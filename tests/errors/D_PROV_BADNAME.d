/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
provider app9 { probe start(); };
BEGIN { exit(0); }
