/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A whole session in the replay engine. The input is a file of events; it may begin with a D script that ends with a
 * line "%%" and replaces the usual one. Output as text and as JSON, which a strict parser must accept.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/session/session.h"
#include "tests/fuzz/fuzz.h"
#include "tests/lib/jsoncheck.h"
#include "tests/lib/replay.h"

/* Prints every field of every event, reads kernel memory, and fills variables and aggregations. */
static const char usual[] =
	"BEGIN, END { printf(\"%d %s %Y\\n\", pid, execname, walltimestamp); }\n"
	"profile-97 { printf(\"%d %d %d %d %d %s %x %x %x\\n\", cpu, pid, tid, uid, gid, execname, arg0, arg1, "
	"arg2); }\n"
	"profile-97 { @[pid, execname] = quantize(arg0); @n = sum(timestamp); }\n"
	"profile-97 { self->x += arg1; a[tid, execname] = self->x; }\n"
	"profile-97 /arg0/ { trace(stringof((char *)arg0)); trace(*(int *)arg0); }\n"
	"tick-1s /arg0 == 7/ { exit(arg1); }\n"
	"tick-1s { printa(@); clear(@); trunc(@n); trace(stackdepth); trace(curthread->tgid); }\n"
	"ERROR { trace(arg4); }\n";

static void count_message(void *arg, const char *text)
{
	size_t n = strlen(text);

	FUZZ_CHECK(n && text[n - 1] == '\n', "not a whole line: %s", text);
	if (getenv("FUZZ_SHOW"))
		fputs(text, stderr);
	++*(unsigned *)arg;
}

static void session(struct dtr *t, const char *script, struct replay *r, unsigned *messages)
{
	t->env.btf = fuzz_btf();
	if (dtr_add_text(t, script, DTR_PROBE) < 0 || dtr_compile(t) < 0) {
		FUZZ_CHECK(*messages, "refused without a message");
		FUZZ_CHECK(script != usual, "the usual script does not compile");
		return;
	}
	if (dtr_go(t) < 0) {
		FUZZ_CHECK(*messages, "refused without a message");
		return;
	}
	dtr_report_matches(t);
	while (!r->done && dtr_work(t) == DTR_MORE)
		;
	dtr_finish(t);
	dtr_status(t);
}

/* The beginning of the events, if a script precedes them. */
static char *cut(char *text)
{
	char *mark = strstr(text, "\n%%\n");

	if (!mark)
		return NULL;
	mark[1] = '\0';
	return mark + 4;
}

/* One session with this input; JSON output must be valid. */
static void run(const char *text, size_t size, const char *script, const char *events, const char *format)
{
	struct replay r = { .src = { .name = "input.ev", .text = events, .len = (size_t)(text + size - events) } };
	unsigned messages = 0, line;
	size_t len = 0;
	char *out = NULL;
	struct dtr_config config = {
		.progname = "dtr", .message = count_message, .arg = &messages, .share = fuzz_share(),
		.out = open_memstream(&out, &len),
	};
	struct dtr *t = dtr_open(&config);

	session_use(t, &backend_replay, &r);
	dtr_option(t, "oformat", format);
	session(t, script, &r, &messages);
	dtr_close(t);
	fclose(config.out);
	if (!strcmp(format, "json")) {
		const char *wrong = json_check_lines(out, len, &line);

		FUZZ_CHECK(!wrong, "line %u of the JSON: %s\n%s", line, wrong, out);
	}
	free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), *events = cut(text);
	const char *script = events ? text : usual;

	run(text, size, script, events ? events : text, "text");
	run(text, size, script, events ? events : text, "json");
	free(text);
	return 0;
}
