# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
libengine_a_SOURCES += \
	engine/sample/derived.c \
	engine/sample/derived.h \
	engine/sample/names.c \
	engine/sample/names.h \
	engine/sample/perf.c \
	engine/sample/perf_account.c \
	engine/sample/perf_account.h \
	engine/sample/perf_attach.c \
	engine/sample/perf_attach.h \
	engine/sample/perf_attr.c \
	engine/sample/perf_attr.h \
	engine/sample/perf_format.h \
	engine/sample/perf_source.c \
	engine/sample/perf_source.h \
	engine/sample/perfdata.c \
	engine/sample/perffile.c \
	engine/sample/perffile.h \
	engine/sample/pipe.c \
	engine/sample/pipe.h \
	engine/sample/proc.c \
	engine/sample/read.c \
	engine/sample/read.h \
	engine/sample/recorded.c \
	engine/sample/recorded.h \
	engine/sample/source.h \
	engine/sample/tasks.c \
	engine/sample/tasks.h \
	engine/sample/unpack.c \
	engine/sample/unpack.h \
	engine/sample/uregs.c \
	engine/sample/uregs.h
