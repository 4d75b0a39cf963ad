# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
noinst_LIBRARIES += libaggregation.a
libaggregation_a_SOURCES = \
	aggregation/agg.h \
	aggregation/avg.c \
	aggregation/count.c \
	aggregation/func.h \
	aggregation/hist.c \
	aggregation/hist.h \
	aggregation/llquantize.c \
	aggregation/lquantize.c \
	aggregation/max.c \
	aggregation/min.c \
	aggregation/print.c \
	aggregation/quantize.c \
	aggregation/registry.c \
	aggregation/sort.c \
	aggregation/stddev.c \
	aggregation/sum.c \
	aggregation/table.c
