/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lang/check/typed.h"

/* ---- layout ---- */
static uint32_t put_at(uint32_t *off, uint64_t size, uint32_t align)
{
	uint64_t at = ((uint64_t)*off + align - 1) & ~(uint64_t)(align - 1);

	/* an overflow stays too large: the limits are far below */
	*off = at + size > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)(at + size);
	return at > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)at;
}

struct val_field type_field(const struct type *t, uint32_t strsize, uint32_t *off)
{
	uint64_t cap = type_is_string(t) ? ((t->size ? t->size : strsize) + 7) & ~7ull : t->size;
	struct val_field f = { .size = cap > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)cap };

	f.kind = type_is_string(t) ? VAL_STR : t->kind == T_PTR ? VAL_PTR : t->kind == T_SYMBOLIC ? t->symbolic :
		 type_is_int(t) ? VAL_INT : VAL_BYTES;
	f.is_signed = (type_is_int(t) && t->is_signed) || t->floating;
	f.off = put_at(off, f.size, f.kind == VAL_INT ? f.size : 8);
	return f;
}

uint32_t key_layout(struct type *const *key, unsigned n, uint32_t strsize, struct val_field *out)
{
	uint32_t off = 0;

	for (unsigned i = 0; i < n; i++)
		out[i] = type_field(key[i], strsize, &off);
	return (off + 7) & ~7u;
}

uint32_t var_key_layout(const struct var *v, uint32_t strsize, struct val_field *out)
{
	return key_layout(v->key, v->nkeys, strsize, out);
}

void key_layout_raw(struct agg_desc *d)
{
	uint32_t off = 0;

	for (unsigned i = 0; i < d->nkeys; i++) {
		struct val_field *f = &d->raw[i];

		*f = d->key[i];
		if (f->kind == VAL_STACK || f->kind == VAL_USTACK) {
			f->size = f->kind == VAL_STACK ? 8 : 16;
			d->has_stacks = true;
		}
		f->off = put_at(&off, f->size, f->kind == VAL_INT ? f->size : 8);
	}
	d->rawsize = (off + 7) & ~7u;
}

/* ---- places ---- */
bool node_points_to_kernel(const struct node *n)
{
	for (;;) {
		if (n->kind == N_INT || n->kind == N_VAR)
			return n->kind == N_INT ? n->scope == '`' : n->var->cls == VC_BUILTIN;
		if (n->kind == N_BINARY && (n->op == OP_ADD || n->op == OP_SUB) && n->type->kind == T_PTR)
			n = n->a;
		else if (n->kind == N_DEREF || n->kind == N_ADDR || n->kind == N_MEMBER ||
			 (n->kind == N_CAST && n->a->type->kind == T_PTR))
			n = n->a;
		else
			return false;
	}
}

bool node_in_variable(const struct node *n)
{
	while (n->kind == N_MEMBER && !n->arrow)
		n = n->a;
	if (n->kind == N_VAR || n->kind == N_INDEX)
		return n->var->cls != VC_BUILTIN;
	return (n->kind == N_DEREF || n->kind == N_MEMBER) && node_points_to_variable(n->a);
}

bool node_points_to_variable(const struct node *n)
{
	while ((n->kind == N_BINARY && (n->op == OP_ADD || n->op == OP_SUB) && n->type->kind == T_PTR) ||
	       (n->kind == N_CAST && n->type->kind == T_PTR && n->a->type->kind == T_PTR))
		n = n->a;
	return n->kind == N_ADDR && node_in_variable(n->a);
}

/* ---- probes ---- */
const char *probe_text(const struct probe *p, enum builtin bi)
{
	switch (bi) {
	case BI_probeprov:
		return p->provname;
	case BI_probemod:
		return p->mod;
	case BI_probefunc:
		return p->func;
	case BI_probename:
		return p->name;
	default:
		return NULL;
	}
}

