# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
TESTS += tests/libdtr/libdtr.t tests/libdtr/order.t
EXTRA_DIST += tests/libdtr/libdtr.t tests/libdtr/order.t
check_PROGRAMS += tests/libdtr/order
tests_libdtr_order_SOURCES = tests/libdtr/order.c
tests_libdtr_order_LDADD = $(DTR_LDADD)
