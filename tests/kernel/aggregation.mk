# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
check_PROGRAMS += tests/kernel/test_agg
TESTS += tests/kernel/test_agg
tests_kernel_test_agg_SOURCES = tests/kernel/test_agg.c tests/lib/agg_cases.h
tests_kernel_test_agg_LDADD = tests/lib/libkernel.a $(DTR_LDADD)

check_PROGRAMS += tests/kernel/test_snapshot
TESTS += tests/kernel/test_snapshot
tests_kernel_test_snapshot_SOURCES = tests/kernel/test_snapshot.c tests/lib/snapshots.c tests/lib/snapshots.h
tests_kernel_test_snapshot_LDADD = tests/lib/libkernel.a $(DTR_LDADD)
