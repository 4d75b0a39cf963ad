/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The run-time library against plain functions, over random strings of capacities from 8 to 4096 bytes. Every place is
 * a block of malloc of exactly its size, so that a sanitizer sees any byte beside it; what lies behind a NUL is garbage
 * half of the time, and half of the strings that fill their place have no NUL at all.
 */
#include <arpa/inet.h>
#include <ctype.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "ir/interp.h"
#include "rt/rt.h"

enum { ROUNDS = 3000, MAXCAP = 4096 };

static uint64_t seed = 88172645463325252;

static uint32_t below(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 32) % n;
}

static uint32_t some_cap(void)
{
	static const uint32_t caps[] = { 8, 16, 24, 32, 40, 64, 128, 256, 1000, 2048, MAXCAP };

	return caps[below(below(3) ? 8 : 11)];
}

struct str {
	char *p;		/* the place */
	uint32_t cap;
	char text[MAXCAP + 1];	/* what it means */
	size_t len;
};

/* Of these letters; NULL: any byte. */
static void make(struct str *s, const char *letters)
{
	size_t n = letters ? strlen(letters) : 0;

	s->cap = some_cap();
	s->p = malloc(s->cap);
	s->len = below(4) ? below(s->cap < 24 ? s->cap : 24) : below(s->cap + 1);
	for (size_t i = 0; i < s->len; i++)
		s->p[i] = letters ? letters[below((uint32_t)n)] : (char)(1 + below(255));
	memset(s->p + s->len, 0, s->cap - s->len);
	if (s->len + 1 < s->cap && below(2))
		for (size_t i = s->len + 1; i < s->cap; i++)
			s->p[i] = (char)below(256);
	memcpy(s->text, s->p, s->len);
	s->text[s->len] = '\0';
}

static void place(struct str *s)
{
	s->cap = some_cap();
	s->p = malloc(s->cap);
	memset(s->p, 'x', s->cap);
}

/* The place has the text, truncated to its capacity, and trailing zeros. */
static void holds(const struct str *s, const char *want)
{
	char cut[MAXCAP + 64] = { 0 };

	snprintf(cut, s->cap, "%s", want);
	if (memcmp(s->p, cut, s->cap))
		fail_msg("capacity %u: \"%.*s\" instead of \"%s\"", s->cap, (int)s->cap, s->p, cut);
}

/* Calls a function whose first `n` operands are these places. */
static uint64_t call(enum ir_op op, unsigned n, struct str *const *s, uint64_t a, uint64_t b)
{
	void *p[4];
	uint32_t cap[4];
	uint64_t v[2] = { a, b };

	for (unsigned i = 0; i < n; i++) {
		p[i] = s[i]->p;
		cap[i] = s[i]->cap;
	}
	return ir_rt_call(op, p, cap, v);
}
#define CALL(op, a, b, ...) \
	call((op), sizeof((struct str *[]){ __VA_ARGS__ }) / sizeof(struct str *), (struct str *[]){ __VA_ARGS__ }, \
	     (a), (b))

static void drop(struct str *s)
{
	free(s->p);
	s->p = NULL;
}

static void work(struct str *s)
{
	s->cap = RT_WORK;
	s->p = malloc(RT_WORK);
	memset(s->p, 0xa5, RT_WORK);
}

static struct str a, b, c, d, w;

static void each_round(void (*round)(void))
{
	for (int i = 0; i < ROUNDS; i++) {
		round();
		drop(&a);
		drop(&b);
		drop(&c);
		drop(&d);
		drop(&w);
	}
}

/* ---- lengths, joins, parts ---- */
static void round_strlen(void)
{
	make(&a, NULL);
	assert_int_equal(CALL(IR_STRLEN, 0, 0, &a), a.len);
}

static void round_strjoin(void)
{
	static char both[2 * MAXCAP + 2];

	make(&a, NULL);
	make(&b, NULL);
	place(&d);
	CALL(IR_STRJOIN, 0, 0, &d, &a, &b);
	snprintf(both, sizeof both, "%s%s", a.text, b.text);
	both[MAXCAP] = '\0';
	holds(&d, both);
}

static int some_number(size_t len)
{
	static const int odd[] = { INT32_MAX, INT32_MIN, 0, -1, 1, 1000000 };

	return below(6) ? (int)below((uint32_t)len * 2 + 4) - (int)len - 2 : odd[below(6)];
}

/* substr() of the guide: negative positions and lengths count from the end. */
static const char *substr(const char *s, int64_t len, int64_t from, int64_t n)
{
	static char out[MAXCAP + 1];

	if (from < 0) {
		from += len;
		if (from < 0 && from + n > 0) {
			n += from;
			from = 0;
		}
	}
	*out = '\0';
	if (from < 0 || from >= len)
		return out;
	if (n < 0)
		n += len - from;
	if (n > len - from)
		n = len - from;
	if (n > 0)
		snprintf(out, (size_t)n + 1, "%s", s + from);
	return out;
}

static void round_substr(void)
{
	int from, n;

	make(&a, NULL);
	place(&d);
	from = some_number(a.len);
	n = some_number(a.len);
	CALL(IR_SUBSTR, (uint64_t)(int64_t)from, (uint64_t)(int64_t)n, &d, &a);
	holds(&d, substr(a.text, (int64_t)a.len, from, n));
}

/* ---- searching ---- */
/* index() and rindex() of the guide, that is of Perl. */
static int64_t find(int64_t pos)
{
	int64_t len = (int64_t)a.len, n = (int64_t)b.len;

	if (!len && !n)
		return 0;
	if (pos < 0)
		pos = 0;
	if (pos >= len)
		return n ? -1 : len;
	for (; pos < len; pos++)
		if (!strncmp(a.text + pos, b.text, (size_t)n))
			return pos;
	return -1;
}

static int64_t rfind(int64_t pos)
{
	int64_t len = (int64_t)a.len, n = (int64_t)b.len;

	if (pos < 0)
		return n ? -1 : 0;
	for (pos = pos > len ? len : pos; pos >= 0; pos--)
		if (!strncmp(a.text + pos, b.text, (size_t)n))
			return pos;
	return -1;
}

/* The second is most often a piece of the first. */
static void haystack(void)
{
	make(&a, below(3) ? "ab" : NULL);
	make(&b, "ab");
	if (a.len && below(3)) {
		size_t from = below((uint32_t)a.len), n = below((uint32_t)(a.len - from) + 1);

		if (n > b.cap)
			n = b.cap;
		memset(b.p, 0, b.cap);
		memcpy(b.p, a.text + from, n);
		snprintf(b.text, n + 1, "%s", a.text + from);
		b.len = n;
	}
}

static void round_index(void)
{
	int pos;

	haystack();
	work(&w);
	pos = below(3) ? some_number(a.len) : 0;
	assert_int_equal(CALL(IR_INDEX, (uint64_t)(int64_t)pos, 0, &w, &a, &b), find(pos));
	assert_int_equal(CALL(IR_RINDEX, (uint64_t)(int64_t)pos, 0, &w, &a, &b), rfind(pos));
}

static void round_strstr(void)
{
	const char *at;

	haystack();
	place(&d);
	work(&w);
	CALL(IR_STRSTR, 0, 0, &d, &w, &a, &b);
	at = strstr(a.text, b.text);
	holds(&d, at ? at : "");
}

static void round_strchr(void)
{
	const char *first, *last;
	char ch;

	make(&a, below(2) ? "abc" : NULL);
	ch = a.len && below(2) ? a.text[below((uint32_t)a.len)] : (char)below(256);
	first = strchr(a.text, ch);
	last = strrchr(a.text, ch);
	place(&d);
	place(&c);
	CALL(IR_STRCHR, (uint64_t)(int64_t)ch, 0, &d, &a);
	holds(&d, first ? first : "");
	CALL(IR_STRRCHR, (uint64_t)(int64_t)ch, 0, &c, &a);
	holds(&c, last ? last : "");
}

/* ---- letters ---- */
static void round_case(void)
{
	static char up[MAXCAP + 1], low[MAXCAP + 1];

	make(&a, below(2) ? "@AZ[`az{ \xc1\xe1" : NULL);
	for (size_t i = 0; i <= a.len; i++) {
		unsigned char ch = (unsigned char)a.text[i];

		up[i] = (char)(ch < 128 ? toupper(ch) : ch);
		low[i] = (char)(ch < 128 ? tolower(ch) : ch);
	}
	place(&c);
	place(&d);
	CALL(IR_TOUPPER, 0, 0, &c, &a);
	holds(&c, up);
	CALL(IR_TOLOWER, 0, 0, &d, &a);
	holds(&d, low);
}

/* ---- arguments ---- */
static void round_args(void)
{
	static char want[MAXCAP + 1];
	uint32_t n;

	make(&a, "ab");
	place(&c);
	n = below(a.cap + 1);
	for (uint32_t i = 0; i < n; i++) {
		if (!below(3))
			a.p[i] = '\0';
		want[i] = a.p[i] ? a.p[i] : ' ';
	}
	want[n] = '\0';
	CALL(IR_ARGS, n, 0, &c, &a);
	holds(&c, want);
}

/* ---- paths ---- */
static void chop(char *s)
{
	for (size_t n = strlen(s); n > 1 && s[n - 1] == '/';)
		s[--n] = '\0';
}

static void round_path(void)
{
	static char path[MAXCAP + 2], dir[MAXCAP + 2];
	char *slash;

	make(&a, below(2) ? "/ab" : "/ab.");
	place(&c);
	place(&d);
	strcpy(path, a.len ? a.text : ".");
	chop(path);
	slash = strrchr(path, '/');
	CALL(IR_BASENAME, 0, 0, &c, &a);
	holds(&c, slash && slash[1] ? slash + 1 : path);
	strcpy(dir, path);
	if (slash && slash[1]) {
		dir[slash - path + 1] = '\0';
		chop(dir);
	} else if (!slash) {
		strcpy(dir, ".");
	}
	CALL(IR_DIRNAME, 0, 0, &d, &a);
	holds(&d, dir);
}

/* Must a ".." remain after these n bytes of a relative path? */
static bool dots_stay(const char *out, size_t n)
{
	return !n || (n == 2 && !memcmp(out, "..", 2)) || (n > 2 && !memcmp(out + n - 3, "/..", 3));
}

/* As the guide's function does it, a byte after the other, forwards and back; but a relative path stays one. */
static const char *clean(const char *s)
{
	static char out[MAXCAP + 8];
	bool relative = *s != '/', any = *s;
	size_t n = 0;

	while (*s) {
		if (*s != '/') {
			out[n++] = *s++;
		} else if (s[1] == '/') {
			s++;
		} else if (s[1] == '.' && s[2] == '/') {
			s += 2;
		} else if (s[1] == '.' && s[2] == '.' && (s[3] == '/' || !s[3])) {
			n = relative && n == 1 && *out == '.' ? 0 : n;
			s += 3;
			if (relative && dots_stay(out, n)) {
				n += (size_t)sprintf(out + n, "%s..", n ? "/" : "");
				continue;
			}
			while (n > 0 && out[--n] != '/')
				;
			if (!*s && (n || !relative))
				out[n++] = '/';
		} else {
			if (n || !relative)
				out[n++] = '/';
			s++;
			/* the text after the slash is removed with it, dots too */
			for (int dots = 0; dots < 2 && *s == '.'; dots++)
				out[n++] = *s++;
			if (*s && *s != '/')
				out[n++] = *s++;
		}
	}
	if (any && !n)
		out[n++] = '.';
	out[n] = '\0';
	return out;
}

static void round_clean(void)
{
	make(&a, below(2) ? "/." : "/.a");
	d.cap = a.cap + 8;
	d.p = malloc(d.cap);
	work(&w);
	CALL(IR_CLEANPATH, 0, 0, &d, &w, &a);
	holds(&d, clean(a.text));
}

static void test_clean_relative(void **state)
{
	static const char *const cases[][2] = {
		{ "..", ".." }, { "../..", "../.." }, { "../../../a", "../../../a" }, { "a/..", "." }, { "a/../", "." },
		{ "a/../b", "b" }, { "a/../../b", "../b" }, { "./..", ".." }, { "./../a", "../a" }, { "a/b/..", "a/" },
		{ "../a/../b", "../b" }, { "a/../..", ".." }, { "../a/../..", "../.." }, { "a/../..b", "..b" },
		{ "", "" },
		{ "a/b/../../././c///d/e", "c/d/e" }, { "/..", "/" }, { "/../../a", "/a" }, { "/a/../..", "/" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_string_equal(clean(cases[i][0]), cases[i][1]);
		a.cap = 32;
		a.p = calloc(1, 32);
		strcpy(a.p, cases[i][0]);
		d.cap = 40;
		d.p = malloc(40);
		work(&w);
		CALL(IR_CLEANPATH, 0, 0, &d, &w, &a);
		holds(&d, cases[i][1]);
		drop(&a);
		drop(&d);
		drop(&w);
	}
}

/* ---- tokens ---- */
static void round_strtok(void)
{
	static char rest[MAXCAP + 1];
	char *save = NULL, *want;

	make(&a, "abc,;");
	make(&b, below(2) ? ",;" : "c,");
	d.cap = a.cap + 8;
	d.p = malloc(d.cap);
	c.cap = 32;
	c.p = malloc(c.cap);
	w.cap = RT_WORK + a.cap;
	w.p = calloc(1, w.cap);
	memcpy(w.p + RT_WORK, a.p, a.cap);
	strcpy(rest, a.text);
	CALL(IR_CHARSET, 0, 0, &c, &b);
	for (int i = 0; i < 5; i++) {
		want = strtok_r(i ? NULL : rest, b.text, &save);
		CALL(IR_STRTOK, 0, 0, &d, &w, &c);
		holds(&d, want ? want : "");
	}
}

/* ---- numbers ---- */
static uint64_t some_value(void)
{
	static const uint64_t odd[] = { 0, 1, 9, 10, UINT64_MAX, INT64_MAX, (uint64_t)INT64_MIN, 0x10, 0x7fffffff };
	uint64_t v = (uint64_t)below(UINT32_MAX) << 32 | below(UINT32_MAX);

	return below(3) ? v >> below(64) : odd[below(9)];
}

static void to_text(char *out, uint64_t v, unsigned base)
{
	char digits[72], *p = digits + sizeof digits;
	bool minus = base == 10 && (int64_t)v < 0;
	uint64_t rest = minus ? 0 - v : v;

	*--p = '\0';
	for (; rest; rest /= base)
		*--p = "0123456789abcdefghijklmnopqrstuvwxyz"[rest % base];
	if (!v && base == 16)
		*--p = '0';
	sprintf(out, "%s%s", minus ? "-" : base == 16 ? "0x" : base == 8 || !v ? "0" : "", p);
}

static void round_lltostr(void)
{
	uint64_t v = some_value();
	unsigned base = below(2) ? 10 : 2 + below(35);
	char want[80];

	place(&d);
	work(&w);
	to_text(want, v, base);
	CALL(IR_LLTOSTR, v, base, &d, &w);
	holds(&d, want);
}

static int64_t from_text(const char *s, unsigned base)
{
	bool minus;
	uint64_t v = 0;

	while (*s == ' ' || *s == '\t')
		s++;
	minus = *s == '-';
	s += *s == '-' || *s == '+';
	if (base == 16 && *s == '0' && (s[1] | 32) == 'x' && isxdigit((unsigned char)s[2]))
		s += 2;
	for (; isalnum((unsigned char)*s); s++) {
		unsigned digit = isdigit((unsigned char)*s) ? (unsigned)*s - '0' : ((unsigned)*s | 32) - 'a' + 10;

		if (digit >= base)
			break;
		v = v * base + digit;
	}
	return (int64_t)(minus ? 0 - v : v);
}

static void round_strtoll(void)
{
	unsigned base = below(2) ? 10 : 2 + below(35);
	char number[80];

	make(&a, below(2) ? " -+0x12f" : NULL);
	if (below(2)) {
		to_text(number, some_value(), base);
		drop(&a);
		a.cap = 80;
		a.p = calloc(1, a.cap);
		snprintf(a.text, sizeof a.text, "%s%s", below(2) ? " \t " : "", number);
		memcpy(a.p, a.text, strlen(a.text));
	}
	work(&w);
	assert_int_equal(CALL(IR_STRTOLL, base, 0, &w, &a), from_text(a.text, base));
}

/* ---- addresses ---- */
static void round_inet(void)
{
	char want[64];

	a.cap = 16;
	a.p = calloc(1, 16);
	for (int i = 0; i < 16; i++)
		a.p[i] = below(2) ? 0 : (char)(below(2) ? below(256) : below(10));
	place(&d);
	work(&w);
	CALL(IR_INET4, 0, 0, &d, &w, &a);
	inet_ntop(AF_INET, a.p, want, sizeof want);
	holds(&d, want);
	snprintf(want, sizeof want, "%02x:%02x:%02x", (uint8_t)a.p[0], (uint8_t)a.p[1], (uint8_t)a.p[2]);
	CALL(IR_LINK, 3, 0, &d, &w, &a);
	holds(&d, want);
	a.p[0] = 1;	/* no IPv4 address within */
	CALL(IR_INET6, below(2), 0, &d, &w, &a);
	inet_ntop(AF_INET6, a.p, want, sizeof want);
	holds(&d, want);
}

static void v6(const char *bytes, const char *whole, const char *alone)
{
	struct str *s[] = { &d, &w, &a };

	a.cap = 16;
	a.p = calloc(1, 16);
	assert_int_equal(inet_pton(AF_INET6, bytes, a.p), 1);
	d.cap = 48;
	d.p = malloc(48);
	work(&w);
	call(IR_INET6, 3, s, 1, 0);
	holds(&d, whole);
	call(IR_INET6, 3, s, 0, 0);
	holds(&d, alone);
	drop(&a);
	drop(&d);
	drop(&w);
}

static void test_inet6(void **state)
{
	(void)state;
	v6("::", "::", "::");
	v6("::1", "::1", "::1");
	v6("1::", "1::", "1::");
	v6("fe80::214:4fff:fe0b:76c8", "fe80::214:4fff:fe0b:76c8", "fe80::214:4fff:fe0b:76c8");
	v6("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8");
	v6("1:0:2:0:0:3:0:0", "1:0:2::3:0:0", "1:0:2::3:0:0");
	v6("1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7");
	v6("0:1:0:1:0:1:0:1", "0:1:0:1:0:1:0:1", "0:1:0:1:0:1:0:1");
	v6("1:0:2:0:0:3:0:4", "1:0:2::3:0:4", "1:0:2::3:0:4");
	v6("::ffff:192.168.0.1", "::ffff:192.168.0.1", "192.168.0.1");
	v6("::10.0.0.255", "::10.0.0.255", "10.0.0.255");
	v6("::2", "::0.0.0.2", "0.0.0.2");
	v6("abcd:ef01:2345:6789:abcd:ef01:2345:6789", "abcd:ef01:2345:6789:abcd:ef01:2345:6789",
	   "abcd:ef01:2345:6789:abcd:ef01:2345:6789");
}

/* ---- json ---- */
static void json(const char *text, const char *path, const char *want)
{
	struct str *s[] = { &d, &w, &a, &b };

	a.cap = ((uint32_t)strlen(text) + 8) & ~7u;
	a.p = calloc(1, a.cap);
	memcpy(a.p, text, strlen(text));
	b.cap = ((uint32_t)strlen(path) + 8) & ~7u;
	b.p = calloc(1, b.cap);
	memcpy(b.p, path, strlen(path));
	d.cap = 64;
	d.p = malloc(64);
	work(&w);
	call(IR_JSON, 4, s, 0, 0);
	if (strcmp(d.p, want))
		fail_msg("json(%s, %s): \"%s\" instead of \"%s\"", text, path, d.p, want);
	drop(&a);
	drop(&b);
	drop(&d);
	drop(&w);
}

static void test_json(void **state)
{
	const char *t = " { \"a\" : [1, {\"b\": \"str\\\"x\", \"c\" : -1.5e+3}] , \"d\":{\"e\" : true,\"ee\":null}, "
			"\"f\":[[1],[2,3]], \"\\u0041\":\"u\", \"g\":\"}]\" }";

	(void)state;
	json(t, "a", "[1, {\"b\": \"str\\\"x\", \"c\" : -1.5e+3}]");
	json(t, "a[0]", "1");
	json(t, "a[1].b", "str\\\"x");
	json(t, "a[1].c", "-1.5e+3");
	json(t, "a.1.c", "-1.5e+3");
	json(t, "a[2]", "");
	json(t, "d", "{\"e\" : true,\"ee\":null}");
	json(t, "d.e", "true");
	json(t, "d.ee", "null");
	json(t, "d.e.x", "");
	json(t, "f[1]", "[2,3]");
	json(t, "f[1][1]", "3");
	json(t, "f[0][0]", "1");
	json(t, "\\u0041", "u");
	json(t, "g", "}]");
	json(t, "gg", "");
	json(t, "", "");
	json("[5, 6]", "[1]", "6");
	json("[5, 6]", "0", "5");
	json("{\"a\":\"\"}", "a", "");
	json("{\"a\":0x5}", "a", "");
	json("{\"a\":5+5}", "a", "");
	json("{\"a\":yes}", "a", "");
	json("{\"a\":[}]}", "a", "");
	json("{\"a\":{\"x\":\"}\"},\"b\":2}", "b", "2");
	json("{a:5}", "a", "");
	json("{\"a\":5", "a", "");
	json("\"a\"", "a", "");
	json("", "a", "");
}

/* Nothing that a text or a path may be goes beside their places. */
static void round_json_any(void)
{
	make(&a, below(2) ? "{}[]\":,a1 \\" : "{\"a\":[1,]}");
	make(&b, "a1.[]");
	place(&d);
	work(&w);
	CALL(IR_JSON, 0, 0, &d, &w, &a, &b);
	assert_non_null(memchr(d.p, '\0', d.cap));
}

#define ROUND(name) static void test_##name(void **state) { (void)state; each_round(round_##name); }
ROUND(strlen)
ROUND(strjoin)
ROUND(substr)
ROUND(index)
ROUND(strstr)
ROUND(strchr)
ROUND(case)
ROUND(args)
ROUND(path)
ROUND(clean)
ROUND(strtok)
ROUND(lltostr)
ROUND(strtoll)
ROUND(inet)
ROUND(json_any)


int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_strlen), cmocka_unit_test(test_strjoin), cmocka_unit_test(test_substr),
		cmocka_unit_test(test_index), cmocka_unit_test(test_strstr), cmocka_unit_test(test_strchr),
		cmocka_unit_test(test_case), cmocka_unit_test(test_args), cmocka_unit_test(test_path),
		cmocka_unit_test(test_clean), cmocka_unit_test(test_clean_relative),
		cmocka_unit_test(test_strtok), cmocka_unit_test(test_lltostr), cmocka_unit_test(test_strtoll),
		cmocka_unit_test(test_inet), cmocka_unit_test(test_inet6), cmocka_unit_test(test_json),
		cmocka_unit_test(test_json_any),
	};

	return cmocka_run_group_tests_name("rt", tests, NULL, NULL);
}
