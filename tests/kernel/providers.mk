# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
check_PROGRAMS += tests/kernel/test_profile
TESTS += tests/kernel/test_profile
tests_kernel_test_profile_SOURCES = tests/kernel/test_profile.c tests/kernel/rig.c tests/kernel/rig.h
tests_kernel_test_profile_LDADD = tests/lib/libkernel.a $(DTR_LDADD)
check_PROGRAMS += tests/kernel/test_firings
TESTS += tests/kernel/test_firings
tests_kernel_test_firings_SOURCES = tests/kernel/test_firings.c
tests_kernel_test_firings_LDADD = tests/lib/libkernel.a $(LIBBPF_LIBS)
