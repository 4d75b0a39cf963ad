# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
check_PROGRAMS += bench/pingpong bench/switches bench/compile bench/minimal bench/peer bench/startup bench/cost \
	bench/records bench/calls bench/faults bench/talk bench/locked
bench_talk_SOURCES = bench/talk.c
bench_locked_SOURCES = bench/locked.c
bench_faults_SOURCES = bench/faults.c
bench_calls_SOURCES = bench/calls.c bench/jobs.c bench/jobs.h
bench_compile_SOURCES = bench/compile.c
bench_compile_LDADD = libir.a libbase.a
bench_minimal_SOURCES = bench/minimal.c
bench_minimal_LDADD = $(LIBBPF_LIBS)
bench_peer_SOURCES = bench/peer.c
bench_peer_LDADD = $(LIBBPF_LIBS)
bench_startup_SOURCES = bench/startup.c bench/jobs.c bench/jobs.h
bench_switches_SOURCES = bench/switches.c
bench_switches_LDADD = $(LIBBPF_LIBS)
bench_cost_SOURCES = bench/cost.c bench/jobs.c bench/jobs.h
bench_cost_CFLAGS = $(AM_CFLAGS) -fno-omit-frame-pointer
bench_cost_LDADD = $(LIBBPF_LIBS)
bench_records_SOURCES = bench/records.c bench/jobs.c bench/jobs.h
check_PROGRAMS += bench/recording
bench_recording_SOURCES = bench/recording.c
bench_recording_LDADD = libengine.a libbase.a $(ZLIB_LIBS)
check_PROGRAMS += bench/runtimes
bench_runtimes_SOURCES = bench/runtimes.c
bench_runtimes_LDADD = libengine.a libbase.a $(ZLIB_LIBS)
# The same stacks, found by frame pointers and by unwinding tables.
check_PROGRAMS += bench/frames-pointers bench/frames-tables
bench_frames_pointers_SOURCES = bench/frames.c
bench_frames_pointers_CFLAGS = -O2 -fno-omit-frame-pointer -fno-sanitize=all
bench_frames_pointers_LDFLAGS =
bench_frames_tables_SOURCES = bench/frames.c
bench_frames_tables_CFLAGS = -O2 -fomit-frame-pointer -fno-sanitize=all
bench_frames_tables_LDFLAGS =
check_PROGRAMS += bench/called
bench_called_SOURCES = bench/called.c
bench_called_CFLAGS = -O2 -fno-sanitize=all
bench_called_LDFLAGS =
check_PROGRAMS += bench/reads
bench_reads_SOURCES = bench/reads.c
check_PROGRAMS += bench/rootless
bench_rootless_SOURCES = bench/rootless.c bench/jobs.c bench/jobs.h
check_PROGRAMS += bench/held
bench_held_SOURCES = bench/held.c
bench_held_CFLAGS = -O1 -fno-optimize-sibling-calls -fno-sanitize=all
bench_held_LDFLAGS =
EXTRA_DIST += bench/top.py
EXTRA_DIST += bench/maxcost.sh bench/fleet.sh bench/cpus.sh bench/cpus-guest.sh bench/counters.sh
EXTRA_DIST += bench/lines.c bench/lines.sh bench/fbt.sh bench/programs.sh bench/tools.sh bench/uprobe.bpf.c
EXTRA_DIST += bench/trace.sh bench/net.sh bench/wait.py bench/scripts.sh bench/frames.py
EXTRA_DIST += bench/run bench/stacks.sh bench/exact.bpf.c bench/peer.bpf.c bench/strings.bpf.c
include bench/truth/truth.mk
