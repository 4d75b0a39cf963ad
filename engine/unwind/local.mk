# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
libengine_a_SOURCES += \
	engine/unwind/cfi.c \
	engine/unwind/cfi.h \
	engine/unwind/cfi_entry.c \
	engine/unwind/cfi_entry.h \
	engine/unwind/cfi_insn.c \
	engine/unwind/cfi_insn.h \
	engine/unwind/cfi_read.h \
	engine/unwind/cfi_source.c \
	engine/unwind/cfi_source.h \
	engine/unwind/dw.c \
	engine/unwind/dw.h \
	engine/unwind/expr.c \
	engine/unwind/frame.c \
	engine/unwind/frame.h \
	engine/unwind/image.c \
	engine/unwind/image.h \
	engine/unwind/frame_loader.c \
	engine/unwind/frame_loader.h \
	engine/unwind/pack.c \
	engine/unwind/pack.h \
	engine/unwind/rules.c \
	engine/unwind/rules.h \
	engine/unwind/tables.c \
	engine/unwind/tables.h \
	engine/unwind/unwind.c \
	engine/unwind/unwind.h
