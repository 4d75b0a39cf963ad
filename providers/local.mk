# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
noinst_LIBRARIES += libproviders.a

# The providers: NAME.c defines provider_NAME (sdt.c also provider_rawtp). The order decides the IDs of probes.
# Providers that take long to enumerate are at the end, because those before them are enumerated with them.
PROVIDERS = \
	providers/dtrace/dtrace.c \
	providers/profile/profile.c \
	providers/syscall/syscall.c \
	providers/sched/sched.c \
	providers/proc/proc.c \
	providers/io/io.c \
	providers/cpc/cpc.c \
	providers/vminfo/vminfo.c \
	providers/sysinfo/sysinfo.c \
	providers/fsinfo/fsinfo.c \
	providers/mib/mib.c \
	providers/lockstat/lockstat.c \
	providers/net/ip.c \
	providers/net/tcp.c \
	providers/net/udp.c \
	providers/sdt/sdt.c \
	providers/rawtp.c \
	providers/pid/pid.c \
	providers/plockstat/plockstat.c \
	providers/usdt/usdt.c \
	providers/watch/watch.c \
	providers/line/line.c \
	providers/fbt/fbt.c
libproviders_a_CFLAGS = $(LIBDTR_CFLAGS)
libproviders_a_SOURCES = $(PROVIDERS) \
	providers/breakpoint.c \
	providers/breakpoint.h \
	providers/cgroup.c \
	providers/cgroup.h \
	providers/closer.c \
	providers/closer.h \
	providers/calls.h \
	providers/code/attach.c \
	providers/code/blocks.c \
	providers/code/code.c \
	providers/code/code.h \
	providers/code/prologue.c \
	providers/code/spare.c \
	providers/cpc/cpc.h \
	providers/cpc/name.c \
	providers/event.c \
	providers/event.h \
	providers/fact.c \
	providers/fact.def \
	providers/fact.h \
	providers/family.c \
	providers/family.h \
	providers/fbt/args.c \
	providers/fbt/code.c \
	providers/fbt/fbt.h \
	providers/fbt/functions.c \
	providers/fbt/match.c \
	providers/fbt/skipped.c \
	providers/fbt/symbols.c \
	providers/files.c \
	providers/files.h \
	providers/foreign.c \
	providers/foreign.def \
	providers/glob.c \
	providers/hint.c \
	providers/line/find.c \
	providers/line/line.h \
	providers/kernel_types.c \
	providers/kernel_types.h \
	providers/kprobe.c \
	providers/kprobe.h \
	providers/links.c \
	providers/links.h \
	providers/modules.c \
	providers/modules.h \
	providers/net/net.h \
	providers/perf.c \
	providers/perf.h \
	providers/perf_emit.c \
	providers/perf_emit.h \
	providers/plockstat/plockstat.h \
	providers/plockstat/table.c \
	providers/pmu.c \
	providers/pmu.h \
	providers/pid/args.c \
	providers/pid/chosen.c \
	providers/pid/code.c \
	providers/pid/create.c \
	providers/pid/files.c \
	providers/pid/find.c \
	providers/pid/follow.c \
	providers/pid/limit.c \
	providers/pid/name.c \
	providers/pid/pid.h \
	providers/profile/count.c \
	providers/profile/lasting.c \
	providers/profile/late.c \
	providers/profile/parse.c \
	providers/profile/profile.h \
	providers/profile/source.c \
	providers/profile/sweep.c \
	providers/profile/tick.c \
	providers/profile/timer.h \
	providers/program.h \
	providers/provider.h \
	providers/rawtp.h \
	providers/registry.c \
	providers/registry.h \
	providers/sdt/modules.c \
	providers/sdt/sdt.h \
	providers/site/bio.h \
	providers/site/site.c \
	providers/site/site.h \
	providers/site/syscalls.h \
	providers/stability.c \
	providers/syscall/aarch64.def \
	providers/syscall/args.def \
	providers/syscall/narrow.def \
	providers/syscall/types.c \
	providers/syscall/types.h \
	providers/syscall/x86_64.def \
	providers/uprobe.c \
	providers/uprobe.h \
	providers/usdt/attach.c \
	providers/usdt/code.c \
	providers/usdt/files.c \
	providers/usdt/find.c \
	providers/usdt/follow.c \
	providers/usdt/operand.c \
	providers/usdt/operand.h \
	providers/usdt/row.c \
	providers/usdt/usdt.h \
	providers/watch/attach.c \
	providers/watch/find.c \
	providers/watch/follow.c \
	providers/watch/watch.h

providers/providers.def: Makefile
	@$(MKDIR_P) providers
	$(AM_V_GEN)$(top_srcdir)/tools/rows PROVIDER $(PROVIDERS) >$@
BUILT_SOURCES += providers/providers.def
CLEANFILES += providers/providers.def
$(libproviders_a_OBJECTS): providers/providers.def
