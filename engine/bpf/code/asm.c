/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/bpf/code/asm.h"

#include <assert.h>
#include <string.h>

/* The offset of a jump can be up to INT16_MAX, but the kernel replaces some instructions by several (map lookups,
 * divisions, accesses to the context), and the islands do not account for that. */
enum { REACH = INT16_MAX / 4 };

void asm_init(struct asm_buf *a, struct arena *arena)
{
	memset(a, 0, sizeof *a);
	a->arena = arena;
}

uint32_t asm_label(struct asm_buf *a)
{
	*VEC_ADD(a->arena, &a->labels) = (struct asm_label){ 0 };
	return (uint32_t)a->labels.n - 1;
}

static void put_insn(struct asm_buf *a, struct bpf_insn i)
{
	*VEC_ADD(a->arena, &a->code) = i;
	*VEC_ADD(a->arena, &a->src) = a->cur;
}

static void patch_jump(struct asm_buf *a, struct asm_fixup *f, uint32_t target)
{
	struct bpf_insn *i = &a->code.v[f->insn];
	int64_t d = (int64_t)target - f->insn - 1;

	f->done = true;
	if (f->kind == FIXUP_CALL) {
		i->imm = (int32_t)d;
		return;
	}
	a->nopen--;
	if (d > INT16_MAX)
		a->failed = true;
	else
		i->off = (int16_t)d;
}

void asm_bind(struct asm_buf *a, uint32_t label)
{
	struct asm_label *l = &a->labels.v[label];

	assert(!l->set);
	l->set = true;
	l->pos = (uint32_t)a->code.n;
	for (uint32_t at = l->open; at; at = a->fixups.v[at - 1].next)
		patch_jump(a, &a->fixups.v[at - 1], l->pos);
	l->open = 0;
}

bool asm_finish(struct asm_buf *a)
{
	for (size_t i = 0; i < a->fixups.n; i++) {
		if (!a->fixups.v[i].done)
			a->failed = true;
	}
	return !a->failed;
}

static void add_fixup(struct asm_buf *a, uint32_t label, enum asm_fixup_kind kind)
{
	struct asm_label *l = &a->labels.v[label];

	assert(!l->set);
	*VEC_ADD(a->arena, &a->fixups) = (struct asm_fixup){ .insn = (uint32_t)a->code.n, .label = label,
							     .next = l->open, .kind = kind };
	l->open = (uint32_t)a->fixups.n;
	a->nopen += kind == FIXUP_JUMP;
}

/* Points all open jumps of the label at the next instruction, which jumps to the label. */
static void bridge_label(struct asm_buf *a, uint32_t label)
{
	struct asm_label *l = &a->labels.v[label];
	uint32_t calls = 0;

	for (uint32_t at = l->open, next; at; at = next) {
		struct asm_fixup *f = &a->fixups.v[at - 1];

		next = f->next;
		if (f->kind == FIXUP_CALL) {
			f->next = calls;
			calls = at;
		} else {
			patch_jump(a, f, (uint32_t)a->code.n);
		}
	}
	l->open = calls;
	asm_jmp(a, label);
}

/*
 *	ja over
 *	ja label1		the open jumps to label1 now jump here
 *	...
 * over:
 */
static void emit_island(struct asm_buf *a)
{
	uint32_t over = (uint32_t)a->code.n;
	size_t end = a->fixups.n;

	a->island = true;
	put_insn(a, insn(BPF_JMP | BPF_JA, 0, 0, 0, 0));
	for (size_t i = a->oldest; i < end; i++) {
		if (!a->fixups.v[i].done && a->fixups.v[i].kind == FIXUP_JUMP)
			bridge_label(a, a->fixups.v[i].label);
	}
	a->code.v[over].off = (int16_t)(a->code.n - over - 1);
	a->oldest = end;
	a->island = false;
	/* now there is one open jump per label; if these alone exhaust the range, islands would never end */
	if (a->nopen > REACH / 2)
		a->failed = true;
}

static void keep_in_reach(struct asm_buf *a)
{
	if (a->island || a->failed)
		return;
	while (a->oldest < a->fixups.n && (a->fixups.v[a->oldest].done || a->fixups.v[a->oldest].kind == FIXUP_CALL))
		a->oldest++;
	if (a->oldest == a->fixups.n)
		return;
	if (a->code.n + a->nopen - a->fixups.v[a->oldest].insn > REACH)
		emit_island(a);
}

void asm_emit(struct asm_buf *a, struct bpf_insn i)
{
	keep_in_reach(a);
	put_insn(a, i);
}

void asm_alu(struct asm_buf *a, uint8_t op, int dst, int src)
{
	asm_emit(a, insn(BPF_ALU64 | BPF_X | op, dst, src, 0, 0));
}

void asm_alui(struct asm_buf *a, uint8_t op, int dst, int32_t imm)
{
	asm_emit(a, insn(BPF_ALU64 | BPF_K | op, dst, 0, 0, imm));
}

void asm_mov(struct asm_buf *a, int dst, int src)
{
	if (dst != src)
		asm_alu(a, BPF_MOV, dst, src);
}

static void put_imm64(struct asm_buf *a, int dst, int src, int32_t lo, int32_t hi)
{
	keep_in_reach(a);
	put_insn(a, insn(BPF_LD | BPF_IMM | BPF_DW, dst, src, 0, lo));
	put_insn(a, insn(0, 0, 0, 0, hi));
}

void asm_movi(struct asm_buf *a, int dst, int64_t imm)
{
	if (imm == (int32_t)imm)
		asm_alui(a, BPF_MOV, dst, (int32_t)imm);
	else if (imm == (int64_t)(uint32_t)imm)
		asm_emit(a, insn(BPF_ALU | BPF_K | BPF_MOV, dst, 0, 0, (int32_t)imm));
	else
		put_imm64(a, dst, 0, (int32_t)imm, (int32_t)(imm >> 32));
}

void asm_ld(struct asm_buf *a, uint8_t size, int dst, int base, int16_t off)
{
	asm_emit(a, insn(BPF_LDX | BPF_MEM | size, dst, base, off, 0));
}

void asm_st(struct asm_buf *a, uint8_t size, int base, int16_t off, int src)
{
	asm_emit(a, insn(BPF_STX | BPF_MEM | size, base, src, off, 0));
}

void asm_sti(struct asm_buf *a, uint8_t size, int base, int16_t off, int32_t imm)
{
	asm_emit(a, insn(BPF_ST | BPF_MEM | size, base, 0, off, imm));
}

void asm_atomic(struct asm_buf *a, int base, int16_t off, int src, int32_t op)
{
	asm_emit(a, insn(BPF_STX | BPF_ATOMIC | BPF_DW, base, src, off, op));
}

void asm_call(struct asm_buf *a, int32_t helper)
{
	asm_emit(a, insn(BPF_JMP | BPF_CALL, 0, 0, 0, helper));
}

void asm_callkernel(struct asm_buf *a, uint32_t id)
{
	asm_emit(a, insn(BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_KFUNC_CALL, 0, (int32_t)id));
}

void asm_callsub(struct asm_buf *a, uint32_t label)
{
	keep_in_reach(a);
	add_fixup(a, label, FIXUP_CALL);
	put_insn(a, insn(BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, 0));
}

void asm_subaddr(struct asm_buf *a, int dst, uint32_t label)
{
	keep_in_reach(a);
	add_fixup(a, label, FIXUP_CALL);
	put_insn(a, insn(BPF_LD | BPF_IMM | BPF_DW, dst, BPF_PSEUDO_FUNC, 0, 0));
	put_insn(a, insn(0, 0, 0, 0, 0));
}

void asm_sub(struct asm_buf *a, const char *name)
{
	*VEC_ADD(a->arena, &a->subs) = (struct asm_sub){ (uint32_t)a->code.n, name };
}

void asm_jmp(struct asm_buf *a, uint32_t label)
{
	keep_in_reach(a);
	add_fixup(a, label, FIXUP_JUMP);
	put_insn(a, insn(BPF_JMP | BPF_JA, 0, 0, 0, 0));
}

void asm_jcc(struct asm_buf *a, uint8_t op, int dst, int src, uint32_t label)
{
	keep_in_reach(a);
	add_fixup(a, label, FIXUP_JUMP);
	put_insn(a, insn(BPF_JMP | BPF_X | op, dst, src, 0, 0));
}

void asm_jcci(struct asm_buf *a, uint8_t op, int dst, int32_t imm, uint32_t label)
{
	keep_in_reach(a);
	add_fixup(a, label, FIXUP_JUMP);
	put_insn(a, insn(BPF_JMP | BPF_K | op, dst, 0, 0, imm));
}

void asm_exit(struct asm_buf *a)
{
	asm_emit(a, insn(BPF_JMP | BPF_EXIT, 0, 0, 0, 0));
}

static void add_reloc(struct asm_buf *a, enum reloc_kind kind, uint32_t arg)
{
	*VEC_ADD(a->arena, &a->relocs) = (struct asm_reloc){ (uint32_t)a->code.n, kind, arg };
}

void asm_map(struct asm_buf *a, int dst, uint32_t map)
{
	keep_in_reach(a);
	add_reloc(a, RELOC_MAP, map);
	put_imm64(a, dst, BPF_PSEUDO_MAP_FD, 0, 0);
}

void asm_mapval(struct asm_buf *a, int dst, uint32_t map, uint32_t off)
{
	keep_in_reach(a);
	add_reloc(a, RELOC_MAPVAL, map);
	put_imm64(a, dst, BPF_PSEUDO_MAP_VALUE, 0, (int32_t)off);
}

void asm_fdval(struct asm_buf *a, int dst, int fd, uint32_t off)
{
	keep_in_reach(a);
	put_imm64(a, dst, BPF_PSEUDO_MAP_VALUE, fd, (int32_t)off);
}

void asm_fd(struct asm_buf *a, int dst, int fd)
{
	keep_in_reach(a);
	put_imm64(a, dst, BPF_PSEUDO_MAP_FD, fd, 0);
}

void asm_own(struct asm_buf *a, int dst, uint32_t map, uint32_t off)
{
	keep_in_reach(a);
	add_reloc(a, RELOC_OWN, off);
	add_reloc(a, RELOC_MAPVAL, map);
	put_imm64(a, dst, BPF_PSEUDO_MAP_VALUE, 0, 0);
}

void asm_slot(struct asm_buf *a, uint8_t op, int dst, uint32_t arg)
{
	keep_in_reach(a);
	add_reloc(a, RELOC_SLOT, arg);
	asm_alui(a, op, dst, 0);
}
