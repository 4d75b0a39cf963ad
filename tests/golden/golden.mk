# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
check_PROGRAMS += tests/golden/run
TESTS += tests/golden/run
tests_golden_run_SOURCES = tests/golden/run.c
tests_golden_run_LDADD = $(DTR_LDADD)
EXTRA_DIST += tests/golden
