/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reading variables, built-in variables and arrays. */
#include "lang/check/var.h"

#include <inttypes.h>
#include <linux/bpf_perf_event.h>
#include <string.h>

#include "lang/check/args.h"
#include "lang/check/cgroup.h"
#include "lang/check/checker.h"
#include "lang/check/conv.h"
#include "lang/check/inline.h"
#include "lang/check/key.h"
#include "lang/check/ksym.h"
#include "lang/check/mem.h"
#include "lang/check/name.h"
#include "lang/check/near.h"
#include "lang/check/xlate.h"
#include "lang/prelude.h"
#include "lang/types/type_find.h"

/* ---- built-in variables ---- */
/* The type of probefunc and the like: as long as the longest text of the script's probes, because a key is as wide as
 * its type. */
static struct type *probe_text_type(struct checker *ck, enum builtin bi)
{
	size_t longest = 0;

	for (const struct clause *c = ck->s->clauses; c; c = c->next) {
		if (c->follows && longest < FOLLOW_TEXT)
			longest = FOLLOW_TEXT;
		for (size_t i = 0; i < c->probes.n; i++) {
			size_t n = strlen(probe_text(c->probes.v[i], bi));

			longest = n > longest ? n : longest;
		}
	}
	return type_string(ck->t, (longest + 8) & ~(size_t)7);
}

static struct type *builtin_type(struct checker *ck, enum builtin bi, struct loc loc)
{
	const char *text = builtin_info[bi].type;
	struct type *t = check_cgroup_type(ck, bi);

	if (t)
		return t;
	t = type_lookup(ck->t, text);

	if (bi == BI_probeprov || bi == BI_probemod || bi == BI_probefunc || bi == BI_probename)
		return probe_text_type(ck, bi);
	if (!t)
		return check_fail(ck, loc, ck->t->error ? D_KTYPE : D_UNKNOWN, "%s: %s", builtin_info[bi].name,
				  ck->t->error ? ck->t->error :
						 arena_printf(ck->a, "the kernel has no type %s", text));
	return t->kind == T_ARRAY ? type_string(ck->t, t->nelems) : t;
}

/* If the type of a built-in variable is not available, only its first use reports that. */
struct node *check_builtin_node(struct checker *ck, enum builtin bi, struct loc loc)
{
	struct var *v = ck->builtins[bi];
	struct node *n;

	if (!v) {
		ck->builtins[bi] = v = arena_alloc(ck->a, sizeof *v);
		v->name = builtin_info[bi].name;
		v->cls = VC_BUILTIN;
		v->builtin = bi;
		v->loc = loc;
		v->type = builtin_type(ck, bi, loc);
	}
	n = check_node(ck, N_VAR, loc, v->type);
	n->var = v;
	n->str = v->name;
	return n;
}

/* ---- built-in arrays ---- */
bool check_builtin_is_array(enum builtin bi)
{
	return bi == BI_uregs || bi == BI_args;
}

/* An index that is not constant is checked when the clause runs. */
static bool register_exists(struct checker *ck, const struct node *index)
{
	const uint64_t n = sizeof(bpf_user_pt_regs_t) / sizeof(uint64_t);

	if (index->kind != N_INT || index->value < n)
		return true;
	check_fail(ck, index->loc, index->type->is_signed && (int64_t)index->value < 0 ? D_REGS_IDX : D_UNKNOWN,
		   "index %" PRId64 " is out of range for array uregs: there are %" PRIu64 " registers",
		   (int64_t)index->value, n);
	return false;
}

/* uregs[n] */
static struct type *builtin_index(struct checker *ck, struct node **np, enum builtin bi)
{
	struct node *n = *np, *var;

	if (n->nargs != 1)
		return check_fail(ck, n->loc, D_PROTO_LEN, "%s[ ] prototype mismatch: %u args passed, 1 expected",
				  builtin_info[bi].name, n->nargs);
	if (!check_value(ck, &n->args[0]))
		return NULL;
	if (!type_is_int(n->args[0]->type))
		return check_fail(ck, n->args[0]->loc, D_PROTO_ARG,
				  "%s[ ] index is incompatible with prototype: it must be an integer, not \"%s\"",
				  builtin_info[bi].name, check_text(ck, n->args[0]->type));
	if (!register_exists(ck, n->args[0]))
		return NULL;
	var = check_builtin_node(ck, bi, n->loc);
	n->args[0] = check_cast(ck, n->args[0], ck->t->t_ulong);
	n->var = var->var;
	n->str = var->str;
	n->a = NULL;
	return n->type = var->type;
}

bool check_is_dynamic(const char *name)
{
	return !strcmp(name, "curpsinfo") || !strcmp(name, "curlwpsinfo") || !strcmp(name, "curcpu");
}

static struct type *builtin_use(struct checker *ck, struct node **np, enum builtin bi)
{
	struct loc loc = (*np)->loc;

	if (bi == BI_ipl)
		return check_fail(ck, loc, D_UNSUPPORTED, "ipl: Linux has no interrupt priority levels");
	if (check_is_dynamic((*np)->str))
		return check_xlate(ck, np);
	if (check_builtin_is_array(bi))
		return check_fail_once(ck, loc, D_IDENT_BADREF, (*np)->str,
				       "array %s may not be referenced as a scalar variable", (*np)->str);
	if (bi >= BI_arg0 && bi <= BI_arg9 && !check_probe_arg(ck, bi - BI_arg0, loc))
		return NULL;
	ck->c->uses_caller |= bi == BI_caller;
	*np = check_builtin_node(ck, bi, loc);
	return (*np)->type;
}

/* ---- self-> in probes of providers with separate variables ---- */
struct tls_use {
	const struct provider *own;	/* NULL: none yet */
	bool other;
	struct loc loc;			/* the first use in a probe of `own` */
};

void check_note_tls(struct checker *ck, const struct var *v, struct loc loc)
{
	struct tls_use **slot = (struct tls_use **)map_put(&ck->tls, &v, sizeof v), *u;

	if (!*slot)
		*slot = arena_alloc(ck->a, sizeof **slot);
	u = *slot;
	u->other |= ck->in_other || (u->own && ck->own && ck->own != u->own);
	if (ck->own && !u->own) {
		u->own = ck->own;
		u->loc = loc;
	}
}

void check_tls(struct checker *ck)
{
	for (size_t i = 0; i < ck->tls.n; i++) {
		const struct tls_use *u = ck->tls.entries[i].value;
		const struct var *v = *(const struct var *const *)ck->tls.entries[i].key;

		if (u->own && u->other && !ck->c->opts.share_self)
			diag_warn(ck->d, u->loc, D_PROFILE_TLS,
				  "self->%s here differs from that of other probes: %s probes have their own "
				  "thread-local variables (-x %s: shared)",
				  v->name, u->own->name, u->own->firing->self_option);
	}
}

/* ---- variables ---- */
/* A name that is neither known nor created by a refused assignment. */
static struct type *unassigned_variable(struct checker *ck, const struct node *n)
{
	return check_fail_once(ck, n->loc, D_VAR_UNDEF, var_text(ck, n),
			       "%s has not yet been declared or assigned%s", var_text(ck, n), near_variable(ck, n));
}

/* A name that is neither known nor created by a refused assignment. */
static struct type *undefined_variable(struct checker *ck, const struct node *n)
{
	if (n->scope)
		return unassigned_variable(ck, n);
	if (check_later(ck, n->str, NAME_VARIABLE, n->loc))
		return NULL;
	return check_fail_once(ck, n->loc, D_IDENT_UNDEF, n->str, "failed to resolve %s: Unknown variable name%s",
			       n->str, near_variable(ck, n));
}

struct type *check_var(struct checker *ck, struct node **np)
{
	const struct var *v = (*np)->var;

	(void)ck;
	return (*np)->type = v->type;
}

struct type *check_ident(struct checker *ck, struct node **np)
{
	struct node *n = *np;
	struct inline_def *def = n->scope ? NULL : inline_find(ck->c, n->str);
	enum builtin bi = n->scope ? BI_NONE : builtin_find(n->str);
	struct var *v;

	if (n->scope == '`')
		return check_kernel(ck, np);
	if (def)
		return check_inline(ck, np, def);
	if (bi)
		return builtin_use(ck, np, bi);
	v = check_find_var(ck, n);
	bi = v || n->scope ? BI_NONE : builtin_yielding(n->str);
	if (bi)
		return builtin_use(ck, np, bi);
	if (!v && !n->scope && !strcmp(n->str, "NULL")) {
		*np = check_int(ck, n->loc, ck->t->t_int, 0);
		return (*np)->type;
	}
	if (!v && !n->scope && reg_find(n->str) >= 0)
		return (*np = check_int(ck, n->loc, ck->t->t_int, (uint64_t)reg_find(n->str)))->type;
	if (!v && !n->scope && !check_is_variable(ck, n))
		return NULL;
	def = v || n->scope ? NULL : prelude_constant(ck->c, n->str);
	if (!v && !n->scope && !def)
		def = prelude_variable(ck->c, n->str);
	if (def)
		return check_inline(ck, np, def);
	if (!v || !v->type)
		return v ? NULL : undefined_variable(ck, n);
	if (v->is_array)
		return check_fail_once(ck, n->loc, D_IDENT_BADREF, var_text(ck, n),
				       "associative array %s may not be referenced as a scalar variable",
				       var_text(ck, n));
	if (v->cls == VC_SELF)
		check_note_tls(ck, v, n->loc);
	n->kind = N_VAR;
	n->var = v;
	return n->type = v->type;
}

/* ---- a[b] ---- */
/* True if the name can only be an array of the script. A name that has a value is a pointer or a C array, or is refused
 * as one. */
static bool names_array(struct checker *ck, const struct node *n)
{
	const struct var *v;

	if (n->kind != N_IDENT || n->scope == '`')
		return false;
	v = check_find_var(ck, n);
	if (v && v->type && !v->is_array)
		return false;
	return n->scope || (!builtin_find(n->str) && !inline_find(ck->c, n->str));
}

bool check_subscripts(struct checker *ck, struct node *n)
{
	bool ok = true;

	for (unsigned i = 0; i < n->nargs; i++)
		ok &= check_key(ck, &n->args[i]) != NULL;
	return ok;
}

bool check_array(struct checker *ck, struct node *n, struct var *v)
{
	struct key_shape *sh = check_shape(ck, v, v->name);

	if (!sh->known && v->nkeys) {
		sh->known = sh->fixed = true;
		sh->nkeys = v->nkeys;
		for (unsigned i = 0; i < v->nkeys; i++)
			sh->key[i] = v->key[i];
	}
	if (!check_keys(ck, sh, n, VAR_MAXKEYS))
		return false;
	n->var = v;
	n->str = v->name;
	n->a = NULL;
	return true;
}

/* a[i] where a is a scalar variable, a C array or a pointer. */
static struct type *pointer_index(struct checker *ck, struct node **np)
{
	struct node *n = *np;
	struct type *a = check_operand(ck, &n->a);

	if (!a)
		return NULL;
	if (n->nargs != 1)
		return check_fail(ck, n->loc, D_ARR_BADREF,
				  "cannot access a value of type \"%s\" as an associative array",
				  check_text(ck, a));
	return check_element(ck, np, n->a, n->args[0]);
}

bool check_is_fds(struct checker *ck, const struct node *n)
{
	return n->kind == N_INDEX && !n->var && n->a->kind == N_IDENT && !n->a->scope && !strcmp(n->a->str, "fds") &&
	       !check_find_var(ck, n->a);
}

struct type *check_index(struct checker *ck, struct node **np)
{
	struct node *n = *np, *name = n->a;
	const struct inline_def *def;
	struct var *v;

	if (n->var)
		return n->type = n->var->type;
	if (check_is_args(n))
		return check_probe_args(ck, n) ? check_expr(ck, np) : NULL;
	if (name->kind == N_IDENT && !name->scope && check_builtin_is_array(builtin_find(name->str)))
		return builtin_index(ck, np, builtin_find(name->str));
	check_kernel_inline(ck, name);
	def = check_inline_named(ck, n);
	if (def)
		return check_inline_index(ck, np, def);
	if (check_is_fds(ck, n))
		return n->type = check_dynamic(ck, CHECK_XLATE);
	if (!names_array(ck, name))
		return pointer_index(ck, np);
	if (!check_subscripts(ck, n))
		return NULL;
	v = check_find_var(ck, name);
	if (!v && !name->scope && !check_is_variable(ck, name))
		return NULL;
	if (!v && !name->scope && check_later(ck, name->str, NAME_VARIABLE, name->loc))
		return NULL;
	if (!v || !v->type)
		return v ? NULL : unassigned_variable(ck, name);
	if (v->cls == VC_SELF)
		check_note_tls(ck, v, name->loc);
	return check_array(ck, n, v) ? n->type = v->type : NULL;
}
