/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Speculations: speculation(), speculate(), commit(), discard(), as operations on three objects that the consumer
 * (engine/session/speculate.c) also reads and writes; struct spec_layout in lang/prog.h defines their layout.
 *
 * A speculation is a slot and its generation. speculate() marks the clause's record with both. commit() and discard()
 * end the generation and append their verdict to the slot's log, which frees the slot at once. So no operation ever
 * waits for a verdict or a record, and a late one is still identified by its generation.
 */
#include "lang/lower/speculation.h"

#include "lang/lower/builtin.h"
#include "lang/lower/expr.h"
#include "lang/lower/gate.h"
#include "lang/lower/lower.h"

enum { TRIES = 4 };	/* attempts to take a free slot that others may take, too */

static struct spec_layout *spec_objects(struct lower *l)
{
	struct spec_layout *s = &l->prog->spec;
	uint64_t *init;

	if (s->used)
		return s;
	*s = (struct spec_layout){ .used = true, .n = l->c->opts.nspec ? l->c->opts.nspec : 1 };
	s->words = (s->n + 63) / 64;
	for (s->depth = SPEC_MAXDEPTH; s->depth > SPEC_MINDEPTH && s->depth * s->n > SPEC_ENTRIES;)
		s->depth /= 2;
	init = arena_calloc(l->arena, s->words + 1, sizeof *init);
	for (unsigned i = 0; i < l->c->opts.nspec; i++)
		init[i / 64] |= 1ull << (i % 64);
	s->free = ir_obj_add(l->ir, &(struct ir_obj){ .name = "spec@free", .kind = IR_O_GLOBAL,
						      .size = (s->words + 1) * 8, .init = init });
	s->slots = lower_object(l, IR_O_GLOBAL, "spec@slots", (s->n * SPEC_SLOT_WORDS + 1) * 8, 0);
	s->log = lower_object(l, IR_O_GLOBAL, "spec@log",
			      (s->n * s->depth * SPEC_LOG_WORDS + SPEC_LOG_WORDS) * 8, 0);
	return s;
}

/* Word `member` of the group of words that starts at `idx`. */
static struct ir_arg group_word(struct lower *l, uint32_t obj, struct ir_arg idx, unsigned member, uint32_t lim)
{
	ir_reg r = idx.kind == IR_REG ? idx.reg : ir_emit(&l->b, IR_MOV, idx);

	return ir_mx(0, obj, member * 8, r, lim);
}

static struct ir_arg slot_place(struct lower *l, struct ir_arg slot, unsigned member)
{
	const struct spec_layout *s = &l->prog->spec;

	return group_word(l, s->slots, lower_op(l, IR_MUL, slot, ir_i(SPEC_SLOT_WORDS)), member,
			  s->n * SPEC_SLOT_WORDS);
}

/* ---- speculation() ---- */
/* The number of the only set bit. */
static struct ir_arg bit_number(struct lower *l, struct ir_arg bit)
{
	static const uint64_t masks[] = { 0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc, 0xf0f0f0f0f0f0f0f0,
					  0xff00ff00ff00ff00, 0xffff0000ffff0000, 0xffffffff00000000 };
	struct ir_arg n = ir_i(0);

	for (unsigned i = 0; i < sizeof masks / sizeof *masks; i++) {
		struct ir_arg set = lower_op(l, IR_NE, lower_op(l, IR_AND, bit, ir_i((int64_t)masks[i])), ir_i(0));

		n = lower_op(l, IR_OR, n, lower_op(l, IR_SHL, set, ir_i(i)));
	}
	return n;
}

/* No slot is free. Counts a drop: "busy" if a slot waits for the consumer, else "unavailable". */
static void none_free(struct lower *l, const struct spec_layout *s, uint32_t done)
{
	uint32_t busy = ir_newblock(&l->b, "busy"), none = ir_newblock(&l->b, "unavailable");
	ir_reg n = ir_emit(&l->b, IR_LD64, ir_m(s->free, s->words * 8));

	ir_emit(&l->b, IR_BNE, ir_r(n), ir_i(0), ir_b(busy), ir_b(none));
	ir_enter(&l->b, busy);
	ir_emit(&l->b, IR_DROP, ir_i(IR_DROP_SPECBUSY));
	ir_emit(&l->b, IR_JMP, ir_b(done));
	ir_enter(&l->b, none);
	ir_emit(&l->b, IR_DROP, ir_i(IR_DROP_SPECUNAVAIL));
	ir_emit(&l->b, IR_JMP, ir_b(done));
}

/* A word of the set of free slots. */
struct free_word {
	ir_reg number, bits;	/* bits: its value */
	ir_reg low;		/* its lowest bit */
};

/* Takes the lowest bit out of the word and continues at `got`; at `lost` if others were faster. */
static void take_bit(struct lower *l, const struct spec_layout *s, const struct free_word *f, uint32_t got,
		     uint32_t lost)
{
	for (unsigned i = 0; i < TRIES; i++) {
		uint32_t again = ir_newblock(&l->b, NULL), more = ir_newblock(&l->b, NULL);
		ir_reg old;

		ir_emit_to(&l->b, IR_AND, f->low, ir_r(f->bits), lower_op(l, IR_SUB, ir_i(0), ir_r(f->bits)));
		old = ir_emit(&l->b, IR_XCAS, group_word(l, s->free, ir_r(f->number), 0, s->words), ir_r(f->bits),
			      lower_op(l, IR_XOR, ir_r(f->bits), ir_r(f->low)));
		ir_emit(&l->b, IR_BEQ, ir_r(old), ir_r(f->bits), ir_b(got), ir_b(again));
		ir_enter(&l->b, again);
		ir_emit_to(&l->b, IR_MOV, f->bits, ir_r(old));
		ir_emit(&l->b, IR_BNE, ir_r(f->bits), ir_i(0), ir_b(more), ir_b(lost));
		ir_enter(&l->b, more);
	}
	ir_emit(&l->b, IR_JMP, ir_b(lost));
}

struct ir_arg lower_new_speculation(struct lower *l)
{
	const struct spec_layout *s = spec_objects(l);
	uint32_t done = ir_newblock(&l->b, NULL), found = ir_newblock(&l->b, "free"), lost = ir_newblock(&l->b, "lost");
	uint32_t got = ir_newblock(&l->b, "got");
	ir_reg id = ir_newreg(&l->b);
	struct free_word word = { .number = ir_newreg(&l->b), .bits = ir_newreg(&l->b), .low = ir_newreg(&l->b) };
	struct ir_arg slot, state;

	ir_emit_to(&l->b, IR_MOV, id, ir_i(0));
	for (unsigned i = 0; i < s->words; i++) {
		uint32_t next = ir_newblock(&l->b, NULL);

		ir_emit_to(&l->b, IR_MOV, word.number, ir_i(i));
		ir_emit_to(&l->b, IR_LD64, word.bits, ir_m(s->free, i * 8));
		ir_emit(&l->b, IR_BNE, ir_r(word.bits), ir_i(0), ir_b(found), ir_b(next));
		ir_enter(&l->b, next);
	}
	none_free(l, s, done);
	ir_enter(&l->b, found);
	take_bit(l, s, &word, got, lost);
	ir_enter(&l->b, lost);
	ir_emit(&l->b, IR_DROP, ir_i(IR_DROP_SPECBUSY));
	ir_emit(&l->b, IR_JMP, ir_b(done));
	ir_enter(&l->b, got);
	slot = lower_op(l, IR_ADD, lower_op(l, IR_SHL, ir_r(word.number), ir_i(6)), bit_number(l, ir_r(word.low)));
	state = slot_place(l, slot, SPEC_SLOT_STATE);
	ir_emit(&l->b, IR_ST64, state, lower_op(l, IR_OR, ir_r(ir_emit(&l->b, IR_LD64, state)), ir_i(SPEC_ACTIVE)));
	ir_emit_to(&l->b, IR_ADD, id, slot, ir_i(1));
	ir_enter(&l->b, done);
	return ir_r(id);
}

/* ---- speculate(), commit(), discard() ---- */
/* The slot's state if its speculation is active; else jumps to `inactive`. An invalid id is a fault. */
static ir_reg active_state(struct lower *l, struct ir_arg id, struct ir_arg *slot, uint32_t inactive)
{
	uint32_t some = ir_newblock(&l->b, NULL), on = ir_newblock(&l->b, NULL);
	ir_reg state;

	spec_objects(l);
	ir_emit(&l->b, IR_BNE, id, ir_i(0), ir_b(some), ir_b(inactive));
	ir_enter(&l->b, some);
	lower_fault_if(l, IR_BNE, lower_op(l, IR_UGT, id, ir_i(l->c->opts.nspec)), IR_FLT_ILLOP, id);
	*slot = lower_op(l, IR_SUB, id, ir_i(1));
	state = ir_emit(&l->b, IR_LD64, slot_place(l, *slot, SPEC_SLOT_STATE));
	ir_emit(&l->b, IR_BEQ, lower_op(l, IR_AND, ir_r(state), ir_i(SPEC_STATES)), ir_i(SPEC_ACTIVE), ir_b(on),
		ir_b(inactive));
	ir_enter(&l->b, on);
	return state;
}

/* As in DTrace, the clause ends here if the speculation is not active. */
static void lower_speculate(struct lower *l, const struct node *call, uint32_t rec)
{
	const struct clause_info *ci = l->en->info;
	struct ir_arg slot, key;
	ir_reg state = active_state(l, lower_expr(l, call->args[0]), &slot, l->next);

	if (ci->size && ci->size - REC_OVERHEAD > l->c->opts.specsize) {
		ir_emit(&l->b, IR_DROP, ir_i(IR_DROP_SPEC));
		ir_emit(&l->b, IR_JMP, ir_b(l->next));
		ir_enter(&l->b, ir_newblock(&l->b, NULL));
		return;
	}
	if (!ci->size)
		return;
	key = lower_op(l, IR_SHL, lower_op(l, IR_LSHR, ir_r(state), ir_i(SPEC_GEN_SHIFT)), ir_i(SPEC_KEY_SHIFT));
	key = lower_op(l, IR_OR, key, lower_op(l, IR_ADD, slot, ir_i(1)));
	ir_emit(&l->b, IR_ST64, ir_m(rec, sizeof(struct rec_hdr)), key);
}

/* Writes the fields before the mark. The mark, an operation with memory ordering, makes them valid. */
static void log_verdict(struct lower *l, struct ir_arg slot, struct ir_arg gen, unsigned verdict)
{
	const struct spec_layout *s = &l->prog->spec;
	uint32_t lim = s->n * s->depth * SPEC_LOG_WORDS;
	struct ir_arg turn = lower_op(l, IR_AND, gen, ir_i(s->depth - 1));
	struct ir_arg at = lower_op(l, IR_ADD, lower_op(l, IR_MUL, slot, ir_i(s->depth)), turn);
	ir_reg cpu = ir_emit0(&l->b, IR_CPU), old;
	struct ir_arg mark = lower_op(l, IR_OR, lower_op(l, IR_SHL, gen, ir_i(SPEC_GEN_SHIFT)), ir_i(verdict));

	at = lower_op(l, IR_MUL, at, ir_i(SPEC_LOG_WORDS));
	ir_emit(&l->b, IR_ST64, group_word(l, s->log, at, SPEC_LOG_TS, lim), lower_time(l));
	ir_emit(&l->b, IR_ST64, group_word(l, s->log, at, SPEC_LOG_WHERE, lim),
		lower_op(l, IR_OR, lower_op(l, IR_SHL, ir_r(cpu), ir_i(32)), lower_epid(l)));
	old = ir_emit(&l->b, IR_LD64, group_word(l, s->log, at, SPEC_LOG_MARK, lim));
	ir_emit(&l->b, IR_XCAS, group_word(l, s->log, at, SPEC_LOG_MARK, lim), ir_r(old), mark);
}

/* Frees the slot, unless its log is full: then the consumer frees it. */
static void release_slot(struct lower *l, struct ir_arg slot, struct ir_arg gen, uint32_t done)
{
	const struct spec_layout *s = &l->prog->spec;
	uint32_t room = ir_newblock(&l->b, "release"), full = ir_newblock(&l->b, "full");
	ir_reg tail = ir_emit(&l->b, IR_LD64, slot_place(l, slot, SPEC_SLOT_TAIL));
	struct ir_arg next = lower_op(l, IR_ADD, gen, ir_i(1)), state = lower_op(l, IR_SHL, next, ir_i(SPEC_GEN_SHIFT));

	ir_emit(&l->b, IR_BULT, lower_op(l, IR_SUB, next, ir_r(tail)), ir_i(s->depth), ir_b(room), ir_b(full));
	ir_enter(&l->b, full);
	ir_emit(&l->b, IR_XADD, ir_m(s->free, s->words * 8), ir_i(1));
	ir_emit(&l->b, IR_ST64, slot_place(l, slot, SPEC_SLOT_STATE), lower_op(l, IR_OR, state, ir_i(SPEC_BUSY)));
	ir_emit(&l->b, IR_JMP, ir_b(done));
	ir_enter(&l->b, room);
	ir_emit(&l->b, IR_ST64, slot_place(l, slot, SPEC_SLOT_STATE), state);
	ir_emit(&l->b, IR_XADD, group_word(l, s->free, lower_op(l, IR_LSHR, slot, ir_i(6)), 0, s->words),
		lower_op(l, IR_SHL, ir_i(1), lower_op(l, IR_AND, slot, ir_i(63))));
	ir_enter(&l->b, done);
}

static void lower_verdict(struct lower *l, const struct node *call, unsigned verdict)
{
	uint32_t done = ir_newblock(&l->b, NULL), won = ir_newblock(&l->b, NULL);
	struct ir_arg slot, gen;
	ir_reg state = active_state(l, lower_expr(l, call->args[0]), &slot, done), old;

	old = ir_emit(&l->b, IR_XCAS, slot_place(l, slot, SPEC_SLOT_STATE), ir_r(state),
		      lower_op(l, IR_OR, ir_r(state), ir_i(SPEC_ENDING)));
	ir_emit(&l->b, IR_BEQ, ir_r(old), ir_r(state), ir_b(won), ir_b(done));
	ir_enter(&l->b, won);
	gen = lower_op(l, IR_LSHR, ir_r(state), ir_i(SPEC_GEN_SHIFT));
	log_verdict(l, slot, gen, verdict);
	release_slot(l, slot, gen, done);
}

void lower_speculation(struct lower *l, const struct node *call, uint32_t rec)
{
	if (call->act == ACT_SPECULATE)
		lower_speculate(l, call, rec);
	else
		lower_verdict(l, call, call->act == ACT_COMMIT ? SPEC_COMMIT : SPEC_DISCARD);
}
