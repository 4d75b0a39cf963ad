/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Programs, objects, functions, and the cursor that appends operations. */
#include "ir/ir.h"

#include <assert.h>
#include <string.h>

void ir_prog_init(struct ir_prog *p, struct arena *a)
{
	memset(p, 0, sizeof *p);
	p->arena = a;
	map_init(&p->objnames, a);
}

uint32_t ir_obj_add(struct ir_prog *p, const struct ir_obj *o)
{
	uint32_t num = (uint32_t)p->objs.n;
	struct ir_obj *n;

	assert(!map_gets(&p->objnames, o->name));
	n = VEC_ADD(p->arena, &p->objs);
	*n = *o;
	n->name = arena_strdup(p->arena, o->name);
	if (o->init)
		n->init = arena_memdup(p->arena, o->init, o->size);
	/* number + 1, because the map returns NULL for unknown names */
	map_sets(&p->objnames, n->name, (void *)(uintptr_t)(num + 1));
	return num;
}

int64_t ir_obj_find(const struct ir_prog *p, const char *name)
{
	return (int64_t)(uintptr_t)map_gets(&p->objnames, name) - 1;
}

struct ir_func *ir_func_add(struct ir_prog *p, const char *name, enum ir_ctx ctx)
{
	struct ir_func *f = arena_alloc(p->arena, sizeof *f);

	f->name = arena_strdup(p->arena, name);
	f->ctx = ctx;
	*VEC_ADD(p->arena, &f->blocks) = (struct ir_block){ 0 };
	*VEC_ADD(p->arena, &p->funcs) = f;
	return f;
}

ir_reg ir_newreg(struct ir_builder *b)
{
	return ++b->func->nregs;
}

uint32_t ir_newblock(struct ir_builder *b, const char *label)
{
	uint32_t num = (uint32_t)b->func->blocks.n;
	struct ir_block *n = VEC_ADD(b->prog->arena, &b->func->blocks);

	*n = (struct ir_block){ .label = label ? arena_strdup(b->prog->arena, label) : NULL };
	return num;
}

void ir_enter(struct ir_builder *b, uint32_t block)
{
	assert(block < b->func->blocks.n);
	if (block != b->block && !ir_terminated(b))
		ir_emit(b, IR_JMP, ir_b(block));
	b->block = block;
}

bool ir_terminated(const struct ir_builder *b)
{
	const struct ir_block *k = &b->func->blocks.v[b->block];

	return k->ins.n && ir_opinfo[k->ins.v[k->ins.n - 1].op].flags & IR_F_TERM;
}

ir_reg ir_emitv(struct ir_builder *b, enum ir_op op, ir_reg dst, unsigned nargs, const struct ir_arg *args)
{
	bool has_dst = ir_opinfo[op].sig[0] == 'd';
	struct ir_ins *ins;

	assert(nargs + has_dst == strlen(ir_opinfo[op].sig));
	assert(!ir_terminated(b));
	if (dst == UINT32_MAX)
		dst = has_dst ? ir_newreg(b) : 0;
	ins = VEC_ADD(b->prog->arena, &b->func->blocks.v[b->block].ins);
	*ins = (struct ir_ins){ .op = (uint16_t)op, .nargs = (uint16_t)nargs, .dst = dst, .loc = b->loc };
	if (nargs)
		memcpy(ins->arg, args, nargs * sizeof *args);
	return dst;
}
