/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The assembler: a growing list of BPF instructions with labels. Every jump goes forward. A jump reaches 32,767
 * instructions; before one gets out of reach an island of long jumps is laid between two instructions, so callers
 * need not know about it.
 *
 * Who owns what: the arena owns everything.
 * What can fail: a program so dense with open jumps that no island fits sets `failed`.
 */
#ifndef ENGINE_BPF_ASM_H
#define ENGINE_BPF_ASM_H

#include "base/arena.h"
#include "engine/bpf/insn.h"
#include "ir/ir.h"

/* What the loader has to fill in. */
enum reloc_kind {
	RELOC_MAP,	/* LD_IMM64: descriptor of map `arg` */
	RELOC_MAPVAL,	/* the same, the second half is an offset in its value */
	RELOC_OWN,	/* second half of LD_IMM64: arg + offset of the chains' memory in the data map */
	RELOC_SLOT,	/* imm = arg * bytes of a scratch slot, known once all functions are generated */
};

struct asm_reloc {
	uint32_t insn;
	enum reloc_kind kind;
	uint32_t arg;
};

/* A subprogram that begins here; its name, which the kernel shows. */
struct asm_sub {
	uint32_t insn;
	const char *name;
};

struct asm_fixup {
	uint32_t insn;
	uint32_t label;
	uint32_t next;		/* index + 1 of the label's next open jump */
	bool call;		/* BPF-to-BPF call: 32 bits wide, needs no island */
	bool done;
};

struct asm_label {
	bool set;
	uint32_t open;		/* index + 1 of its first open jump */
	uint32_t pos;
};

struct asm_buf {
	struct arena *arena;
	VEC(struct bpf_insn) code;
	VEC(const struct ir_ins *) src;		/* the operation each instruction was made for, or NULL */
	VEC(struct asm_label) labels;
	VEC(struct asm_fixup) fixups;
	VEC(struct asm_reloc) relocs;
	VEC(struct asm_sub) subs;
	size_t oldest;				/* no open jump stands before this fixup */
	size_t nopen;
	const struct ir_ins *cur;		/* goes into src */
	bool island;				/* one is being laid */
	bool failed;
};

void asm_init(struct asm_buf *a, struct arena *arena);

uint32_t asm_label(struct asm_buf *a);
void asm_bind(struct asm_buf *a, uint32_t label);
/* Every jump has found its label? */
bool asm_finish(struct asm_buf *a);

void asm_emit(struct asm_buf *a, struct bpf_insn i);
void asm_alu(struct asm_buf *a, uint8_t op, int dst, int src);		/* 64 bits */
void asm_alui(struct asm_buf *a, uint8_t op, int dst, int32_t imm);
void asm_mov(struct asm_buf *a, int dst, int src);			/* nothing if they are the same */
void asm_movi(struct asm_buf *a, int dst, int64_t imm);
void asm_ld(struct asm_buf *a, uint8_t size, int dst, int base, int16_t off);
void asm_st(struct asm_buf *a, uint8_t size, int base, int16_t off, int src);
void asm_sti(struct asm_buf *a, uint8_t size, int base, int16_t off, int32_t imm);
void asm_atomic(struct asm_buf *a, uint8_t size, int base, int16_t off, int src, int32_t op);
void asm_call(struct asm_buf *a, int32_t helper);
void asm_callsub(struct asm_buf *a, uint32_t label);
/* The address of a subprogram, for a helper that calls it. */
void asm_subaddr(struct asm_buf *a, int dst, uint32_t label);
/* A subprogram begins. */
void asm_sub(struct asm_buf *a, const char *name);
void asm_jmp(struct asm_buf *a, uint32_t label);
void asm_jcc(struct asm_buf *a, uint8_t op, int dst, int src, uint32_t label);
void asm_jcci(struct asm_buf *a, uint8_t op, int dst, int32_t imm, uint32_t label);
void asm_exit(struct asm_buf *a);
void asm_map(struct asm_buf *a, int dst, uint32_t map);
void asm_mapval(struct asm_buf *a, int dst, uint32_t map, uint32_t off);
/* The same, where the map is known by its descriptor already. */
void asm_fdval(struct asm_buf *a, int dst, int fd, uint32_t off);
/* An address in the chains' memory, whose place is known once all functions are generated. */
void asm_own(struct asm_buf *a, int dst, uint32_t map, uint32_t off);
/* dst op= arg * (bytes of a scratch slot) */
void asm_slot(struct asm_buf *a, uint8_t op, int dst, uint32_t arg);

#endif
