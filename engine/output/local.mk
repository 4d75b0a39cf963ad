# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

# The output formats: NAME.c defines printer_NAME, and NAME is the word for -O. The first one is the default.
OUTPUT_FORMATS = \
	engine/output/text.c \
	engine/output/json.c \
	engine/output/picture/folded.c \
	engine/output/picture/pprof.c \
	engine/output/picture/speedscope.c \
	engine/output/picture/html.c \
	engine/output/profile/tables.c \
	engine/output/profile/lcov.c \
	engine/output/profile/callgrind.c \
	engine/output/profile/annotated.c \
	engine/output/gmon/gmon.c \
	engine/output/gmon/profil.c \
	engine/output/metrics/openmetrics.c
libengine_a_SOURCES += $(OUTPUT_FORMATS) \
	engine/output/accounts.c \
	engine/output/accounts.h \
	engine/output/flow.c \
	engine/output/flow.h \
	engine/output/gmon/gmon_choose.c \
	engine/output/gmon/gmon_choose.h \
	engine/output/gmon/gmon_file.c \
	engine/output/gmon/gmon_file.h \
	engine/output/gmon/gmon_object.c \
	engine/output/gmon/gmon_object.h \
	engine/output/gmon/gmon_run.c \
	engine/output/gmon/gmon_run.h \
	engine/output/gmon/gmon_image.c \
	engine/output/gmon/gmon_image.h \
	engine/output/gmon/profil_cells.c \
	engine/output/gmon/profil_cells.h \
	engine/output/header.c \
	engine/output/header.h \
	engine/output/list.c \
	engine/output/list.h \
	engine/output/markup.c \
	engine/output/markup.h \
	engine/output/number_set.c \
	engine/output/number_set.h \
	engine/output/metrics/metrics.c \
	engine/output/metrics/metrics.h \
	engine/output/metrics/page.c \
	engine/output/metrics/page.h \
	engine/output/metrics/proto.c \
	engine/output/metrics/text.c \
	engine/output/output.c \
	engine/output/output.h \
	engine/output/picture/duration.c \
	engine/output/picture/duration.h \
	engine/output/picture/picture.c \
	engine/output/picture/picture.h \
	engine/output/picture/program.c \
	engine/output/picture/unit.c \
	engine/output/print.c \
	engine/output/print.h \
	engine/output/print_typed.c \
	engine/output/printer.c \
	engine/output/printer.h \
	engine/output/profile/chart.c \
	engine/output/profile/chart.h \
	engine/output/profile/profile.c \
	engine/output/profile/profile.h \
	engine/output/profile/source.c \
	engine/output/profile/source.h \
	engine/output/progress.c \
	engine/output/progress.h \
	engine/output/recorder.c \
	engine/output/recorder.h \
	engine/output/report.c \
	engine/output/report.h \
	engine/output/rest.c \
	engine/output/rest.h \
	engine/output/sampled.c \
	engine/output/sampled.h \
	engine/output/saved.c \
	engine/output/saved.h \
	engine/output/shares/idle.c \
	engine/output/shares/page.c \
	engine/output/shares/page.h \
	engine/output/shares/shares.c \
	engine/output/shares/shares.h \
	engine/output/shares/source.c \
	engine/output/shares/table.c \
	engine/output/shares/table.h \
	engine/output/stub.c \
	engine/output/summary/compare.c \
	engine/output/summary/compare.h \
	engine/output/summary/compare_page.c \
	engine/output/summary/summary.c \
	engine/output/summary/summary.h \
	engine/output/summary/summary_json.c \
	engine/output/summary/summary_text.c \
	engine/output/write.c \
	engine/output/write.h

engine/run/formats.def: Makefile
	@$(MKDIR_P) engine/run
	$(AM_V_GEN)$(top_srcdir)/tools/rows FORMAT $(OUTPUT_FORMATS) >$@
BUILT_SOURCES += engine/run/formats.def
CLEANFILES += engine/run/formats.def
$(libengine_a_OBJECTS): engine/run/formats.def
