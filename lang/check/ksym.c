/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Kernel variables: places at constant addresses. */
#include "lang/check/ksym.h"

#include <string.h>
#include <unistd.h>

#include "lang/check/binary.h"
#include "lang/check/checker.h"
#include "lang/check/conv.h"
#include "lang/check/var.h"
#include "lang/func.h"
#include "lang/prelude.h"
#include "lang/types/ksym.h"

static struct node *address_node(struct checker *ck, const struct node *n, uint64_t addr, struct type *to)
{
	struct node *a = check_int(ck, n->loc, type_pointer(ck->t, to), addr);

	a->scope = '`';
	return a;
}

/* The place of a variable. Of a variable of each CPU, the current CPU's: its area begins at __per_cpu_offset[cpu]. */
static struct node *symbol_place(struct checker *ck, const struct node *n, const struct ksym_value *s)
{
	struct node *place = address_node(ck, n, s->addr, s->type), *area, *areas;

	if (s->kind == KSYM_PERCPU) {
		areas = address_node(ck, n, s->areas, ck->t->t_long);
		area = check_wrap(ck, N_BINARY, areas, areas->type);
		area->op = OP_ADD;
		area->b = check_scaled(ck, check_builtin_node(ck, BI_cpu, n->loc), areas->type);
		place = check_wrap(ck, N_BINARY, place, place->type);
		place->op = OP_ADD;
		place->b = check_wrap(ck, N_DEREF, area, area->type->ref);
	}
	return check_wrap(ck, N_DEREF, place, place->type->ref);
}

static struct ksym_value *find_symbol(struct checker *ck, const struct node *n)
{
	void **slot = map_put(&ck->ksyms, n->str, strlen(n->str));

	if (!*slot) {
		struct ksym_value s = ksym_find(ck->t, ck->c->env.kallsyms, n->str);

		if (s.hidden && ck->c->env.refused)	/* what stops the script first */
			s.error = ck->c->env.refused;
		*slot = arena_memdup(ck->a, &s, sizeof s);
	}
	return *slot;
}

/* Variables of the Solaris kernel that scripts use and Linux lacks, replaced by numbers. */
static const struct {
	const char *name;
	int number;		/* argument of sysconf() */
} counts[] = {
	{ "_pagesize", _SC_PAGESIZE }, { "ncpus", _SC_NPROCESSORS_CONF }, { "ncpus_online", _SC_NPROCESSORS_ONLN },
	{ "physmem", _SC_PHYS_PAGES },
};

/* Variables replaced by the prelude's inline _kernel_NAME; for a structure, the inline is its address. */
static const char *const inlines[] = { "hp_avenrun", "lbolt", "lbolt64", "mpid", "utsname" };

static bool check_count(struct checker *ck, struct node **np)
{
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		if (strcmp((*np)->str, counts[i].name))
			continue;
		*np = check_int(ck, (*np)->loc, ck->t->t_long, (uint64_t)sysconf(counts[i].number));
		return true;
	}
	return false;
}

bool check_kernel_inline(struct checker *ck, struct node *name)
{
	const char *def;

	if (name->kind != N_IDENT || name->scope != '`')
		return false;
	for (size_t i = 0; i < sizeof inlines / sizeof *inlines; i++) {
		if (strcmp(name->str, inlines[i]) || prelude_load(ck->c))
			continue;
		def = arena_printf(ck->a, "_kernel_%s", name->str);
		if (!inline_find(ck->c, def))
			return false;
		name->str = def;
		name->scope = 0;
		return true;
	}
	return false;
}

static struct type *check_prelude_value(struct checker *ck, struct node **np)
{
	const struct inline_def *def = inline_find(ck->c, (*np)->str);
	struct node *a = *np;

	if (def->type->kind != T_PTR)
		return check_expr(ck, np);
	*np = check_node(ck, N_DEREF, a->loc, NULL);
	(*np)->a = a;
	return check_expr(ck, np);
}

struct type *check_kernel(struct checker *ck, struct node **np)
{
	struct node *n = *np;
	const struct ksym_value *s;

	if (check_count(ck, np))
		return (*np)->type;
	if (check_kernel_inline(ck, n))
		return check_prelude_value(ck, np);
	s = find_symbol(ck, n);
	if (s->kind == KSYM_NONE && ck->site)	/* only the addresses between which `caller` searches */
		return check_fail_once(ck, *ck->site, D_IDENT_UNDEF, "caller", "caller is not available: %s",
				       s->error ? s->error :
						  arena_printf(ck->a, "this kernel has no symbol %s", n->str));
	if (s->kind == KSYM_NONE)
		return check_fail_once(ck, n->loc, D_IDENT_UNDEF, arena_printf(ck->a, "`%s", n->str),
				       "failed to resolve `%s: %s", n->str,
				       s->error ? s->error : "Unknown symbol name");
	if (s->kind == KSYM_JIFFIES) {
		*np = check_node(ck, N_CALL, n->loc, ck->t->t_ulong);
		(*np)->func = &func_jiffies;
		(*np)->str = func_jiffies.name;
	} else {
		*np = symbol_place(ck, n, s);
	}
	return (*np)->type;
}
