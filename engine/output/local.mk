# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
libengine_a_SOURCES += \
	engine/output/accounts.c \
	engine/output/accounts.h \
	engine/output/flow.c \
	engine/output/flow.h \
	engine/output/json.c \
	engine/output/list.c \
	engine/output/list.h \
	engine/output/number_set.c \
	engine/output/number_set.h \
	engine/output/output.c \
	engine/output/output.h \
	engine/output/picture/folded.c \
	engine/output/picture/html.c \
	engine/output/picture/picture.c \
	engine/output/picture/picture.h \
	engine/output/picture/pprof.c \
	engine/output/picture/program.c \
	engine/output/picture/speedscope.c \
	engine/output/picture/unit.c \
	engine/output/print.c \
	engine/output/print.h \
	engine/output/print_typed.c \
	engine/output/printer.c \
	engine/output/printer.h \
	engine/output/progress.c \
	engine/output/progress.h \
	engine/output/recorder.c \
	engine/output/recorder.h \
	engine/output/report.c \
	engine/output/report.h \
	engine/output/saved.c \
	engine/output/saved.h \
	engine/output/text.c \
	engine/output/write.c \
	engine/output/write.h
