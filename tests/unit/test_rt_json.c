/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * json() against a model: random values are written as JSON, with blanks, and asked for by random paths, which lead
 * to a
 * value, past one, or nowhere. The model walks the tree from which the text was made.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ir/interp.h"
#include "rt/rt.h"

enum { ROUNDS = 40000, MAXVALUES = 200, MAXBELOW = 5, MAXDEPTH = 5, TEXT = 16384, PATH = 512 };

static uint64_t seed = 88172645463325252;

static uint32_t below(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 32) % n;
}

#define SOME(list) ((list)[below(sizeof(list) / sizeof *(list))])

/* ---- values ---- */
struct json_value {
	char kind;		/* '[' '{' '"' or 'x': anything else */
	const char *text;	/* of a string, without its quotes, or of a number or word */
	const char *name;	/* in an object */
	unsigned n, child[MAXBELOW];
	size_t from, to;	/* its place in the text */
};

struct json_tree {
	struct json_value v[MAXVALUES];
	unsigned n;
	char text[TEXT];
	size_t len;
};

static const char *const names[] = {
	"a", "b", "aa", "ab", "0", "1", "00", "-1", "4294967296", "", "x y", "\\u0041", "q\\\"", "{", ",", "null",
};

static unsigned make(struct json_tree *t, unsigned depth)
{
	static const char *const scalars[] = {
		"0", "7", "-1", "12.5", "-0.5e+10", "1E9", "3e-2", "true", "false", "null", "4294967296",
	};
	static const char *const strings[] = { "", "s", "]", "}", "\\\"", "\\\\", "a,b", "[1]", "\\u00e9\\n", ":",
		"null" };
	unsigned me = t->n++;
	struct json_value *v = &t->v[me];

	*v = (struct json_value){ .kind = "[{\"x"[below(depth ? 4 : 2)], .name = SOME(names) };
	if (depth >= MAXDEPTH || t->n > MAXVALUES - 50)
		v->kind = "\"x"[below(2)];
	v->text = v->kind == '"' ? SOME(strings) : SOME(scalars);
	if (v->kind == '[' || v->kind == '{')
		v->n = below(MAXBELOW + 1);
	for (unsigned i = 0; i < v->n; i++)
		v->child[i] = make(t, depth + 1);
	return me;
}

static void put(struct json_tree *t, const char *text)
{
	size_t n = strlen(text);

	assert_true(t->len + n < TEXT);
	memcpy(t->text + t->len, text, n + 1);
	t->len += n;
}

static void blanks(struct json_tree *t)
{
	static const char *const some[] = { "", "", "", " ", "\n\t", "  " };

	put(t, SOME(some));
}

static void write_value(struct json_tree *t, unsigned which)
{
	struct json_value *v = &t->v[which];
	bool object = v->kind == '{', list = object || v->kind == '[', string = v->kind == '"';

	blanks(t);
	put(t, string ? "\"" : "");
	v->from = t->len;
	put(t, object ? "{" : list ? "[" : v->text);
	for (unsigned i = 0; i < v->n; i++) {
		put(t, i ? "," : "");
		blanks(t);
		if (object) {
			put(t, "\"");
			put(t, t->v[v->child[i]].name);
			put(t, "\"");
			blanks(t);
			put(t, ":");
		}
		write_value(t, v->child[i]);
		blanks(t);
	}
	put(t, object ? "}" : list ? "]" : "");
	v->to = t->len;
	put(t, string ? "\"" : "");
}

/* ---- paths ---- */
/* One element that leads into this value, or, one time in four, anything. */
static void element(const struct json_tree *t, const struct json_value *v, char *out)
{
	static const char *const odd[] = { "foo", "-1", "-0", "+0", "1x", "0x0", " 0", "4294967296",
		"18446744073709551616", "99", "a" };
	static const char *const numbers[] = { "%u", "%u", "%u", "0%u", "000%u" };

	if (!v || !v->n || !below(4))
		strcpy(out, SOME(odd));
	else if (v->kind == '[')
		sprintf(out, SOME(numbers), below(v->n));
	else
		strcpy(out, t->v[v->child[below(v->n)]].name);
}

/* A number of only digits, however many; above MAXBELOW: somewhere after the end. */
static unsigned number(const char *text)
{
	unsigned n = 0;

	if (!*text || text[strspn(text, "0123456789")])
		return MAXBELOW + 1;
	for (; *text; text++)
		n = n > MAXBELOW ? n : n * 10 + (unsigned)(*text - '0');
	return n;
}

/* The part of a value that the path element names, or NULL. */
static const struct json_value *step(const struct json_tree *t, const struct json_value *v, const char *name)
{
	unsigned i = number(name);

	if (!v || (v->kind != '[' && v->kind != '{'))
		return NULL;
	if (v->kind == '[')
		return i < v->n ? &t->v[v->child[i]] : NULL;
	for (i = 0; i < v->n; i++)
		if (!strcmp(t->v[v->child[i]].name, name))
			return &t->v[v->child[i]];
	return NULL;
}

/* A path and what it leads to. Empty elements are none, unless they are all that there is. */
static const struct json_value *walk(const struct json_tree *t, char *path)
{
	const struct json_value *v = &t->v[0];
	unsigned depth = 1 + below(4);
	char *p = path, name[32];

	p += sprintf(p, "%s", below(8) ? "" : "..");
	for (unsigned i = 0; i < depth; i++) {
		bool brackets = below(2);

		element(t, v, name);
		if (!*name && depth > 1)
			strcpy(name, "a");
		v = step(t, v, name);
		p += sprintf(p, brackets ? "[%s]%s" : "%s%s%s", brackets ? name : p == path ? "" : ".",
			brackets ? "" : name, "");
	}
	p += sprintf(p, "%s", below(8) ? "" : "]");
	return v;
}

/* ---- json() ---- */
static void ask(const char *text, size_t len, const char *path, char *out)
{
	uint32_t tcap = ((uint32_t)len + 8) & ~7u, pcap = ((uint32_t)strlen(path) + 8) & ~7u;
	char *t = calloc(1, tcap), *p = calloc(1, pcap), *work = malloc(RT_WORK);

	memcpy(t, text, len);
	memcpy(p, path, strlen(path));
	ir_rt_call(IR_JSON, (void *[]){ out, work, t, p }, (uint32_t[]){ TEXT, RT_WORK, tcap, pcap },
		(uint64_t[2]){ 0 });
	free(t);
	free(p);
	free(work);
}

static void test_model(void **state)
{
	static char want[TEXT], got[TEXT];
	static struct json_tree t;
	unsigned found = 0;
	char path[PATH];

	(void)state;
	for (unsigned i = 0; i < ROUNDS; i++) {
		const struct json_value *v;

		t.n = 0;
		t.len = 0;
		write_value(&t, make(&t, 0));
		v = walk(&t, path);
		snprintf(want, sizeof want, "%.*s", v ? (int)(v->to - v->from) : 0, v ? t.text + v->from : "");
		found += v != NULL;
		ask(t.text, t.len, path, got);
		if (strcmp(got, want))
			fail_msg("json(%s, \"%s\"): \"%s\" instead of \"%s\"", t.text, path, got, want);
		/* a text that ends early has a value only where that is complete */
		t.len = below((uint32_t)t.len + 1);
		ask(t.text, t.len, path, got);
		if (*got && (strcmp(got, want) || v->to > t.len))
			fail_msg("json(%.*s, \"%s\"): \"%s\"", (int)t.len, t.text, path, got);
	}
	assert_in_range(found, ROUNDS / 10, ROUNDS - ROUNDS / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_model) };

	return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
