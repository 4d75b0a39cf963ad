# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
noinst_LIBRARIES += libbase.a
libbase_a_CFLAGS = $(LIBDTR_CFLAGS)
libbase_a_SOURCES = \
	base/arch/aarch64.h base/arch/aarch64_syscalls.h base/arch/aarch64_uregs.def \
	base/arch/aarch64_usdt.def base/arch/arch.h base/arch/x86_64.h base/arch/x86_64_syscalls.h \
	base/arch/x86_64_uregs.def base/arch/x86_64_usdt.def \
	base/arena.c base/arena.h \
	base/openfiles.c base/openfiles.h \
	base/pool.c base/pool.h \
	base/setting.c base/setting.h \
	base/btf_data.c base/btf_data.h \
	base/btf_file.c base/btf_file.h \
	base/buf.c base/buf.h \
	base/clock.c \
	base/clock.h \
	base/diag.c base/diag.def base/diag.h \
	base/difference.c base/difference.h \
	base/errno_text.c base/errno_text.h \
	base/escape.c base/escape.h \
	base/fill.c base/fill.h \
	base/interval.c base/interval.h \
	base/json.c base/json.h \
	base/jsonread.c base/jsonread.h \
	base/kallsyms_line.c base/kallsyms_line.h \
	base/kernel.c base/kernel.h \
	base/leb128.h \
	base/protobuf.c \
	base/protobuf.h \
	base/map.c base/map.h \
	base/shield.c base/shield.h \
	base/shlib.c base/shlib.h \
	base/sysctl.c base/sysctl.h \
	base/userns.c base/userns.h \
	base/word.c base/word.h
