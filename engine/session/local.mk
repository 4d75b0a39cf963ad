# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
libengine_a_SOURCES += \
	engine/session/about.c \
	engine/session/about.h \
	engine/session/actions.c \
	engine/session/consumer.c \
	engine/session/control.c \
	engine/session/control.h \
	engine/session/cpp.c \
	engine/session/cpp.h \
	engine/session/dtr.h \
	engine/session/engine.c \
	engine/session/engine.h \
	engine/session/keep.c \
	engine/session/keep.h \
	engine/session/lacks.c \
	engine/session/lacks.h \
	engine/session/library.c \
	engine/session/library.h \
	engine/session/query.c \
	engine/session/queue.c \
	engine/session/queue.h \
	engine/session/session.c \
	engine/session/session.h \
	engine/session/speculate.c \
	engine/session/speculate.h \
	engine/session/text.c \
	engine/session/text.h
