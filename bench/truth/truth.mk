# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
truth_sources = bench/truth/sample.c bench/truth/sample.h bench/truth/work.c bench/truth/work.h
check_PROGRAMS += bench/truth/exact bench/truth/study bench/truth/lockstep tests/kernel/test_truth
check_PROGRAMS += tests/kernel/exactly
tests_kernel_exactly_SOURCES = bench/truth/exact.c
tests_kernel_exactly_LDADD = -lm
TESTS += tests/kernel/test_truth
bench_truth_exact_SOURCES = bench/truth/exact.c
bench_truth_exact_LDADD = -lm
bench_truth_study_SOURCES = bench/truth/study.c $(truth_sources)
bench_truth_study_LDADD = -lm
check_PROGRAMS += bench/truth/intervals
bench_truth_intervals_SOURCES = bench/truth/intervals.c bench/truth/work.c bench/truth/work.h
bench_truth_intervals_LDADD = -lm
bench_truth_lockstep_SOURCES = bench/truth/lockstep.c
tests_kernel_test_truth_SOURCES = tests/kernel/test_truth.c $(truth_sources)
tests_kernel_test_truth_LDADD = tests/lib/libkernel.a $(LIBBPF_LIBS) -lm
