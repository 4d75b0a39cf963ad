/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The options: one table, and how values are parsed. docs/options.md describes their cost. */
#include "engine/run/options.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/fill.h"
#include "base/setting.h"
#include "base/word.h"
#include "providers/provider.h"

#define KB 1024ull
#define MB (1024 * KB)
#define GB (1024 * MB)
#define USEC 1000ull
#define SEC 1000000000ull

enum opt_kind {
	OPT_SIZE,	/* bytes, with a suffix k m g t */
	OPT_PERCENT,	/* millionths, from a percentage */
	OPT_RATE,	/* ns, from a period or a frequency */
	OPT_BOOL,
	OPT_NUM,
	OPT_LEDGER,	/* on or off, warn, cpu */
	OPT_WORD,	/* one of a few words */
	OPT_CPU,	/* a number, or all */
	OPT_STR,
	OPT_LIST,	/* strings; each use of the option adds one */
	OPT_VERSION,	/* version of D, at most D_MAJOR.D_MINOR */
	OPT_STABILITY,	/* name/data/class */
	OPT_SETENV,	/* a variable of the command's environment, set by the command line; max = 1: with a value */
	OPT_NOTE,	/* an option of DTrace that has no effect here; accepts any value */
	OPT_REFUSED,	/* an option of DTrace that this version does not support; doc says why */
};

struct opt_row {
	const char *name;
	enum opt_kind kind;
	size_t off;
	uint64_t min, max, def;
	const char *const *words;	/* OPT_WORD */
	const char *doc;
};

static const char *const bufpolicies[] = { "switch", "fill", "ring", NULL };
static const char *const resizes[] = { "auto", "manual", NULL };
static const char *const evaltimes[] = { "auto", "exec", "preinit", "postinit", "main", NULL };
static const char *const colors[] = { [COLOR_AUTO] = "auto", [COLOR_ALWAYS] = "always", [COLOR_NEVER] = "never", NULL };
static const char *const outputs[] = {
#define FORMAT(word) #word,
#include "engine/run/formats.def"
	NULL
};
static const char *const engines[] = { "auto", "bpf", "user", NULL };
static const char *const unwinds[] = { "auto", "tables", "fp", NULL };
static const char *const faults_words[] = { "once", "all", NULL };
static const char *const shares_words[] = { "off", "all", "group", NULL };
static const char *const cell_bits[] = { "32", "16", NULL };
static const char *const stdcs[] = { "a", "c", "s", "t", NULL };

#define FORMATS_TITLE "output format (-O): "

static const char formats_doc[] = FORMATS_TITLE
#define FIRST_FORMAT(word) #word
#define FORMAT(word) ", " #word
#include "engine/run/formats.def"
;

#define AT(field) offsetof(struct options, field)
#define BOOL(name, field, doc) { name, OPT_BOOL, AT(field), 0, 1, 0, NULL, doc }
#define SIZE(name, field, min, max, def, doc) { name, OPT_SIZE, AT(field), min, max, def, NULL, doc }
#define RATE(name, field, def, doc) { name, OPT_RATE, AT(field), 1, 86400 * SEC, def, NULL, doc }
#define NUM(name, field, min, max, def, doc) { name, OPT_NUM, AT(field), min, max, def, NULL, doc }
#define WORD(name, field, words, doc) { name, OPT_WORD, AT(field), 0, 0, 0, words, doc }
#define STR(name, field, doc) { name, OPT_STR, AT(field), 0, 0, 0, NULL, doc }
#define LIST(name, field, doc) { name, OPT_LIST, AT(field), 0, 0, 0, NULL, doc }
#define NOTE(name, doc) { name, OPT_NOTE, 0, 0, 0, 0, NULL, doc }
#define REFUSED(name, doc) { name, OPT_REFUSED, 0, 0, 0, 0, NULL, doc }

static const struct opt_row opt_table[] = {
#include "engine/run/options.def"
};

enum { NOPTS = sizeof opt_table / sizeof opt_table[0] };
_Static_assert((int)NOPTS <= OPTIONS_MOST, "options.given");

static void *opt_field(struct options *o, const struct opt_row *r)
{
	return (char *)o + r->off;
}

static void opt_store(struct options *o, const struct opt_row *r, uint64_t v)
{
	switch (r->kind) {
	case OPT_SIZE:
	case OPT_RATE:
	case OPT_PERCENT:
	case OPT_LEDGER:
		*(uint64_t *)opt_field(o, r) = v;
		break;
	case OPT_BOOL:
		*(bool *)opt_field(o, r) = v;
		break;
	case OPT_NUM:
	case OPT_WORD:
		*(unsigned *)opt_field(o, r) = v;
		break;
	case OPT_CPU:
		*(int *)opt_field(o, r) = v;
		break;
	default:
		break;
	}
}

void options_init(struct options *o)
{
	memset(o, 0, sizeof *o);
	for (int i = 0; i < NOPTS; i++)
		opt_store(o, &opt_table[i], opt_table[i].def);
}

/* Parses a period, or a frequency ("hz", or without unit, as in DTrace). */
static bool opt_rate(const char *s, uint64_t *v)
{
	static const struct { const char *unit; uint64_t ns; } units[] = {
		{ "ns", 1 }, { "nsec", 1 }, { "us", USEC }, { "usec", USEC }, { "ms", 1000 * USEC },
		{ "msec", 1000 * USEC },
		{ "s", SEC }, { "sec", SEC }, { "m", 60 * SEC }, { "min", 60 * SEC }, { "h", 3600 * SEC },
		{ "hour", 3600 * SEC }, { "d", 86400 * SEC }, { "day", 86400 * SEC },
	};
	const char *end;

	if (!setting_digits(s, v, &end) || !*v)
		return false;
	if (!*end || !strcasecmp(end, "hz")) {
		*v = SEC / *v;
		return true;
	}
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (!strcasecmp(end, units[i].unit))
			return !__builtin_mul_overflow(*v, units[i].ns, v);
	return false;
}

/* A word or a number: published scripts switch options on with any number except 0. */
static bool opt_num(const char *s, uint64_t *v)
{
	const char *end;

	return setting_digits(s, v, &end) && !*end;
}

/* Parses a percentage with at most four digits after the point: 1, 0.5, 2.5%. */
static bool opt_percent(const char *s, uint64_t *v)
{
	const char *end;
	uint64_t scale = 10000;

	if (!setting_digits(s, v, &end) || __builtin_mul_overflow(*v, scale, v))
		return false;
	if (*end == '.' && isdigit((unsigned char)end[1]))
		for (end++; isdigit((unsigned char)*end); end++) {
			scale /= 10;
			if (!scale)
				return false;
			*v += scale * (uint64_t)(*end - '0');
		}
	return !strcmp(end, "%") || !*end;
}

static bool opt_ledger(const char *s, uint64_t *v)
{
	if (!strcasecmp(s, "cpu"))
		*v = LEDGER_CPU;
	else if (!strcasecmp(s, "warn"))
		*v = LEDGER_WARN;
	else if (setting_bool(s, v))
		*v = *v ? LEDGER_ON : LEDGER_OFF;
	else
		return false;
	return true;
}

static bool opt_cpu(const char *s, uint64_t *v)
{
	*v = ~0ull;
	return !strcasecmp(s, "all") || !strcasecmp(s, "unset") || opt_num(s, v);
}

struct opt_type {
	bool (*parse)(const char *s, uint64_t *v);
	const char *what;
};

static const struct opt_type opt_types[] = {
	[OPT_SIZE] = { setting_size, "a number, optionally with k, m, g or t" },
	[OPT_RATE] = { opt_rate, "a number, optionally with hz, ns, us, ms, s, m, h or d" },
	[OPT_BOOL] = { setting_bool, "on or off" },
	[OPT_NUM] = { opt_num, "a number" },
	[OPT_CPU] = { opt_cpu, "a CPU number, or all" },
	[OPT_PERCENT] = { opt_percent, "a percentage such as 1% or 0.5" },
	[OPT_LEDGER] = { opt_ledger, "on, off, warn or cpu" },
};

/* Options without effect are not suggested in place of an unknown one. */
static bool opt_has_effect(const struct opt_row *r)
{
	return r->kind != OPT_NOTE && r->kind != OPT_REFUSED;
}

static int opt_unknown(const char *name, char *reason, size_t n)
{
	struct word_near near = { .word = name };

	for (int i = 0; i < NOPTS; i++)
		if (opt_has_effect(&opt_table[i]))
			word_offer(&near, opt_table[i].name);
	if (near.best)
		snprintf(reason, n, "unknown option '%s' (did you mean '%s'?)", name, near.best);
	else
		snprintf(reason, n, "unknown option '%s'", name);
	return -1;
}

/* Formats a value with the largest unit that divides it: 262144 -> "256k", 100000000 -> "100ms". */
static void opt_show(char out[32], const struct opt_row *r, uint64_t v)
{
	static const struct { uint64_t n; const char *unit; } sizes[] = {
		{ GB, "g" }, { MB, "m" }, { KB, "k" }, { 1, "" },
	}, rates[] = {
		{ 86400 * SEC, "d" }, { SEC, "s" }, { 1000 * USEC, "ms" }, { USEC, "us" }, { 1, "ns" },
	};
	int i = 0;

	if (r->kind == OPT_SIZE) {
		while (sizes[i].n > 1 && (v % sizes[i].n || v < sizes[i].n))
			i++;
		snprintf(out, 32, "%" PRIu64 "%s", v / sizes[i].n, sizes[i].unit);
	} else if (r->kind == OPT_RATE && !v) {
		snprintf(out, 32, "-");
	} else if (r->kind == OPT_RATE && v < SEC && v % USEC) {
		snprintf(out, 32, "%" PRIu64 "hz", (uint64_t)(SEC + v / 2) / v);
	} else if (r->kind == OPT_RATE) {
		while (rates[i].n > 1 && (v % rates[i].n || v < rates[i].n))
			i++;
		snprintf(out, 32, "%" PRIu64 "%s", v / rates[i].n, rates[i].unit);
	} else if (r->kind == OPT_BOOL) {
		snprintf(out, 32, "%s", v ? "on" : "off");
	} else if (r->kind == OPT_LEDGER) {
		static const char *const modes[] = { "warn", "off", "on", "cpu" };

		snprintf(out, 32, "%s", modes[v]);
	} else if (r->kind == OPT_WORD) {
		snprintf(out, 32, "%s", r->words[v]);
	} else if (r->kind == OPT_PERCENT && v) {
		snprintf(out, 32, "%g%%", (double)v / 10000);
	} else if (r->kind == OPT_NUM) {
		snprintf(out, 32, "%" PRIu64, v);
	} else {
		snprintf(out, 32, "-");
	}
}

/* Adjusts values that are valid in other systems to the supported range. */
static uint64_t opt_round(const struct opt_row *r, uint64_t v)
{
	if (r->off == AT(d.strsize))
		return d_strsize(v);
	if (r->off == AT(bufsize) && v > GB)
		return GB;
	if (r->off == AT(d.aggsize))
		return v < 4 * KB ? 4 * KB : v > 4 * GB ? 4 * GB : v;
	return r->kind == OPT_RATE && v < USEC ? USEC : v;
}

static int opt_set_value(struct options *o, const struct opt_row *r, const char *value, char *reason, size_t n)
{
	const struct opt_type *t = &opt_types[r->kind];
	char lo[32], hi[32];
	uint64_t v;

	if (!value && (r->kind == OPT_BOOL || r->kind == OPT_LEDGER))
		value = "on";
	if (!value) {
		snprintf(reason, n, "option '%s' needs a value", r->name);
		return -1;
	}
	if (!t->parse(value, &v)) {
		snprintf(reason, n, "invalid value '%s' for option '%s': expected %s", value, r->name, t->what);
		return -1;
	}
	if ((v < r->min || v > r->max) && !(r->kind == OPT_CPU && v == ~0ull)) {
		opt_show(lo, r, r->min);
		opt_show(hi, r, r->max);
		snprintf(reason, n, "invalid value '%s' for option '%s': must be from %s to %s", value, r->name, lo,
			 hi);
		return -1;
	}
	opt_store(o, r, opt_round(r, v));
	return 0;
}

static int opt_set_word(struct options *o, const struct opt_row *r, const char *value, char *reason, size_t n)
{
	size_t at;

	for (unsigned i = 0; r->words[i]; i++) {
		if (!strcasecmp(value, r->words[i])) {
			opt_store(o, r, i);
			return 0;
		}
	}
	at = snprintf(reason, n, "invalid value '%.60s' for option '%s': expected", value, r->name);
	for (unsigned i = 0; r->words[i] && at < n; i++)
		at += snprintf(reason + at, n - at, "%s %s", !i ? "" : r->words[i + 1] ? "," : " or", r->words[i]);
	return -1;
}

static int opt_set_list(struct options *o, const struct opt_row *r, const char *value, char *reason, size_t n)
{
	struct opt_list *l = opt_field(o, r);

	for (unsigned i = 0; i < l->n; i++)
		if (!strcmp(l->v[i], value))
			return 0;
	if (l->n == OPT_LIST_MAX) {
		snprintf(reason, n, "option '%s' can be given at most %d times", r->name, OPT_LIST_MAX);
		return -1;
	}
	l->v[l->n++] = value;
	return 0;
}

/* Checks MAJOR.MINOR[.MICRO]: a script that requires a later version of D cannot be compiled. */
static int opt_set_version(const char *value, char *reason, size_t n)
{
	uint64_t part[3] = { 0 };
	const char *end = value;
	unsigned i = 0;

	while (i < 3 && setting_digits(end, &part[i], &end) && part[i] <= 0xfff && ++i < 3 && *end == '.')
		end++;
	if (i < 2 || *end || end[-1] == '.') {
		snprintf(reason, n,
			 "invalid value '%.60s' for option 'version': expected a version such as 1.2 or 1.2.3",
			 value);
		return -1;
	}
	if (part[0] < D_MAJOR || (part[0] == D_MAJOR && part[1] <= D_MINOR))
		return 0;
	snprintf(reason, n, "unknown version %.60s of D: the latest is %d.%d", value, D_MAJOR, D_MINOR);
	return -1;
}

/* The command line sets the environment of the command itself. */
static int opt_check_variable(const struct opt_row *r, const char *value, char *reason, size_t n)
{
	const bool is_pair = strchr(value, '=');

	if (*value != '=' && is_pair == (r->max == 1))
		return 0;
	snprintf(reason, n, "invalid value '%.60s' for option '%s': expected %s", value, r->name,
		 r->max == 1 ? "NAME=VALUE" : "the name of a variable");
	return -1;
}

/* Sets an option whose value is not a number. */
static int opt_set_text(struct options *o, const struct opt_row *r, const char *value, char *reason, size_t n)
{
	struct attr a;

	if (r->kind != OPT_WORD && r->kind != OPT_STR && r->kind != OPT_LIST && r->kind != OPT_VERSION &&
	    r->kind != OPT_STABILITY && r->kind != OPT_SETENV)
		return opt_set_value(o, r, value, reason, n);
	if (!value || !*value) {
		snprintf(reason, n, "option '%s' needs a value", r->name);
		return -1;
	}
	if (r->kind == OPT_WORD)
		return opt_set_word(o, r, value, reason, n);
	if (r->kind == OPT_SETENV)
		return opt_check_variable(r, value, reason, n);
	if (r->kind == OPT_LIST)
		return opt_set_list(o, r, value, reason, n);
	if (r->kind == OPT_VERSION)
		return opt_set_version(value, reason, n);
	if (r->kind == OPT_STABILITY && !stability_parse(value, &a)) {
		snprintf(reason, n,
			 "invalid value '%.60s' for option '%s': expected a stability such as Evolving/Evolving/Common",
			 value, r->name);
		return -1;
	}
	*(const char **)opt_field(o, r) = value;
	return 0;
}

int option_set(struct options *o, const char *name, const char *value, char *reason, size_t n)
{
	const struct opt_row *r = NULL;

	for (int i = 0; i < NOPTS && !r; i++)
		if (!strcmp(name, opt_table[i].name))
			r = &opt_table[i];
	if (!r)
		return opt_unknown(name, reason, n);
	if (r->kind == OPT_NOTE)
		return 0;
	if (r->kind == OPT_REFUSED) {
		snprintf(reason, n, "option '%s': %s", name, r->doc);
		return -1;
	}
	if (opt_set_text(o, r, value, reason, n) < 0)
		return -1;
	o->given[(r - opt_table) / 64] |= 1ull << (r - opt_table) % 64;
	return 0;
}

bool options_given(const struct options *o, size_t offset)
{
	for (int i = 0; i < NOPTS; i++)
		if (opt_table[i].off == offset && opt_table[i].kind != OPT_NOTE && opt_table[i].kind != OPT_REFUSED)
			return o->given[i / 64] >> i % 64 & 1;
	return false;
}

int options_from_env(struct options *o, char **environ_, char *reason, size_t n)
{
	static const char prefix[] = "DTR_OPT_";
	char name[64];

	for (char **e = environ_; e && *e; e++) {
		const char *s = *e + sizeof prefix - 1, *eq;

		if (strncmp(*e, prefix, sizeof prefix - 1))
			continue;
		eq = strchr(s, '=');
		if (!eq || (size_t)(eq - s) >= sizeof name) {
			snprintf(reason, n, "unknown option '%.100s' in the environment", s);
			return -1;
		}
		for (size_t i = 0; i < (size_t)(eq - s); i++)
			name[i] = tolower((unsigned char)s[i]);
		name[eq - s] = '\0';
		if (option_set(o, name, eq[1] ? eq + 1 : NULL, reason, n) < 0)
			return -1;
	}
	return 0;
}

const char *options_formats(void)
{
	return formats_doc + strlen(FORMATS_TITLE);
}

const char *const *options_words(const char *name)
{
	for (int i = 0; i < NOPTS; i++)
		if (opt_table[i].kind == OPT_WORD && !strcmp(opt_table[i].name, name))
			return opt_table[i].words;
	return NULL;
}

bool options_row(unsigned i, const char **name, const char **text, bool *is_switch)
{
	for (int at = 0; at < NOPTS; at++) {
		const struct opt_row *r = &opt_table[at];

		if (!opt_has_effect(r) || i--)
			continue;
		*name = r->name;
		*text = r->doc;
		*is_switch = r->kind == OPT_BOOL && !r->def;
		return true;
	}
	return false;
}

void options_help(struct buf *out)
{
	char def[32], head[96];

	for (int i = 0; i < NOPTS; i++) {
		const struct opt_row *r = &opt_table[i];

		if (!opt_has_effect(r))
			continue;
		opt_show(def, r, r->def);
		snprintf(head, sizeof head, "%-13s %-7s", r->name, def);
		fill_row(out, head, 24, r->doc);
	}
}
