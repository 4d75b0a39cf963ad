# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
bin_PROGRAMS += dtr

# The commands: NAME.c defines command_NAME (cmd/dtr/command.h). This is their order in lists. The large ones can be
# left out: ./configure --with-commands=LIST, --without-commands.
COMMANDS = \
	cmd/dtr/record.c \
	cmd/dtr/report.c \
	cmd/dtr/merge.c \
	cmd/dtr/diff.c \
	cmd/dtr/gmon.c \
	cmd/dtr/help/help.c
LEFT_OUT =
command_sources =
if WITH_SERVE
COMMANDS += cmd/dtr/serve/serve.c
command_sources += \
	cmd/dtr/serve/args.c \
	cmd/dtr/serve/curl.c \
	cmd/dtr/serve/curl.h \
	cmd/dtr/serve/guard.c \
	cmd/dtr/serve/guard.h \
	cmd/dtr/serve/http.c \
	cmd/dtr/serve/http.h \
	cmd/dtr/serve/mhd.c \
	cmd/dtr/serve/mhd.h \
	cmd/dtr/serve/push.c \
	cmd/dtr/serve/push.h \
	cmd/dtr/serve/serve.h \
	cmd/dtr/serve/spool.c \
	cmd/dtr/serve/spool.h
else
LEFT_OUT += cmd/dtr/serve/serve.c
endif
if WITH_STAT
COMMANDS += cmd/dtr/stat/stat.c
command_sources += \
	cmd/dtr/stat/args.c \
	cmd/dtr/stat/args.h \
	cmd/dtr/stat/derive.c \
	cmd/dtr/stat/measure.c \
	cmd/dtr/stat/measure.h \
	cmd/dtr/stat/print.c \
	cmd/dtr/stat/print.h
else
LEFT_OUT += cmd/dtr/stat/stat.c
endif
if WITH_KGMON
COMMANDS += cmd/dtr/kgmon/kgmon.c
command_sources += \
	cmd/dtr/kgmon/script.c \
	cmd/dtr/kgmon/script.h
else
LEFT_OUT += cmd/dtr/kgmon/kgmon.c
endif
if WITH_PROG
COMMANDS += cmd/dtr/prog/prog.c
command_sources += \
	cmd/dtr/prog/cost.c \
	cmd/dtr/prog/cost.h \
	cmd/dtr/prog/script.c \
	cmd/dtr/prog/script.h
else
LEFT_OUT += cmd/dtr/prog/prog.c
endif
if WITH_TOP
COMMANDS += cmd/dtr/top/top.c
command_sources += \
	cmd/dtr/top/args.c \
	cmd/dtr/top/args.h \
	cmd/dtr/top/deep.c \
	cmd/dtr/top/deep.h \
	cmd/dtr/top/draw.c \
	cmd/dtr/top/draw.h \
	cmd/dtr/top/keys.c \
	cmd/dtr/top/keys.h \
	cmd/dtr/top/order.c \
	cmd/dtr/top/order.h \
	cmd/dtr/top/page.c \
	cmd/dtr/top/page.h \
	cmd/dtr/top/stacks.c \
	cmd/dtr/top/stacks.h \
	cmd/dtr/top/table.c \
	cmd/dtr/top/table.h \
	cmd/dtr/top/term.c \
	cmd/dtr/top/term.h \
	cmd/dtr/top/top.h \
	cmd/dtr/top/view.c \
	cmd/dtr/top/view.h
else
LEFT_OUT += cmd/dtr/top/top.c
endif
if WITH_TRACE
COMMANDS += cmd/dtr/trace/trace.c
command_sources += \
	cmd/dtr/trace/calls.c \
	cmd/dtr/trace/calls.def \
	cmd/dtr/trace/calls.h \
	cmd/dtr/trace/decode.c \
	cmd/dtr/trace/decode.h \
	cmd/dtr/trace/kinds.def \
	cmd/dtr/trace/line.c \
	cmd/dtr/trace/line.h \
	cmd/dtr/trace/names.c \
	cmd/dtr/trace/flags.def \
	cmd/dtr/trace/system.def \
	cmd/dtr/trace/names.def \
	cmd/dtr/trace/names.h \
	cmd/dtr/trace/options.c \
	cmd/dtr/trace/options.h \
	cmd/dtr/trace/processes.c \
	cmd/dtr/trace/script.c \
	cmd/dtr/trace/script.h \
	cmd/dtr/trace/sockets.c \
	cmd/dtr/trace/structs.c \
	cmd/dtr/trace/summary.c \
	cmd/dtr/trace/summary.h \
	cmd/dtr/trace/trace.h \
	cmd/dtr/trace/value.h \
	cmd/dtr/trace/values.c
else
LEFT_OUT += cmd/dtr/trace/trace.c
endif
if WITH_WHY
COMMANDS += cmd/dtr/why/why.c
command_sources += \
	cmd/dtr/why/classes.def \
	cmd/dtr/why/print.c \
	cmd/dtr/why/print.h \
	cmd/dtr/why/state.c \
	cmd/dtr/why/state.h \
	cmd/dtr/why/table.c \
	cmd/dtr/why/table.h \
	cmd/dtr/why/waits.def
else
LEFT_OUT += cmd/dtr/why/why.c
endif

dtr_SOURCES = $(COMMANDS) $(command_sources) \
	cmd/dtr/args.c \
	cmd/dtr/args.h \
	cmd/dtr/child.c \
	cmd/dtr/child.h \
	cmd/dtr/cmd.h \
	cmd/dtr/command.c \
	cmd/dtr/command.h \
	cmd/dtr/colour.c \
	cmd/dtr/colour.h \
	cmd/dtr/complete/complete.c \
	cmd/dtr/complete/complete.h \
	cmd/dtr/complete/probe.c \
	cmd/dtr/front.h \
	cmd/dtr/help/help.h \
	cmd/dtr/help/page.c \
	cmd/dtr/help/page.h \
	cmd/dtr/main.c \
	cmd/dtr/option.c \
	cmd/dtr/option.h \
	cmd/dtr/own.c \
	cmd/dtr/own.h \
	cmd/dtr/picture_file.c \
	cmd/dtr/picture_file.h \
	cmd/dtr/program.c \
	cmd/dtr/program.h \
	cmd/dtr/saved.c \
	cmd/dtr/saved.h \
	cmd/dtr/say.c \
	cmd/dtr/say.h \
	cmd/dtr/session.c \
	cmd/dtr/share.c \
	cmd/dtr/share.h \
	cmd/dtr/stack.c \
	cmd/dtr/stack.h \
	cmd/dtr/target.c \
	cmd/dtr/tool/expand.c \
	cmd/dtr/tool/header.c \
	cmd/dtr/tool/header.h \
	cmd/dtr/tool/tool.c \
	cmd/dtr/tool/tool.h \
	cmd/dtr/tool/probe.c \
	cmd/dtr/tool/probe.h \
	cmd/dtr/tool/value.c \
	cmd/dtr/tool/value.h \
	cmd/dtr/watch.c \
	cmd/dtr/watch.h
dtr_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE -DPKGDATADIR='"$(pkgdatadir)"'
dtr_LDADD = $(DTR_LDADD)
# The procedures of prog/cost.c have names also in a stripped dtr.
dtr_LDFLAGS = $(AM_LDFLAGS) -Wl,--export-dynamic-symbol=prog_cost_*

cmd/commands.def: Makefile
	@$(MKDIR_P) cmd
	$(AM_V_GEN)$(top_srcdir)/tools/rows COMMAND $(COMMANDS) >$@
cmd/left_out.def: Makefile
	@$(MKDIR_P) cmd
	$(AM_V_GEN)$(top_srcdir)/tools/rows COMMAND $(LEFT_OUT) >$@
BUILT_SOURCES += cmd/commands.def cmd/left_out.def
CLEANFILES += cmd/commands.def cmd/left_out.def
$(dtr_OBJECTS): cmd/commands.def cmd/left_out.def
