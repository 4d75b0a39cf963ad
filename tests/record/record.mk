# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
check_PROGRAMS += tests/record/load
tests_record_load_SOURCES = tests/record/load.c bench/truth/work.c bench/truth/work.h
tests_record_load_CFLAGS = $(AM_CFLAGS) -O1 -fno-omit-frame-pointer

TESTS += tests/record/record.t tests/record/about.t tests/record/hostile.t tests/record/stacks.t \
	tests/record/report.t tests/record/diff.t
EXTRA_DIST += tests/record/record.t tests/record/about.t tests/record/hostile.t tests/record/stacks.t \
	tests/record/report.t tests/record/diff.t
