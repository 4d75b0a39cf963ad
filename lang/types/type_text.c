/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Types in C syntax: the text before a declared name and the text after it. */
#include <inttypes.h>

#include "lang/types/types.h"

static bool is_suffix(const struct type *t)
{
	return t->kind == T_ARRAY || t->kind == T_FUNC;
}

static const char *plain_name(const struct type *t)
{
	static const char *const anonymous[] = {
		[T_STRUCT] = "struct <anonymous>", [T_UNION] = "union <anonymous>", [T_ENUM] = "enum <anonymous>",
	};

	if (t->name)
		return t->name;
	return t->kind == T_STRUCT || t->kind == T_UNION || t->kind == T_ENUM ? anonymous[t->kind] : "?";
}

/* From the outermost type inwards: "int (*" for a pointer to an array. */
static void put_left(struct buf *out, const struct type *t)
{
	const struct type *base = t;

	while (base->kind == T_PTR || is_suffix(base))
		base = base->ref;
	buf_puts(out, plain_name(base));
	if (t->kind == T_PTR)
		buf_putc(out, ' ');
}

enum { TYPE_MAXDERIVED = 64 };

void type_print(struct buf *out, const struct type *t)
{
	const struct type *chain[TYPE_MAXDERIVED];
	struct buf left = { 0 }, right = { 0 };
	unsigned n = 0;

	put_left(out, t);
	for (; (t->kind == T_PTR || is_suffix(t)) && n < TYPE_MAXDERIVED; t = t->ref)
		chain[n++] = t;
	for (unsigned i = 0; i < n; i++) {
		bool group = chain[i]->kind == T_PTR && i + 1 < n && is_suffix(chain[i + 1]);

		if (chain[i]->kind == T_PTR)
			buf_putc(&left, '*');
		else if (chain[i]->kind == T_ARRAY)
			buf_printf(&right, "[%" PRIu64 "]", chain[i]->nelems);
		else
			buf_puts(&right, "()");
		if (group) {
			buf_putc(&left, '(');
			buf_putc(&right, ')');
		}
	}
	if (left.len && n && chain[0]->kind != T_PTR)
		buf_putc(out, ' ');
	for (size_t i = left.len; i > 0; i--)
		buf_putc(out, left.data[i - 1]);
	buf_puts(out, buf_str(&right));
	buf_free(&left);
	buf_free(&right);
}

const char *type_text(struct types *t, const struct type *ty)
{
	struct buf b = { 0 };
	const char *s;

	if (ty->user)
		buf_puts(&b, "userland ");
	type_print(&b, ty);
	s = arena_strdup(t->arena, buf_str(&b));
	buf_free(&b);
	return s;
}
