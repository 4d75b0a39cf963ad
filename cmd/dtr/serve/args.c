/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The command line of `dtr serve`. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fill.h"
#include "cmd/dtr/args.h"
#include "cmd/dtr/say.h"
#include "cmd/dtr/serve/serve.h"

#define SECOND 1000000000ull
#define MEGABYTE (1ull << 20)

static const char usage_text[] =
	"Usage: dtr serve [--listen ADDRESS:PORT] [--push URL] [options] SCRIPT.d | -n SCRIPT [argument ...]\n";
static const char help_text[] =
	"\nRuns a script until it is interrupted and publishes its aggregations over HTTP:\n"
	"/metrics for Prometheus, /profile for pprof, /flame as a page with flame graphs.\n\n"
	"  --listen ADDRESS:PORT\twhere to listen (default: " HTTP_ADDRESS ":" HTTP_PORT "); an IPv6 address in "
	"brackets; port 0: any free one; none: do not listen\n"
	"  --host NAME\ta name by which requests may address this machine, besides its addresses, its own name "
	"and localhost; can be repeated\n"
	"  --push URL\talso send profiles to a profile store: http://HOST:PORT\n"
	"  --push-format pyroscope|parca\tits interface (default: pyroscope)\n"
	"  --push-interval TIME\ttime between profiles, such as 30 (seconds), 1m (default: 10s)\n"
	"  --name NAME\tthe name of the profiles (default: dtr)\n"
	"  --label NAME=VALUE\ta label of the profiles; host=HOSTNAME is always one\n"
	"  --spool DIRECTORY\tkeep profiles here that cannot be sent, also for the next run (default: in memory)\n"
	"  --spool-size MB\tat most so many; the oldest are dropped (default: 64)\n"
	"\nOther options are those of dtr (dtr --help).\n";

bool serve_is(int argc, char **argv)
{
	return argc > 1 && !strcmp(argv[1], "serve");
}

static int usage(const struct serve *s, const char *reason, const char *value)
{
	say("%s: serve: %s '%s'\n%s", s->prog, reason, value, usage_text);
	return -1;
}

static int set_listen(struct serve *s, struct arena *a, const char *value)
{
	(void)a;
	s->listen = strcmp(value, "none") ? value : NULL;
	return 0;
}

static int set_host(struct serve *s, struct arena *a, const char *value)
{
	for (const char *c = value; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("._-", *c))
			return usage(s, "expected the name of a host, not", value);
	*VEC_ADD(a, &s->hosts) = (char *)value;
	return *value ? 0 : usage(s, "expected the name of a host, not", value);
}

/* HOST, HOST:PORT, [IPv6 ADDRESS]:PORT, up to a slash. */
static bool is_host(const char *s)
{
	const char *end = s + strcspn(s, *s == '[' ? "]" : ":/");
	char port[8];

	if (end == s + (*s == '['))
		return false;
	if (*s == '[' && *end++ != ']')
		return false;
	if (*end != ':')
		return !*end || *end == '/';
	snprintf(port, sizeof port, "%.*s", (int)strcspn(end + 1, "/"), end + 1);
	return args_number(port, 65535) > 0;
}

/* Paths are added to it, so it has no query. A user and a password are for the server, not for messages. */
static int set_url(struct serve *s, struct arena *a, const char *value)
{
	size_t scheme = !strncmp(value, "http://", 7) ? 7 : !strncmp(value, "https://", 8) ? 8 : 0, user;
	const char *at = strchr(value + scheme, '@');

	if (!scheme)
		return usage(s, "expected http:// or https://, not", value);
	user = at && at < value + scheme + strcspn(value + scheme, "/") ? (size_t)(at + 1 - value) : scheme;
	for (const char *c = value; *c; c++)
		if (!isgraph((unsigned char)*c) || strchr("?#", *c))
			return usage(s, "expected http://HOST:PORT, without blanks, '?' and '#', not", value);
	if (!is_host(value + user))
		return usage(s, "expected http://HOST:PORT, not", value);
	s->config.url = value;
	s->config.shown = arena_printf(a, "%.*s%s", (int)scheme, value, value + user);
	return 0;
}

static int set_format(struct serve *s, struct arena *a, const char *value)
{
	(void)a;
	s->config.parca = !strcmp(value, "parca");
	return s->config.parca || !strcmp(value, "pyroscope") ? 0 : usage(s, "expected pyroscope or parca, not", value);
}

static int set_interval(struct serve *s, struct arena *a, const char *value)
{
	bool seconds = *value && !value[strspn(value, "0123456789")];	/* as in other tools, not a frequency */
	char reason[256];

	if (dtr_interval(seconds ? arena_printf(a, "%ss", value) : value, &s->interval, reason, sizeof reason) < 0)
		return usage(s, arena_printf(a, "%s:", reason), value);
	return s->interval >= SECOND ? 0 : usage(s, "expected at least one second, not", value);
}

/* Names and labels are parts of a URL and of queries. */
static bool is_word(const char *s, size_t n, const char *more)
{
	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)s[i]) && !strchr(more, s[i]))
			return false;
	return n && !isdigit((unsigned char)*s);
}

static int set_name(struct serve *s, struct arena *a, const char *value)
{
	(void)a;
	s->config.name = value;
	if (is_word(value, strlen(value), "_.-"))
		return 0;
	return usage(s, "expected letters, digits, '_', '.' and '-', not", value);
}

static bool is_value(const char *s)
{
	for (const char *c = s; *c; c++)
		if (!isprint((unsigned char)*c) || strchr("{},=\"\\", *c))
			return false;
	return *s;
}

static int set_label(struct serve *s, struct arena *a, const char *value)
{
	const char *eq = strchr(value, '=');

	if (!eq || !is_word(value, (size_t)(eq - value), "_") || !is_value(eq + 1))
		return usage(s, "expected NAME=VALUE without any of {},=\"\\, not", value);
	for (size_t i = 0; i < s->labels.n; i++)
		if (!strncmp(s->labels.v[i].name, value, (size_t)(eq - value)) && !s->labels.v[i].name[eq - value])
			return usage(s, "there is already a label of this name:", value);
	*VEC_ADD(a, &s->labels) = (struct push_label){ arena_strndup(a, value, (size_t)(eq - value)), eq + 1 };
	return 0;
}

static int set_spool(struct serve *s, struct arena *a, const char *value)
{
	(void)a;
	s->config.dir = value;
	return *value ? 0 : usage(s, "expected a folder, not", value);
}

static int set_size(struct serve *s, struct arena *a, const char *value)
{
	long n = args_number(value, 1 << 20);

	(void)a;
	s->config.most = (uint64_t)n * MEGABYTE;
	return n > 0 ? 0 : usage(s, "expected a number of MB, not", value);
}

static const struct {
	const char *name;
	int (*set)(struct serve *s, struct arena *a, const char *value);
} options[] = {
	{ "--listen", set_listen }, { "--host", set_host }, { "--push", set_url }, { "--push-format", set_format },
	{ "--push-interval", set_interval }, { "--name", set_name }, { "--label", set_label },
	{ "--spool", set_spool }, { "--spool-size", set_size },
};
enum { NOPTIONS = sizeof options / sizeof options[0] };

/* An option of `dtr serve` at argv[i], also as --NAME=VALUE. Returns how many words it has; 0: it is none; -1 after a
 * message. */
static int take_option(struct serve *s, struct arena *a, int argc, char **argv, int i)
{
	for (int k = 0; k < NOPTIONS; k++) {
		size_t n = strlen(options[k].name);
		const char *value = argv[i][n] == '=' ? argv[i] + n + 1 : argv[i + 1];

		if (strncmp(argv[i], options[k].name, n) || (argv[i][n] && argv[i][n] != '='))
			continue;
		if (argv[i][n] != '=' && i + 1 == argc)
			return usage(s, "no value for the option", options[k].name);
		if (options[k].set(s, a, value) < 0)
			return -1;
		return argv[i][n] == '=' ? 1 : 2;
	}
	return 0;
}

static int help(void)
{
	struct buf b = { 0 };

	fill_text(&b, help_text);
	printf("%s%s", usage_text, buf_str(&b));
	buf_free(&b);
	return 1;
}

/* This label distinguishes the profiles of several machines. */
static void add_host(struct serve *s, struct arena *a)
{
	char host[256] = "";

	for (size_t i = 0; i < s->labels.n; i++)
		if (!strcmp(s->labels.v[i].name, "host"))
			return;
	if (gethostname(host, sizeof host - 1) == 0 && is_value(host))
		*VEC_ADD(a, &s->labels) = (struct push_label){ "host", arena_strdup(a, host) };
}

/* A word of dtr's own options: -qn SCRIPT. Returns true if the next word is the value of its last letter. *script is
 * set if it gives a script. */
static bool scan_letters(const char *word, bool *script)
{
	for (const char *c = word + 1; *c; c++) {
		const char *letter = isalnum((unsigned char)*c) ? strchr(ARGS_LETTERS, *c) : NULL;

		if (!letter || letter[1] != ':')
			continue;
		*script |= strchr("nsPmfi", *c) != NULL;
		return !c[1];
	}
	return false;
}

/* What is left without the options of `dtr serve`. The first operand is the script, unless an option gives one. */
struct rest {
	VEC(char *) v;
	bool script;
};

/* Takes the word argv[i] and its value. Returns how many words it took. */
static int take_rest(struct rest *r, struct arena *a, int argc, char **argv, int i)
{
	char *word = argv[i];

	if (word[0] == '-' && word[1] && word[1] != '-') {
		*VEC_ADD(a, &r->v) = word;
		if (!scan_letters(word, &r->script) || i + 1 == argc)
			return 1;
		*VEC_ADD(a, &r->v) = argv[i + 1];
		return 2;
	}
	if (!strcmp(word, "--"))
		r->script = true;
	if (!r->script && word[0] != '-') {
		*VEC_ADD(a, &r->v) = "-s";
		r->script = true;
	}
	*VEC_ADD(a, &r->v) = word;
	return 1;
}

int serve_parse(struct serve *s, struct arena *a, int *argc, char ***argv)
{
	char **in = *argv;
	const char *slash = strrchr(in[0], '/');
	struct rest rest = { 0 };

	*s = (struct serve){
		.arena = a, .prog = slash ? slash + 1 : in[0], .listen = HTTP_ADDRESS ":" HTTP_PORT,
		.interval = 10 * SECOND,
		.config = { .name = "dtr", .most = 64 * MEGABYTE },
	};
	*VEC_ADD(a, &rest.v) = in[0];
	for (int i = 2, n; i < *argc; i += n) {
		n = take_option(s, a, *argc, in, i);
		if (n < 0)
			return -1;
		if (!n && (!strcmp(in[i], "--help") || !strcmp(in[i], "-h")))
			return help();
		if (!n)
			n = take_rest(&rest, a, *argc, in, i);
	}
	if (!rest.script) {
		say("%s: serve: no script: SCRIPT.d or -n SCRIPT\n%s", s->prog, usage_text);
		return -1;
	}
	if (!s->listen && !s->config.url)
		return usage(s, "nothing to do with --listen", "none");
	add_host(s, a);
	*argc = (int)rest.v.n;
	*VEC_ADD(a, &rest.v) = NULL;
	*argv = rest.v.v;
	return 0;
}
