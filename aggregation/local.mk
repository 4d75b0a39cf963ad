# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
noinst_LIBRARIES += libaggregation.a

# The aggregating functions: NAME.c defines agg_NAME.
AGG_FUNCTIONS = \
	aggregation/count.c \
	aggregation/sum.c \
	aggregation/min.c \
	aggregation/max.c \
	aggregation/avg.c \
	aggregation/stddev.c \
	aggregation/quantize.c \
	aggregation/lquantize.c \
	aggregation/llquantize.c
libaggregation_a_CFLAGS = $(LIBDTR_CFLAGS)
libaggregation_a_SOURCES = $(AGG_FUNCTIONS) \
	aggregation/agg.h \
	aggregation/diff.c \
	aggregation/file.h \
	aggregation/func.h \
	aggregation/hist.c \
	aggregation/hist.h \
	aggregation/host.c \
	aggregation/load.c \
	aggregation/print.c \
	aggregation/registry.c \
	aggregation/save.c \
	aggregation/set.c \
	aggregation/set.h \
	aggregation/sort.c \
	aggregation/stack_tree.c aggregation/stack_tree.h \
	aggregation/table.c

aggregation/functions.def: Makefile
	@$(MKDIR_P) aggregation
	$(AM_V_GEN)$(top_srcdir)/tools/rows AGG $(AGG_FUNCTIONS) >$@
BUILT_SOURCES += aggregation/functions.def
CLEANFILES += aggregation/functions.def
$(libaggregation_a_OBJECTS): aggregation/functions.def
