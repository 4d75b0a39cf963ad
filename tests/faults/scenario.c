/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "tests/faults/scenario.h"

#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DTR(n, ...) { .name = n, .words = { "%dtr", __VA_ARGS__ } }

const struct scenario scenarios[] = {
	DTR("begin", "-qn", "BEGIN { trace(1); exit(0); }"),
	DTR("printf", "-qn", "BEGIN { x = 7; printf(\"%d %s\\n\", x, execname); exit(0); } END { trace(\"end\"); }"),
	DTR("keyed", "-qn", "BEGIN { @a[1, \"x\"] = count(); @b[probename] = quantize(5); @c = stddev(4); "
		     "printa(\"%d %s %@d\\n\", @a); trunc(@a); @d[3] = lquantize(3, 0, 10, 1); exit(0); }"),
	DTR("clear", "-qn", "BEGIN { @a[1] = sum(4); @b = max(9); @c[probename] = sum(4); } tick-3ms { clear(@a); "
	    "clear(@c); printa(@a); exit(0); }"),
	/* the rootless engine, which dtr uses if bpf() is refused, has no stacks of BEGIN */
	{ .name = "stacks", .symbols = true,
	  .words = { "%dtr", "-x", "engine=bpf", "-qn",
	  	"BEGIN { ustack(1); usym(arg0); @[ustack(1), umod(0)] = count(); printf(\"%A\\n\", 1); exit(0); }" } },
	{ .name = "libraries", .symbols = true,
	  .words = { "%dtr", "-x", "engine=bpf", "-qn", "BEGIN { @[ustack(1)] = count(); exit(0); }", "-c",
		"/bin/true" } },
	DTR("tick", "-qn", "tick-2ms { printf(\"%d\\n\", ++i); } tick-2ms /i == 4/ { exit(0); }"),
	DTR("profile", "-qn", "profile-1ms /pid == $target/ { @[1] = max(1); }", "-c", "%spin 30"),
	DTR("command", "-qn", "END { printf(\"end\\n\"); }", "-c", "/bin/true"),
	DTR("target", "-p", "%pid", "-qn", "tick-2ms /$target > 1/ { printf(\"there\\n\"); exit(0); }"),
	DTR("btf", "-qn", "BEGIN { printf(\"%d %d\\n\", curlwpsinfo->pr_pri > 0, curthread->mm != 0); exit(0); }"),
	DTR("file", "-o", "%out", "-qn", "BEGIN { printf(\"to a file\\n\"); @[1] = count(); exit(0); }"),
	DTR("script", "-qs", "%src/tests/faults/script.d", "one", "2"),
	DTR("fault", "-qn", "BEGIN { trace(*(int *)0); } ERROR { printf(\"fault\\n\"); exit(0); }"),
	{ .name = "error", .status = 1, .words = { "%dtr", "-n", "BEGIN { @a = count(); nosuch(; } tick-1s { x = }" } },
	DTR("list", "-ln", "tick-1s,BEGIN,profile-97"),
	DTR("verbose", "-lvn", "profile-97"),
	DTR("parse", "-d", "P", "-n", "BEGIN { @[1] = count(); }"),
	DTR("types", "-d", "T", "-n", "BEGIN { @[1] = count(); }"),
	DTR("ir", "-d", "O", "-n", "BEGIN { @[1] = count(); trace(curthread->mm); }"),
	DTR("bpf", "-d", "B", "-n", "BEGIN { @[1] = count(); }"),
	DTR("help", "--help"),
	DTR("record", "record", "-q", "-g", "-x", "ledger=off", "-o", "/dev/null", "-c", "/bin/echo recorded"),
	{ .name = "golden", .words = { "%golden", "%src/tests/golden/aggs_keyed.d" }, .own_main = true },
	/* its times differ in each run, so only the exit status is checked */
	DTR("json", "-O", "json", "-o", "/dev/null", "-n",
	    "BEGIN { printf(\"%d\\n\", 1); stack(); @[1] = quantize(5); printa(@); exit(0); }"),
	DTR("saved", "-x", "aggsave=%out", "-qn", "BEGIN { @a[1, \"x\"] = count(); @b[probename] = quantize(5); "
	    "clear(@a); clear(@b); exit(0); }"),
	DTR("merge", "merge", "-o", "%out", "%src/tests/saved/version-1.agg", "%src/tests/saved/version-1b.agg"),
	DTR("diff", "diff", "%src/tests/saved/version-1.agg", "%src/tests/saved/version-1b.agg"),
	DTR("merge html", "merge", "-O", "html", "%src/tests/saved/version-1.agg", "%src/tests/saved/version-1b.agg"),
	DTR("merge pprof", "merge", "-O", "pprof", "%src/tests/saved/version-1.agg"),
	DTR("folded", "-O", "folded", "-qn", "BEGIN { @a[1, \"x\"] = count(); @b[probename] = count(); clear(@a); "
	    "clear(@b); printf(\"told\\n\"); exit(0); }"),
	DTR("json list", "-O", "json", "-lv", "-P", "profile"),
	DTR("json dump", "-O", "json", "-d", "O", "-n", "BEGIN { printf(\"%d\\n\", 1); exit(0); }"),
	{ .name = "report", .symbols = true, .words = { "%dtr", "report", "%rec" } },
	{ .name = "diff recordings", .symbols = true, .words = { "%dtr", "diff", "%rec", "%rec" } },
	DTR("by host", "merge", "--by-host", "%agg", "%agg"),
	DTR("topic", "help", "ledger"),
	DTR("complete", "--complete", "-x", "aggs"),
	DTR("complete probes", "--complete", "-n", "profile:::tick-"),
	DTR("openmetrics", "-O", "openmetrics", "-qn", "BEGIN { @a[1, \"x\"] = count(); @b[probename] = quantize(5); "
	    "@c = avg(4); exit(0); }"),
	DTR("save rate", "-x", "aggsave=%out", "-x", "aggsaverate=10ms", "-x", "aggsavekeep=1", "-qn",
	    "BEGIN { @a[1, \"x\"] = count(); @b = sum(7); } tick-40ms { exit(0); }"),
	{ .name = "serve", .sparse = 6,
	  .words = { "%dtr", "serve", "--listen", "127.0.0.1:0", "-qn", "BEGIN { @served[1, \"x\"] = count(); }", "-c",
	  	"%fetch" } },
	{ .name = "top", .keys = "jre<rq",
	  .words = { "%dtr", "top", "-o", "%out", "-n", "BEGIN { @a[1, \"x\"] = count(); @b = quantize(5); "
	  	"printf(\"begun\\n\"); }" } },
};
const struct scenario scenario_recording = DTR("recording", "record", "-q", "-g", "-o", "%rec", "-c", "%spin 30");
const struct scenario scenario_saved = DTR("saved", "-x", "aggsave=%agg", "-qn", "BEGIN { @a[1, \"x\"] = count(); "
	"@b[probename] = quantize(5); exit(0); }");
const unsigned int scenario_count = sizeof scenarios / sizeof *scenarios;

static char *joined(const char *a, const char *b)
{
	char *s;

	if (asprintf(&s, "%s%s", a, b) < 0)
		abort();
	return s;
}

/* A path in the build folder, which contains the command under test. */
static char *built(const char *name, const char *rest)
{
	char *dtr = strdup(getenv("DTR")), *dir = joined(dirname(dtr), name), *s = joined(dir, rest);

	free(dtr);
	free(dir);
	return s;
}

/* Files of the driver, also as the value of an option. */
static const struct scenario_path { const char *name, *end; } paths[] = {
	{ "%out", "" }, { "%rec", ".rec" }, { "%agg", ".agg" },
};

/* The word with the path in it; NULL: it has none. */
static char *word_path(const char *w, const char *out)
{
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
		const char *at = strstr(w, paths[i].name);
		char *s;

		if (!at)
			continue;
		if (asprintf(&s, "%.*s%s%s", (int)(at - w), w, out, paths[i].end) < 0)
			abort();
		return s;
	}
	return NULL;
}

static char *word(const char *w, const char *out)
{
	char pid[16], *path;

	snprintf(pid, sizeof pid, "%d", getpid());
	if (!strcmp(w, "%dtr"))
		return strdup(getenv("DTR"));
	if (!strncmp(w, "%spin", 5))
		return built("/tests/faults/spin", w + 5);
	if (!strcmp(w, "%fetch"))
		return built("/tests/faults/fetch", "");
	if (!strcmp(w, "%golden"))
		return built("/tests/golden/run", "");
	if (!strncmp(w, "%src", 4))
		return joined(getenv("SRC"), w + 4);
	path = word_path(w, out);
	return path ? path : strdup(strcmp(w, "%pid") ? w : pid);
}

char **scenario_argv(const struct scenario *s, const char *out)
{
	char **argv = calloc(SCENARIO_WORDS + 1, sizeof *argv);

	if (!argv)
		abort();
	for (int i = 0; i < SCENARIO_WORDS && s->words[i]; i++)
		argv[i] = word(s->words[i], out);
	return argv;
}

void scenario_free(char **argv)
{
	for (char **a = argv; *a; a++)
		free(*a);
	free(argv);
}

bool scenario_output(const struct scenario *s)
{
	for (int i = 0; i < SCENARIO_WORDS && s->words[i]; i++)
		if (strstr(s->words[i], "%out"))
			return true;
	return false;
}
