# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
noinst_LIBRARIES += libaggregation.a
libaggregation_a_SOURCES = \
	aggregation/agg.h \
	aggregation/avg.c \
	aggregation/count.c \
	aggregation/diff.c \
	aggregation/file.h \
	aggregation/func.h \
	aggregation/hist.c \
	aggregation/hist.h \
	aggregation/llquantize.c \
	aggregation/load.c \
	aggregation/lquantize.c \
	aggregation/max.c \
	aggregation/min.c \
	aggregation/print.c \
	aggregation/quantize.c \
	aggregation/registry.c \
	aggregation/save.c \
	aggregation/set.c \
	aggregation/set.h \
	aggregation/sort.c \
	aggregation/stddev.c \
	aggregation/sum.c \
	aggregation/table.c
