/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/merge.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fill.h"
#include "cmd/dtr/args.h"
#include "cmd/dtr/say.h"
#include "engine/dtr.h"

static const char merge_usage[] =
	"merge [-q] [--by-host] [-o file] [-O format] [-x name[=value]]\n"
	"                 file ...\n"
	"\n"
	"Merges aggregations saved with -x aggsave=file and prints the result.\n"
	"\n"
	"  --by-host  make the host the first key, instead of adding up the hosts\n"
	"  -o file    also write the result to a file\n"
	"  -q         print nothing\n";
static const char diff_usage[] =
	"diff [-a] [-O format] [-x name[=value]] from to\n"
	"\n"
	"Prints the differences between two files of saved aggregations, the largest\n"
	"first; or which functions have significantly larger or smaller shares in a\n"
	"recording than in another.\n"
	"\n"
	"  -a         recordings: also show differences that are not significant\n"
	"  -O format  recordings: text, json or html (a differential flame graph)\n";

static const char report_usage[] =
	"report [-a] [-O format] [-x name[=value]] recording\n"
	"\n"
	"Summarises a recording of \"dtr record\" or perf record: host, time, modes,\n"
	"processes and functions with the 95 % intervals of their shares, losses.\n"
	"\n"
	"  -a         show all rows of the tables\n"
	"  -O format  text, json or html\n";

static const struct merge_verb {
	const char *name, *options, *usage;
	int min, max;			/* files */
} verbs[] = {
	{ "merge", "+:hqo:O:x:", merge_usage, 1, 1000000 },
	{ "diff", "+:ahO:x:", diff_usage, 2, 2 },
	{ "report", "+:ahO:x:", report_usage, 1, 1 },
};

enum { BY_HOST = 256 };

struct merge_command {
	const struct dtr_config *config;
	const struct merge_verb *verb;
	struct dtr *t;
	const char *save;
	bool by_host, quiet, all, help;
};

static const struct merge_verb *verb_find(const char *name)
{
	for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
		if (!strcmp(verbs[i].name, name))
			return &verbs[i];
	return NULL;
}

bool merge_is(const char *name)
{
	return verb_find(name);
}

static void merge_print_usage(const struct merge_command *m, struct buf *out)
{
	buf_printf(out, "Usage: %s ", m->config->progname);
	buf_puts(out, m->verb->usage);
	if (!strcmp(m->verb->name, "merge"))
		fill_row(out, "-O format", 13, dtr_formats());
}

static int merge_misused(const struct merge_command *m)
{
	struct buf b = { 0 };

	merge_print_usage(m, &b);
	say("%s", buf_str(&b));
	buf_free(&b);
	return 2;
}

static int merge_x(struct merge_command *m, char *text)
{
	char *eq = strchr(text, '=');

	if (eq)
		*eq = '\0';
	return dtr_option(m->t, text, eq ? eq + 1 : NULL) < 0 ? 2 : 0;
}

static int merge_option(struct merge_command *m, int opt, char **argv)
{
	char word[80];

	switch (opt) {
	case 'h':
		m->help = true;
		return 0;
	case BY_HOST:
		m->by_host = true;
		return strcmp(m->verb->name, "merge") ? merge_misused(m) : 0;
	case 'q':
		m->quiet = true;
		return 0;
	case 'a':
		m->all = true;
		return 0;
	case 'o':
		m->save = optarg;
		return 0;
	case 'O':
		return dtr_option(m->t, "oformat", optarg) < 0 ? 2 : 0;
	case 'x':
		return merge_x(m, optarg);
	case ':':
		say("%s: option -%c needs a value\n", m->config->progname, optopt);
		return merge_misused(m);
	default:
		say("%s: unknown option %s\n", m->config->progname, args_refused(argv, word, sizeof word));
		return merge_misused(m);
	}
}

/* As in the rest of dtr, options may follow files, but not after "--". */
static int merge_line(struct merge_command *m, int argc, char **argv, const char **files, int *n)
{
	static const struct option longs[] = {
		{ "help", no_argument, NULL, 'h' }, { "by-host", no_argument, NULL, BY_HOST }, { 0 }
	};
	int r = 0;

	opterr = 0;
	optind = 1;
	while (!r && optind < argc) {
		int before = optind, opt = getopt_long(argc, argv, m->verb->options, longs, NULL);

		if (opt != -1) {
			r = merge_option(m, opt, argv);
			continue;
		}
		if (optind > before && !strcmp(argv[optind - 1], "--"))
			while (optind < argc)
				files[(*n)++] = argv[optind++];
		else if (optind < argc)
			files[(*n)++] = argv[optind++];
	}
	return r;
}

static int merge_help(const struct merge_command *m)
{
	struct buf b = { 0 };

	merge_print_usage(m, &b);
	fputs(buf_str(&b), m->config->out);
	buf_free(&b);
	return 0;
}

static int merge_run(struct merge_command *m, int argc, char **argv, const char **files)
{
	int n = 0, r = merge_line(m, argc, argv, files, &n);

	if (r)
		return r;
	if (m->help)
		return merge_help(m);
	if (n < m->verb->min || n > m->verb->max)
		return merge_misused(m);
	if (!strcmp(m->verb->name, "diff"))
		r = dtr_diff(m->t, files[0], files[1], m->all);
	else if (!strcmp(m->verb->name, "report"))
		r = dtr_report(m->t, files[0], m->all);
	else
		r = (m->by_host ? dtr_merge_hosts : dtr_merge)(m->t, files, (unsigned)n, m->save, !m->quiet);
	return r < 0 ? 1 : dtr_status(m->t);
}

int merge_main(const struct dtr_config *config, int argc, char **argv)
{
	struct merge_command m = { .config = config, .verb = verb_find(argv[1]) };
	const char **files = calloc((size_t)argc + 1, sizeof *files);
	int status = 1;

	if (!files) {
		config->oom(config->arg);
		return 1;
	}
	m.t = dtr_open(config);
	if (m.t)
		status = merge_run(&m, argc - 1, argv + 1, files);
	dtr_close(m.t);
	free(files);
	return status;
}
