# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
noinst_LIBRARIES += libproviders.a
libproviders_a_SOURCES = \
	providers/dtrace/dtrace.c \
	providers/elsewhere.c \
	providers/elsewhere.def \
	providers/glob.c \
	providers/hint.c \
	providers/perf.c \
	providers/perf.h \
	providers/pmu.c \
	providers/pmu.h \
	providers/proc/proc.c \
	providers/profile/count.c \
	providers/profile/late.c \
	providers/profile/parse.c \
	providers/profile/profile.c \
	providers/profile/profile.h \
	providers/profile/source.c \
	providers/profile/sweep.c \
	providers/profile/tick.c \
	providers/profile/timer.h \
	providers/provider.h \
	providers/rawtp.c \
	providers/rawtp.h \
	providers/registry.c \
	providers/registry.h \
	providers/sched/sched.c \
	providers/sdt/sdt.c \
	providers/site/site.c \
	providers/site/site.h \
	providers/stability.c \
	providers/syscall/aarch64.def \
	providers/syscall/narrow.def \
	providers/syscall/syscall.c \
	providers/syscall/x86_64.def
