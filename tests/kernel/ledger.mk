# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
check_PROGRAMS += tests/kernel/test_ledger
TESTS += tests/kernel/test_ledger
tests_kernel_test_ledger_SOURCES = tests/kernel/test_ledger.c tests/kernel/burn.c tests/kernel/burn.h
tests_kernel_test_ledger_LDADD = tests/lib/libkernel.a $(DTR_LDADD)
