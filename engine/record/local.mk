# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
libengine_a_SOURCES += \
	engine/record/bytes.h \
	engine/record/format.h \
	engine/record/read.c \
	engine/record/read.h \
	engine/record/write.c \
	engine/record/write.h
