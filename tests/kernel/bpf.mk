# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
check_PROGRAMS += tests/kernel/test_diff tests/kernel/test_backend
TESTS += tests/kernel/test_diff tests/kernel/test_backend
tests_kernel_test_diff_SOURCES = tests/kernel/test_diff.c tests/kernel/both.c tests/kernel/both.h \
	tests/kernel/diff_gen.c tests/kernel/diff_gen.h \
	tests/ir/world.c tests/ir/world.h
tests_kernel_test_diff_LDADD = tests/lib/libkernel.a $(DTR_LDADD)
tests_kernel_test_backend_SOURCES = tests/kernel/test_backend.c
tests_kernel_test_backend_LDADD = tests/lib/libkernel.a $(DTR_LDADD)
check_PROGRAMS += tests/kernel/test_rows
TESTS += tests/kernel/test_rows
tests_kernel_test_rows_SOURCES = tests/kernel/test_rows.c tests/lib/rowkeys.c tests/lib/rowkeys.h
tests_kernel_test_rows_LDADD = tests/lib/libkernel.a $(DTR_LDADD)
check_PROGRAMS += tests/kernel/test_ksyms
TESTS += tests/kernel/test_ksyms
tests_kernel_test_ksyms_SOURCES = tests/kernel/test_ksyms.c
tests_kernel_test_ksyms_LDADD = tests/lib/libkernel.a $(DTR_LDADD)
