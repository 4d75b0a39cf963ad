# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
check_PROGRAMS += tests/gen/test_gen
TESTS += tests/gen/test_gen
tests_gen_test_gen_SOURCES = tests/gen/test_gen.c tests/gen/gen.c tests/gen/gen_expr.c tests/gen/gen_mem.c \
	tests/gen/gen_wide.c tests/gen/gen.h \
	tests/gen/case.c tests/gen/case.h tests/gen/shrink.c tests/gen/cover.c tests/gen/cover.h tests/gen/replay.c \
	tests/gen/replay.h tests/lib/cases.c tests/lib/cases.h \
	tests/kernel/both.c tests/kernel/both.h tests/kernel/diff_gen.c tests/kernel/diff_gen.h \
	tests/ir/world.c tests/ir/world.h
tests_gen_test_gen_LDADD = tests/lib/libkernel.a $(DTR_LDADD)
EXTRA_DIST += $(wildcard $(srcdir)/tests/gen/found/*.d)
check_PROGRAMS += tests/gen/test_c
TESTS += tests/gen/test_c
tests_gen_test_c_SOURCES = tests/gen/test_c.c tests/gen/cgen.c tests/gen/cgen.h
tests_gen_test_c_LDADD = tests/lib/libreplay.a $(DTR_LDADD)
