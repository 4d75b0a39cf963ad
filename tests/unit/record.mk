# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
check_PROGRAMS += tests/unit/test_record
TESTS += tests/unit/test_record
tests_unit_test_record_SOURCES = tests/unit/test_record.c
tests_unit_test_record_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_record_LDADD = libengine.a libbase.a $(CMOCKA_LIBS) $(ZLIB_LIBS)

check_PROGRAMS += tests/unit/test_perffile
TESTS += tests/unit/test_perffile
tests_unit_test_perffile_SOURCES = tests/unit/test_perffile.c tests/lib/perfmake.c tests/lib/perfmake.h
tests_unit_test_perffile_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_perffile_LDADD = $(DTR_LIBS) $(CMOCKA_LIBS) $(LIBBPF_LIBS) $(LIBELF_LIBS) $(ZLIB_LIBS) -lpthread -ldl

check_PROGRAMS += tests/unit/test_record_parts
TESTS += tests/unit/test_record_parts
tests_unit_test_record_parts_SOURCES = tests/unit/test_record_parts.c
tests_unit_test_record_parts_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_record_parts_LDADD = $(DTR_LIBS) $(CMOCKA_LIBS) $(LIBBPF_LIBS) $(LIBELF_LIBS) $(ZLIB_LIBS) -lpthread \
	-ldl
