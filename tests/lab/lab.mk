# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Simulated machines: NAME.sh COMMAND... runs a command on one. ./dev lab lists them.
check_PROGRAMS += tests/lab/nobreak.so tests/lab/refuse tests/lab/slow
tests_lab_nobreak_so_SOURCES = tests/lab/nobreak.c
tests_lab_nobreak_so_CFLAGS = -std=gnu11 -g -O1 -fPIC $(WARN_CFLAGS)
tests_lab_nobreak_so_LDFLAGS = -shared
tests_lab_nobreak_so_LDADD = -ldl
tests_lab_refuse_SOURCES = tests/lab/refuse.c
tests_lab_slow_SOURCES = tests/lab/slow.c
MACHINES = nobreak no32 noperf nobpf docker nocaps userns pidns timens nobtf nosys readonly yama hidepid slow tiny \
	podman privileged
EXTRA_DIST += tests/runner $(addsuffix .sh,$(addprefix tests/lab/,$(MACHINES)))

# The core that runs on each of them.
LAB_TESTS = tests/kernel/test_backend tests/kernel/test_agg tests/kernel/test_ledger tests/loss/stop.t \
	tests/record/record.t tests/saved/merge.t \
	$(patsubst %,tests/cmd/%.t,actions addresses colour map_elements empty escape events exact flame followfork \
	help ids json ledger library limits line memory options pid privileges prog records sched session signals \
	start stat strings syscall_args targets tools top trace usage usdt vars vminfo watch)
print-lab:
	@echo $(LAB_TESTS)
.PHONY: print-lab
