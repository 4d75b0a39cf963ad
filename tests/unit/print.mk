# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
check_PROGRAMS += tests/unit/test_print
TESTS += tests/unit/test_print
tests_unit_test_print_SOURCES = tests/unit/test_print.c
tests_unit_test_print_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_print_LDADD = libengine.a libaggregation.a libir.a libbase.a $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_print_c
TESTS += tests/unit/test_print_c
tests_unit_test_print_c_SOURCES = tests/unit/test_print_c.c
tests_unit_test_print_c_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_print_c_LDADD = $(DTR_LDADD) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_metrics
TESTS += tests/unit/test_metrics
tests_unit_test_metrics_SOURCES = tests/unit/test_metrics.c
tests_unit_test_metrics_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_metrics_LDADD = $(DTR_LDADD) $(CMOCKA_LIBS)
