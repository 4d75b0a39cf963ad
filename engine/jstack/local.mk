# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
libengine_a_SOURCES += \
	engine/jstack/find.c \
	engine/jstack/find.h \
	engine/jstack/jstack.c \
	engine/jstack/jstack.h \
	engine/jstack/python.h \
	engine/jstack/python_code.c \
	engine/jstack/python_layout.c
