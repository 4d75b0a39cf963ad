/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/run/unnamed.h"

#include <fnmatch.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"

/* What makes programs write a perf map or a jitdump, from their documentation. */
static const struct remedy {
	const char *program;		/* pattern of the file's name */
	const char *text;
} remedies[] = {
	{ "node*", "use jstack(), or start it with --perf-basic-prof" },
	{ "electron*", "start it with --js-flags=--perf-basic-prof" },
	{ "chrom*", "start it with --js-flags=--perf-basic-prof" },
	{ "deno*", "start it with --v8-flags=--perf-basic-prof" },
	{ "java", "run \"jcmd PID Compiler.perfmap\" before dtr ends (Java 17)" },
	{ "python*", "start it with -X perf (Python 3.12)" },
	{ "ruby*", "start it with --yjit-perf (Ruby 3.3)" },
	{ "dotnet", "start it with DOTNET_PerfMapEnabled=1 in its environment" },
	{ "php*", "start it with -d opcache.jit_debug=16" },
	{ "beam*", "start it with ERL_FLAGS=\"+JPperf true\" in its environment" },
	{ "postgres", "set jit_profiling_support = on, or jit = off" },
	{ "julia*", "start it with ENABLE_JITPROFILING=1 in its environment" },
	{ "wasmtime*", "start it with --profile=perfmap" },
	{ "qemu-*", "start it with -perfmap" },
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

const char *unnamed_remedy(const char *path)
{
	for (size_t i = 0; i < sizeof remedies / sizeof *remedies; i++) {
		if (!fnmatch(remedies[i].program, base_name(path), 0))
			return remedies[i].text;
	}
	return NULL;
}

unsigned unnamed_cause(struct unnamed *u, const char *path, bool generated)
{
	struct unnamed_cause *c;

	for (c = u->cause; path && c < u->cause + u->ncauses; c++) {
		if (c->generated == generated && !strcmp(c->path, path))
			return (unsigned)(c - u->cause) + 1;
	}
	if (!path || u->ncauses == UNNAMED_CAUSES)
		return 0;
	*c = (struct unnamed_cause){ .path = strdup(path), .generated = generated };
	return c->path ? ++u->ncauses : 0;
}

void unnamed_add(struct unnamed *u, unsigned cause, uint64_t n)
{
	u->without += n;
	if (cause)
		u->cause[cause - 1].samples += n;
}

/* ---- packages ---- */

static bool lists_file(const char *list, const char *path)
{
	const char *short_path = strncmp(path, "/usr/", 5) ? path : path + 4;	/* as listed before /usr was merged */
	FILE *f = fopen(list, "re");
	char *line = NULL;
	size_t room = 0;
	bool found = false;

	while (f && !found && getline(&line, &room, f) > 0) {
		line[strcspn(line, "\n")] = 0;
		found = !strcmp(line, path) || !strcmp(line, short_path);
	}
	free(line);
	if (f)
		fclose(f);
	return found;
}

/* Stores the name of the Debian package that contains a file. Returns false if none does. */
static bool find_package(const char *path, char *name, size_t n)
{
	glob_t lists;
	bool found = false;

	if (glob("/var/lib/dpkg/info/*.list", GLOB_NOSORT, NULL, &lists))
		return false;
	for (size_t i = 0; i < lists.gl_pathc && !found; i++) {
		const char *list = lists.gl_pathv[i], *base = base_name(list);

		found = lists_file(list, path);
		if (found)
			snprintf(name, n, "%.*s", (int)strcspn(base, ":"), base);
	}
	globfree(&lists);
	if (found && strlen(name) > 5 && !strcmp(name + strlen(name) - 5, ".list"))
		name[strlen(name) - 5] = 0;
	return found;
}

/* ---- the hint ---- */

static void put_cause(struct buf *out, const struct unnamed_cause *c, bool requested)
{
	const char *remedy = c->generated ? unnamed_remedy(c->path) : NULL;
	const char *urls = getenv("DEBUGINFOD_URLS");
	char package[128];

	escape_puts(out, c->path, ESCAPE_LINE);
	if (c->generated) {
		if (remedy)
			buf_printf(out, " generates code: %s", remedy);
		else
			buf_puts(out, " generates code that it does not describe");
		return;
	}
	buf_puts(out, " has no symbols: install ");
	if (find_package(c->path, package, sizeof package))
		buf_printf(out, "%s%s", package, strcmp(package, "libc6") ? "-dbgsym" : "-dbg");
	else
		buf_puts(out, "its debugging symbols");
	if (!requested)
		buf_printf(out, ", or %suse -x stacklines", urls && *urls ? "" : "set DEBUGINFOD_URLS and ");
}

static int by_samples(const void *x, const void *y)
{
	const struct unnamed_cause *a = x, *b = y;

	return a->samples < b->samples ? 1 : a->samples > b->samples ? -1 : strcmp(a->path, b->path);
}

void unnamed_hint(struct unnamed *u, bool requested, struct buf *out)
{
	enum { SHARE = 20, MOST = 3 };

	if (!u->ncauses || !u->without || u->without * SHARE < u->samples)
		return;
	qsort(u->cause, u->ncauses, sizeof *u->cause, by_samples);
	buf_printf(out, "hint: %" PRIu64 " of %" PRIu64 " samples are in code without names", u->without, u->samples);
	for (unsigned i = 0; i < u->ncauses && i < MOST; i++) {
		if (i && u->cause[i].samples * SHARE < u->samples)
			break;
		buf_puts(out, i ? "; " : ": ");
		put_cause(out, &u->cause[i], requested);
	}
}

void unnamed_free(struct unnamed *u)
{
	for (unsigned i = 0; i < u->ncauses; i++)
		free(u->cause[i].path);
	*u = (struct unnamed){ 0 };
}
