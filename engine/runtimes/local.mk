# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
libengine_a_SOURCES += \
	engine/runtimes/jstack.c \
	engine/runtimes/jstack.h \
	engine/runtimes/memory.h \
	engine/runtimes/python/code.c \
	engine/runtimes/python/find.c \
	engine/runtimes/python/find.h \
	engine/runtimes/python/layout.c \
	engine/runtimes/python/python.h \
	engine/runtimes/v8/code.c \
	engine/runtimes/v8/code.h \
	engine/runtimes/v8/find.c \
	engine/runtimes/v8/find.h \
	engine/runtimes/v8/lines.c \
	engine/runtimes/v8/lines.h \
	engine/runtimes/v8/v8.c \
	engine/runtimes/v8/v8.h
