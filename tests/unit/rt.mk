# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
check_PROGRAMS += tests/unit/test_rt tests/unit/test_link
TESTS += tests/unit/test_rt tests/unit/test_link
tests_unit_test_rt_SOURCES = tests/unit/test_rt.c
tests_unit_test_rt_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_rt_LDADD = libir.a libbase.a $(CMOCKA_LIBS)
tests_unit_test_link_SOURCES = tests/unit/test_link.c
tests_unit_test_link_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_link_LDADD = $(DTR_LDADD) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_rt_json
TESTS += tests/unit/test_rt_json
tests_unit_test_rt_json_SOURCES = tests/unit/test_rt_json.c
tests_unit_test_rt_json_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_rt_json_LDADD = libir.a libbase.a $(CMOCKA_LIBS)
