# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
libengine_a_SOURCES += \
	engine/record/bytes.h \
	engine/record/format.h \
	engine/record/read.c \
	engine/record/names.c \
	engine/record/names.h \
	engine/record/perfdata.c \
	engine/record/perffile.c \
	engine/record/pipe.c \
	engine/record/pipe.h \
	engine/record/perffile.h \
	engine/record/read.h \
	engine/record/recorder.c \
	engine/record/recorder.h \
	engine/record/seen.c \
	engine/record/seen.h \
	engine/record/source.c \
	engine/record/source.h \
	engine/record/unpack.c \
	engine/record/unpack.h \
	engine/record/write.c \
	engine/record/write.h
