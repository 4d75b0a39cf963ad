# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
sbin_PROGRAMS += dtr
dtr_SOURCES = \
	cmd/dtr/args.c \
	cmd/dtr/args.h \
	cmd/dtr/child.c \
	cmd/dtr/child.h \
	cmd/dtr/colour.c \
	cmd/dtr/colour.h \
	cmd/dtr/complete.c \
	cmd/dtr/complete.h \
	cmd/dtr/complete_help.c \
	cmd/dtr/complete_help.h \
	cmd/dtr/complete_probe.c \
	cmd/dtr/curl.c \
	cmd/dtr/curl.h \
	cmd/dtr/gmon.c \
	cmd/dtr/gmon.h \
	cmd/dtr/help.c \
	cmd/dtr/help.h \
	cmd/dtr/http.c \
	cmd/dtr/http.h \
	cmd/dtr/kgmon.c \
	cmd/dtr/kgmon.h \
	cmd/dtr/kgmon_script.c \
	cmd/dtr/kgmon_script.h \
	cmd/dtr/made.c \
	cmd/dtr/made.h \
	cmd/dtr/main.c \
	cmd/dtr/merge.c \
	cmd/dtr/merge.h \
	cmd/dtr/mhd.c \
	cmd/dtr/mhd.h \
	cmd/dtr/page.c \
	cmd/dtr/page.h \
	cmd/dtr/picture_file.c \
	cmd/dtr/picture_file.h \
	cmd/dtr/prog.c \
	cmd/dtr/prog.h \
	cmd/dtr/prog_cost.c \
	cmd/dtr/prog_cost.h \
	cmd/dtr/prog_script.c \
	cmd/dtr/prog_script.h \
	cmd/dtr/program.c \
	cmd/dtr/program.h \
	cmd/dtr/push.c \
	cmd/dtr/push.h \
	cmd/dtr/record.c \
	cmd/dtr/record.h \
	cmd/dtr/say.c \
	cmd/dtr/say.h \
	cmd/dtr/serve.c \
	cmd/dtr/serve.h \
	cmd/dtr/serve_args.c \
	cmd/dtr/share.c \
	cmd/dtr/share.h \
	cmd/dtr/spool.c \
	cmd/dtr/spool.h \
	cmd/dtr/stack.c \
	cmd/dtr/stack.h \
	cmd/dtr/tool.c \
	cmd/dtr/tool.h \
	cmd/dtr/top.c \
	cmd/dtr/top.h \
	cmd/dtr/top_args.c \
	cmd/dtr/top_args.h \
	cmd/dtr/top_draw.c \
	cmd/dtr/top_draw.h \
	cmd/dtr/top_keys.c \
	cmd/dtr/top_keys.h \
	cmd/dtr/top_order.c \
	cmd/dtr/top_order.h \
	cmd/dtr/top_page.c \
	cmd/dtr/top_page.h \
	cmd/dtr/top_stacks.c \
	cmd/dtr/top_stacks.h \
	cmd/dtr/top_table.c \
	cmd/dtr/top_table.h \
	cmd/dtr/top_term.c \
	cmd/dtr/top_term.h \
	cmd/dtr/top_view.c \
	cmd/dtr/top_view.h \
	cmd/dtr/watch.c \
	cmd/dtr/watch.h
dtr_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE -DPKGDATADIR='"$(pkgdatadir)"'
dtr_LDADD = $(DTR_LDADD)
# The procedures of prog_cost.c have names also in a stripped dtr.
dtr_LDFLAGS = $(AM_LDFLAGS) -Wl,--export-dynamic-symbol=prog_cost_*
