# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
noinst_LIBRARIES += libir.a
libir_a_CFLAGS = $(LIBDTR_CFLAGS)
libir_a_SOURCES = \
	ir/build.c \
	ir/flow.c \
	ir/flow.h \
	ir/interp.c \
	ir/interp.h \
	ir/intrin.def \
	ir/ir.h \
	ir/op.c \
	ir/ops.def \
	ir/opt.h \
	ir/optimise.c \
	ir/order.c \
	ir/parse.c \
	ir/print.c \
	ir/propagate.c \
	ir/seed.c \
	ir/share.c \
	ir/simplify.c \
	ir/text.h \
	ir/value.c \
	ir/value.h \
	ir/verify.c
