# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
check_PROGRAMS += tests/unit/test_ir tests/unit/test_ir_verify tests/unit/test_ir_opt
TESTS += tests/unit/test_ir tests/unit/test_ir_verify tests/unit/test_ir_opt
tests_unit_test_ir_SOURCES = tests/unit/test_ir.c tests/ir/world.c tests/ir/world.h
tests_unit_test_ir_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_ir_LDADD = libir.a libbase.a $(CMOCKA_LIBS)
tests_unit_test_ir_verify_SOURCES = tests/unit/test_ir_verify.c
tests_unit_test_ir_verify_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_ir_verify_LDADD = libir.a libbase.a $(CMOCKA_LIBS)
tests_unit_test_ir_opt_SOURCES = tests/unit/test_ir_opt.c tests/ir/world.c tests/ir/world.h
tests_unit_test_ir_opt_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_ir_opt_LDADD = libir.a libbase.a $(CMOCKA_LIBS)
