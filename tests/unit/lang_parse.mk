# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
check_PROGRAMS += tests/unit/test_parse tests/unit/test_literals tests/unit/test_parse_hostile \
	tests/unit/test_types tests/unit/test_btf_data tests/unit/test_declarations
TESTS += tests/unit/test_parse tests/unit/test_literals tests/unit/test_parse_hostile \
	tests/unit/test_types tests/unit/test_btf_data tests/unit/test_declarations
tests_unit_test_parse_SOURCES = tests/unit/test_parse.c tests/unit/parse_fixture.h tests/lib/options.h
tests_unit_test_parse_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS) -DPRELUDE=\"$(abs_top_srcdir)/share/prelude.d\"
tests_unit_test_parse_LDADD = libengine.a liblang.a libproviders.a libaggregation.a libir.a libbase.a $(CMOCKA_LIBS) \
	$(LIBBPF_LIBS) $(PFM_LIBS) -lm
tests_unit_test_literals_SOURCES = tests/unit/test_literals.c tests/unit/parse_fixture.h tests/lib/options.h
tests_unit_test_literals_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS) -DPRELUDE=\"$(abs_top_srcdir)/share/prelude.d\"
tests_unit_test_literals_LDADD = libengine.a liblang.a libproviders.a libaggregation.a libir.a libbase.a \
	$(CMOCKA_LIBS) $(LIBBPF_LIBS) $(PFM_LIBS) -lm
tests_unit_test_types_SOURCES = tests/unit/test_types.c
tests_unit_test_types_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS) -DPRELUDE=\"$(abs_top_srcdir)/share/prelude.d\"
tests_unit_test_types_LDADD = libengine.a liblang.a libproviders.a libaggregation.a libir.a libbase.a $(CMOCKA_LIBS) \
	$(LIBBPF_LIBS) $(PFM_LIBS) -lm
tests_unit_test_parse_hostile_SOURCES = tests/unit/test_parse_hostile.c tests/unit/parse_fixture.h tests/lib/options.h
tests_unit_test_parse_hostile_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS) -DPRELUDE=\"$(abs_top_srcdir)/share/prelude.d\"
tests_unit_test_parse_hostile_LDADD = libengine.a liblang.a libproviders.a libaggregation.a libir.a libbase.a \
	$(CMOCKA_LIBS) $(LIBBPF_LIBS) $(PFM_LIBS) -lm
tests_unit_test_btf_data_SOURCES = tests/unit/test_btf_data.c
tests_unit_test_btf_data_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_btf_data_LDADD = liblang.a libbase.a $(CMOCKA_LIBS) $(LIBBPF_LIBS)
tests_unit_test_declarations_SOURCES = tests/unit/test_declarations.c
tests_unit_test_declarations_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS) -DSHARE=\"$(abs_top_srcdir)/share\"
tests_unit_test_declarations_LDADD = liblang.a libbase.a $(CMOCKA_LIBS)
