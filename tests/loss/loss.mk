# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
check_PROGRAMS += tests/loss/faulty tests/kernel/keys
tests_kernel_keys_SOURCES = tests/kernel/keys.c
tests_kernel_keys_LDADD = -lpthread
tests_loss_faulty_SOURCES = tests/loss/faulty.c $(dtr_SOURCES)
tests_loss_faulty_CPPFLAGS = $(dtr_CPPFLAGS)
tests_loss_faulty_LDFLAGS = -Wl,--wrap=create_program -Wl,--wrap=create_map -Wl,--wrap=bpf_load -Wl,--wrap=bpf_unload
tests_loss_faulty_LDADD = $(DTR_LDADD)
LOSS_TESTS = tests/loss/stop.t tests/loss/overflow.t tests/loss/faults.t tests/loss/clear.t tests/loss/records.t \
	tests/loss/memory.t tests/loss/rows.t tests/loss/sizes.t tests/loss/soak.t tests/loss/speculate.t
TESTS += $(LOSS_TESTS)
EXTRA_DIST += tests/loss/loss.sh $(LOSS_TESTS)
