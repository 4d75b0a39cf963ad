# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
libengine_a_SOURCES += \
	engine/programs/begins.c \
	engine/programs/begins.h \
	engine/programs/blocks.c \
	engine/programs/blocks.h \
	engine/programs/decoder.c \
	engine/programs/decoder.h \
	engine/programs/entries.c \
	engine/programs/entries.h \
	engine/programs/flows.c \
	engine/programs/flows.h \
	engine/programs/functions.c \
	engine/programs/functions.h \
	engine/programs/notes.c \
	engine/programs/notes.h \
	engine/programs/members.c \
	engine/programs/members.h \
	engine/programs/parameters.c \
	engine/programs/parameters.h \
	engine/programs/programs.c \
	engine/programs/programs.h \
	engine/programs/start.c \
	engine/programs/start.h \
	engine/programs/statements.c \
	engine/programs/statements.h \
	engine/programs/steps.c \
	engine/programs/steps.h \
	engine/programs/variables.c \
	engine/programs/variables.h
