/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Members of the current thread's structure. The kernel knows the type of its address, so programs load numbers in it
 * directly, and numbers in what it always points to, without a helper. Values are the same as with a helper.
 */
#include "lang/lower/task.h"

#include <string.h>

#include "lang/lower/expr.h"
#include "lang/lower/lower.h"
#include "lang/lower/pids.h"
#include "lang/types/type_find.h"

static bool is_task(const struct type *t)
{
	return t->kind == T_PTR && t->ref->kernel && t->ref->btf && t->ref->name &&
	       !strcmp(t->ref->name, "struct task_struct");
}

/* Pointers that are valid or 0 as long as the thread runs: an invalid one would read as zeros without a fault. */
static bool is_lasting(const char *member)
{
	static const char *const names[] = {
		"cred", "real_cred", "real_parent", "parent", "group_leader", "signal", "mm",
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(member, names[i]))
			return true;
	return false;
}

bool task_path_add(struct task_path *p, uint64_t off)
{
	if (p->n == IR_TREAD_OFFS || off > IR_TREAD_MAX)
		return false;
	p->off[p->n++] = (int16_t)off;
	return true;
}

bool task_path_pointer(const struct lower *l, const struct node *ptr, struct task_path *p)
{
	if (ptr->kind == N_VAR && ptr->var->cls == VC_BUILTIN) {
		p->n = 0;
		return ptr->var->builtin == BI_curthread && is_task(ptr->type) && !(l->site && l->site->task);
	}
	return ptr->kind == N_MEMBER && ptr->arrow && is_task(ptr->a->type) && ptr->type->kind == T_PTR &&
	       is_lasting(ptr->str) && task_path_member(l, ptr, p);
}

bool task_path_member(const struct lower *l, const struct node *n, struct task_path *p)
{
	uint64_t bitoff = n->bitoff;

	while (n->kind == N_MEMBER && !n->arrow) {
		n = n->a;
		bitoff += n->kind == N_MEMBER ? n->bitoff : 0;
	}
	return n->kind == N_MEMBER && task_path_pointer(l, n->a, p) && task_path_add(p, bitoff / 8);
}

void lower_task_layout(struct lower *l)
{
	struct task_layout *t = &l->prog->task;
	const struct { uint32_t *off; const char *member, *of_target; } rows[] = {
		{ &t->comm, "comm", NULL }, { &t->pid, "pid", NULL }, { &t->cred, "cred", NULL },
		{ &t->start, "start_time", NULL },
		{ &t->uid, "cred", "uid" }, { &t->gid, "cred", "gid" }, { &t->tgid, "tgid", NULL },	/* last */
	};

	for (size_t i = 0; !t->tgid && i < sizeof rows / sizeof *rows; i++)
		*rows[i].off = type_kernel_offset(&l->c->types, "task_struct", rows[i].member, rows[i].of_target);
}

void lower_kernel_loads(struct lower *l)
{
	struct kernel_loads *k = &l->prog->loads;

	k->number = type_kernel_struct_id(&l->c->types, "timespec64");
	k->cast = k->number ? type_kernel_func_id(&l->c->types, "bpf_rdonly_cast") : 0;
}

void lower_family_layout(struct lower *l)
{
	struct family_layout *t = &l->prog->families;
	struct types *k = &l->c->types;

	t->pid = type_kernel_offset(k, "task_struct", "pid", NULL);
	t->tgid = type_kernel_offset(k, "task_struct", "tgid", NULL);
	t->thread_pid = type_kernel_offset(k, "task_struct", "thread_pid", NULL);
	t->signal = type_kernel_offset(k, "task_struct", "signal", NULL);
	t->live = type_kernel_offset(k, "signal_struct", "live", NULL);
	t->level = type_kernel_offset(k, "pid", "level", NULL);
	t->numbers = type_kernel_offset(k, "pid", "numbers", NULL);
	t->upid_ns = type_kernel_offset(k, "upid", "ns", NULL);
	t->ns_inum = type_kernel_offset(k, "pid_namespace", "ns", NULL) +
		     type_kernel_offset(k, "ns_common", "inum", NULL);
	t->own_level = l->c->env.pidns ? lower_pidns_level(l) : 0;
}

ir_reg task_path_read(struct lower *l, const struct task_path *p, uint32_t size, ir_reg *failed)
{
	static const enum ir_op load[9] = { [1] = IR_LD8, [2] = IR_LD16, [4] = IR_LD32, [8] = IR_LD64 };
	uint32_t tmp = lower_temp(l, 8);
	struct ir_arg off[IR_TREAD_OFFS];

	lower_task_layout(l);
	for (unsigned i = 0; i < IR_TREAD_OFFS; i++)
		off[i] = ir_i(i < p->n ? p->off[i] : -1);
	*failed = ir_emit(&l->b, IR_TREAD, ir_m(tmp, 0), ir_i(size), off[0], off[1], off[2], off[3], off[4]);
	return ir_emit(&l->b, load[size], ir_m(tmp, 0));
}

struct ir_arg lower_task_read(struct lower *l, const struct task_path *p, uint32_t size)
{
	uint32_t bad = ir_newblock(&l->b, "fault"), good = ir_newblock(&l->b, NULL);
	ir_reg failed, v = task_path_read(l, p, size, &failed);

	ir_emit(&l->b, IR_BNE, ir_r(failed), ir_i(0), ir_b(bad), ir_b(good));
	ir_enter(&l->b, bad);
	lower_fault(l, IR_FLT_BADADDR, lower_op(l, IR_XOR, ir_r(failed), ir_i(-1)));
	ir_emit(&l->b, IR_JMP, ir_b(good));
	ir_enter(&l->b, good);
	return ir_r(v);
}
