# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
libengine_a_SOURCES += \
	engine/run/about.h \
	engine/run/account.c \
	engine/run/account.h \
	engine/run/backend.h \
	engine/run/bytes.h \
	engine/run/format.h \
	engine/run/limited.c \
	engine/run/limited.h \
	engine/run/names.c \
	engine/run/names.h \
	engine/run/options.c \
	engine/run/options.def \
	engine/run/options.h \
	engine/run/texts.c \
	engine/run/texts.h \
	engine/run/unnamed.c \
	engine/run/unnamed.h
