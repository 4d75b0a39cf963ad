# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
check_PROGRAMS += tests/unit/test_base tests/unit/test_diag
TESTS += tests/unit/test_base tests/unit/test_diag
tests_unit_test_base_SOURCES = tests/unit/test_base.c
tests_unit_test_base_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_base_LDADD = libbase.a $(CMOCKA_LIBS)
tests_unit_test_diag_SOURCES = tests/unit/test_diag.c
tests_unit_test_diag_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_diag_LDADD = libbase.a $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_json
TESTS += tests/unit/test_json
tests_unit_test_json_SOURCES = tests/unit/test_json.c tests/lib/jsoncheck.c tests/lib/jsoncheck.h
tests_unit_test_json_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_json_LDADD = libbase.a $(CMOCKA_LIBS)
