/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A control group is known by its number: the inode number of its directory. In a hierarchy of version 2 it is
 * curthread->cgroups->dfl_cgrp->kn->id, in one of version 1 curthread->cgroups->subsys[N]->cgroup->kn->id. The members
 * are the kernel's, so both engines run the same code (engine/interp/image_rows.c has them for the rootless one).
 */
#include "lang/lower/cgroup.h"

#include <stddef.h>
#include <string.h>

#include "lang/lower/builtin.h"
#include "lang/lower/expr.h"
#include "lang/lower/kfield.h"
#include "lang/lower/lower.h"
#include "lang/lower/mem.h"
#include "lang/lower/task.h"
#include "lang/types/type_find.h"

enum { CGROUP_PATH = 5, SUBSYSTEMS = 16, POINTER = 8 };

/* The members from struct task_struct to the number, and their offsets. */
struct cgroup_path {
	unsigned n;
	enum { CGROUP_MISSING, CGROUP_OURS, CGROUP_KERNEL } whose;
	uint64_t off[CGROUP_PATH];
	unsigned field[CGROUP_PATH];
};

static void path_add(struct lower *l, struct cgroup_path *p, unsigned field, uint64_t more)
{
	const struct kfield *f = lower_kfield_find(l, field);

	p->field[p->n] = field;
	p->off[p->n++] = f->off + more;
	if (f->missing)
		p->whose = CGROUP_MISSING;
	else if (f->ours && p->whose == CGROUP_KERNEL)
		p->whose = CGROUP_OURS;
}

/* The index of a controller in css_set.subsys, or -1. */
static int64_t subsystem_index(struct lower *l, const char *controller)
{
	struct type *ids = type_lookup(&l->c->types, "enum cgroup_subsys_id");
	int64_t index = -1;

	if (!ids || !type_enum_value(ids, arena_printf(l->arena, "%s_cgrp_id", controller), &index))
		return -1;
	return index < SUBSYSTEMS ? index : -1;
}

/* dtr's own description of the structures has only the member of version 2, whichever the hierarchy is. */
static struct cgroup_path cgroup_path(struct lower *l, const struct node *n)
{
	struct cgroup_path p = { .whose = CGROUP_KERNEL };
	const struct compile_env *env = &l->c->env;
	const char *controller = env->cgroups ? env->cgroups(env->cgroups_arg) : NULL;
	int64_t index = -1;

	path_add(l, &p, KF_CGROUPS, 0);
	if (controller && p.whose == CGROUP_KERNEL) {
		index = subsystem_index(l, controller);
		if (index < 0)
			diag(l->diags, n->loc, D_KTYPE,
			     "control groups: this kernel's types do not name the controller %s", controller);
	}
	if (index < 0) {
		path_add(l, &p, KF_CGROUPS_DFL, 0);
	} else {
		path_add(l, &p, KF_CGROUPS_SUBSYS, (uint64_t)index * POINTER);
		path_add(l, &p, KF_SUBSYS_CGROUP, 0);
	}
	return p;
}

/* Where new control groups are described, for the engine (engine/bpf/cgroup_events.h). */
static void note_use(struct lower *l)
{
	struct cgroup_uses *u = &l->prog->cgroups;
	struct types *t = &l->c->types;

	if (u->any)
		return;
	u->any = true;
	u->kn = type_kernel_offset(t, "cgroup", "kn", NULL);
	u->level = type_kernel_offset(t, "cgroup", "level", NULL);
	u->root = type_kernel_offset(t, "cgroup", "root", NULL);
	u->hierarchy = type_kernel_offset(t, "cgroup_root", "hierarchy_id", NULL);
	u->kn_id = type_kernel_offset(t, "kernfs_node", "id", NULL);
	u->kn_name = type_kernel_offset(t, "kernfs_node", "name", NULL);
	u->ancestors = (uint32_t)lower_kfield_find(l, KF_CGROUP_ANCESTORS)->off;
}

/* What the path leads to, read with a check at each step. */
static struct ir_arg read_path(struct lower *l, const struct node *n, const struct cgroup_path *p, uint32_t size)
{
	struct ir_arg at = lower_task(l);

	for (unsigned i = 0; i < p->n; i++) {
		lower_kfield_addr(l, n, at, p->field[i]);	/* reports what is missing */
		if (p->whose == CGROUP_MISSING)
			return ir_i(0);
		at = lower_kread(l, lower_op(l, IR_ADD, at, ir_i((int64_t)p->off[i])), i + 1 < p->n ? POINTER : size);
	}
	return at;
}

/* The same for the path to a number, without checks if the thread is the current one. */
static struct ir_arg read_number(struct lower *l, const struct node *n, const struct cgroup_path *p, uint32_t size)
{
	bool direct = p->whose == CGROUP_KERNEL && !(l->site && l->site->task);
	struct task_path of_task = { 0 };

	for (unsigned i = 0; i < p->n; i++)
		direct = direct && task_path_add(&of_task, p->off[i]);
	return direct ? lower_task_read(l, &of_task, size) : read_path(l, n, p, size);
}

struct ir_arg lower_cgroup(struct lower *l, const struct node *n)
{
	struct cgroup_path p = cgroup_path(l, n);

	note_use(l);
	path_add(l, &p, KF_CGROUP_KN, 0);
	path_add(l, &p, KF_KN_ID, 0);
	return read_number(l, n, &p, sizeof(uint64_t));
}

/* ---- comparisons with names ---- */
/* The number of the test. */
static unsigned test_number(struct lower *l, const struct node *call)
{
	struct cgroup_uses *u = &l->prog->cgroups;
	const struct cgroup_test test = { (uint8_t)call->args[0]->value, call->args[1]->str };

	for (size_t i = 0; i < u->tests.n; i++)
		if (u->tests.v[i].kind == test.kind && !strcmp(u->tests.v[i].text, test.text))
			return (unsigned)i;
	if (u->tests.n == CGROUP_TESTS) {
		diag(l->diags, call->loc, D_LIMIT, "more than %d names of control groups are compared", CGROUP_TESTS);
		return 0;
	}
	*VEC_ADD(l->arena, &u->tests) = test;
	return (unsigned)u->tests.n - 1;
}

/* The marks of the control group with this number: the session has put them into one of CGROUP_WAYS places. */
struct ir_arg lower_cgroup_is(struct lower *l, const struct node *call)
{
	const unsigned test = test_number(l, call);
	const uint32_t words = sizeof(struct cgroup_mark) / 8, size = CGROUP_SETS * CGROUP_WAYS * words;
	struct ir_arg id = lower_cgroup(l, call), first;
	uint32_t end = ir_newblock(&l->b, NULL);
	ir_reg result = ir_newreg(&l->b);
	struct cgroup_uses *u = &l->prog->cgroups;
	uint32_t marks;

	if (u->marks < 0)
		u->marks = lower_object(l, IR_O_GLOBAL, "cgroup_marks", size * 8, 0);
	marks = (uint32_t)u->marks;
	first = lower_op(l, IR_MUL, lower_op(l, IR_AND, id, ir_i(CGROUP_SETS - 1)), ir_i(CGROUP_WAYS * words));
	ir_emit_to(&l->b, IR_MOV, result, ir_i(0));
	for (uint32_t way = 0; way < CGROUP_WAYS; way++) {
		uint32_t found = ir_newblock(&l->b, NULL), next = ir_newblock(&l->b, NULL);
		struct ir_arg at = lower_op(l, IR_ADD, first, ir_i(way * words));
		ir_reg there = ir_emit(&l->b, IR_LD64, ir_mx(0, marks, 0, at.reg, size));

		ir_emit(&l->b, IR_BEQ, ir_r(there), id, ir_b(found), ir_b(next));
		ir_enter(&l->b, found);
		there = ir_emit(&l->b, IR_LD64, ir_mx(0, marks, 8, at.reg, size - 1));
		ir_emit_to(&l->b, IR_AND, result, lower_op(l, IR_LSHR, ir_r(there), ir_i(test)), ir_i(1));
		ir_emit(&l->b, IR_JMP, ir_b(end));
		ir_enter(&l->b, next);
	}
	ir_emit(&l->b, IR_JMP, ir_b(end));
	ir_enter(&l->b, end);
	return ir_r(result);
}

/* ---- -x cgroup ---- */
/* The number of the ancestor at this level, which is above that of the group. */
static struct ir_arg read_ancestor(struct lower *l, const struct node *n, struct ir_arg group, struct ir_arg level)
{
	struct ir_arg slot = lower_op(l, IR_ADD, lower_kfield_addr(l, n, group, KF_CGROUP_ANCESTORS),
				      lower_op(l, IR_MUL, level, ir_i(POINTER)));

	group = lower_kread(l, slot, POINTER);
	return lower_kfield(l, n, lower_kfield(l, n, group, KF_CGROUP_KN), KF_KN_ID);
}

/* Most threads are in the group itself, or are not below it because they are at its level or above it. */
void lower_cgroup_only(struct lower *l, uint32_t skip)
{
	const struct node option = { .kind = N_IDENT, .loc = l->info->first->info->clause->loc,
				     .str = l->c->opts.cgroup ? "-x cgroup" : "-x container" };
	struct cgroup_uses *u = &l->prog->cgroups;
	uint32_t go, other, deep;
	struct ir_arg id, level;
	struct cgroup_path p;

	if ((!l->c->opts.cgroup && !l->c->opts.container) || probe_state(l->probe) != IR_S_ACTIVE ||
	    probe_has_alt(l->probe))
		return;
	if (u->only < 0)
		u->only = lower_object(l, IR_O_GLOBAL, "cgroup_only", sizeof(struct cgroup_only), 0);
	go = ir_newblock(&l->b, NULL);
	other = ir_newblock(&l->b, NULL);
	deep = ir_newblock(&l->b, NULL);
	/* a fault is reported for the first clause, as one in the condition of a site */
	l->en = l->info->first;
	l->next = skip;
	l->action = 0;
	id = ir_r(ir_emit(&l->b, IR_LD64, ir_m((uint32_t)u->only, offsetof(struct cgroup_only, id))));
	ir_emit(&l->b, IR_BEQ, lower_cgroup(l, &option), id, ir_b(go), ir_b(other));
	ir_enter(&l->b, other);
	level = ir_r(ir_emit(&l->b, IR_LD64, ir_m((uint32_t)u->only, offsetof(struct cgroup_only, level))));
	p = cgroup_path(l, &option);
	path_add(l, &p, KF_CGROUP_LEVEL, 0);
	ir_emit(&l->b, IR_BULT, level, read_number(l, &option, &p, sizeof(int32_t)), ir_b(deep), ir_b(skip));
	ir_enter(&l->b, deep);
	p.n--;
	ir_emit(&l->b, IR_BEQ, read_ancestor(l, &option, read_path(l, &option, &p, POINTER), level), id, ir_b(go),
		ir_b(skip));
	ir_enter(&l->b, go);
}
