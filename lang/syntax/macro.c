/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Macro variables: $1, $$1, $pid, $target ... They are replaced as text, before the grammar. */
#include "lang/syntax/macro.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lang/syntax/gram.h"
#include "lang/syntax/literal.h"
#include "lang/syntax/node.h"
#include "lang/syntax/scan.h"

static int64_t get_pid(const struct parser *p) { (void)p; return getpid(); }
static int64_t get_ppid(const struct parser *p) { (void)p; return getppid(); }
static int64_t get_uid(const struct parser *p) { (void)p; return getuid(); }
static int64_t get_euid(const struct parser *p) { (void)p; return geteuid(); }
static int64_t get_gid(const struct parser *p) { (void)p; return getgid(); }
static int64_t get_egid(const struct parser *p) { (void)p; return getegid(); }
static int64_t get_sid(const struct parser *p) { (void)p; return getsid(0); }
static int64_t get_pgid(const struct parser *p) { (void)p; return getpgid(0); }
static int64_t get_zero(const struct parser *p) { (void)p; return 0; }
/* 0 without a target, as in DTrace. */
static int64_t get_target(const struct parser *p)
{
	const struct compile_env *env = &p->c->env;

	return env->target <= 0 ? 0 : p->target < env->ntargets ? env->targets[p->target] : env->target;
}

static int64_t get_lines(const struct parser *p) { return p->c->env.lines; }

static const struct {
	const char *name;
	int64_t (*get)(const struct parser *p);
} macros[] = {
	{ "pid", get_pid }, { "ppid", get_ppid }, { "uid", get_uid }, { "euid", get_euid }, { "gid", get_gid },
	{ "egid", get_egid }, { "sid", get_sid }, { "pgid", get_pgid }, { "target", get_target },
	{ "lines", get_lines },
	{ "projid", get_zero }, { "taskid", get_zero }, { "zoneid", get_zero },
};

/* Word number i of -x argdefaults, or NULL. */
static const char *macro_default(struct parser *p, unsigned long i)
{
	const char *s = p->c->opts.argdefaults;

	while (s && --i) {
		s = strchr(s, ',');
		s = s ? s + 1 : NULL;
	}
	return s && *s && *s != ',' ? arena_strndup(p->a, s, strcspn(s, ",")) : NULL;
}

static const char *macro_argument(struct parser *p, const char *name, size_t n, const char *missing)
{
	const struct compile_env *env = &p->c->env;
	unsigned long i = n < 10 ? strtoul(name, NULL, 10) : UINT32_MAX;
	const char *s;

	if (!i)
		return env->argv0 ? env->argv0 : "";
	if (i <= env->nargs) {
		p->c->arg_used[i - 1] = true;
		if (!p->c->opts.argdefaults || *env->args[i - 1])
			return env->args[i - 1];
	}
	s = macro_default(p, i);
	if (s)
		return s;
	if (p->c->opts.defaultargs)
		return missing;
	parse_error(p, p->loc, D_MACRO_UNDEF, "macro argument $%.*s is not defined", n > 40 ? 40 : (int)n, name);
	return NULL;
}

const char *macro_text(struct parser *p, const char *name, size_t n, const char *missing)
{
	if (n && isdigit((unsigned char)*name)) {
		/* as in DTrace, leading zeros are allowed */
		char *copy = arena_strndup(p->a, name, n);

		return macro_argument(p, copy, n, missing);
	}
	for (size_t i = 0; i < sizeof macros / sizeof *macros; i++) {
		if (strlen(macros[i].name) == n && !memcmp(macros[i].name, name, n))
			return arena_printf(p->a, "%lld", (long long)macros[i].get(p));
	}
	parse_error(p, p->loc, D_MACRO_UNDEF, "macro variable $%.*s is not defined", n > 40 ? 40 : (int)n, name);
	return NULL;
}

/* ---- in expressions: an integer, an identifier, or else a string ---- */

static bool is_integer(const char *s)
{
	size_t sign = *s == '-' || *s == '+';
	const char *digits = s + sign;
	size_t len;

	if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X'))
		return digits[2] && strspn(digits + 2, "0123456789abcdefABCDEF") == strlen(digits + 2);
	len = strspn(digits, "0123456789");
	return len && digits[len + strspn(digits + len, "uUlL")] == '\0';
}

static bool is_identifier(const char *s)
{
	if (!isalpha((unsigned char)*s) && *s != '_')
		return false;
	for (; *s; s++)
		if (!isalnum((unsigned char)*s) && *s != '_')
			return false;
	return true;
}

static struct node *macro_int(struct parser *p, const char *s)
{
	bool neg = *s == '-';
	struct node *n;

	s += *s == '-' || *s == '+';
	errno = 0;
	strtoull(s, NULL, 0);
	if (errno == ERANGE) {
		parse_error(p, p->loc, D_MACRO_OFLOW, "macro argument %.60s does not fit in 64 bits", s);
		return node_int(p, p->loc, 0, p->c->types.t_long);
	}
	n = literal_int(p, s, strlen(s));
	n->setting = true;
	if (!neg)
		return n;
	if (n->value > (uint64_t)INT64_MAX + 1) {
		parse_error(p, p->loc, D_MACRO_OFLOW, "macro argument -%s does not fit in 64 bits", s);
		n->value = 0;
	}
	n->type = n->value <= (uint64_t)INT32_MAX + 1 ? p->c->types.t_int : p->c->types.t_long;
	n->value = 0 - n->value;
	return n;
}

static int macro_string(struct parser *p, DPARSE_STYPE *v, const char *s)
{
	size_t n = strlen(s);

	if (n > 1 && s[0] == '"' && s[n - 1] == '"')
		s++, n -= 2;
	v->node = node_str(p, p->loc, s, n);
	return TOK_STR;
}

int scan_macro(struct parser *p, DPARSE_STYPE *v, const char *text, size_t n)
{
	bool as_string = n > 1 && text[1] == '$';
	size_t skip = as_string ? 2 : 1;
	const char *s = macro_text(p, text + skip, n - skip, as_string ? "" : "0");

	if (as_string) {
		v->node = node_str(p, p->loc, s ? s : "", s ? strlen(s) : 0);
		return TOK_STR;
	}
	if (!s || is_integer(s)) {
		v->node = macro_int(p, s ? s : "0");
		return TOK_INT;
	}
	return is_identifier(s) ? scan_word(p, v, s, strlen(s)) : macro_string(p, v, s);
}

/* ---- in probe descriptions: as text ---- */

static size_t macro_length(const char *s, size_t n)
{
	size_t i = 0;

	if (n && isdigit((unsigned char)*s)) {
		while (i < n && isdigit((unsigned char)s[i]))
			i++;
		return i;
	}
	while (i < n && (isalnum((unsigned char)s[i]) || s[i] == '_'))
		i++;
	return i;
}

const char *macro_expand(struct parser *p, const char *text, size_t n)
{
	struct buf out = { 0 };
	const char *result;

	if (!memchr(text, '$', n))
		return arena_strndup(p->a, text, n);
	for (size_t i = 0; i < n;) {
		size_t skip = text[i] == '$' ? 1 + (i + 1 < n && text[i + 1] == '$') : 0;
		size_t len = skip ? macro_length(text + i + skip, n - i - skip) : 0;
		const char *s;

		if (!len) {
			buf_putc(&out, text[i++]);
			continue;
		}
		s = macro_text(p, text + i + skip, len, "");
		buf_puts(&out, s ? s : "");
		i += skip + len;
	}
	result = arena_strdup(p->a, buf_str(&out));
	buf_free(&out);
	return result;
}
