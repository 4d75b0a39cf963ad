/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "tests/gen/cover.h"

#include <stdio.h>
#include <string.h>

static const char *const op_names[COVER_OPS] = {
	NULL, "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "^^",
	"-x", "+x", "~x", "!x", "++x", "--x", "x++", "x--",
};

/* The kinds that remain after the checker. */
static const char *const node_names[COVER_NODES] = {
	[N_INT] = "integer", [N_STR] = "string", [N_VAR] = "variable", [N_INDEX] = "element", [N_AGG] = "aggregation",
	[N_UNARY] = "unary", [N_BINARY] = "binary", [N_ASSIGN] = "assignment", [N_COND] = "?:", [N_COMMA] = "comma",
	[N_CALL] = "call", [N_CAST] = "cast", [N_MEMBER] = "member", [N_DEREF] = "*x", [N_ADDR] = "&x",
};

static const char *const builtin_names[BI_COUNT] = {
#define BUILTIN(name, type, doc) [BI_##name] = #name,
#include "lang/syntax/builtin.def"
#undef BUILTIN
};

static const char *const act_names[ACT_COUNT] = {
#define ACTION(name, text, min, max, destructive) [ACT_##name] = text,
#include "lang/syntax/action.def"
#undef ACTION
};

/* What generated scripts cannot contain, and why. */
static const struct {
	const char *name, *why;
} exceptions[] = {
	{ "args", "the probes that fire here have none with types" },
	{ "ipl", "is refused" },
	{ "cookie", "only probes in processes have cookies" },
	{ "turn", "only probes in processes have turns" },
	{ "perfcount", "only where a performance counter drives a probe, which is the machine's affair" },
	{ "cgroup", "the thread's control group is the machine's affair; tests/cmd/cgroup.t compares it" },
	{ "cgroupid", "likewise" },
	{ "goid", "only threads of Go have one: tests/symbols/go_goid.t" },
	{ "container", "likewise" },
	{ "image", "likewise" },
	{ "pod", "likewise" },
	{ "stop", "would stop the test" },
	{ "raise", "sends signals to the test" },
	{ "signal", "is what these become" },
	{ "chill", "takes its time" },
	{ "breakpoint", "is refused" },
	{ "panic", "is refused" },
	{ "gather", "only the scripts of dtr trace have it: tests/cmd/trace.t" },
	{ "uwrite", "some kernels refuse to write to processes" },
};

/* ---- counting ---- */
static void count_node(struct cover *c, const struct node *n)
{
	if (!n)
		return;
	c->node[n->kind]++;
	if (n->kind == N_UNARY || n->kind == N_BINARY)
		c->op[n->op]++;
	if (n->kind == N_ASSIGN)
		c->assign[n->op]++;
	if (n->kind == N_CALL)
		c->act[n->act]++;
	count_node(c, n->a);
	count_node(c, n->b);
	count_node(c, n->c);
	for (unsigned i = 0; i < n->nargs; i++)
		count_node(c, n->args[i]);
}

static bool in_word(char ch)
{
	return ch == '_' || (ch >= '0' && ch <= '9') || (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z');
}

/* Counts built-in variables by their names in the text, as the checker replaces some by translators. */
static void count_builtins(struct cover *c, const char *text)
{
	for (int i = 1; i < BI_COUNT; i++) {
		size_t n = strlen(builtin_names[i]);

		for (const char *at = text; (at = strstr(at, builtin_names[i])); at += n)
			c->builtin[i] += (at == text || !in_word(at[-1])) && !in_word(at[n]);
	}
}

static void count_agg(struct cover *c, const struct agg_desc *d)
{
	for (unsigned i = 0; agg_funcs[i] && i < COVER_AGGS; i++)
		c->agg[i] += agg_funcs[i] == d->func;
}

static void count_stmts(struct cover *c, const struct stmt *s)
{
	for (; s; s = s->next) {
		count_node(c, s->expr);
		if (s->kind == S_AGG) {
			count_agg(c, s->expr->agg);
			for (unsigned i = 0; i < s->call->nargs; i++)
				count_node(c, s->call->args[i]);
		}
		count_stmts(c, s->yes);
		count_stmts(c, s->no);
	}
}

static void count_left(struct cover *c, const struct both *t)
{
	const char *p = t->want.records.data;
	struct error_rec e;
	uint32_t size;

	c->firings += t->nfirings;
	c->bytes += t->want.records.len;
	c->cells += t->w.cells.n;
	c->exits += t->want.exited;
	for (size_t at = 0; at + sizeof size <= t->want.records.len; at += size) {
		memcpy(&size, p + at, sizeof size);
		at += sizeof size;
		c->records++;
		if (size != sizeof e)
			continue;
		memcpy(&e, p + at, sizeof e);
		if (!e.hdr.epid && e.kind < COVER_FAULTS)
			c->fault[e.kind]++;
	}
}

void cover_count(struct cover *c, const struct gen_case *k, const char *text)
{
	c->scripts++;
	if (!k->prog)
		return;
	for (const struct clause *cl = k->prog->script->clauses; cl; cl = cl->next) {
		c->clauses++;
		count_node(c, cl->pred);
		count_stmts(c, cl->body);
	}
	count_builtins(c, text);
	for (unsigned i = 0; i < IR_NOPS; i++)
		c->ir[i] += k->ir[i];
	count_left(c, &k->both);
}

/* ---- printing ---- */
static void print_row(const char *what, const char *const *names, const uint64_t *n, unsigned count)
{
	printf("# %s:", what);
	for (unsigned i = 0; i < count; i++) {
		if (names[i])
			printf(" %s %llu", names[i], (unsigned long long)n[i]);
	}
	putchar('\n');
}

static bool excepted(const char *name)
{
	for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++) {
		if (!strcmp(name, exceptions[i].name))
			return true;
	}
	return *name == '_';	/* of the prelude and the providers, not of scripts */
}

static bool all_there(const char *what, const char *const *names, const uint64_t *n, unsigned count)
{
	bool ok = true;

	for (unsigned i = 0; i < count; i++) {
		if (!names[i] || n[i] || excepted(names[i]))
			continue;
		printf("# %s %s never appeared\n", what, names[i]);
		ok = false;
	}
	return ok;
}

struct cover_names {
	const char *agg[COVER_AGGS], *ir[IR_NOPS], *assign[COVER_OPS], *act[ACT_COUNT];
};

static void names_make(struct cover_names *s)
{
	memset(s, 0, sizeof *s);
	for (unsigned i = 0; agg_funcs[i] && i < COVER_AGGS; i++)
		s->agg[i] = agg_funcs[i]->name;
	for (unsigned i = 0; i < IR_NOPS; i++)
		s->ir[i] = ir_opinfo[i].text;
	for (unsigned i = OP_ADD; i <= OP_SHR; i++)
		s->assign[i] = op_names[i];
	s->assign[OP_NONE] = "=";
	memcpy(s->act, act_names, sizeof act_names);
}

static bool each(const struct cover *c, bool (*fn)(const char *, const char *const *, const uint64_t *, unsigned))
{
	struct cover_names s;
	bool ok = true;

	names_make(&s);
	ok &= fn("operator", op_names, c->op, COVER_OPS);
	ok &= fn("assignment", s.assign, c->assign, COVER_OPS);
	ok &= fn("expression", node_names, c->node, COVER_NODES);
	ok &= fn("variable", builtin_names, c->builtin, BI_COUNT);
	ok &= fn("action", s.act, c->act, ACT_COUNT);
	ok &= fn("function", s.agg, c->agg, COVER_AGGS);
	ok &= fn("operation", s.ir, c->ir, IR_NOPS);
	return ok;
}

static bool print_one(const char *what, const char *const *names, const uint64_t *n, unsigned count)
{
	print_row(what, names, n, count);
	return true;
}

void cover_print(const struct cover *c)
{
	printf("# scripts %llu clauses %llu firings %llu records %llu bytes %llu cells %llu exits %llu\n",
	       (unsigned long long)c->scripts, (unsigned long long)c->clauses, (unsigned long long)c->firings,
	       (unsigned long long)c->records, (unsigned long long)c->bytes, (unsigned long long)c->cells,
	       (unsigned long long)c->exits);
	printf("# faults:");
	for (unsigned i = 0; i < COVER_FAULTS; i++)
		printf(" kind %u %llu", i, (unsigned long long)c->fault[i]);
	putchar('\n');
	each(c, print_one);
}

bool cover_complete(const struct cover *c)
{
	bool ok = each(c, all_there);

	/* and the runs must have produced something to compare */
	if (!c->fault[IR_FLT_BADADDR] || !c->fault[IR_FLT_DIVZERO] || !c->exits || c->records < c->scripts / 2) {
		puts("# too few faults, exits or records");
		ok = false;
	}
	return ok;
}
