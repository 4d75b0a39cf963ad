/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/unwind/rules.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "rt/go.h"

enum { SLOTS = 2 * UNWIND_RULES };

_Static_assert(UNWIND_RULES <= UINT16_MAX, "numbers of rules have 16 bits");

/* ---- registers ---- */
static const uint8_t i386[] = { 0, 2, 1, 3, UNWIND_REG_SP, UNWIND_REG_FP, 12, 13, UNWIND_REG_PC };
static const uint8_t saved[UNWIND_SAVED] = { UNWIND_REG_FP, 3, 12, 13, 14, 15 };

unsigned rule_register(const struct unwind_machine *m, unsigned dwarf)
{
	return m->bits == 32 ? i386[dwarf < sizeof i386 ? dwarf : 0] : dwarf;
}

/* The DWARF number of saved[i], or -1 if the machine lacks it. */
static int saved_dwarf(const struct unwind_machine *m, unsigned i)
{
	static const int8_t narrow[UNWIND_SAVED] = { 5, 3, 6, 7, -1, -1 };

	return m->bits == 32 ? narrow[i] : saved[i];
}

/* ---- expressions ---- */
/* An expression that is being read; in.bad: it is not what is expected. */
struct shape {
	const struct unwind_machine *m;
	struct cfi_bytes in;
};

static struct shape shape_of(const struct cfi_section *s, const struct unwind_rule *r)
{
	const uint8_t *p = s->data + (uint32_t)r->val;

	return (struct shape){ s->machine, { p, p + r->nops, false } };
}

static uint8_t shape_byte(struct shape *x)
{
	return (uint8_t)cfi_fixed(&x->in, 1);
}

static void shape_expect(struct shape *x, uint8_t op)
{
	x->in.bad |= shape_byte(x) != op;
}

static bool shape_over(const struct shape *x)
{
	return !x->in.bad && x->in.p == x->in.end;
}

/* An offset as rules have them. */
static int64_t shape_offset(struct shape *x)
{
	int64_t v = cfi_sleb(&x->in);

	x->in.bad |= v < INT32_MIN || v > INT32_MAX;
	return v;
}

/* DW_OP_breg<n> off. Returns the register. */
static unsigned shape_breg(struct shape *x, int64_t *off)
{
	unsigned op = shape_byte(x), reg = op - DW_OP_breg0;

	*off = shape_offset(x);
	x->in.bad |= op < DW_OP_breg0 || reg >= x->m->nregs;
	return reg;
}

/* breg deref [plus_uconst n] */
static bool deref_shape(struct shape x, struct unwind_bpf_rule *out)
{
	int64_t off = 0, add = 0;
	unsigned reg = shape_breg(&x, &off);

	shape_expect(&x, DW_OP_deref);
	if (!shape_over(&x)) {
		shape_expect(&x, DW_OP_plus_uconst);
		add = (int64_t)cfi_uleb(&x.in);
		x.in.bad |= add < 0 || add > INT32_MAX;
	}
	*out = (struct unwind_bpf_rule){ .kind = UNWIND_DEREF, .reg = (uint8_t)rule_register(x.m, reg & 15),
					 .off = (int32_t)off, .add = (int32_t)add };
	return shape_over(&x);
}

/* What linkers write for procedure linkage tables: sp off, pc 0, lit15 and lit<n> ge lit<log2 of a word> shl plus */
static bool plt_shape(struct shape x, struct unwind_bpf_rule *out)
{
	int64_t off = 0, zero = 0;
	unsigned reg = shape_breg(&x, &off), pc = shape_byte(&x), limit;

	x.in.bad |= pc < DW_OP_breg0 || pc - DW_OP_breg0 != x.m->pc;
	zero = shape_offset(&x);
	shape_expect(&x, DW_OP_lit15);
	shape_expect(&x, DW_OP_and);
	limit = shape_byte(&x);
	shape_expect(&x, DW_OP_ge);
	shape_expect(&x, x.m->bits == 32 ? DW_OP_lit2 : DW_OP_lit3);
	shape_expect(&x, DW_OP_shl);
	shape_expect(&x, DW_OP_plus);
	*out = (struct unwind_bpf_rule){ .kind = UNWIND_PLT, .reg = (uint8_t)rule_register(x.m, reg & 15),
					 .off = (int32_t)off, .add = (int32_t)(limit - DW_OP_lit0) };
	return shape_over(&x) && !zero && limit >= DW_OP_lit0 && limit <= DW_OP_lit31;
}

/* What engine/symbols/gotab.h writes for a return address: const1u reg, const2u off, drop, const2u add, drop, deref */
static bool go_shape(struct shape x, struct unwind_bpf_rule *out)
{
	*out = (struct unwind_bpf_rule){ .kind = UNWIND_GO };
	shape_expect(&x, DW_OP_const1u);
	out->reg = shape_byte(&x);
	shape_expect(&x, DW_OP_const2u);
	out->off = (int32_t)cfi_fixed(&x.in, 2);
	shape_expect(&x, DW_OP_drop);
	shape_expect(&x, DW_OP_const2u);
	out->add = (int32_t)cfi_fixed(&x.in, 2);
	shape_expect(&x, DW_OP_drop);
	shape_expect(&x, DW_OP_deref);
	return shape_over(&x) && out->reg < GO_NCHANGES;
}

/* True if a register is in memory at a register + *off. Some files first drop the CFA. */
static bool at_breg(const struct cfi_section *s, const struct unwind_rule *r, unsigned *reg, int64_t *off)
{
	struct shape x;

	if (r->how != RULE_EXPR_AT)
		return false;
	x = shape_of(s, r);
	if (x.in.p < x.in.end && *x.in.p == DW_OP_drop)
		x.in.p++;
	*reg = shape_breg(&x, off);
	return shape_over(&x);
}

/* ---- kinds of rows ---- */
static const struct unwind_bpf_rule other = { .kind = UNWIND_OTHER };

/* Signal frames: every register is in the struct sigcontext. The address of the saved pc gives the address of that. */
static struct unwind_bpf_rule signal_rule(const struct cfi_section *s, const struct unwind_row *row)
{
	const struct unwind_machine *m = s->machine;
	const uint8_t *place = m->context;
	unsigned reg, sp, word = m->bits / 8;
	struct unwind_bpf_rule cfa;
	int64_t pc_off, off;

	if (!at_breg(s, &row->reg[m->pc], &sp, &pc_off) || row->cfa.how != RULE_EXPR ||
	    !deref_shape(shape_of(s, &row->cfa), &cfa))
		return other;
	pc_off -= place[m->pc] * (int64_t)word;
	if (cfa.reg != rule_register(m, sp) || cfa.add || cfa.off != pc_off + place[m->sp] * (int64_t)word)
		return other;
	for (unsigned i = 0; i < m->nregs; i++) {
		if (i == m->sp || row->reg[i].how == RULE_CFA)
			continue;
		if (!at_breg(s, &row->reg[i], &reg, &off) || reg != sp || off != pc_off + place[i] * (int64_t)word)
			return other;
	}
	return (struct unwind_bpf_rule){ .kind = UNWIND_SIGNAL, .reg = cfa.reg, .off = (int32_t)pc_off };
}

static bool cfa_rule(const struct cfi_section *s, const struct unwind_rule *r, struct unwind_bpf_rule *out)
{
	if (r->how == RULE_EXPR)
		return deref_shape(shape_of(s, r), out) || plt_shape(shape_of(s, r), out);
	*out = (struct unwind_bpf_rule){ .kind = UNWIND_CFA, .reg = (uint8_t)rule_register(s->machine, r->reg),
					 .off = r->val };
	return r->how == RULE_REG && r->reg < s->machine->nregs;
}

static bool offset_fits(int64_t off)
{
	return off >= INT16_MIN && off < UNWIND_LOST;
}

/* Functions that align their stack save registers relative to the frame pointer. */
static bool saved_rule(const struct cfi_section *s, const struct unwind_rule *r, unsigned i,
		       struct unwind_bpf_rule *out)
{
	int64_t off = r->val;
	unsigned reg, fp = 0;

	out->saved[i] = UNWIND_LOST;
	if (r->how == RULE_SAME)
		out->saved[i] = UNWIND_SAME;
	if (r->how == RULE_SAME || r->how == RULE_UNKNOWN)
		return true;
	if (r->how != RULE_AT) {
		if (!at_breg(s, r, &reg, &off) || reg != s->machine->fp)
			return false;
		fp = 1;
	}
	out->saved[i] = (int16_t)(off + fp);
	return offset_fits(off) && !(off & 1);
}

struct unwind_bpf_rule rule_of_row(const struct cfi_section *s, const struct unwind_row *row)
{
	const struct unwind_machine *m = s->machine;
	const struct unwind_rule *ra = &row->reg[m->pc], *sp = &row->reg[m->sp];
	struct unwind_bpf_rule r;

	if (!row->known)
		return (struct unwind_bpf_rule){ .kind = UNWIND_NONE };
	if (ra->how == RULE_UNKNOWN)
		return (struct unwind_bpf_rule){ .kind = UNWIND_END };
	if (row->signal)
		return signal_rule(s, row);
	if (ra->how == RULE_EXPR && go_shape(shape_of(s, ra), &r))
		return r;
	if (!cfa_rule(s, &row->cfa, &r) || ra->how != RULE_AT || !offset_fits(ra->val) || sp->how != RULE_CFA ||
	    sp->val)
		return other;
	r.ra = (int16_t)ra->val;
	for (unsigned i = 0; i < UNWIND_SAVED; i++) {
		int dwarf = saved_dwarf(m, i);

		if (dwarf < 0)
			r.saved[i] = UNWIND_SAME;
		else if (!saved_rule(s, &row->reg[dwarf], i, &r))
			return other;
	}
	return r;
}

/* ---- each rule once ---- */
/* Kinds that need no more are not set: a rule is UNWIND_NONE. */
bool rules_open(struct rules *r, struct unwind_bpf_rule *v)
{
	enum { SP = UNWIND_REG_SP, CONTEXT = 40 };	/* offset of uc_mcontext in struct ucontext */

	*r = (struct rules){ .v = v, .n = RULES_FIRST, .slot = calloc(SLOTS, sizeof *r->slot) };
	v[RULES_END].kind = UNWIND_END;
	v[RULES_OTHER].kind = UNWIND_OTHER;
	v[RULES_SIGRETURN] = (struct unwind_bpf_rule){ .kind = UNWIND_SIGNAL, .reg = SP, .off = CONTEXT };
	return r->slot;
}

void rules_close(struct rules *r)
{
	free(r->slot);
	*r = (struct rules){ 0 };
}

_Static_assert(sizeof(struct unwind_bpf_rule) == 3 * sizeof(uint64_t), "a rule is three words");

static uint32_t rule_hash(const struct unwind_bpf_rule *r)
{
	uint64_t w[3], h;

	memcpy(w, r, sizeof w);
	h = (w[0] ^ w[1] * 0x9e3779b97f4a7c15ull) * 0xff51afd7ed558ccdull;
	h = (h ^ h >> 32 ^ w[2]) * 0x9e3779b97f4a7c15ull;
	return (uint32_t)(h >> 32);
}

static uint32_t rules_intern(struct rules *r, const struct unwind_bpf_rule *x)
{
	uint32_t i = rule_hash(x) % SLOTS;

	for (; r->slot[i]; i = (i + 1) % SLOTS)
		if (!memcmp(&r->v[r->slot[i]], x, sizeof *x))
			return r->slot[i];
	if (r->n == UNWIND_RULES)
		return RULES_OTHER;
	r->v[r->n] = *x;
	return r->slot[i] = (uint16_t)r->n++;
}

uint32_t rules_number(struct rules *r, const struct cfi_section *s, const struct cfi_row *row)
{
	struct unwind_bpf_rule x = rule_of_row(s, &row->rules);

	switch (x.kind) {
	case UNWIND_NONE:
		return RULES_NONE;
	case UNWIND_END:
		return RULES_END;
	case UNWIND_OTHER:
		return RULES_OTHER;
	}
	return rules_intern(r, &x);
}
