/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names: finds what a name in a script refers to. */
#include "lang/check/name.h"

#include <linux/bpf_perf_event.h>
#include <stddef.h>
#include <string.h>

#include "base/arch/arch.h"
#include "lang/check/checker.h"
#include "lang/syntax/reserved.h"

const struct builtin_info builtin_info[BI_COUNT] = {
#define BUILTIN(name, type, doc) [BI_##name] = { #name, type, false },
#define YIELDING(name, type, doc) [BI_##name] = { #name, type, true },
#include "lang/syntax/builtin.def"
#undef BUILTIN
};

static enum builtin find_builtin(const char *name, bool yields)
{
	for (int i = BI_NONE + 1; i < BI_COUNT; i++)
		if (builtin_info[i].yields == yields && !strcmp(builtin_info[i].name, name))
			return (enum builtin)i;
	return BI_NONE;
}

enum builtin builtin_find(const char *name)
{
	return find_builtin(name, false);
}

enum builtin builtin_yielding(const char *name)
{
	return find_builtin(name, true);
}

int reg_find(const char *name)
{
	static const struct { const char *name; int number; } regs[] = {
#define REG(name, member) { #name, (int)(offsetof(bpf_user_pt_regs_t, member) / 8) },
#include "lang/check/reg.def"
#undef REG
	};

	for (size_t i = 0; i < sizeof regs / sizeof *regs; i++)
		if (!strcmp(regs[i].name, name))
			return regs[i].number;
	return -1;
}

bool check_later(struct checker *ck, const char *name, enum name_kind kind, struct loc loc)
{
	static const struct { const char *name; bool call; } later[] = {
#define LATER(name, call) { #name, call },
#include "lang/check/later.def"
#undef LATER
	};

	static const struct { const char *name; bool call; const char *reason; } never[] = {
#define LATER(name, call)
#define NEVER(name, call, reason) { #name, call, reason },
#include "lang/check/later.def"
#undef LATER
	};

	bool call = kind == NAME_FUNCTION;
	const char *key = call ? arena_printf(ck->a, "%s()", name) : name;

	for (size_t i = 0; i < sizeof never / sizeof *never; i++) {
		if (never[i].call != call || strcmp(never[i].name, name))
			continue;
		check_fail_once(ck, loc, D_UNSUPPORTED, key, "%s%s is not supported: %s", name, call ? "()" : "",
				never[i].reason);
		return true;
	}
	for (size_t i = 0; i < sizeof later / sizeof *later; i++) {
		if (later[i].call != call || strcmp(later[i].name, name))
			continue;
		check_fail_once(ck, loc, D_UNSUPPORTED, key, "%s%s is not available in this version of dtr", name,
			   call ? "()" : "");
		return true;
	}
	return false;
}

bool check_is_variable(struct checker *ck, const struct node *n)
{
	const char *kind = reserved_function(n->str);

	if (kind)
		check_fail_once(ck, n->loc, D_IDENT_BADREF, n->str, "%s '%s' may not be referenced as a variable", kind,
				n->str);
	return !kind;
}

const char *var_text(struct checker *ck, const struct node *n)
{
	const char *prefix = n->scope == 't' ? "this->" : n->scope == 's' ? "self->" : "";

	return arena_printf(ck->a, "%s%s", prefix, n->str);
}

const char *check_var_key(struct checker *ck, enum var_class cls, const char *name)
{
	return cls == VC_GLOBAL ? name : arena_printf(ck->a, "%s %s", cls == VC_THIS ? "this" : "self", name);
}

enum var_class check_class(const struct node *name)
{
	return name->scope == 't' ? VC_THIS : name->scope == 's' ? VC_SELF : VC_GLOBAL;
}

/* Notes which clauses use a clause-local variable. */
static void note_clause(const struct checker *ck, struct var *v)
{
	if (v->cls != VC_THIS || !ck->clause || v->clause == ck->clause)
		return;
	v->shared |= v->clause && v->clause->index != ck->clause->index;
	v->clause = ck->clause;
}

struct var *check_find_var(struct checker *ck, const struct node *n)
{
	struct var *v = map_gets(&ck->s->vars, check_var_key(ck, check_class(n), n->str));

	if (v)
		note_clause(ck, v);
	return v;
}

struct var *check_make_var(struct checker *ck, const struct node *n)
{
	struct var *v = check_find_var(ck, n);

	if (v)
		return v;
	v = arena_alloc(ck->a, sizeof *v);
	v->name = n->str;
	v->cls = check_class(n);
	v->loc = n->loc;
	map_sets(&ck->s->vars, check_var_key(ck, v->cls, n->str), v);
	note_clause(ck, v);
	return v;
}
