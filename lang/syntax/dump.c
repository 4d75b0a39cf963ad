/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The tree as text: one line per node, children indented by two columns. */
#include <inttypes.h>

#include "lang/compile.h"

static const char *const ops[] = {
	[OP_NONE] = "", [OP_ADD] = "+", [OP_SUB] = "-", [OP_MUL] = "*", [OP_DIV] = "/", [OP_MOD] = "%", [OP_AND] = "&",
	[OP_OR] = "|", [OP_XOR] = "^", [OP_SHL] = "<<", [OP_SHR] = ">>", [OP_EQ] = "==", [OP_NE] = "!=", [OP_LT] = "<",
	[OP_LE] = "<=", [OP_GT] = ">", [OP_GE] = ">=", [OP_LAND] = "&&", [OP_LOR] = "||", [OP_LXOR] = "^^",
	[OP_NEG] = "-",
	[OP_PLUS] = "+", [OP_NOT] = "~", [OP_LNOT] = "!", [OP_PREINC] = "++x", [OP_PREDEC] = "--x",
	[OP_POSTINC] = "x++", [OP_POSTDEC] = "x--",
};

static const char *const kinds[] = {
	[N_INT] = "int", [N_STR] = "string", [N_IDENT] = "name", [N_VAR] = "variable", [N_INDEX] = "index",
	[N_AGG] = "aggregation", [N_UNARY] = "unary", [N_BINARY] = "binary", [N_ASSIGN] = "assign", [N_COND] = "?:",
	[N_COMMA] = "comma", [N_CALL] = "call", [N_CAST] = "cast", [N_SIZEOF] = "sizeof", [N_MEMBER] = "member",
	[N_DEREF] = "deref", [N_ADDR] = "address", [N_PTRINDEX] = "element", [N_XLATE] = "xlate", [N_TYPE] = "type",
};

static void put_string(struct buf *out, const char *s, size_t n)
{
	buf_putc(out, '"');
	for (size_t i = 0; i < n; i++) {
		unsigned char c = s[i];

		if (c == '"' || c == '\\')
			buf_printf(out, "\\%c", c);
		else if (c < 0x20 || c >= 0x7f)
			buf_printf(out, "\\%03o", c);
		else
			buf_putc(out, c);
	}
	buf_putc(out, '"');
}

static const char *scope_text(char scope)
{
	return scope == 't' ? "this->" : scope == 's' ? "self->" : scope == '`' ? "`" : "";
}

static const char *class_text(enum var_class cls)
{
	return cls == VC_THIS ? "this->" : cls == VC_SELF ? "self->" : "";
}

/* Writes what distinguishes this node from others of its kind. */
static void put_details(struct buf *out, const struct node *n)
{
	if (n->kind == N_INT && n->type && !n->type->is_signed)
		buf_printf(out, " %" PRIu64, n->value);
	else if (n->kind == N_INT)
		buf_printf(out, " %" PRId64, (int64_t)n->value);
	else if (n->kind == N_STR)
		buf_putc(out, ' '), put_string(out, n->str, n->len);
	else if (n->var && (n->kind == N_VAR || n->kind == N_INDEX))
		buf_printf(out, " %s%s", class_text(n->var->cls), n->var->name);
	else if (n->kind == N_IDENT)
		buf_printf(out, " %s%s", scope_text(n->scope), n->str);
	else if (n->kind == N_AGG)
		buf_printf(out, " @%s", n->str);
	else if (n->kind == N_CALL)
		buf_printf(out, " %s", n->str);
	else if (n->kind == N_MEMBER)
		buf_printf(out, " %s%s", n->arrow ? "->" : ".", n->str);
	else if (n->kind == N_ASSIGN)
		buf_printf(out, " %s=", ops[n->op]);
	else if (n->op)
		buf_printf(out, " %s", ops[n->op]);
}

static void put_node(struct buf *out, const struct node *n, bool types, size_t indent)
{
	bool named = n->kind == N_INT || n->kind == N_CAST || n->kind == N_XLATE || n->kind == N_TYPE;
	const struct node *const below[] = { n->a, n->b, n->c };

	buf_pad(out, ' ', indent);
	buf_puts(out, kinds[n->kind]);
	put_details(out, n);
	if (n->type && (types || named)) {
		buf_puts(out, " : ");
		type_print(out, n->type);
	}
	buf_putc(out, '\n');
	for (int i = 0; i < 3; i++)
		if (below[i])
			put_node(out, below[i], types, indent + 2);
	for (unsigned i = 0; i < n->nargs; i++)
		put_node(out, n->args[i], types, indent + 2);
}

static void put_line(struct buf *out, size_t indent, const char *text)
{
	buf_pad(out, ' ', indent);
	buf_printf(out, "%s\n", text);
}

static void put_stmts(struct buf *out, const struct stmt *s, bool types, size_t indent)
{
	for (; s; s = s->next) {
		if (s->kind == S_IF)
			put_line(out, indent, "if");
		else if (s->kind == S_AGG)
			put_line(out, indent, "aggregate");
		put_node(out, s->expr, types, s->kind == S_EXPR ? indent : indent + 2);
		if (s->kind == S_AGG)
			put_node(out, s->call, types, indent + 2);
		if (s->kind != S_IF)
			continue;
		put_line(out, indent, "then");
		put_stmts(out, s->yes, types, indent + 2);
		if (s->no) {
			put_line(out, indent, "else");
			put_stmts(out, s->no, types, indent + 2);
		}
	}
}

static void put_clause(struct buf *out, const struct clause *c, bool types)
{
	buf_printf(out, "clause %u\n", c->index + 1);
	for (size_t i = 0; i < c->specs.n; i++)
		buf_printf(out, "  probe %s\n", c->specs.v[i].text);
	if (c->pred) {
		buf_puts(out, "  predicate\n");
		put_node(out, c->pred, types, 4);
	}
	if (c->has_body) {
		buf_puts(out, "  body\n");
		put_stmts(out, c->body, types, 4);
	}
}

static void put_var(struct buf *out, const struct var *v)
{
	buf_printf(out, "variable %s%s", class_text(v->cls), v->name);
	for (unsigned i = 0; i < v->nkeys; i++) {
		buf_puts(out, i ? ", " : "[");
		if (v->key[i])
			type_print(out, v->key[i]);
	}
	buf_puts(out, v->nkeys ? "]" : "");
	if (v->type) {
		buf_puts(out, " : ");
		type_print(out, v->type);
	}
	buf_putc(out, '\n');
}

static void put_translator(struct buf *out, const struct translator *x, bool types)
{
	buf_puts(out, "translator ");
	type_print(out, x->to);
	buf_puts(out, " < ");
	type_print(out, x->from);
	buf_printf(out, " %s >\n", x->param);
	for (size_t i = 0; i < x->members.n; i++) {
		buf_printf(out, "  %s =\n", x->members.v[i].name);
		put_node(out, x->members.v[i].expr, types, 4);
	}
}

/* Definitions of dtr's own files are the same for every script and are not shown. */
static bool is_shown(struct loc loc)
{
	return !loc_origin(loc);
}

void lang_print_tree(struct buf *out, const struct script *s, bool types)
{
	for (size_t i = 0; i < s->options.n; i++)
		buf_printf(out, "option %s%s%s\n", s->options.v[i].name, s->options.v[i].value ? "=" : "",
			   s->options.v[i].value ? s->options.v[i].value : "");
	for (size_t i = 0; i < s->vars.n; i++) {
		const struct var *v = s->vars.entries[i].value;

		if (is_shown(v->loc))
			put_var(out, v);
	}
	for (size_t i = 0; i < s->inlines.n; i++) {
		const struct inline_def *def = s->inlines.entries[i].value;

		if (!is_shown(def->loc))
			continue;
		buf_printf(out, "inline %s : ", def->name);
		type_print(out, def->type);
		buf_putc(out, '\n');
		put_node(out, def->expr, types, 2);
	}
	for (const struct translator *x = s->translators; x; x = x->next)
		if (is_shown(x->loc))
			put_translator(out, x, types);
	for (const struct clause *c = s->clauses; c; c = c->next)
		put_clause(out, c, types);
}
