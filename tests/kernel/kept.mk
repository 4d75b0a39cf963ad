# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Of kgmon.t.
check_PROGRAMS += tests/kernel/killcall.so tests/kernel/pinned
tests_kernel_killcall_so_SOURCES = tests/kernel/killcall.c
tests_kernel_killcall_so_CFLAGS = -std=gnu11 -g -O1 -fPIC $(WARN_CFLAGS)
tests_kernel_killcall_so_LDFLAGS = -shared
tests_kernel_pinned_SOURCES = tests/kernel/pinned.c
tests_kernel_pinned_LDADD = $(LIBBPF_LIBS)
