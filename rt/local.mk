# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# In libbase.a, because the interpreter uses it. Its form for BPF is a separate file (rt/blob.c).
libbase_a_SOURCES += \
	rt/args.c \
	rt/blob.c rt/blob.h \
	rt/callsite.h \
	rt/case.c \
	rt/chill.c \
	rt/climb.c rt/climb.h \
	rt/find.c \
	rt/gather.h \
	rt/go.h rt/go_thread.h \
	rt/helpers.h \
	rt/inet.c \
	rt/jstack.h \
	rt/json.c \
	rt/number.c \
	rt/path.c \
	rt/programs/cgroup.h rt/programs/ksym.h rt/programs/ledger.h rt/programs/owners.h \
	rt/programs/process.h \
	rt/python.c rt/python.h \
	rt/rt.def rt/rt.h \
	rt/scan.c \
	rt/string.c \
	rt/token.c \
	rt/types.c rt/types.h \
	rt/unwind.h rt/unwind_helpers.h \
	rt/v8.c rt/v8.h \
	rt/word.h
EXTRA_DIST += rt/programs/kernel.h rt/programs/cgroup.c rt/programs/ksym.c rt/programs/ledger.c
EXTRA_DIST += rt/programs/owners.c rt/programs/pidns.c rt/programs/process.c rt/programs/programs.c
EXTRA_DIST += rt/goid.c
EXTRA_DIST += rt/bpf.c rt/gather.c rt/task.c rt/jstack.c rt/unwind.c rt/unwind_caller.c rt/unwind_go.c rt/unwind_parts.c
EXTRA_DIST += rt/unwind_word.c
EXTRA_DIST += rt/v8stack.c
BPF_CFLAGS = -target bpf -mcpu=v3 -O2 -ffreestanding -fno-strict-aliasing -fno-jump-tables -Wall -Wextra -Werror
rt/lib.bpf: $(srcdir)/rt/bpf.c $(wildcard $(srcdir)/rt/*.[ch])
	@$(MKDIR_P) rt
	$(AM_V_GEN)$(BPF_CLANG) $(BPF_CFLAGS) -I$(top_srcdir) -c $(srcdir)/rt/bpf.c -o $@
rt/programs.bpf: $(srcdir)/rt/programs/programs.c $(srcdir)/rt/helpers.h $(wildcard $(srcdir)/rt/programs/*.[ch])
	@$(MKDIR_P) rt
	$(AM_V_GEN)$(BPF_CLANG) $(BPF_CFLAGS) -I$(top_srcdir) -c $(srcdir)/rt/programs/programs.c -o $@
rt/libbase_a-blob.$(OBJEXT): rt/lib.bpf rt/programs.bpf
# The section .BTF of this one is used, nothing else.
rt/task.bpf: $(srcdir)/rt/task.c
	@$(MKDIR_P) rt
	$(AM_V_GEN)$(BPF_CLANG) $(BPF_CFLAGS) -g -c $(srcdir)/rt/task.c -o $@
rt/libbase_a-types.$(OBJEXT): rt/task.bpf
CLEANFILES += rt/lib.bpf rt/programs.bpf rt/task.bpf
