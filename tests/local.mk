# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Every test program produces TAP: cmocka programs because CMOCKA_MESSAGE_OUTPUT=TAP is set, drivers by themselves.
# Kernel tests start with kernel_skip() of tests/lib/kernel.h.

check_LIBRARIES = tests/lib/libkernel.a tests/lib/libreplay.a
tests_lib_libkernel_a_SOURCES = tests/lib/kernel.c tests/lib/kernel.h
tests_lib_libreplay_a_SOURCES = tests/lib/events.c tests/lib/events.h tests/lib/replay.c tests/lib/replay.h

if HAVE_CMOCKA
include tests/unit/bpf.mk
include tests/unit/base.mk
include tests/unit/rt.mk
include tests/unit/ir.mk
include tests/unit/aggregation.mk
include tests/unit/lang_parse.mk
include tests/unit/lang_check.mk
include tests/unit/lang_lower.mk
include tests/unit/engine.mk
include tests/unit/print.mk
include tests/unit/providers.mk
include tests/unit/record.mk
endif

check_PROGRAMS += tests/kernel/paths tests/kernel/can_bpf tests/kernel/leftovers tests/kernel/spinfn \
	tests/kernel/threads tests/kernel/ids tests/kernel/known tests/kernel/functions tests/kernel/turns \
	tests/kernel/together tests/kernel/as_user tests/kernel/busy tests/kernel/sleeper tests/kernel/elements \
	tests/kernel/renamed tests/kernel/signals tests/kernel/int80 \
	tests/kernel/swarm tests/kernel/crowd tests/kernel/calls_known tests/kernel/traced \
	tests/kernel/flagged tests/kernel/everycall \
	tests/kernel/pieces tests/kernel/uprobe_all tests/kernel/breaks tests/kernel/counted \
	tests/kernel/paging tests/kernel/activity tests/kernel/waits
tests_kernel_waits_SOURCES = tests/kernel/waits.c
tests_kernel_waits_LDADD = -lpthread
tests_kernel_counted_SOURCES = tests/kernel/counted.c
tests_kernel_paging_SOURCES = tests/kernel/paging.c
tests_kernel_activity_SOURCES = tests/kernel/activity.c
tests_kernel_activity_LDADD = -lpthread
tests_kernel_uprobe_all_SOURCES = tests/kernel/uprobe_all.c
tests_kernel_breaks_SOURCES = tests/kernel/breaks.c
tests_kernel_pieces_SOURCES = tests/kernel/pieces.c
tests_kernel_int80_SOURCES = tests/kernel/int80.c
tests_kernel_crowd_SOURCES = tests/kernel/crowd.c
tests_kernel_crowd_LDADD = -lpthread
tests_kernel_swarm_SOURCES = tests/kernel/swarm.c
tests_kernel_swarm_LDADD = -lpthread -ldl
tests_kernel_elements_SOURCES = tests/kernel/elements.c
tests_kernel_elements_LDADD = -lpthread
tests_kernel_can_bpf_SOURCES = tests/kernel/can_bpf.c
tests_kernel_can_bpf_LDADD = tests/lib/libkernel.a $(LIBBPF_LIBS)
tests_kernel_leftovers_SOURCES = tests/kernel/leftovers.c
tests_kernel_leftovers_LDADD = $(LIBBPF_LIBS)
tests_kernel_spinfn_SOURCES = tests/kernel/spinfn.c
tests_kernel_as_user_SOURCES = tests/kernel/as_user.c
tests_kernel_busy_SOURCES = tests/kernel/busy.c
tests_kernel_renamed_SOURCES = tests/kernel/renamed.c
tests_kernel_renamed_LDADD = -lpthread
tests_kernel_signals_SOURCES = tests/kernel/signals.c
tests_kernel_sleeper_SOURCES = tests/kernel/sleeper.c
tests_kernel_sleeper_LDADD = -lpthread
tests_kernel_busy_CFLAGS = $(AM_CFLAGS) -fno-omit-frame-pointer
tests_kernel_busy_LDADD = -lpthread
tests_kernel_calls_known_SOURCES = tests/kernel/calls_known.c
tests_kernel_traced_SOURCES = tests/kernel/traced.c
tests_kernel_flagged_SOURCES = tests/kernel/flagged.c
tests_kernel_everycall_SOURCES = tests/kernel/everycall.c
tests_kernel_traced_LDADD = -lpthread
tests_kernel_paths_SOURCES = tests/kernel/paths.c
tests_kernel_paths_CFLAGS = -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls
tests_kernel_threads_SOURCES = tests/kernel/threads.c
tests_kernel_ids_SOURCES = tests/kernel/ids.c
tests_kernel_functions_SOURCES = tests/kernel/functions.c
tests_kernel_known_SOURCES = tests/kernel/known.c
tests_kernel_known_LDADD = -lpthread
tests_kernel_turns_SOURCES = tests/kernel/turns.c
tests_kernel_together_SOURCES = tests/kernel/together.c
tests_kernel_turns_LDADD = -lpthread
EXTRA_DIST += tests/cmd/why.py tests/kernel/known.d tests/kernel/turns.d
tests_kernel_threads_CFLAGS = $(AM_CFLAGS) -fno-omit-frame-pointer

include tests/kernel/bpf.mk
include tests/kernel/kept.mk
include tests/kernel/aggregation.mk
include tests/kernel/providers.mk
include tests/kernel/ledger.mk
include tests/contributing/contributing.mk
include tests/faults/faults.mk

# One name per line, to avoid merge conflicts.
CMD_TESTS = \
	tests/cmd/actions.t \
	tests/cmd/addresses.t \
	tests/cmd/both.t \
	tests/cmd/numbered_cells.t \
	tests/cmd/cgroup.t \
	tests/cmd/containers.t \
	tests/cmd/colour.t \
	tests/cmd/complete.t \
	tests/cmd/cpc.t \
	tests/cmd/cpp.t \
	tests/cmd/docs.t \
	tests/cmd/map_elements.t \
	tests/cmd/empty.t \
	tests/cmd/ended.t \
	tests/cmd/escape.t \
	tests/cmd/elsewhere.t \
	tests/cmd/events.t \
	tests/cmd/exact.t \
	tests/cmd/flame.t \
	tests/cmd/gmon.t \
	tests/cmd/help.t \
	tests/cmd/crowd.t \
	tests/cmd/hostile_stacks.t \
	tests/cmd/ids.t \
	tests/cmd/io.t \
	tests/cmd/ioscripts.t \
	tests/cmd/json.t \
	tests/cmd/mib.t \
	tests/cmd/openmetrics.t \
	tests/cmd/kgmon.t \
	tests/cmd/interval.t \
	tests/cmd/kprof.t \
	tests/cmd/large.t \
	tests/cmd/late.t \
	tests/cmd/ledger.t \
	tests/cmd/option_letters.t \
	tests/cmd/library.t \
	tests/cmd/line.t \
	tests/cmd/lineblocks.t \
	tests/cmd/limits.t \
	tests/cmd/long_strings.t \
	tests/cmd/concurrent.t \
	tests/cmd/named.t \
	tests/cmd/nobtf.t \
	tests/cmd/maxcost.t \
	tests/cmd/maxcost_rate.t \
	tests/cmd/memory.t \
	tests/cmd/options.t \
	tests/cmd/fbt.t \
	tests/cmd/fsinfo.t \
	tests/cmd/followfork.t \
	tests/cmd/interrupted.t \
	tests/cmd/pid.t \
	tests/cmd/pidall.t \
	tests/cmd/privileges.t \
	tests/cmd/profile.t \
	tests/cmd/profil.t \
	tests/cmd/prog.t \
	tests/cmd/prog_net.t \
	tests/cmd/prometheus.t \
	tests/cmd/published.t \
	tests/cmd/push.t \
	tests/cmd/records.t \
	tests/cmd/verified.t \
	tests/cmd/ptrace.t tests/cmd/ptrace_maxcost.t tests/cmd/ptrace_truth.t \
	tests/cmd/rootless.t \
	tests/cmd/lockstat.t \
	tests/cmd/plockstat.t \
	tests/cmd/podman.t \
	tests/cmd/sched.t \
	tests/cmd/syscall_args.t \
	tests/cmd/serve.t \
	tests/cmd/schedtools.t \
	tests/cmd/session.t \
	tests/cmd/signals.t \
	tests/cmd/snoops.t \
	tests/cmd/stack_turns.t \
	tests/cmd/stacks.t \
	tests/cmd/start.t \
	tests/cmd/stat.t \
	tests/cmd/strings.t \
	tests/cmd/sysinfo.t \
	tests/cmd/unwind_tables.t \
	tests/cmd/targets.t \
	tests/cmd/tcp.t \
	tests/cmd/tcptools.t \
	tests/cmd/tcptools2.t \
	tests/cmd/toolkit.t \
	tests/cmd/tool_header.t \
	tests/cmd/tools.t \
	tests/cmd/top.t \
	tests/cmd/trace.t \
	tests/cmd/truestacks.t \
	tests/cmd/usdt.t \
	tests/cmd/usdt_later.t \
	tests/cmd/usage.t \
	tests/cmd/usertools.t \
	tests/cmd/vars.t \
	tests/cmd/vminfo.t \
	tests/cmd/walk.t \
	tests/cmd/watch.t
TESTS += $(CMD_TESTS)
EXTRA_DIST += $(CMD_TESTS) tests/cmd/mib.py tests/cmd/net.py \
	tests/cmd/top.py tests/lib/cgroups.sh tests/lib/maxcost.sh tests/lib/netns.sh tests/lib/screen.py \
	tests/lib/shares.sh tests/lib/tap.sh tests/lib/webclients.py
EXTRA_DIST += $(wildcard $(srcdir)/tests/errors/D_*) tests/errors/tags.txt

include tests/checks/checks.mk
include tests/record/record.mk
include tests/golden/golden.mk
include tests/ir/ir.mk
include tests/libdtr/libdtr.mk
include tests/fuzz/fuzz.mk
include tests/lab/lab.mk
include tests/loss/loss.mk
include tests/gen/gen.mk
include tests/header/header.mk
include tests/symbols/symbols.mk
include tests/stacks/stacks.mk
include tests/usdt/usdt.mk
include tests/programs/programs.mk
include tests/saved/saved.mk
include tests/picture/picture.mk
include tests/vm/vm.mk
