/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The command line of `dtr serve`. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/dtr/args.h"
#include "cmd/dtr/command.h"
#include "cmd/dtr/serve/serve.h"

#define SECOND 1000000000ull
#define MEGABYTE (1ull << 20)

static int set_listen(struct command_line *l, const char *value)
{
	struct serve *s = l->self;
	s->listen = strcmp(value, "none") ? value : NULL;
	return 0;
}

static int host_refuse(const struct command_line *l, const char *value)
{
	return command_misused(l, "expected the name of a host, not '%s'", value);
}

static int set_host(struct command_line *l, const char *value)
{
	struct serve *s = l->self;
	for (const char *c = value; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("._-", *c))
			return host_refuse(l, value);
	*VEC_ADD(l->arena, &s->hosts) = (char *)value;
	return *value ? 0 : host_refuse(l, value);
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
static int set_url(struct command_line *l, const char *value)
{
	struct serve *s = l->self;
	size_t scheme = !strncmp(value, "http://", 7) ? 7 : !strncmp(value, "https://", 8) ? 8 : 0, user;
	const char *at = strchr(value + scheme, '@');

	if (!scheme)
		return command_misused(l, "expected http:// or https://, not '%s'", value);
	user = at && at < value + scheme + strcspn(value + scheme, "/") ? (size_t)(at + 1 - value) : scheme;
	for (const char *c = value; *c; c++)
		if (!isgraph((unsigned char)*c) || strchr("?#", *c))
			return command_misused(l, "expected http://HOST:PORT, without blanks, '?' and '#', not '%s'",
					       value);
	if (!is_host(value + user))
		return command_misused(l, "expected http://HOST:PORT, not '%s'", value);
	s->config.url = value;
	s->config.shown = arena_printf(l->arena, "%.*s%s", (int)scheme, value, value + user);
	return 0;
}

static int set_format(struct command_line *l, const char *value)
{
	struct serve *s = l->self;
	s->config.parca = !strcmp(value, "parca");
	return s->config.parca || !strcmp(value, "pyroscope") ? 0 :
	       command_misused(l, "expected pyroscope or parca, not '%s'", value);
}

static int set_interval(struct command_line *l, const char *value)
{
	struct serve *s = l->self;
	bool seconds = *value && !value[strspn(value, "0123456789")];	/* as in other tools, not a frequency */
	char reason[256];

	if (seconds)
		value = arena_printf(l->arena, "%ss", value);
	if (dtr_interval(value, &s->interval, reason, sizeof reason) < 0)
		return command_misused(l, "%s: '%s'", reason, value);
	return s->interval >= SECOND ? 0 : command_misused(l, "expected at least one second, not '%s'", value);
}

/* Names and labels are parts of a URL and of queries. */
static bool is_word(const char *s, size_t n, const char *more)
{
	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)s[i]) && !strchr(more, s[i]))
			return false;
	return n && !isdigit((unsigned char)*s);
}

static int set_name(struct command_line *l, const char *value)
{
	struct serve *s = l->self;
	s->config.name = value;
	if (is_word(value, strlen(value), "_.-"))
		return 0;
	return command_misused(l, "expected letters, digits, '_', '.' and '-', not '%s'", value);
}

static bool is_value(const char *s)
{
	for (const char *c = s; *c; c++)
		if (!isprint((unsigned char)*c) || strchr("{},=\"\\", *c))
			return false;
	return *s;
}

static int set_label(struct command_line *l, const char *value)
{
	struct serve *s = l->self;
	const char *eq = strchr(value, '=');

	if (!eq || !is_word(value, (size_t)(eq - value), "_") || !is_value(eq + 1))
		return command_misused(l, "expected NAME=VALUE without any of {},=\"\\, not '%s'", value);
	for (size_t i = 0; i < s->labels.n; i++)
		if (!strncmp(s->labels.v[i].name, value, (size_t)(eq - value)) && !s->labels.v[i].name[eq - value])
			return command_misused(l, "there is already a label of this name: '%s'", value);
	*VEC_ADD(l->arena, &s->labels) = (struct push_label){
		arena_strndup(l->arena, value, (size_t)(eq - value)), eq + 1,
	};
	return 0;
}

static int set_spool(struct command_line *l, const char *value)
{
	struct serve *s = l->self;
	s->config.dir = value;
	return *value ? 0 : command_misused(l, "expected a folder, not '%s'", value);
}

static int set_size(struct command_line *l, const char *value)
{
	struct serve *s = l->self;
	long n = args_number(value, 1 << 20);

	s->config.most = (uint64_t)n * MEGABYTE;
	return n > 0 ? 0 : command_misused(l, "expected a number of MB, not '%s'", value);
}

const struct command_option serve_options[] = {
	{ 0, "listen", "ADDRESS:PORT", "where to listen (default: " HTTP_ADDRESS ":" HTTP_PORT "); an IPv6 address in "
	  "brackets; port 0: any free one; none: do not listen", .set = set_listen },
	{ 0, "host", "NAME", "a name by which requests may address this machine, besides its addresses, its own name "
	  "and localhost; can be repeated", .set = set_host },
	{ 0, "push", "URL", "also send profiles to a profile store: http://HOST:PORT", .set = set_url },
	{ 0, "push-format", "pyroscope|parca", "its interface (default: pyroscope)", .set = set_format,
	  .kind = VALUE_WORDS },
	{ 0, "push-interval", "TIME", "time between profiles, such as 30 (seconds), 1m (default: 10s)",
	  .set = set_interval },
	{ 0, "name", "NAME", "the name of the profiles (default: dtr)", .set = set_name },
	{ 0, "label", "NAME=VALUE", "a label of the profiles; host=HOSTNAME is always one", .set = set_label },
	{ 0, "spool", "DIRECTORY", "keep profiles here that cannot be sent, also for the next run (default: in memory)",
	  .set = set_spool, .kind = VALUE_FILE },
	{ 0, "spool-size", "MB", "at most so many; the oldest are dropped (default: 64)", .set = set_size },
	{ 0 },
};

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

int serve_expand(struct command_line *l)
{
	struct serve *s = l->self;
	size_t i = 0;

	if (!l->script && !l->operands.n)
		return command_misused(l, "no script: SCRIPT.d or -n SCRIPT");
	if (!s->listen && !s->config.url)
		return command_misused(l, "nothing to do with --listen none");
	add_host(s, l->arena);
	if (!l->script) {
		command_pass(l, "-s");
		command_pass(l, l->operands.v[i++]);
	}
	command_pass(l, "--");
	for (; i < l->operands.n; i++)
		command_pass(l, l->operands.v[i]);
	return 0;
}
