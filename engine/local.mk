# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
noinst_LIBRARIES += libengine.a
libengine_a_SOURCES = \
	engine/actions.c \
	engine/backend.h \
	engine/consumer.c \
	engine/dtr.h \
	engine/list.c \
	engine/options.c \
	engine/options.h \
	engine/print.h \
	engine/report.c \
	engine/session.c \
	engine/session.h \
	engine/text.c \
	engine/text.h
