/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The programs that maintain the table of owners. R6: process ID, R7: owner, R8: address in the table, R9: address in
 * `files`.
 */
#include <stddef.h>

#include "base/arch/arch.h"
#include "engine/bpf/asm.h"
#include "engine/bpf/owners.h"
#include "ir/value.h"
#include "lang/prog.h"
#include "rt/unwind.h"

enum { TRIES = 4, MAP_ANON = 0x20, EXECUTABLE = 4 };

/* Offsets of a system call's number and arguments in struct pt_regs, and the numbers of the calls that map memory. */
struct calls {
	int16_t number, addr, length, prot, flags;
	int32_t map, protect, protect_key;
};

/* [0]: for 64-bit processes; [1]: for 32-bit processes, which are those with register & mode_mask == mode. */
struct owners_machine {
	int16_t mode_reg;
	int32_t mode_mask, mode;
	struct calls calls[2];
};

static const struct owners_machine machine = {
	ARCH_MODE, ARCH_MODE32_MASK, ARCH_MODE32, { ARCH_MAPS, ARCH_MAPS32 },
};

struct owners_gen {
	const struct owners_layout *l;
	struct asm_buf *a;
	uint32_t out;
};

enum owners_threads { ANY_THREAD, FIRST_THREAD };

/* R6 = the ID of the process in our PID namespace. FIRST_THREAD: other threads of the process jump to `out`. */
static void current_pid(const struct owners_gen *p, enum owners_threads which)
{
	if (p->l->pidns_ino) {
		asm_movi(p->a, R1, (int64_t)p->l->pidns_dev);
		asm_movi(p->a, R2, (int64_t)p->l->pidns_ino);
		asm_mov(p->a, R3, FP);
		asm_alui(p->a, BPF_ADD, R3, -8);
		asm_movi(p->a, R4, sizeof(struct bpf_pidns_info));
		asm_call(p->a, BPF_FUNC_get_ns_current_pid_tgid);
		asm_jcci(p->a, BPF_JNE, R0, 0, p->out);	/* not in our namespace */
		asm_ld(p->a, BPF_W, R6, FP, -8 + (int)offsetof(struct bpf_pidns_info, tgid));
		asm_ld(p->a, BPF_W, R1, FP, -8 + (int)offsetof(struct bpf_pidns_info, pid));
	} else {
		asm_call(p->a, BPF_FUNC_get_current_pid_tgid);
		asm_mov(p->a, R6, R0);
		asm_alui(p->a, BPF_RSH, R6, 32);
		asm_mov(p->a, R1, R0);
		asm_alui(p->a, BPF_LSH, R1, 32);
		asm_alui(p->a, BPF_RSH, R1, 32);
	}
	if (which == FIRST_THREAD)
		asm_jcc(p->a, BPF_JNE, R1, R6, p->out);
}

/* R7 = the owner from now on. */
static void owner_now(const struct owners_gen *p, uint64_t flag)
{
	uint32_t fits = asm_label(p->a);

	asm_call(p->a, BPF_FUNC_ktime_get_ns);
	asm_movi(p->a, R1, (int64_t)p->l->begun);
	asm_alu(p->a, BPF_SUB, R0, R1);
	asm_alui(p->a, BPF_RSH, R0, VAL_TIME_UNIT);
	asm_movi(p->a, R1, VAL_TIME_MAX);
	asm_jcc(p->a, BPF_JLE, R0, R1, fits);
	asm_mov(p->a, R0, R1);
	asm_bind(p->a, fits);
	asm_alui(p->a, BPF_LSH, R0, VAL_TIME_SHIFT);
	asm_mov(p->a, R7, R6);
	asm_alui(p->a, BPF_AND, R7, (int32_t)VAL_PID_MASK);
	asm_alu(p->a, BPF_OR, R7, R0);
	if (flag)
		asm_alui(p->a, BPF_OR, R7, (int32_t)flag);
}

/* dst = address of the process's word in a table of `count` words at `off` in a map. R1 is lost. */
static void word_of(const struct owners_gen *p, int dst, int fd, uint32_t off, uint32_t count)
{
	asm_fdval(p->a, dst, fd, off);
	asm_mov(p->a, R1, R6);
	asm_alui(p->a, BPF_AND, R1, (int32_t)count - 1);
	asm_alui(p->a, BPF_LSH, R1, 3);
	asm_alu(p->a, BPF_ADD, dst, R1);
}

/* Sets the word to R7, unless it is larger already. */
static void store_owner(const struct owners_gen *p)
{
	uint32_t stored = asm_label(p->a);

	word_of(p, R8, p->l->data, p->l->table, PROG_OWNERS);
	for (int i = 0; i < TRIES; i++) {
		asm_ld(p->a, BPF_DW, R0, R8, 0);
		asm_jcc(p->a, BPF_JGE, R0, R7, stored);
		asm_mov(p->a, R1, R0);
		asm_atomic(p->a, R8, 0, R7, BPF_CMPXCHG);
		asm_jcc(p->a, BPF_JEQ, R0, R1, stored);
	}
	asm_st(p->a, BPF_DW, R8, 0, R7);
	asm_bind(p->a, stored);
}

/* Reports a change of the session's process, so that its new mappings are known before its first stack needs them. */
static void report_change(const struct owners_gen *p)
{
	if (p->l->target < 0)
		return;
	asm_jcci(p->a, BPF_JNE, R6, (int32_t)p->l->target, p->out);
	asm_st(p->a, BPF_DW, FP, -8, R6);
	asm_fd(p->a, R1, p->l->ring);
	asm_mov(p->a, R2, FP);
	asm_alui(p->a, BPF_ADD, R2, -8);
	asm_movi(p->a, R3, sizeof(struct unwind_notice));
	asm_movi(p->a, R4, 0);
	asm_call(p->a, BPF_FUNC_ringbuf_output);
}

/* Records that the process has mapped a file executable, or that its mappings are gone. */
static void store_file(const struct owners_gen *p)
{
	word_of(p, R9, p->l->mem, offsetof(struct owners_memory, files), OWNERS_FILES);
	asm_st(p->a, BPF_DW, R9, 0, R7);
}

static void owner_changed(const struct owners_gen *p, enum owners_threads which, uint64_t flag)
{
	current_pid(p, which);
	owner_now(p, flag);
	store_file(p);
	store_owner(p);
}

/* ---- mappings ---- */

/* R0 = a register of the process; R9 = address of the registers. */
static void load_reg(const struct owners_gen *p, int16_t off)
{
	asm_mov(p->a, R1, FP);
	asm_alui(p->a, BPF_ADD, R1, -8);
	asm_movi(p->a, R2, 8);
	asm_mov(p->a, R3, R9);
	asm_alui(p->a, BPF_ADD, R3, off);
	asm_call(p->a, BPF_FUNC_probe_read_kernel);
	asm_ld(p->a, BPF_DW, R0, FP, -8);
}

/* R7 = a hash of the range and the process, never 0. */
static void range_of(const struct owners_gen *p, const struct calls *c)
{
	const int64_t mix = (int64_t)0x9e3779b97f4a7c15;

	load_reg(p, c->addr);
	asm_mov(p->a, R7, R0);
	load_reg(p, c->length);
	asm_movi(p->a, R1, mix);
	asm_alu(p->a, BPF_MUL, R7, R1);
	asm_alu(p->a, BPF_ADD, R7, R0);
	asm_alu(p->a, BPF_MUL, R7, R1);
	asm_alu(p->a, BPF_ADD, R7, R6);
	asm_alu(p->a, BPF_MUL, R7, R1);
	asm_alui(p->a, BPF_OR, R7, 1);
}

/* Anonymous memory. Jumps to `out` if this range is known already and the process has mapped no file since then. */
static void map_anonymous(const struct owners_gen *p, const struct calls *c)
{
	uint32_t another = asm_label(p->a);
	const int range = offsetof(struct owners_memory, ranges);

	range_of(p, c);
	word_of(p, R9, p->l->mem, offsetof(struct owners_memory, files), OWNERS_FILES);
	asm_ld(p->a, BPF_DW, R9, R9, 0);
	asm_fdval(p->a, R8, p->l->mem, range);
	asm_mov(p->a, R1, R7);
	asm_alui(p->a, BPF_RSH, R1, 40);
	asm_alui(p->a, BPF_AND, R1, OWNERS_RANGES - 1);
	asm_alui(p->a, BPF_LSH, R1, 4);
	asm_alu(p->a, BPF_ADD, R8, R1);
	asm_ld(p->a, BPF_DW, R1, R8, 0);
	asm_jcc(p->a, BPF_JNE, R1, R7, another);
	asm_ld(p->a, BPF_DW, R1, R8, 8);
	asm_jcc(p->a, BPF_JEQ, R1, R9, p->out);
	asm_bind(p->a, another);
	asm_st(p->a, BPF_DW, R8, 8, R9);
	asm_st(p->a, BPF_DW, R8, 0, R7);
	owner_now(p, 0);
	store_owner(p);
	asm_jmp(p->a, p->out);
}

/* R9 = the registers, R7 = the number of the system call. Continues if the call has made memory executable. */
static void after_map_call(const struct owners_gen *p, const struct calls *c)
{
	uint32_t maps_memory = asm_label(p->a), file = asm_label(p->a), no_file = asm_label(p->a);

	asm_jcci(p->a, BPF_JEQ, R7, c->map, maps_memory);
	asm_jcci(p->a, BPF_JEQ, R7, c->protect, maps_memory);
	asm_jcci(p->a, BPF_JNE, R7, c->protect_key, p->out);
	asm_bind(p->a, maps_memory);
	load_reg(p, c->prot);
	asm_alui(p->a, BPF_AND, R0, EXECUTABLE);
	asm_jcci(p->a, BPF_JEQ, R0, 0, p->out);
	current_pid(p, ANY_THREAD);
	asm_jcci(p->a, BPF_JNE, R7, c->map, no_file);
	load_reg(p, c->flags);
	asm_alui(p->a, BPF_AND, R0, MAP_ANON);
	asm_jcci(p->a, BPF_JEQ, R0, 0, file);
	asm_bind(p->a, no_file);
	map_anonymous(p, c);
	asm_bind(p->a, file);
	owner_now(p, 0);
	store_file(p);
	store_owner(p);
	report_change(p);
	asm_jmp(p->a, p->out);
}

/* Most releases of the lock are not from a call that maps memory, so the number of the call is checked first. */
static void at_release(const struct owners_gen *p)
{
	const struct owners_machine *m = &machine;
	uint32_t narrow = asm_label(p->a);

	asm_call(p->a, BPF_FUNC_get_current_task_btf);
	asm_mov(p->a, R1, R0);
	asm_call(p->a, BPF_FUNC_task_pt_regs);
	asm_mov(p->a, R9, R0);
	load_reg(p, m->mode_reg);
	asm_alui(p->a, BPF_AND, R0, m->mode_mask);
	asm_mov(p->a, R7, R0);
	asm_jcci(p->a, BPF_JEQ, R7, m->mode, narrow);
	load_reg(p, m->calls[0].number);
	asm_mov(p->a, R7, R0);
	after_map_call(p, &m->calls[0]);
	asm_bind(p->a, narrow);
	load_reg(p, m->calls[1].number);
	asm_mov(p->a, R7, R0);
	after_map_call(p, &m->calls[1]);
}

/* The second argument of the tracepoint says whether this is the last thread. */
static void at_exit(const struct owners_gen *p)
{
	asm_ld(p->a, BPF_DW, R1, R1, 8);
	asm_alui(p->a, BPF_AND, R1, 0xff);
	asm_jcci(p->a, BPF_JEQ, R1, 0, p->out);
	owner_changed(p, ANY_THREAD, VAL_OWNER_NEXT);
}

static void at_leaders_exit(const struct owners_gen *p)
{
	owner_changed(p, FIRST_THREAD, VAL_OWNER_NEXT);
}

static void at_exec(const struct owners_gen *p)
{
	owner_changed(p, ANY_THREAD, 0);
	report_change(p);
}

unsigned owners_code(const struct owners_layout *l, enum owners_prog which, struct arena *arena, struct bpf_insn *out,
		     unsigned max)
{
	static void (*const make[])(const struct owners_gen *p) = {
		[OWNERS_EXEC] = at_exec, [OWNERS_MAP] = at_release, [OWNERS_EXIT] = at_exit,
		[OWNERS_LEADER] = at_leaders_exit,
	};
	struct asm_buf a;
	struct owners_gen p = { .l = l, .a = &a };
	unsigned n;

	asm_init(&a, arena);
	p.out = asm_label(&a);
	make[which](&p);
	asm_bind(&a, p.out);
	asm_movi(&a, R0, 0);
	asm_exit(&a);
	n = asm_finish(&a) && a.code.n <= max ? (unsigned)a.code.n : 0;
	for (unsigned i = 0; i < n; i++)
		out[i] = a.code.v[i];
	return n;
}
