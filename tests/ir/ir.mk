# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
check_PROGRAMS += tests/ir/run
TESTS += tests/ir/run
tests_ir_run_SOURCES = tests/ir/run.c tests/ir/world.c tests/ir/world.h
tests_ir_run_LDADD = libir.a libbase.a
EXTRA_DIST += tests/ir/constants.ir tests/ir/fault.ir tests/ir/keyed-count.ir tests/ir/library.ir \
	tests/ir/library-refused.ir tests/ir/misspelt.ir \
	tests/ir/powers.ir tests/ir/refused.ir tests/ir/share.ir tests/ir/short-circuit.ir tests/ir/strings.ir \
	tests/ir/threads.ir tests/ir/unreachable.ir tests/ir/tread.ir tests/ir/window.ir \
	tests/ir/variables.ir
