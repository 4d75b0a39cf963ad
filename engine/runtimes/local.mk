# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
libengine_a_SOURCES += \
	engine/runtimes/jstack.c \
	engine/runtimes/jstack.h \
	engine/runtimes/python/code.c \
	engine/runtimes/python/find.c \
	engine/runtimes/python/find.h \
	engine/runtimes/python/layout.c \
	engine/runtimes/python/python.h
