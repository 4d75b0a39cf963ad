/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The assembler: a growing list of BPF instructions with labels. Every jump goes forward. A jump has a 16-bit offset
 * and reaches 32,767 instructions. Before an open jump gets out of range, the assembler inserts an island, which holds
 * one jump for each open label. Callers do not notice.
 *
 * Ownership: the arena owns everything.
 * Errors: if open jumps are so dense that no island fits, `failed` is set.
 */
#ifndef ENGINE_BPF_CODE_ASM_H
#define ENGINE_BPF_CODE_ASM_H

#include "base/arena.h"
#include "engine/bpf/code/insn.h"
#include "ir/ir.h"

/* Filled in by the loader. */
enum reloc_kind {
	RELOC_MAP,	/* LD_IMM64: descriptor of map `arg` */
	RELOC_MAPVAL,	/* like MAP; the second half is an offset into the map's value */
	RELOC_OWN,	/* second half of LD_IMM64: arg + the offset of the chains' memory in the data map */
	RELOC_SLOT,	/* imm = arg * size of a scratch slot; the size is known after all functions are generated */
};

struct asm_reloc {
	uint32_t insn;
	enum reloc_kind kind;
	uint32_t arg;
};

/* The first instruction of a subprogram, and the name that the kernel shows for it. */
struct asm_sub {
	uint32_t insn;
	const char *name;
};

enum asm_fixup_kind { FIXUP_JUMP, FIXUP_CALL /* BPF-to-BPF: the offset is 32 bits, no island needed */ };

struct asm_fixup {
	uint32_t insn;
	uint32_t label;
	uint32_t next;		/* index + 1 of the label's next open jump */
	enum asm_fixup_kind kind;
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
	VEC(const struct ir_ins *) src;		/* IR operation of each instruction, or NULL */
	VEC(struct asm_label) labels;
	VEC(struct asm_fixup) fixups;
	VEC(struct asm_reloc) relocs;
	VEC(struct asm_sub) subs;
	size_t oldest;				/* all fixups before this one are done */
	size_t nopen;
	const struct ir_ins *cur;		/* source operation of the next instructions */
	bool island;				/* an island is being emitted */
	bool failed;
};

void asm_init(struct asm_buf *a, struct arena *arena);

uint32_t asm_label(struct asm_buf *a);
void asm_bind(struct asm_buf *a, uint32_t label);
/* True if every jump has a bound label. */
bool asm_finish(struct asm_buf *a);

void asm_emit(struct asm_buf *a, struct bpf_insn i);
void asm_alu(struct asm_buf *a, uint8_t op, int dst, int src);		/* 64 bits */
void asm_alui(struct asm_buf *a, uint8_t op, int dst, int32_t imm);
void asm_mov(struct asm_buf *a, int dst, int src);			/* no code if dst == src */
void asm_movi(struct asm_buf *a, int dst, int64_t imm);
void asm_ld(struct asm_buf *a, uint8_t size, int dst, int base, int16_t off);
void asm_st(struct asm_buf *a, uint8_t size, int base, int16_t off, int src);
void asm_sti(struct asm_buf *a, uint8_t size, int base, int16_t off, int32_t imm);
void asm_atomic(struct asm_buf *a, int base, int16_t off, int src, int32_t op);			/* 64 bits */
void asm_call(struct asm_buf *a, int32_t helper);
/* Calls a function of the kernel by its ID in the kernel's BTF. */
void asm_callkernel(struct asm_buf *a, uint32_t id);
void asm_callsub(struct asm_buf *a, uint32_t label);
/* dst = address of a subprogram, for a helper that calls it back. */
void asm_subaddr(struct asm_buf *a, int dst, uint32_t label);
/* Marks the next instruction as the start of a subprogram. */
void asm_sub(struct asm_buf *a, const char *name);
void asm_jmp(struct asm_buf *a, uint32_t label);
void asm_jcc(struct asm_buf *a, uint8_t op, int dst, int src, uint32_t label);
void asm_jcci(struct asm_buf *a, uint8_t op, int dst, int32_t imm, uint32_t label);
void asm_exit(struct asm_buf *a);
void asm_map(struct asm_buf *a, int dst, uint32_t map);
void asm_mapval(struct asm_buf *a, int dst, uint32_t map, uint32_t off);
/* Like asm_mapval, for a map whose descriptor is already known. */
void asm_fdval(struct asm_buf *a, int dst, int fd, uint32_t off);
/* Like asm_map, for a map whose descriptor is already known. */
void asm_fd(struct asm_buf *a, int dst, int fd);
/* dst = address in the chains' memory; its offset is known after all functions are generated. */
void asm_own(struct asm_buf *a, int dst, uint32_t map, uint32_t off);
/* dst op= arg * (size of a scratch slot) */
void asm_slot(struct asm_buf *a, uint8_t op, int dst, uint32_t arg);

#endif
