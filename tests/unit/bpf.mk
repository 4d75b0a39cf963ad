# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
check_PROGRAMS += tests/unit/test_bpf
TESTS += tests/unit/test_bpf
tests_unit_test_bpf_SOURCES = tests/unit/test_bpf.c tests/lib/bpfmachine.c tests/lib/bpfmachine.h
tests_unit_test_bpf_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_bpf_LDADD = $(DTR_LDADD) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_rows
TESTS += tests/unit/test_rows
tests_unit_test_rows_SOURCES = tests/unit/test_rows.c tests/lib/bpfmachine.c tests/lib/bpfmachine.h \
	tests/lib/rowkeys.c tests/lib/rowkeys.h
tests_unit_test_rows_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_rows_LDADD = $(DTR_LDADD) $(CMOCKA_LIBS) -lm
check_PROGRAMS += tests/unit/test_unwind_memory
TESTS += tests/unit/test_unwind_memory
tests_unit_test_unwind_memory_SOURCES = tests/unit/test_unwind_memory.c engine/bpf/unwind/memory.c \
	engine/bpf/unwind/parts.c engine/bpf/unwind/pending.c
tests_unit_test_unwind_memory_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE $(CMOCKA_CFLAGS)
tests_unit_test_unwind_memory_LDADD = $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_unwind_files
TESTS += tests/unit/test_unwind_files
tests_unit_test_unwind_files_SOURCES = tests/unit/test_unwind_files.c engine/bpf/unwind/memory.c \
	engine/bpf/unwind/files.c
tests_unit_test_unwind_files_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE $(CMOCKA_CFLAGS)
tests_unit_test_unwind_files_LDADD = libengine.a libbase.a $(CMOCKA_LIBS) $(LIBELF_LIBS) $(ZLIB_LIBS) -ldl
