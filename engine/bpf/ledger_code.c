/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The ledger's programs. R6: the timer; R7: the slot's offset; R8: the slot; R9: this CPU's current expiration. They
 * run for every timer of the machine; for timers that are not ours, they cost two lookups.
 */
#include <stddef.h>

#include "engine/bpf/asm.h"
#include "engine/bpf/bpf.h"
#include "engine/bpf/ledger.h"

/* The state of a perf event while it counts (PERF_EVENT_STATE_ACTIVE), and the value of hw.interrupts of a throttled
 * event (MAX_INTERRUPTS, all ones). */
enum { EVENT_ACTIVE = 1, EVENT_THROTTLED = -1 };

#define SLOT(field) offsetof(struct ledger_slot, field)
#define LOST(kind) (offsetof(struct ledger_slot, lost) + 8 * (kind))
#define NOW(field) offsetof(struct ledger_now, field)

struct ledger_gen {
	const struct ledger_layout *l;
	struct asm_buf *a;
	uint32_t out;
};

/* Copies `size` bytes at [from] + off to the stack at `to`; jumps to `out` if that fails. */
static void kernel_read(const struct ledger_gen *p, int to, int size, int from, int32_t off)
{
	asm_mov(p->a, R3, from);
	asm_alui(p->a, BPF_ADD, R3, off);
	asm_mov(p->a, R1, FP);
	asm_alui(p->a, BPF_ADD, R1, to);
	asm_movi(p->a, R2, size);
	asm_call(p->a, BPF_FUNC_probe_read_kernel);
	asm_jcci(p->a, BPF_JNE, R0, 0, p->out);
}

static void add_to(const struct ledger_gen *p, int off, int reg, int tmp)
{
	asm_ld(p->a, BPF_DW, tmp, R8, (int16_t)off);
	asm_alu(p->a, BPF_ADD, tmp, reg);
	asm_st(p->a, BPF_DW, R8, (int16_t)off, tmp);
}

static void count_one(const struct ledger_gen *p, int off)
{
	asm_movi(p->a, R1, 1);
	add_to(p, off, R1, R2);
}

/* R8 = the slot at R7. */
static void find_slot(const struct ledger_gen *p)
{
	asm_jcci(p->a, BPF_JGT, R7, (int32_t)(p->l->mem_size - sizeof(struct ledger_slot)), p->out);
	asm_fdval(p->a, R8, p->l->mem, 0);
	asm_alu(p->a, BPF_ADD, R8, R7);
}

static void find_now(const struct ledger_gen *p)
{
	asm_call(p->a, BPF_FUNC_get_smp_processor_id);
	asm_alui(p->a, BPF_AND, R0, (int32_t)p->l->cpuslots - 1);
	asm_alui(p->a, BPF_MUL, R0, sizeof(struct ledger_now));
	asm_fdval(p->a, R9, p->l->mem, sizeof(struct ledger_words));
	asm_alu(p->a, BPF_ADD, R9, R0);
}

/* reg = the word of the session's data whose offset is stored in the slot. R1 is lost. */
static void data_word(const struct ledger_gen *p, int reg, int at)
{
	asm_ld(p->a, BPF_DW, R1, R8, (int16_t)at);
	asm_jcci(p->a, BPF_JGT, R1, (int32_t)(p->l->data_size - 8), p->out);
	asm_fdval(p->a, reg, p->l->data, 0);
	asm_alu(p->a, BPF_ADD, reg, R1);
	asm_ld(p->a, BPF_DW, reg, reg, 0);
}

/* R1 = the session's state. */
static void session_state(const struct ledger_gen *p)
{
	asm_fdval(p->a, R1, p->l->data, offsetof(struct bpf_words, state));
	asm_ld(p->a, BPF_DW, R1, R1, 0);
}

/* Checks whether R6 is the timer of one of our events; then R7 = its slot's offset. For other timers, the memory around
 * them is read too and means nothing, so two numbers must match. */
static void find_event(const struct ledger_gen *p)
{
	kernel_read(p, -8, 8, R6, p->l->types.id);
	asm_emit(p->a, insn(BPF_LD | BPF_IMM | BPF_DW, R1, BPF_PSEUDO_MAP_FD, 0, p->l->ids));
	asm_emit(p->a, insn(0, 0, 0, 0, 0));
	asm_mov(p->a, R2, FP);
	asm_alui(p->a, BPF_ADD, R2, -8);
	asm_call(p->a, BPF_FUNC_map_lookup_elem);
	asm_jcci(p->a, BPF_JEQ, R0, 0, p->out);
	asm_mov(p->a, R7, R0);
	kernel_read(p, -16, 8, R6, p->l->types.owner);
	asm_ld(p->a, BPF_DW, R1, FP, -16);
	asm_ld(p->a, BPF_DW, R2, R7, offsetof(struct ledger_event, owner));
	asm_jcc(p->a, BPF_JNE, R1, R2, p->out);
	asm_ld(p->a, BPF_DW, R7, R7, offsetof(struct ledger_event, slot));
}

/* R1 = this expiration, R2 = the previous one. Whole periods between them were skipped; the rest is a shift. */
static void count_gap(const struct ledger_gen *p)
{
	uint32_t whole = asm_label(p->a), late = asm_label(p->a), done = asm_label(p->a);

	asm_mov(p->a, R3, R1);
	asm_alu(p->a, BPF_SUB, R3, R2);
	asm_ld(p->a, BPF_DW, R4, R8, SLOT(period));
	asm_mov(p->a, R5, R3);
	asm_alu(p->a, BPF_DIV, R5, R4);
	asm_jcci(p->a, BPF_JNE, R5, 0, whole);
	asm_movi(p->a, R5, 1);
	asm_bind(p->a, whole);
	asm_alu(p->a, BPF_MUL, R4, R5);
	asm_alu(p->a, BPF_SUB, R3, R4);
	asm_alui(p->a, BPF_SUB, R5, 1);
	asm_ld(p->a, BPF_DW, R0, R8, SLOT(throttled));
	asm_jcci(p->a, BPF_JEQ, R0, 0, late);
	add_to(p, SLOT(shift[1]), R3, R0);
	add_to(p, LOST(DTR_LOST_THROTTLED), R5, R0);
	asm_sti(p->a, BPF_DW, R8, SLOT(throttled), 0);
	asm_jmp(p->a, done);
	asm_bind(p->a, late);
	add_to(p, SLOT(shift[0]), R3, R0);
	add_to(p, LOST(DTR_LOST_LATE), R5, R0);
	asm_bind(p->a, done);
}

static void at_entry(const struct ledger_gen *p)
{
	uint32_t again = asm_label(p->a), noted = asm_label(p->a);

	find_event(p);
	session_state(p);
	asm_jcci(p->a, BPF_JNE, R1, IR_S_ACTIVE, p->out);
	find_slot(p);
	kernel_read(p, -8, 8, R6, p->l->types.expires);
	asm_ld(p->a, BPF_DW, R1, FP, -8);
	asm_ld(p->a, BPF_DW, R2, R8, SLOT(last));
	asm_jcci(p->a, BPF_JNE, R2, 0, again);
	asm_st(p->a, BPF_DW, R8, SLOT(first), R1);
	asm_jmp(p->a, noted);
	asm_bind(p->a, again);
	count_gap(p);
	asm_bind(p->a, noted);
	asm_ld(p->a, BPF_DW, R1, FP, -8);
	asm_st(p->a, BPF_DW, R8, SLOT(last), R1);
	count_one(p, SLOT(expired));
	find_now(p);
	asm_st(p->a, BPF_DW, R9, NOW(timer), R6);
	asm_st(p->a, BPF_DW, R9, NOW(slot), R7);
	data_word(p, R2, SLOT(fired_at));
	asm_st(p->a, BPF_DW, R9, NOW(fired), R2);
	data_word(p, R2, SLOT(drops_at));
	asm_st(p->a, BPF_DW, R9, NOW(drops), R2);
}

/* The kernel did not run the probe's program because another one was running on this CPU. Counts the loss as OWN if a
 * system call of dtr's caused it, else as NESTED. */
static void count_nested(const struct ledger_gen *p)
{
	uint32_t other = asm_label(p->a);

	asm_call(p->a, BPF_FUNC_get_current_pid_tgid);
	asm_alui(p->a, BPF_RSH, R0, 32);
	asm_fdval(p->a, R1, p->l->mem, offsetof(struct ledger_words, tgid));
	asm_ld(p->a, BPF_DW, R1, R1, 0);
	asm_jcc(p->a, BPF_JNE, R0, R1, other);
	count_one(p, LOST(DTR_LOST_OWN));
	asm_jmp(p->a, p->out);
	asm_bind(p->a, other);
	count_one(p, LOST(DTR_LOST_NESTED));
	asm_jmp(p->a, p->out);
}

/* R1 = this CPU's bpf_prog_active, which is at a fixed distance from the CPU's timers. */
static void prog_active(const struct ledger_gen *p)
{
	kernel_read(p, -8, 8, R6, p->l->types.base);
	asm_ld(p->a, BPF_DW, R1, FP, -8);
	kernel_read(p, -8, 8, R1, p->l->types.cpu_base);
	asm_ld(p->a, BPF_DW, R1, FP, -8);
	kernel_read(p, -8, 4, R1, (int32_t)p->l->types.active);
	asm_ld(p->a, BPF_W, R1, FP, -8);
}

/* The timer expired, but the program did not run: finds the cause. */
static void find_cause(const struct ledger_gen *p)
{
	uint32_t free = asm_label(p->a), busy = asm_label(p->a), active = asm_label(p->a), on = asm_label(p->a);

	if (p->l->types.active) {
		prog_active(p);
		asm_jcci(p->a, BPF_JEQ, R1, 0, free);
		count_nested(p);
	}
	asm_bind(p->a, free);
	asm_call(p->a, BPF_FUNC_get_current_pid_tgid);
	asm_jcci(p->a, BPF_JNE, R0, 0, busy);
	count_one(p, LOST(DTR_LOST_IDLE));
	asm_jmp(p->a, p->out);
	asm_bind(p->a, busy);
	session_state(p);
	asm_jcci(p->a, BPF_JEQ, R1, IR_S_ACTIVE, active);
	count_one(p, LOST(DTR_LOST_LATE));		/* the session ended in between */
	asm_jmp(p->a, p->out);
	asm_bind(p->a, active);
	kernel_read(p, -8, 4, R6, p->l->types.state);
	asm_ld(p->a, BPF_W, R1, FP, -8);
	asm_jcci(p->a, BPF_JEQ, R1, EVENT_ACTIVE, on);
	count_one(p, LOST(DTR_LOST_STOPPED));
	asm_jmp(p->a, p->out);
	asm_bind(p->a, on);
	if (p->l->types.active)
		count_one(p, LOST(DTR_LOST_REFUSED));
	else
		count_nested(p);		/* the only cause left */
}

static void at_exit(const struct ledger_gen *p)
{
	uint32_t missed = asm_label(p->a), free = asm_label(p->a);

	find_now(p);
	asm_ld(p->a, BPF_DW, R1, R9, NOW(timer));
	asm_jcc(p->a, BPF_JNE, R1, R6, p->out);
	asm_sti(p->a, BPF_DW, R9, NOW(timer), 0);
	asm_ld(p->a, BPF_DW, R7, R9, NOW(slot));
	find_slot(p);
	kernel_read(p, -8, 8, R6, p->l->types.interrupts);
	asm_ld(p->a, BPF_DW, R1, FP, -8);
	asm_jcci(p->a, BPF_JNE, R1, EVENT_THROTTLED, free);
	asm_sti(p->a, BPF_DW, R8, SLOT(throttled), 1);
	asm_bind(p->a, free);
	data_word(p, R2, SLOT(fired_at));
	asm_ld(p->a, BPF_DW, R3, R9, NOW(fired));
	asm_jcc(p->a, BPF_JEQ, R2, R3, missed);
	count_one(p, SLOT(delivered));
	data_word(p, R2, SLOT(drops_at));
	asm_ld(p->a, BPF_DW, R3, R9, NOW(drops));
	asm_alu(p->a, BPF_SUB, R2, R3);
	add_to(p, SLOT(records_lost), R2, R3);
	asm_jmp(p->a, p->out);
	asm_bind(p->a, missed);
	find_cause(p);
}

static void note_self(const struct ledger_gen *p)
{
	asm_call(p->a, BPF_FUNC_get_current_task);
	asm_fdval(p->a, R7, p->l->mem, 0);
	asm_st(p->a, BPF_DW, R7, offsetof(struct ledger_words, task), R0);
	asm_call(p->a, BPF_FUNC_get_current_pid_tgid);
	asm_alui(p->a, BPF_RSH, R0, 32);
	asm_st(p->a, BPF_DW, R7, offsetof(struct ledger_words, tgid), R0);
}

unsigned ledger_code(const struct ledger_layout *l, enum ledger_prog which, struct arena *arena, struct bpf_insn *out,
		     unsigned max)
{
	static void (*const make[])(const struct ledger_gen *p) = {
		[LEDGER_SELF] = note_self, [LEDGER_ENTRY] = at_entry, [LEDGER_EXIT] = at_exit,
	};
	struct asm_buf a;
	struct ledger_gen p = { .l = l, .a = &a };
	unsigned n;

	asm_init(&a, arena);
	p.out = asm_label(&a);
	asm_ld(&a, BPF_DW, R6, R1, 0);
	make[which](&p);
	asm_bind(&a, p.out);
	asm_movi(&a, R0, 0);
	asm_exit(&a);
	n = asm_finish(&a) && a.code.n <= max ? (unsigned)a.code.n : 0;
	for (unsigned i = 0; i < n; i++)
		out[i] = a.code.v[i];
	return n;
}
