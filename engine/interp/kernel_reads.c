/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Checks reads at a constant offset in the current thread's struct task_struct, or in a structure that a pointer in it
 * points to, if the program has just read that pointer. Other reads can be checked only at run time, when they fault.
 */
#include "engine/interp/kernel_reads.h"

#include <stdlib.h>
#include <string.h>

/* A register or temporary that is written once with a known address: a structure and an offset in it. */
struct known {
	uint32_t written;
	int part;
	uint64_t off;
};

struct kernel_reads {
	struct known *regs, *temps;
	const struct ir_prog *prog;
	struct image *im;
	const char *reason;
	struct diags *diags;
};

static const struct known nothing = { .part = IMAGE_NOWHERE };

static struct known reg_known(const struct kernel_reads *r, const struct ir_arg *a)
{
	return a->kind == IR_REG ? r->regs[a->reg] : nothing;
}

/* The temporary that an operand accesses as a whole, or NULL. */
static struct known *temp_of(const struct kernel_reads *r, const struct ir_arg *m)
{
	bool whole = m->kind == IR_MEM && !m->imm && !m->reg && !m->idx;

	return whole && r->prog->objs.v[m->obj].kind == IR_O_TEMP ? &r->temps[m->obj] : NULL;
}

/* The result of the operation, if it is a known address. */
static struct known value_known(const struct kernel_reads *r, const struct ir_ins *i)
{
	struct known k = nothing;
	const struct known *temp;

	if (i->op == IR_TASK) {
		k.part = IMAGE_TASK;
	} else if (i->op == IR_ADD && i->arg[1].kind == IR_IMM) {
		k = reg_known(r, &i->arg[0]);
		k.off += (uint64_t)i->arg[1].imm;
	} else if (i->op == IR_LD64) {
		temp = temp_of(r, &i->arg[0]);
		k = temp && temp->written ? *temp : nothing;
	}
	return k;
}

static void known_set(struct known *to, struct known k)
{
	k.written = to->written + 1;
	k.part = k.written == 1 ? k.part : IMAGE_NOWHERE;
	*to = k;
}

static void known_ins(struct kernel_reads *r, const struct ir_ins *i)
{
	struct known *temp = i->op == IR_LD64 ? NULL : temp_of(r, &i->arg[0]), at, k = nothing;

	if (temp && i->op == IR_KREAD) {
		at = reg_known(r, &i->arg[2]);
		if (at.part != IMAGE_NOWHERE && i->arg[1].imm == sizeof(uint64_t))
			k.part = image_leads(r->im, at.part, at.off);
	}
	if (temp)
		known_set(temp, k);
	if (i->dst)
		known_set(&r->regs[i->dst], value_known(r, i));
}

static int ask_check(const struct kernel_reads *r, const struct ir_ins *i, int part, uint64_t off, uint64_t size)
{
	static const struct { const char *member, *name; } builtin[] = {
		{ "fs", "cwd, root" }, { "files", "fds[]" }, { "nsproxy", "zonename" },
		{ "mm", "execargs, pr_psargs, the process's memory" }, { "nr_cpus_allowed", "pr_bindpro" },
		{ "cgroups->dfl_cgrp", "cgroup, container, pod, image" },
		{ "cgroups->subsys", "cgroup, container, pod, image" },
		{ "signal->tty", "pr_ttydev" }, { "real_parent->real_parent", "progenyof()" },
	};
	struct image_ask ask = { part, off, size, loc_text(i->loc) };
	char name[128];

	if (part == IMAGE_NOWHERE || image_has(r->im, &ask, name, sizeof name))
		return 0;
	for (unsigned n = 0; n < sizeof builtin / sizeof builtin[0]; n++)
		if (!strcmp(builtin[n].member, name))	/* the location would be in the prelude */
			return diag(r->diags, (struct loc){ 0 }, D_ENGINE, "%s (curthread->%s) %s", builtin[n].name,
				    name, r->reason);
	return diag(r->diags, i->loc, D_ENGINE, "curthread->%s %s", name, r->reason);
}

/* Each pointer on the way, and what is read in the end. */
static int tread_check(const struct kernel_reads *r, const struct ir_ins *i)
{
	int part = IMAGE_TASK, err = 0;

	for (unsigned k = 2; !err && k < 2 + IR_TREAD_OFFS && i->arg[k].imm >= 0; k++) {
		bool last = k + 1 == 2 + IR_TREAD_OFFS || i->arg[k + 1].imm < 0;
		uint64_t off = (uint64_t)i->arg[k].imm;

		err = ask_check(r, i, part, off, last ? (uint64_t)i->arg[1].imm : sizeof(uint64_t));
		part = part == IMAGE_NOWHERE ? IMAGE_NOWHERE : image_leads(r->im, part, off);
	}
	return err;
}

static int read_check(const struct kernel_reads *r, const struct ir_ins *i)
{
	struct known at;

	if (i->op == IR_TREAD)
		return tread_check(r, i);
	at = i->op == IR_KREAD || i->op == IR_KSTR ? reg_known(r, &i->arg[2]) : nothing;
	return ask_check(r, i, at.part, at.off, i->op == IR_KREAD ? (uint64_t)i->arg[1].imm : 1);
}

static int func_check(struct kernel_reads *r, const struct ir_func *f)
{
	int err = 0;

	r->regs = calloc(f->nregs + 1, sizeof *r->regs);
	r->temps = calloc(r->prog->objs.n + 1, sizeof *r->temps);
	for (size_t b = 0; r->regs && r->temps && b < f->blocks.n; b++)
		for (size_t i = 0; !err && i < f->blocks.v[b].ins.n; i++) {
			err = read_check(r, &f->blocks.v[b].ins.v[i]);
			known_ins(r, &f->blocks.v[b].ins.v[i]);
		}
	free(r->regs);
	free(r->temps);
	return err;
}

int kernel_reads_check(const struct d_prog *p, struct image *im, const char *reason, struct diags *d)
{
	struct kernel_reads r = { .prog = p->ir, .im = im, .reason = reason, .diags = d };
	int err = 0;

	for (size_t i = 0; im && i < p->ir->funcs.n && !err; i++)
		if (p->ir->funcs.v[i] != p->vtime)
			err = func_check(&r, p->ir->funcs.v[i]);
	return err;
}
