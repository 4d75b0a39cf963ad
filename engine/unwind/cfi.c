/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/unwind/cfi.h"

#include <dwarf.h>

#include "engine/unwind/cfi_insn.h"

enum {
	NESTED = 64,		/* remembered states */
	REGISTERS = 1024,	/* libdw allocates memory for all registers up to the highest number */
	SLOTS = 32,		/* CIEs kept, a power of two; entries refer to few */
	AGAIN = 4,		/* CIEs are decoded again only until their bytes are this multiple of the section's */
};

/* The present row, without its end. */
struct cfi_state {
	struct cfi_row row;
	bool plain;		/* the CFA is register reg + off; the rule cannot hold all numbers */
	uint64_t reg, off;
};

/* A CIE and the state with which its FDEs begin. */
struct cfi_common {
	bool used, good;
	uint64_t off;
	struct cfi_cie cie;
	struct cfi_state state;
};

enum cfi_progress { GOES_ON, DONE, INVALID, STOPPED };

/* The execution of an entry's instructions. */
struct cfi_run {
	const struct cfi_section *s;
	const struct cfi_common *common;
	bool fde;			/* else the CIE's own instructions */
	bool dropped;			/* a function that the linker dropped: it has no rows */
	uint64_t end;			/* of the function */
	struct cfi_state state;
	enum cfi_progress at;
	unsigned depth;
	cfi_row_fn *fn;
	void *arg;
	struct cfi_counts n;
	struct cfi_state remembered[NESTED];
};

struct cfi_decoder {
	uint64_t budget;		/* bytes of CIEs that may still be decoded */
	struct cfi_common common[SLOTS];
	struct cfi_run run;
};

/* ---- rules ---- */
static bool fits_rule(uint64_t v)
{
	return (int64_t)v >= INT32_MIN && (int64_t)v <= INT32_MAX;
}

static void rule_set(struct unwind_row *r, unsigned reg, struct unwind_rule rule)
{
	uint32_t bit = 1u << reg;

	r->reg[reg] = rule;
	r->same = rule.how == RULE_SAME ? r->same | bit : r->same & ~bit;
	r->other = rule.how == RULE_SAME || rule.how == RULE_UNKNOWN ? r->other & ~bit : r->other | bit;
}

/* An empty expression has no value. */
static struct unwind_rule rule_expr(const struct cfi_run *r, enum rule_how how, const struct cfi_insn *i)
{
	if (!i->length || i->length > UINT16_MAX)
		return (struct unwind_rule){ .how = RULE_UNKNOWN };
	return (struct unwind_rule){ .how = (uint8_t)how, .nops = (uint16_t)i->length,
		.val = (int32_t)(i->expr - r->s->data) };
}

static void cfa_set(struct cfi_run *r, struct unwind_rule rule)
{
	r->state.row.rules.cfa = rule;
	r->state.row.rules.known = rule.how != RULE_UNKNOWN && r->common->cie.ra == r->s->machine->pc;
}

/* The CFA is a register and an offset, if the state says that it is plain. */
static void cfa_plain(struct cfi_run *r, uint64_t reg, uint64_t off)
{
	struct cfi_state *t = &r->state;

	t->reg = reg;
	t->off = off;
	cfa_set(r, t->plain && reg < FRAME_REGS && fits_rule(off) ?
		(struct unwind_rule){ .how = RULE_REG, .reg = (uint8_t)reg, .val = (int32_t)off } :
		(struct unwind_rule){ .how = RULE_UNKNOWN });
}

/* ---- actions ---- */
static void run_invalid(struct cfi_run *r)
{
	r->at = INVALID;
}

/* The same, and libdw must not read the section. */
static void run_unsafe(struct cfi_run *r)
{
	r->at = INVALID;
	r->n.unsafe = true;
}

static void row_end(struct cfi_run *r, uint64_t to)
{
	struct cfi_row *row = &r->state.row;
	bool last = to >= r->end;

	if (!r->fde) {
		run_invalid(r);
		return;
	}
	if (to < row->begin) {
		run_unsafe(r);
		return;
	}
	r->at = last ? DONE : GOES_ON;
	row->end = last ? r->end : to;
	if (row->end > row->begin && !r->dropped) {
		r->n.rows++;
		if (!r->fn(r->arg, row))
			r->at = STOPPED;
	}
	row->begin = row->end;
}

static void act_nop(struct cfi_run *r, const struct cfi_insn *i)
{
	(void)r, (void)i;
}

static void act_advance(struct cfi_run *r, const struct cfi_insn *i)
{
	row_end(r, r->state.row.begin + i->val);
}

static void act_set_loc(struct cfi_run *r, const struct cfi_insn *i)
{
	row_end(r, i->val);
}

static void act_rule(struct cfi_run *r, const struct cfi_insn *i)
{
	struct unwind_rule rule = { .how = i->how };

	r->n.unsafe |= i->reg >= REGISTERS;
	if (i->reg >= r->s->machine->nregs)
		return;
	if (i->how == RULE_EXPR_AT || i->how == RULE_EXPR)
		rule = rule_expr(r, i->how, i);
	else if (i->how == RULE_REG && i->val >= FRAME_REGS)
		rule.how = RULE_UNKNOWN;
	else if (i->how == RULE_REG)
		rule.val = (int32_t)i->val;
	else if (i->how == RULE_AT || i->how == RULE_CFA)
		rule = fits_rule(i->val) ? (struct unwind_rule){ .how = i->how, .val = (int32_t)i->val } :
			(struct unwind_rule){ .how = RULE_UNKNOWN };
	rule_set(&r->state.row.rules, (unsigned)i->reg, rule);
}

static void act_restore(struct cfi_run *r, const struct cfi_insn *i)
{
	r->n.unsafe |= i->reg >= REGISTERS;
	if (!r->fde)
		run_invalid(r);
	else if (i->reg < r->s->machine->nregs)
		rule_set(&r->state.row.rules, (unsigned)i->reg, r->common->state.row.rules.reg[i->reg]);
}

static void act_cfa(struct cfi_run *r, const struct cfi_insn *i)
{
	r->state.plain = true;
	cfa_plain(r, i->reg, i->val);
}

static void act_cfa_reg(struct cfi_run *r, const struct cfi_insn *i)
{
	cfa_plain(r, i->reg, r->state.off);
}

static void act_cfa_offset(struct cfi_run *r, const struct cfi_insn *i)
{
	cfa_plain(r, r->state.reg, i->val);
}

/* An expression of only a register and an offset is stored as such. */
static void act_cfa_expr(struct cfi_run *r, const struct cfi_insn *i)
{
	struct cfi_bytes b = { i->expr, i->expr + i->length, false };
	unsigned reg = (unsigned)cfi_fixed(&b, 1) - DW_OP_breg0;
	uint64_t off = (uint64_t)cfi_sleb(&b);

	r->state.plain = false;
	if (!b.bad && b.p == b.end && reg < FRAME_REGS && fits_rule(off))
		cfa_set(r, (struct unwind_rule){ .how = RULE_REG, .reg = (uint8_t)reg, .val = (int32_t)off });
	else
		cfa_set(r, rule_expr(r, RULE_EXPR, i));
}

static void act_remember(struct cfi_run *r, const struct cfi_insn *i)
{
	(void)i;
	if (r->depth == NESTED)
		run_unsafe(r);
	else
		r->remembered[r->depth++] = r->state;
}

static void act_recall(struct cfi_run *r, const struct cfi_insn *i)
{
	uint64_t begin = r->state.row.begin;

	(void)i;
	if (!r->depth) {
		run_invalid(r);
		return;
	}
	r->state = r->remembered[--r->depth];
	r->state.row.begin = begin;
}

static void insns_execute(struct cfi_run *r, const struct cfi_cie *c, struct cfi_bytes b)
{
	static void (*const acts[CFI_ACTIONS])(struct cfi_run *, const struct cfi_insn *) = {
		[CFI_NOP] = act_nop, [CFI_ADVANCE] = act_advance,
		[CFI_SET_LOC] = act_set_loc, [CFI_RULE] = act_rule, [CFI_RESTORE] = act_restore,
		[CFI_CFA] = act_cfa, [CFI_CFA_REG] = act_cfa_reg, [CFI_CFA_OFFSET] = act_cfa_offset,
		[CFI_CFA_EXPR] = act_cfa_expr, [CFI_REMEMBER] = act_remember, [CFI_RECALL] = act_recall,
	};
	struct cfi_insn i = { .action = CFI_UNKNOWN };

	r->at = GOES_ON;
	r->depth = 0;
	while (b.p < b.end && r->at == GOES_ON) {
		if (cfi_insn_read(r->s, c, &b, &i))
			acts[i.action](r, &i);
		else if (i.action == CFI_UNKNOWN)
			run_invalid(r);
		else
			run_unsafe(r);
	}
}

/* ---- entries ---- */

/* The rules of the ABI, which apply where the tables say nothing. */
static void rules_default(const struct unwind_machine *m, struct unwind_row *out)
{
	*out = (struct unwind_row){ .cfa.how = RULE_UNKNOWN };
	for (unsigned i = 0; i < m->nregs; i++)
		out->reg[i].how = m->saved >> i & 1 ? RULE_SAME : RULE_UNKNOWN;
	out->reg[m->sp].how = RULE_CFA;
	row_sort(out);
}

/* Decodes the CIE at `off`. */
static void common_read(struct cfi_decoder *d, uint64_t off, struct cfi_common *out)
{
	const struct cfi_section *s = d->run.s;
	uint64_t next = off;
	struct cfi_entry e;
	enum cfi_found found = cfi_entry_next(s, &next, &e);

	*out = (struct cfi_common){ .used = true, .off = off };
	d->budget -= d->budget < next - off ? d->budget : next - off;
	d->run.n.unsafe |= !d->budget;
	if (found != CFI_ENTRY || e.off != off || !e.is_cie || !cfi_cie_read(s, &e, &out->cie)) {
		d->run.n.unsafe = true;
		return;
	}
	d->run.state.plain = false;
	rules_default(s->machine, &d->run.state.row.rules);
	d->run.state.row.rules.signal = out->cie.signal;
	d->run.common = out;
	d->run.fde = false;
	insns_execute(&d->run, &out->cie, out->cie.insns);
	out->good = d->run.at == GOES_ON;
	out->state = d->run.state;
}

static const struct cfi_common *common_at(struct cfi_decoder *d, uint64_t off)
{
	struct cfi_common *c = &d->common[off * 0x9e3779b97f4a7c15ull >> 59 & (SLOTS - 1)];

	if (!c->used || c->off != off)
		common_read(d, off, c);
	return c->good ? c : NULL;
}

/* Executes an FDE. Linkers set the addresses of functions that they dropped to 0. Returns false if it is invalid. */
static bool function_run(struct cfi_decoder *d, const struct cfi_entry *e)
{
	const struct cfi_common *c = common_at(d, e->cie);
	struct cfi_run *r = &d->run;
	struct cfi_fde f;

	if (!c)
		return false;
	if (!cfi_fde_read(r->s, e, &c->cie, &f)) {
		r->n.unsafe = true;
		return false;
	}
	if (f.begin == f.end)
		return true;
	r->dropped = !f.begin;
	r->n.functions += !r->dropped;
	r->common = c;
	r->fde = true;
	r->state = c->state;
	r->state.row.begin = f.begin;
	r->end = f.end;
	insns_execute(r, &c->cie, f.insns);
	if (r->at == GOES_ON)
		row_end(r, f.end);
	return r->at != INVALID;
}

enum cfi_end cfi_rows(const struct cfi_section *s, cfi_row_fn *fn, void *arg, struct cfi_counts *n)
{
	struct cfi_decoder d = { .budget = AGAIN * s->size, .run = { .s = s, .fn = fn, .arg = arg } };
	enum cfi_found found = CFI_ENTRY;
	struct cfi_entry e;
	uint64_t off = 0;

	while (found != CFI_NOTHING && found != CFI_DAMAGED && d.budget && d.run.at != STOPPED) {
		found = cfi_entry_next(s, &off, &e);
		if (found == CFI_INVALID || (found == CFI_ENTRY && !e.is_cie && !function_run(&d, &e)))
			d.run.n.invalid++;
	}
	if (n)
		*n = d.run.n;
	if (d.run.at == STOPPED)
		return CFI_STOPPED;
	return found == CFI_NOTHING || !s->size ? CFI_ALL : CFI_CUT;
}
