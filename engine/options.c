/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The options: one table, and how values are read. docs/options.md says what each costs. */
#include "engine/options.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define KB 1024ull
#define MB (1024 * KB)
#define GB (1024 * MB)
#define USEC 1000ull
#define SEC 1000000000ull

enum opt_kind {
	OPT_SIZE,	/* bytes, k m g t */
	OPT_RATE,	/* ns, from a period or a frequency */
	OPT_BOOL,
	OPT_NUM,
	OPT_LEDGER,	/* on or off, warn, cpu */
	OPT_STR,
	OPT_NOTE,	/* DTrace's, means nothing here, any value will do */
	OPT_REFUSED,	/* DTrace's, not in this version: doc says why */
};

struct opt_row {
	const char *name;
	enum opt_kind kind;
	size_t off;
	uint64_t min, max, def;
	const char *doc;
};

#define AT(field) offsetof(struct options, field)
#define BOOL(name, field, doc) { name, OPT_BOOL, AT(field), 0, 1, 0, doc }
#define NOTE(name, doc) { name, OPT_NOTE, 0, 0, 0, 0, doc }
#define REFUSED(name, doc) { name, OPT_REFUSED, 0, 0, 0, 0, doc }

/* Alphabetical. */
static const struct opt_row opt_table[] = {
	REFUSED("agghist", "negative counts as histograms of another kind are not in this version"),
	REFUSED("aggpack", "packed histograms are not in this version"),
	{ "aggrate", OPT_RATE, AT(aggrate), USEC, 86400 * SEC, SEC,
	  "accepted; aggregations are read when they are printed" },
	{ "aggsize", OPT_SIZE, AT(aggsize), 4 * KB, 4 * GB, 4 * MB, "bytes per CPU for each aggregation with keys" },
	BOOL("aggsortkey", order.by_key, "sort aggregations by key, not by value"),
	{ "aggsortkeypos", OPT_NUM, AT(order.keypos), 0, AGG_MAXKEYS - 1, 0, "which key decides first, from 0" },
	{ "aggsortpos", OPT_NUM, AT(order.pos), 0, 63, 0, "which aggregation of a joint printa() decides, from 0" },
	BOOL("aggsortrev", order.reverse, "sort aggregations the other way round"),
	REFUSED("aggzoom", "zoomed histograms are not in this version"),
	REFUSED("bufpolicy", "fill and ring buffers are not in this version; every buffer is switched"),
	NOTE("bufresize", "accepted; buffers have the size that was asked for"),
	{ "bufsize", OPT_SIZE, AT(bufsize), 4 * KB, GB, 256 * KB, "bytes of each CPU's record buffer" },
	NOTE("cleanrate", "accepted; variables need no cleaning"),
	REFUSED("cpp", "the C preprocessor is not in this version"),
	REFUSED("cpu", "tracing one CPU only is not in this version; use a predicate: /cpu == N/"),
	BOOL("cost", cost, "report at the end what each probe has cost"),
	BOOL("defaultargs", defaultargs, "a macro argument that is not given is 0 or \"\""),
	BOOL("destructive", destructive, "allow destructive actions (-w)"),
	BOOL("droptags", droptags, "show the kind of a drop as [DTRACEDROP_...]"),
	{ "dynvarsize", OPT_SIZE, AT(dynvarsize), 4 * KB, 4 * GB, MB, "bytes for each associative array" },
	BOOL("errtags", errtags, "show the tag of an error as [D_...]"),
	REFUSED("flowindent", "indented output is not in this version"),
	REFUSED("grabanon", "anonymous tracing is not in this version"),
	{ "jstackframes", OPT_NUM, AT(jstackframes), 1, 1024, 50, "frames of a jstack() that does not say how many" },
	NOTE("jstackstrsize", "accepted; virtual machines are not asked for names"),
	{ "ledger", OPT_LEDGER, AT(ledger), LEDGER_WARN, LEDGER_CPU, LEDGER_WARN,
	  "where firings went that did not come: on, cpu (by CPU), warn (if over 1 %), off" },
	{ "maxframes", OPT_NUM, AT(maxframes), 1, 1024, 127, "frames of any stack, at most" },
	REFUSED("nspec", "speculations are not in this version"),
	BOOL("profself", profself, "profile probes share self-> with all other probes"),
	{ "profsrc", OPT_STR, AT(profsrc), 0, 0, 0, "what drives the profile provider: cpu-clock, cycles, help" },
	BOOL("quiet", quiet, "print only what the actions print (-q)"),
	REFUSED("rawbytes", "raw bytes are always printed as bytes"),
	REFUSED("specsize", "speculations are not in this version"),
	{ "stackframes", OPT_NUM, AT(stackframes), 1, 1024, 20, "frames of a stack() that does not say how many" },
	{ "stackindent", OPT_NUM, AT(stackindent), 0, 4096, 14, "blanks before each frame of a stack" },
	{ "statusrate", OPT_RATE, AT(statusrate), USEC, 86400 * SEC, SEC, "time between two looks at drops and CPUs" },
	{ "strsize", OPT_SIZE, AT(strsize), 16, 4096, 256, "bytes of a string, rounded up to 8" },
	{ "switchrate", OPT_RATE, AT(switchrate), USEC, 86400 * SEC, SEC / 10, "time between two looks at the records" },
	NOTE("temporal", "accepted; output is always in order of time"),
	{ "ustackframes", OPT_NUM, AT(ustackframes), 1, 1024, 100, "frames of a ustack() that does not say how many" },
	BOOL("zdefs", zdefs, "allow probe descriptions that match nothing (-Z)"),
};

enum { NOPTS = sizeof opt_table / sizeof opt_table[0] };

static void *opt_field(struct options *o, const struct opt_row *r)
{
	return (char *)o + r->off;
}

static void opt_store(struct options *o, const struct opt_row *r, uint64_t v)
{
	switch (r->kind) {
	case OPT_SIZE:
	case OPT_RATE:
	case OPT_LEDGER:
		*(uint64_t *)opt_field(o, r) = v;
		break;
	case OPT_BOOL:
		*(bool *)opt_field(o, r) = v;
		break;
	case OPT_NUM:
		*(unsigned *)opt_field(o, r) = v;
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

/* Decimal digits at the start of s. False: none, or they do not fit. *end is behind them. */
static bool opt_digits(const char *s, uint64_t *v, const char **end)
{
	const char *p = s;

	for (*v = 0; isdigit((unsigned char)*p); p++)
		if (__builtin_mul_overflow(*v, 10, v) || __builtin_add_overflow(*v, (uint64_t)(*p - '0'), v))
			return false;
	*end = p;
	return p != s;
}

static bool opt_size(const char *s, uint64_t *v)
{
	static const char units[] = "kmgt";
	const char *end, *u;

	if (!opt_digits(s, v, &end))
		return false;
	if (!*end)
		return true;
	u = strchr(units, tolower((unsigned char)*end));
	if (!u || end[1])
		return false;
	return !__builtin_mul_overflow(*v, 1ull << 10 * (u - units + 1), v);
}

/* A period, or a frequency ("hz", or no unit at all, as in DTrace). */
static bool opt_rate(const char *s, uint64_t *v)
{
	static const struct { const char *unit; uint64_t ns; } units[] = {
		{ "ns", 1 }, { "nsec", 1 }, { "us", USEC }, { "usec", USEC }, { "ms", 1000 * USEC }, { "msec", 1000 * USEC },
		{ "s", SEC }, { "sec", SEC }, { "m", 60 * SEC }, { "min", 60 * SEC }, { "h", 3600 * SEC },
		{ "hour", 3600 * SEC }, { "d", 86400 * SEC }, { "day", 86400 * SEC },
	};
	const char *end;

	if (!opt_digits(s, v, &end) || !*v)
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

static bool opt_bool(const char *s, uint64_t *v)
{
	static const char *const words[2][7] = {
		{ "0", "no", "off", "false", "disable", "disabled", "unset" },
		{ "1", "yes", "on", "true", "enable", "enabled", "set" },
	};

	for (*v = 0; *v < 2; ++*v)
		for (size_t i = 0; i < 7; i++)
			if (!strcasecmp(s, words[*v][i]))
				return true;
	return false;
}

static bool opt_num(const char *s, uint64_t *v)
{
	const char *end;

	return opt_digits(s, v, &end) && !*end;
}

static bool opt_ledger(const char *s, uint64_t *v)
{
	if (!strcasecmp(s, "cpu"))
		*v = LEDGER_CPU;
	else if (!strcasecmp(s, "warn"))
		*v = LEDGER_WARN;
	else if (opt_bool(s, v))
		*v = *v ? LEDGER_ON : LEDGER_OFF;
	else
		return false;
	return true;
}

struct opt_type {
	bool (*parse)(const char *s, uint64_t *v);
	const char *what;
};

static const struct opt_type opt_types[] = {
	[OPT_SIZE] = { opt_size, "a size (a number, with k, m, g or t)" },
	[OPT_RATE] = { opt_rate, "a rate (a number with hz, ns, us, ms, s, m, h or d)" },
	[OPT_BOOL] = { opt_bool, "on or off" },
	[OPT_NUM] = { opt_num, "a number" },
	[OPT_LEDGER] = { opt_ledger, "on, off, warn or cpu" },
};

/* Steps from one word to the other (insert, drop, replace), or `limit` if there are at least so many. */
static unsigned word_distance(const char *a, const char *b, unsigned limit)
{
	enum { MAXWORD = 32 };
	unsigned row[MAXWORD + 1];
	size_t na = strlen(a), nb = strlen(b);

	if (na > MAXWORD || nb > MAXWORD)
		return limit;
	for (size_t j = 0; j <= nb; j++)
		row[j] = j;
	for (size_t i = 1; i <= na; i++) {
		unsigned diag = row[0];

		row[0] = i;
		for (size_t j = 1; j <= nb; j++) {
			unsigned best = diag + (a[i - 1] != b[j - 1]);

			diag = row[j];
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			if (diag + 1 < best)
				best = diag + 1;
			row[j] = best;
		}
	}
	return row[nb] < limit ? row[nb] : limit;
}

static int opt_unknown(const char *name, char *why, size_t n)
{
	unsigned best = 4, d;
	const char *near = NULL;

	for (int i = 0; i < NOPTS; i++) {
		d = word_distance(name, opt_table[i].name, 4);
		if (d < best) {
			best = d;
			near = opt_table[i].name;
		}
	}
	if (near)
		snprintf(why, n, "unknown option '%s' (did you mean '%s'?)", name, near);
	else
		snprintf(why, n, "unknown option '%s'", name);
	return -1;
}

/* 262144 -> "256k", 100000000 -> "100ms": the largest unit that divides. */
static void opt_show(char out[32], const struct opt_row *r, uint64_t v)
{
	static const struct { uint64_t n; const char *unit; } sizes[] = {
		{ GB, "g" }, { MB, "m" }, { KB, "k" }, { 1, "" },
	}, rates[] = {
		{ 86400 * SEC, "d" }, { SEC, "s" }, { 1000 * USEC, "ms" }, { USEC, "us" }, { 1, "ns" },
	};
	int i = 0;

	if (r->kind == OPT_SIZE) {
		while (v % sizes[i].n || v < sizes[i].n)
			i++;
		snprintf(out, 32, "%" PRIu64 "%s", v / sizes[i].n, sizes[i].unit);
	} else if (r->kind == OPT_RATE) {
		while (v % rates[i].n || v < rates[i].n)
			i++;
		snprintf(out, 32, "%" PRIu64 "%s", v / rates[i].n, rates[i].unit);
	} else if (r->kind == OPT_BOOL) {
		snprintf(out, 32, "%s", v ? "on" : "off");
	} else if (r->kind == OPT_LEDGER) {
		static const char *const modes[] = { "warn", "off", "on", "cpu" };

		snprintf(out, 32, "%s", modes[v]);
	} else if (r->kind == OPT_NUM) {
		snprintf(out, 32, "%" PRIu64, v);
	} else {
		snprintf(out, 32, "-");
	}
}

static int opt_set_value(struct options *o, const struct opt_row *r, const char *value, char *why, size_t n)
{
	const struct opt_type *t = &opt_types[r->kind];
	char lo[32], hi[32];
	uint64_t v;

	if (!value && (r->kind == OPT_BOOL || r->kind == OPT_LEDGER))
		value = "on";
	if (!value) {
		snprintf(why, n, "option '%s' needs a value", r->name);
		return -1;
	}
	if (!t->parse(value, &v)) {
		snprintf(why, n, "invalid value '%s' for option '%s': not %s", value, r->name, t->what);
		return -1;
	}
	if (v < r->min || v > r->max) {
		opt_show(lo, r, r->min);
		opt_show(hi, r, r->max);
		snprintf(why, n, "invalid value '%s' for option '%s': must be from %s to %s", value, r->name, lo, hi);
		return -1;
	}
	if (r->off == AT(strsize))
		v = (v + 7) & ~7ull;
	opt_store(o, r, v);
	return 0;
}

int option_set(struct options *o, const char *name, const char *value, char *why, size_t n)
{
	const struct opt_row *r = NULL;

	for (int i = 0; i < NOPTS && !r; i++)
		if (!strcmp(name, opt_table[i].name))
			r = &opt_table[i];
	if (!r)
		return opt_unknown(name, why, n);
	if (r->kind == OPT_NOTE)
		return 0;
	if (r->kind == OPT_REFUSED) {
		snprintf(why, n, "option '%s': %s", name, r->doc);
		return -1;
	}
	if (r->kind != OPT_STR)
		return opt_set_value(o, r, value, why, n);
	if (!value || !*value) {
		snprintf(why, n, "option '%s' needs a value", name);
		return -1;
	}
	*(const char **)opt_field(o, r) = value;
	return 0;
}

int options_from_env(struct options *o, char **environ_, char *why, size_t n)
{
	static const char prefix[] = "DTR_OPT_";
	char name[64];

	for (char **e = environ_; e && *e; e++) {
		const char *s = *e + sizeof prefix - 1, *eq;

		if (strncmp(*e, prefix, sizeof prefix - 1))
			continue;
		eq = strchr(s, '=');
		if (!eq || (size_t)(eq - s) >= sizeof name) {
			snprintf(why, n, "unknown option '%.100s' in the environment", s);
			return -1;
		}
		for (size_t i = 0; i < (size_t)(eq - s); i++)
			name[i] = tolower((unsigned char)s[i]);
		name[eq - s] = '\0';
		if (option_set(o, name, eq[1] ? eq + 1 : NULL, why, n) < 0)
			return -1;
	}
	return 0;
}

void options_help(struct buf *out)
{
	char def[32];

	for (int i = 0; i < NOPTS; i++) {
		const struct opt_row *r = &opt_table[i];

		if (r->kind == OPT_REFUSED || r->kind == OPT_NOTE)
			continue;
		opt_show(def, r, r->def);
		buf_printf(out, "%-14s %-7s %s\n", r->name, r->kind == OPT_STR ? "-" : def, r->doc);
	}
}
