# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
libengine_a_SOURCES += \
	engine/symbols/codes.c \
	engine/symbols/codes.h \
	engine/symbols/debugfile.c \
	engine/symbols/debugfile.h \
	engine/symbols/demangle.c \
	engine/symbols/demangle.h \
	engine/symbols/dwinfo.c \
	engine/symbols/dwinfo.h \
	engine/symbols/elf.c \
	engine/symbols/elf.h \
	engine/symbols/jit.c \
	engine/symbols/jit.h \
	engine/symbols/jit_codes.c \
	engine/symbols/jit_codes.h \
	engine/symbols/jit_file.c \
	engine/symbols/jit_file.h \
	engine/symbols/kallsyms.c \
	engine/symbols/kallsyms.h \
	engine/symbols/lines.c \
	engine/symbols/lines.h \
	engine/symbols/maps.c \
	engine/symbols/maps.h \
	engine/symbols/object.c \
	engine/symbols/object.h \
	engine/symbols/proc_events.c \
	engine/symbols/proc_events.h \
	engine/symbols/spaces.c \
	engine/symbols/spaces.h \
	engine/symbols/spans.c \
	engine/symbols/spans.h \
	engine/symbols/symbol.h \
	engine/symbols/symbols.c \
	engine/symbols/symbols.h \
	engine/symbols/symtab.c \
	engine/symbols/symtab.h
