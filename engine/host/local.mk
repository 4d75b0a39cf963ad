# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
libengine_a_SOURCES += \
	engine/host/boot.c \
	engine/host/boot.h \
	engine/host/cpus.c \
	engine/host/cpus.h \
	engine/host/create.c \
	engine/host/create.h \
	engine/host/framelimit.c \
	engine/host/framelimit.h \
	engine/host/idle.c \
	engine/host/idle.h \
	engine/host/perf_ring.c \
	engine/host/perf_ring.h \
	engine/host/pidns.c \
	engine/host/pidns.h \
	engine/host/refusal.c \
	engine/host/refusal.h \
	engine/host/wall.c \
	engine/host/wall.h
