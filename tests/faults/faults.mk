# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Fault injection and sudden ends: drivers in C that produce TAP; the shell tests give their arguments.
check_PROGRAMS += tests/faults/inject tests/faults/spin tests/faults/fetch tests/faults/failalloc.so
tests_faults_inject_SOURCES = tests/faults/inject.c tests/faults/run.c tests/faults/run.h tests/faults/trace.c \
	tests/faults/trace.h tests/faults/left.c tests/faults/left.h tests/faults/scenario.c tests/faults/scenario.h \
	tests/faults/plan.h
tests_faults_inject_LDADD = tests/lib/libkernel.a $(LIBBPF_LIBS)
tests_faults_spin_SOURCES = tests/faults/spin.c
tests_faults_fetch_SOURCES = tests/faults/fetch.c
tests_faults_failalloc_so_SOURCES = tests/faults/failalloc.c tests/faults/plan.h
tests_faults_failalloc_so_CFLAGS = -std=gnu11 -g -O1 -fPIC $(WARN_CFLAGS)
tests_faults_failalloc_so_LDFLAGS = -shared
EXTRA_DIST += tests/faults/script.d
TESTS += tests/faults/inject.t
EXTRA_DIST += tests/faults/inject.t
check_PROGRAMS += tests/faults/ends
tests_faults_ends_SOURCES = tests/faults/ends.c tests/faults/run.c tests/faults/trace.c tests/faults/left.c \
	tests/faults/scenario.c
tests_faults_ends_LDADD = tests/lib/libkernel.a $(LIBBPF_LIBS)
TESTS += tests/faults/ends tests/faults/outputs.t
EXTRA_DIST += tests/faults/outputs.t tests/faults/study
