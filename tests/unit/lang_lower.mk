# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
check_PROGRAMS += tests/unit/test_lower tests/unit/test_lower_arith tests/unit/test_lower_value
TESTS += tests/unit/test_lower tests/unit/test_lower_arith tests/unit/test_lower_value
lower_test_libs = libengine.a liblang.a libproviders.a libaggregation.a libir.a libbase.a $(CMOCKA_LIBS) \
	$(LIBBPF_LIBS) $(PFM_LIBS) -lm
tests_unit_test_lower_SOURCES = tests/unit/test_lower.c tests/lib/dworld.c tests/lib/dworld.h tests/lib/options.h
tests_unit_test_lower_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_lower_LDADD = $(lower_test_libs)
tests_unit_test_lower_arith_SOURCES = tests/unit/test_lower_arith.c tests/lib/dworld.c tests/lib/dworld.h \
	tests/lib/options.h
tests_unit_test_lower_arith_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_lower_arith_LDADD = $(lower_test_libs)
tests_unit_test_lower_value_SOURCES = tests/unit/test_lower_value.c tests/lib/dworld.c tests/lib/dworld.h \
	tests/lib/options.h
tests_unit_test_lower_value_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_lower_value_LDADD = $(lower_test_libs)
check_PROGRAMS += tests/unit/test_cells
TESTS += tests/unit/test_cells
tests_unit_test_cells_SOURCES = tests/unit/test_cells.c tests/lib/dworld.c tests/lib/dworld.h tests/lib/options.h
tests_unit_test_cells_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_cells_LDADD = $(lower_test_libs)
