# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
libengine_a_SOURCES += \
	engine/containers/containers.c \
	engine/containers/containers.h \
	engine/containers/hierarchy.c \
	engine/containers/hierarchy.h \
	engine/containers/runtimes.c \
	engine/containers/runtimes.h \
	engine/containers/state.c \
	engine/containers/state.h
