/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/own.h"

#include <stdio.h>
#include <string.h>

#include "base/fill.h"
#include "engine/dtr.h"

const char own_usage[] =
	"[-CeFGhHlqSvVwZ] [-b size] [-c command] [-d stage] [-D name[=value]]\n"
	"           [-I directory] [-L directory] [-o file] [-O format] [-p pid]\n"
	"           [-r recording] [-U name] [-x name[=value]] [-X a|c|s|t] [-s script]\n"
	"           [-P provider] [-m module] [-f function] [-n probe] [-i id]\n"
	"           [argument ...]\n"
	"       dtr tool [-h] [argument ...]\n"
	"       dtr help [topic]\n"
	"       dtr --help | --version\n";

#define LETTER(letter_, value_, text_, ...) { .letter = letter_, .value = value_, .text = text_, __VA_ARGS__ }

static const struct command_option rows[] = {
	LETTER('n', "probe", "enable probes: [[[provider:]module:]function:]name [[/predicate/] { actions }]",
	       .kind = VALUE_PROBE),
	LETTER('P', "provider", NULL, .joins = true, .kind = VALUE_PROBE),
	LETTER('m', "module", NULL, .joins = true),
	LETTER('f', "function", "enable probes by provider, module, function; -i: by the ID that -l shows",
	       .head = "-P -m -f"),
	LETTER('i', "id", NULL),
	LETTER('s', "script", "run a D script; - is standard input", .kind = VALUE_FILE),
	LETTER('c', "command", "run a command and trace until it ends; $target is its process ID",
	       .kind = VALUE_COMMAND),
	LETTER('p', "pid", "trace this process, or several, until they end; $target is the first", .kind = VALUE_PID),
	LETTER('r', "file", "query a recording made by \"dtr record\" (\"dtr record --help\") or perf record, "
	       "or summarise it (\"dtr report --help\")", .kind = VALUE_FILE),
	LETTER('l', NULL, "list the matching probes, or all; -v adds stability and arguments"),
	{ .head = "merge, diff",
	  .text = "merge or compare aggregations saved with -x aggsave (\"dtr merge --help\")" },
	{ .head = "serve",
	  .text = "publish aggregations over HTTP, for Prometheus and browsers (\"dtr serve --help\")" },
	{ .head = "help, help topic", .text = "the documentation: \"dtr help\" lists its topics" },
	{ .name = "tools", .head = "-l --tools",
	  .text = "list the tools (ready-made scripts); \"dtr TOOL -h\" describes one" },
	LETTER('e', NULL, "compile only"),
	LETTER('h', NULL, "write a C header for the probes that the script declares (-o, or script.h)"),
	LETTER('G', NULL, "write an object file for them (-o, or script.o); the operands are the program's objects; "
	       "with -32 of 32 bits"),
	LETTER('v', NULL, "report the stability of the program"),
	LETTER('q', NULL, "print only what the actions print"),
	LETTER('w', NULL, "allow destructive actions"),
	LETTER('Z', NULL, "allow probe descriptions that match nothing"),
	LETTER('F', NULL, "indent output by function entry and return"),
	LETTER('C', NULL, "run the C preprocessor on the program; -D name[=value] -U name -I directory as for cpp, "
	       "-H lists the included files, -X a|c|s|t sets C conformance"),
	LETTER('D', "name[=value]", NULL),
	LETTER('U', "name", NULL),
	LETTER('I', "directory", NULL, .kind = VALUE_FILE),
	LETTER('H', NULL, NULL),
	LETTER('X', "a|c|s|t", NULL, .kind = VALUE_WORDS),
	LETTER('L', "dir", "read D libraries (*.d) from this directory first", .kind = VALUE_FILE),
	LETTER('S', NULL, "show the compiled program on standard error"),
	LETTER('b', "size", "size of each CPU's record buffer (-x bufsize)"),
	LETTER('o', "file", "append the output to a file", .kind = VALUE_FILE),
	LETTER('O', "format", "output format (-x oformat)", .kind = VALUE_FORMAT),
	LETTER('x', "name=val", "set an option", .kind = VALUE_SETTING),
	LETTER('d', "stage", "show the program: P parse tree, T typed tree, I intermediate code, O optimised, B BPF",
	       .kind = VALUE_STAGE),
	LETTER('V', NULL, "show the version"),
	{ .name = "help" },
	{ .name = "version" },
	{ 0 },
};

const struct command_option *own_options(struct arena *a)
{
	struct command_option *own = arena_alloc(a, sizeof rows);

	memcpy(own, rows, sizeof rows);
	for (struct command_option *o = own; !option_is_last(o); o++)
		if (o->kind == VALUE_FORMAT)
			o->text = arena_printf(a, "output format: %s (-x oformat)", dtr_formats());
	return own;
}

int own_help(struct arena *a, const char *prog)
{
	struct buf text = { 0 }, filled = { 0 };
	bool failed;

	option_rows(&text, a, own_options(a));
	buf_puts(&text, "\nArguments are the script's $1, $2, ...\n\n"
			"Options for -x, for #pragma D option, and as DTR_OPT_NAME in the environment:\n");
	fill_text(&filled, buf_str(&text));
	failed = text.failed || filled.failed;
	if (!failed) {
		printf("Usage: %s %s\n%s", prog, own_usage, buf_str(&filled));
		failed = dtr_option_help(stdout) < 0;
	}
	buf_free(&text);
	buf_free(&filled);
	return failed ? -1 : 0;
}
