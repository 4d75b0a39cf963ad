/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
provider app { probe start(); probe start(int); };
BEGIN { exit(0); }
