# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
check_PROGRAMS += tests/unit/test_check tests/unit/test_check_tree tests/unit/test_check_random tests/unit/test_format
TESTS += tests/unit/test_check tests/unit/test_check_tree tests/unit/test_check_random tests/unit/test_format
check_test_flags = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS) -DPRELUDE=\"$(abs_top_srcdir)/share/prelude.d\" \
	-DERRORS=\"$(abs_top_srcdir)/tests/errors\"
check_test_libs = libengine.a liblang.a libproviders.a libaggregation.a libir.a libbase.a $(CMOCKA_LIBS) \
	$(LIBBPF_LIBS) $(PFM_LIBS) -lm
tests_unit_test_check_SOURCES = tests/unit/test_check.c tests/lib/dcheck.c tests/lib/dcheck.h tests/lib/options.h
tests_unit_test_check_CPPFLAGS = $(check_test_flags)
tests_unit_test_check_LDADD = $(check_test_libs)
tests_unit_test_check_tree_SOURCES = tests/unit/test_check_tree.c tests/lib/dcheck.c tests/lib/dcheck.h \
	tests/lib/options.h
tests_unit_test_check_tree_CPPFLAGS = $(check_test_flags)
tests_unit_test_check_tree_LDADD = $(check_test_libs)
tests_unit_test_check_random_SOURCES = tests/unit/test_check_random.c tests/lib/dcheck.c tests/lib/dcheck.h \
	tests/lib/options.h
tests_unit_test_check_random_CPPFLAGS = $(check_test_flags)
tests_unit_test_check_random_LDADD = $(check_test_libs)
tests_unit_test_format_SOURCES = tests/unit/test_format.c
tests_unit_test_format_CPPFLAGS = $(check_test_flags)
tests_unit_test_format_LDADD = $(check_test_libs)
EXTRA_DIST += tests/errors
