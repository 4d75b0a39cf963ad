/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Texts of the command line, one per line; the first letter is the kind:
 *	x NAME=VALUE	an option		e NAME=VALUE	one from the environment
 *	p PROV:MOD:FUNC:NAME	a description of probes		i 97hz	an interval
 *	g PATTERN TEXT	a glob			t TEXT	a text of -n, with the probes it lists
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/session/session.h"
#include "providers/profile/profile.h"
#include "tests/fuzz/dtext.h"
#include "tests/fuzz/fuzz.h"

struct options_world {
	struct options opts;
	struct dcheck d;
	struct dtr *session;
	unsigned messages;
};

static void do_option(struct options_world *w, char *s)
{
	char *eq = strchr(s, '='), why[128] = "";

	if (eq)
		*eq = '\0';
	if (option_set(&w->opts, s, eq ? eq + 1 : NULL, why, sizeof why))
		FUZZ_CHECK(*why, "option %s refused without a word", s);
	FUZZ_CHECK(w->opts.d.strsize >= 16 && w->opts.d.strsize <= 4096 && w->opts.d.strsize % 8 == 0, "strsize %lu",
		   w->opts.d.strsize);
	dtr_option(w->session, s, eq ? eq + 1 : NULL);
}

static void do_environment(struct options_world *w, char *s)
{
	char entry[512], why[128] = "", *env[] = { entry, NULL };

	snprintf(entry, sizeof entry, "DTR_OPT_%s", s);
	if (options_from_env(&w->opts, env, why, sizeof why))
		FUZZ_CHECK(*why, "%s refused without a word", s);
	options_init(&w->opts);		/* frees strings from the environment */
}

static void count_probe(void *arg, struct probe *p)
{
	FUZZ_CHECK(p->id && p->name && p->provname, "a probe without a name");
	++*(unsigned *)arg;
}

static void do_probe(struct options_world *w, char *s)
{
	struct probe_spec spec = { 0 };
	const char **part[] = { &spec.name, &spec.func, &spec.mod, &spec.prov };
	char why[256] = "";
	unsigned found = 0, n;

	for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
		char *colon = i < 3 ? strrchr(s, ':') : NULL;

		*part[i] = colon ? colon + 1 : s;
		if (!colon) {
			s = "";
			continue;
		}
		*colon = '\0';
	}
	n = probe_match(&w->d.probes, &spec, &(struct probe_sink){ count_probe, &found }, why, sizeof why);
	FUZZ_CHECK(n == found, "%u of %u probes", found, n);
}

static void do_interval(struct options_world *w, char *s)
{
	char why[256] = "";
	uint64_t ns = 0;

	(void)w;
	if (profile_parse_interval(s, &ns, why, sizeof why))
		FUZZ_CHECK(*why, "%s refused without a word", s);
	else
		FUZZ_CHECK(ns >= PROFILE_FLOOR_NS && ns <= INT64_MAX, "%s is %lu ns", s, ns);
}

static void do_glob(struct options_world *w, char *s)
{
	char *blank = strchr(s, ' ');

	(void)w;
	if (blank)
		*blank = '\0';
	probe_glob(s, blank ? blank + 1 : "profile-997hz");
	FUZZ_CHECK(probe_glob("*", s), "* does not match %s", s);
}

static void do_text(struct options_world *w, char *s)
{
	dtr_add_text(w->session, s, DTR_PROBE);
}

static void count_message(void *arg, const char *text)
{
	size_t n = strlen(text);

	FUZZ_CHECK(n && text[n - 1] == '\n', "not a whole line: %s", text);
	++*(unsigned *)arg;
}

static const struct {
	char letter;
	void (*run)(struct options_world *w, char *s);
} kinds[] = {
	{ 'x', do_option }, { 'e', do_environment }, { 'p', do_probe }, { 'i', do_interval }, { 'g', do_glob },
	{ 't', do_text },
};

static void line(struct options_world *w, char *s)
{
	for (size_t i = 0; *s && i < sizeof kinds / sizeof *kinds; i++)
		if (kinds[i].letter == *s && s[1] == ' ')
			kinds[i].run(w, s + 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), *next = text;
	struct options_world w = { .messages = 0 };
	struct dtr_config config = {
		.progname = "dtr", .message = count_message, .arg = &w.messages, .share = fuzz_share(),
		.out = fopen("/dev/null", "w"),
	};

	options_init(&w.opts);
	dtext_open(&w.d, "", 0);
	w.session = dtr_open(&config);
	for (char *s = text; s; s = next) {
		next = strchr(s, '\n');
		if (next)
			*next++ = '\0';
		line(&w, s);
	}
	dtr_list(w.session, true);
	dtr_close(w.session);
	dcheck_close(&w.d);
	fclose(config.out);
	free(text);
	return 0;
}
