# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
TESTS += tests/header/header.t
EXTRA_DIST += tests/header/header.t tests/header/host.c tests/header/bare32.c tests/header/schedule.h
