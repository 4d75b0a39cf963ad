# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
check_PROGRAMS += tests/unit/test_agg_func tests/unit/test_agg_check tests/unit/test_agg_table tests/unit/test_agg_print
TESTS += tests/unit/test_agg_func tests/unit/test_agg_check tests/unit/test_agg_table tests/unit/test_agg_print
tests_unit_test_agg_func_SOURCES = tests/unit/test_agg_func.c tests/lib/agg_cases.h
tests_unit_test_agg_func_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_agg_func_LDADD = libaggregation.a libir.a libbase.a $(CMOCKA_LIBS)
tests_unit_test_agg_check_SOURCES = tests/unit/test_agg_check.c tests/lib/agg_cases.h
tests_unit_test_agg_check_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_agg_check_LDADD = libaggregation.a libir.a libbase.a $(CMOCKA_LIBS)
tests_unit_test_agg_table_SOURCES = tests/unit/test_agg_table.c
tests_unit_test_agg_table_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_agg_table_LDADD = libaggregation.a libir.a libbase.a $(CMOCKA_LIBS)
tests_unit_test_agg_print_SOURCES = tests/unit/test_agg_print.c
tests_unit_test_agg_print_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_agg_print_LDADD = libaggregation.a libir.a libbase.a $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_agg_saved
TESTS += tests/unit/test_agg_saved
tests_unit_test_agg_saved_SOURCES = tests/unit/test_agg_saved.c
tests_unit_test_agg_saved_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_agg_saved_LDADD = libaggregation.a libir.a libbase.a $(ZLIB_LIBS) $(CMOCKA_LIBS)
