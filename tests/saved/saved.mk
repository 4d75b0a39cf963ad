# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
check_PROGRAMS += tests/saved/test_merge
TESTS += tests/saved/test_merge
tests_saved_test_merge_SOURCES = tests/saved/test_merge.c
tests_saved_test_merge_LDADD = tests/lib/libreplay.a $(DTR_LDADD)
TESTS += tests/saved/merge.t
EXTRA_DIST += tests/saved/merge.t tests/saved/version-1.agg tests/saved/version-1b.agg tests/saved/version-1.out \
	tests/saved/version-1.diff
check_PROGRAMS += tests/saved/fleet
tests_saved_fleet_SOURCES = tests/saved/fleet.c
tests_saved_fleet_LDADD = libaggregation.a libir.a libbase.a $(ZLIB_LIBS)
TESTS += tests/saved/fleet.t
EXTRA_DIST += tests/saved/fleet.t
