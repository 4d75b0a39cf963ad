/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Looks at reads whose address is a constant distance from the current thread's struct task_struct. What pointers lead to is
 * known at run time only, and a fault then.
 */
#include "engine/user/reads.h"

#include <stdlib.h>
#include <string.h>

/* What a register is: written once, and the task's address and so much more. */
struct known {
	uint32_t written;
	bool task;
	uint64_t off;
};

static void known_note(struct known *k, const struct ir_ins *i)
{
	struct known *to = &k[i->dst];
	const struct ir_arg *a = i->arg;

	if (!i->dst)
		return;
	to->written++;
	to->task = to->written == 1 && (i->op == IR_TASK || (i->op == IR_ADD && a[0].kind == IR_REG && k[a[0].reg].task &&
								a[1].kind == IR_IMM));
	to->off = to->task && i->op == IR_ADD ? k[a[0].reg].off + (uint64_t)a[1].imm : 0;
}

static int read_check(const struct known *k, const struct ir_ins *i, struct image *im, const char *why, struct diags *d)
{
	const struct ir_arg *at = &i->arg[2];
	static const struct { const char *member, *name; } builtin[] = {
		{ "fs", "cwd, root" }, { "files", "fds[]" }, { "nsproxy", "zonename" },
		{ "mm", "execargs, pr_psargs, the process's memory" }, { "nr_cpus_allowed", "pr_bindpro" },
	};
	char name[64];

	if ((i->op != IR_KREAD && i->op != IR_KSTR) || at->kind != IR_REG || !k[at->reg].task ||
	    image_has(im, k[at->reg].off, name, sizeof name))
		return 0;
	for (unsigned n = 0; n < sizeof builtin / sizeof builtin[0]; n++)
		if (!strcmp(builtin[n].member, name))	/* the place would be one in the prelude */
			return diag(d, (struct loc){ 0 }, D_ENGINE, "%s (curthread->%s) %s", builtin[n].name, name, why);
	return diag(d, i->loc, D_ENGINE, "curthread->%s %s", name, why);
}

static int func_check(const struct ir_func *f, struct image *im, const char *why, struct diags *d)
{
	struct known *k = calloc(f->nregs + 1, sizeof *k);
	int r = 0;

	for (size_t b = 0; k && b < f->blocks.n; b++)
		for (size_t i = 0; !r && i < f->blocks.v[b].ins.n; i++) {
			const struct ir_ins *ins = &f->blocks.v[b].ins.v[i];

			known_note(k, ins);
			r = read_check(k, ins, im, why, d);
		}
	free(k);
	return r;
}

int reads_check(const struct d_prog *p, struct image *im, const char *why, struct diags *d)
{
	int r = 0;

	for (size_t i = 0; im && i < p->ir->funcs.n && !r; i++)
		if (p->ir->funcs.v[i] != p->vtime)
			r = func_check(p->ir->funcs.v[i], im, why, d);
	return r;
}
