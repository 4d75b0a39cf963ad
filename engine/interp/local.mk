# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
libengine_a_SOURCES += \
	engine/interp/account.c \
	engine/interp/account.h \
	engine/interp/chains.c \
	engine/interp/chains.h \
	engine/interp/engine.c \
	engine/interp/engine.h \
	engine/interp/fire.c \
	engine/interp/govern.c \
	engine/interp/governed.h \
	engine/interp/groups.c \
	engine/interp/groups.h \
	engine/interp/image.c \
	engine/interp/image.h \
	engine/interp/image_past.h \
	engine/interp/image_rows.c \
	engine/interp/image_rows.h \
	engine/interp/kernel_reads.c \
	engine/interp/kernel_reads.h \
	engine/interp/memory.c \
	engine/interp/memory.h \
	engine/interp/proc_paths.c \
	engine/interp/proc_paths.h \
	engine/interp/recording.c \
	engine/interp/recording.h \
	engine/interp/store.c \
	engine/interp/store.h \
	engine/interp/user.c \
	engine/interp/user.h \
	engine/interp/world.c \
	engine/interp/world.h
