/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "providers/family.h"

enum { FAMILIES = UINT16_MAX, PER_WORD = 4, BITS = 16 };

int64_t family_word(struct probe_set *s, int64_t pid)
{
	if (!s->followfork || pid <= 0)
		return pid;
	for (size_t i = 0; i < s->families.n; i++)
		if (s->families.v[i] == pid)
			return (int64_t)i + 1;
	if (s->families.n == FAMILIES)
		return FAMILIES + 1;	/* no process has this number */
	*VEC_ADD(s->arena, &s->families) = pid;
	return (int64_t)s->families.n;
}

int family_link(const struct probe_set *s, int64_t pid)
{
	return s->followfork ? 0 : (int)pid;
}

/* The number of a process's family: a part of a word of the table. */
static ir_reg family_load(struct ir_builder *b, ir_reg process)
{
	int64_t found = ir_obj_find(b->prog, FAMILY_OBJECT);
	uint32_t table = found >= 0 ? (uint32_t)found : ir_obj_add(b->prog, &(struct ir_obj){
		.name = FAMILY_OBJECT, .kind = IR_O_GLOBAL, .size = FAMILY_PIDS * sizeof(uint16_t),
	});
	ir_reg index = ir_emit(b, IR_UDIV, ir_r(process), ir_i(PER_WORD));
	ir_reg word = ir_emit(b, IR_LD64, ir_mx(0, table, 0, index, FAMILY_PIDS / PER_WORD));
	ir_reg bit = ir_emit(b, IR_MUL, ir_r(ir_emit(b, IR_AND, ir_r(process), ir_i(PER_WORD - 1))), ir_i(BITS));

	return ir_emit(b, IR_ZEXT16, ir_r(ir_emit(b, IR_LSHR, ir_r(word), ir_r(bit))));
}

void family_check(struct ir_builder *b, const struct probe_set *s, struct ir_arg want, uint32_t skip)
{
	uint32_t go = ir_newblock(b, NULL);
	ir_reg process = ir_emit(b, IR_LSHR, ir_r(ir_emit0(b, IR_PIDTGID)), ir_i(32));

	if (s->followfork)
		process = family_load(b, process);
	ir_emit(b, IR_BEQ, ir_r(process), want, ir_b(go), ir_b(skip));
	ir_enter(b, go);
}
