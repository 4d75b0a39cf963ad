/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Probes that share a program. The provider selects the firing one by a number. The enabled ones, the members, are
 * numbered from 0; tables indexed by member hold what differs among them (id, epid, name).
 */
#include "lang/lower/gate.h"

#include <stdio.h>
#include <string.h>

#include "lang/lower/expr.h"
#include "lang/lower/lower.h"
#include "lang/lower/str.h"
#include "rt/rt.h"

struct gate *lower_gate(struct lower *l, const struct probe *p)
{
	const struct probe_gate *desc = probe_gate_of(p);
	void **slot = desc ? map_find(&l->gates, &desc, sizeof desc) : NULL;

	return slot ? *slot : NULL;
}

static void add_member(struct lower *l, const struct probe_gate *desc, struct probe *p)
{
	struct gate **slot = (struct gate **)map_put(&l->gates, &desc, sizeof desc);
	void **index;

	if (!*slot) {
		*slot = arena_alloc(l->arena, sizeof **slot);
		(*slot)->desc = desc;
		map_init(&(*slot)->index, l->arena);
	}
	index = map_put(&(*slot)->index, &p, sizeof p);
	if (*index)
		return;
	*VEC_ADD(l->arena, &(*slot)->members) = p;
	*index = (void *)(uintptr_t)(*slot)->members.n;
}

/* Probes that are found while the program runs follow those of the script. */
static void add_spare(struct lower *l, struct gate *g)
{
	if (g->members.v[0]->prov->gates->reserve)
		g->members.v[0]->prov->gates->reserve(l->c->probes, g->members.v[0]);
	if (!g->desc->nspare)
		return;
	for (uint32_t i = 0; i < g->desc->nspare; i++)
		add_member(l, g->desc, g->desc->spare[i]);
	g->follow = arena_alloc(l->arena, sizeof *g->follow);
	g->follow->member = g->members.v;
	g->follow->n = g->members.n;
	*VEC_ADD(l->arena, &l->prog->follow) = g->follow;
}

void lower_find_gates(struct lower *l)
{
	for (const struct clause *c = l->c->script->clauses; c; c = c->next) {
		for (size_t i = 0; i < c->probes.n && !compile_full(l->c, c->loc); i++) {
			const struct probe_gate *desc = probe_gate_of(c->probes.v[i]);

			if (desc)
				add_member(l, desc, c->probes.v[i]);
		}
		for (size_t i = 0; i < c->anchors.n; i++)
			add_member(l, probe_gate_of(c->anchors.v[i]), c->anchors.v[i]);
	}
	for (size_t i = 0; i < l->gates.n; i++)
		add_spare(l, l->gates.entries[i].value);
}

/* Clauses whose selection is in one word. */
enum { CHOICE_CLAUSES = 64 };

static bool has_members(const struct lower *l)
{
	return l->info->gate && l->info->gate->members.n > 1;
}

/* kind: IR_O_CONST, or IR_O_GLOBAL if the words change while the program runs. */
static uint32_t table_object(struct lower *l, enum ir_objkind kind, const char *what, const uint64_t *words, size_t n)
{
	return ir_obj_add(l->ir, &(struct ir_obj){
		.name = arena_printf(l->arena, "%s@%zu", what, l->ir->objs.n), .kind = kind,
		.size = (uint32_t)(n * sizeof *words), .init = words,
	});
}

static ir_reg load_word(struct lower *l, uint32_t obj, unsigned at, ir_reg index, size_t n)
{
	return ir_emit(&l->b, IR_LD64, ir_mx(0, obj, at, index, (uint32_t)n));
}

uint32_t lower_gate_table(struct lower *l, const char *what, const uint64_t *words)
{
	return table_object(l, IR_O_CONST, what, words, l->info->gate->members.n);
}

struct ir_arg lower_gate_load(struct lower *l, uint32_t table)
{
	return ir_r(load_word(l, table, 0, l->member, l->info->gate->members.n));
}

/* ---- which probe fires ---- */

/* The number of the member + 1; 0: the probe is not enabled. */
static ir_reg load_member(struct lower *l, ir_reg number)
{
	struct gate *g = (struct gate *)l->info->gate;

	if (!g->table) {
		uint64_t *words = arena_calloc(l->arena, g->desc->numbers, sizeof *words);

		for (size_t i = 0; i < g->members.n; i++)
			words[g->members.v[i]->prov->gates->number(g->members.v[i])] = i + 1;
		g->table = table_object(l, IR_O_CONST, "gate", words, g->desc->numbers) + 1;
	}
	return load_word(l, g->table - 1, 0, number, g->desc->numbers);
}

void lower_gate_enter(struct lower *l, uint32_t skip)
{
	const struct probe *p = l->probe;
	uint32_t go;
	ir_reg number;

	l->member = 0;
	if (!l->info->gate)
		return;
	go = ir_newblock(&l->b, NULL);
	number = p->prov->gates->select(&l->b, p);
	if (has_members(l))
		ir_emit(&l->b, IR_BNE, ir_r(load_member(l, number)), ir_i(0), ir_b(go), ir_b(skip));
	else
		ir_emit(&l->b, IR_BEQ, ir_r(number), ir_i(p->prov->gates->number(p)), ir_b(go), ir_b(skip));
	ir_enter(&l->b, go);
}

static ir_reg firing_member(struct lower *l)
{
	return ir_emit(&l->b, IR_SUB, ir_r(load_member(l, l->probe->prov->gates->select(&l->b, l->probe))), ir_i(1));
}

/* The selection of one clause, which can change while the program runs. */
static ir_reg followed_bit(struct lower *l, const struct gate *g)
{
	ir_reg member = firing_member(l), word;
	uint32_t obj;

	if (l->en->nset == g->members.n)
		return 0;
	obj = table_object(l, IR_O_GLOBAL, "set", l->en->set, g->members.n / 64 + 1);
	VEC_ADD(l->arena, &g->follow->sets)->clause = l->en->info->clause;
	g->follow->sets.v[g->follow->sets.n - 1].obj = obj;
	word = load_word(l, obj, 0, ir_emit(&l->b, IR_LSHR, ir_r(member), ir_i(6)), g->members.n / 64 + 1);
	/* a shift uses only the low six bits */
	return ir_emit(&l->b, IR_AND, ir_r(ir_emit(&l->b, IR_LSHR, ir_r(word), ir_r(member))), ir_i(1));
}

/*
 * The selection of the next 64 clauses: a word for each member, with bit i set if the i-th clause names it. The word is
 * live across many clauses; the member is not, and is found again by each clause that needs it: the kernel's verifier
 * learns about the member at each use, and what it has learnt on different paths keeps it from joining them. The bit is
 * isolated in a copy for the same reason.
 */
static ir_reg chosen_bit(struct lower *l, const struct gate *g)
{
	unsigned bit = l->nth++ % CHOICE_CLAUSES;

	if (!bit) {
		uint64_t *words = arena_calloc(l->arena, g->members.n, sizeof *words);
		const struct enabling *en = l->en;
		ir_reg member = firing_member(l);
		uint32_t obj;

		for (unsigned i = 0; i < CHOICE_CLAUSES && en; i++, en = en->next) {
			for (size_t m = 0; m < g->members.n; m++)
				words[m] |= (en->set[m / 64] >> m % 64 & 1) << i;
		}
		obj = table_object(l, IR_O_CONST, "choice", words, g->members.n);
		l->choice = load_word(l, obj, 0, member, g->members.n);
	}
	return ir_emit(&l->b, IR_AND, ir_r(ir_emit(&l->b, IR_LSHR, ir_r(l->choice), ir_i(bit))), ir_i(1));
}

void lower_gate_clause(struct lower *l, uint32_t no)
{
	const struct gate *g = l->info->gate;
	uint32_t go;
	ir_reg bit;

	l->member = 0;
	if (!has_members(l))
		return;
	bit = g->follow ? followed_bit(l, g) : chosen_bit(l, g);
	if (l->en->nset < g->members.n) {
		go = ir_newblock(&l->b, NULL);
		ir_emit(&l->b, IR_BNE, ir_r(bit), ir_i(0), ir_b(go), ir_b(no));
		ir_enter(&l->b, go);
	}
	l->member = firing_member(l);
}

/* ---- differences among the members ---- */
struct ir_arg lower_epid(struct lower *l)
{
	if (!l->member)
		return ir_i(l->en->epid);
	return ir_r(ir_emit(&l->b, IR_ADD, ir_r(l->member), ir_i(l->en->epid)));
}

struct ir_arg lower_id(struct lower *l)
{
	struct gate *g = (struct gate *)l->info->gate;

	if (!l->member)
		return ir_i(l->probe->id);
	if (!g->ids) {
		uint64_t *words = arena_calloc(l->arena, g->members.n, sizeof *words);

		for (size_t i = 0; i < g->members.n; i++)
			words[i] = g->members.v[i]->id;
		g->ids = table_object(l, IR_O_CONST, "ids", words, g->members.n) + 1;
	}
	return ir_r(load_word(l, g->ids - 1, 0, l->member, g->members.n));
}

/* The size of a text in the table: that of the longest one. */
static uint32_t text_width(const struct gate *g, enum builtin bi)
{
	size_t longest = g->follow ? FOLLOW_TEXT : 0;

	for (size_t i = 0; i < g->members.n; i++) {
		size_t n = strlen(probe_text(g->members.v[i], bi));

		longest = n > longest ? n : longest;
	}
	return ((uint32_t)longest + 8) & ~7u;
}

static uint32_t texts_object(struct lower *l, enum builtin bi, uint32_t width)
{
	struct gate *g = (struct gate *)l->info->gate;

	if (!g->texts[bi]) {
		char *all = arena_calloc(l->arena, g->members.n, width);

		for (size_t i = 0; i < g->members.n; i++) {
			const char *text = probe_text(g->members.v[i], bi);

			memcpy(all + i * width, text, strlen(text));
		}
		g->texts[bi] = table_object(l, g->follow ? IR_O_GLOBAL : IR_O_CONST, "texts", (const uint64_t *)all,
					    g->members.n * width / 8) + 1;
		if (g->follow) {
			g->follow->text[bi] = g->texts[bi];
			g->follow->width[bi] = width;
		}
	}
	return g->texts[bi] - 1;
}

/* The provider of a probe of all processes has a star: the number of the process that fires is put there. */
static void process_text(struct lower *l, struct ir_arg dst, uint32_t cap)
{
	enum { NUMBER_TEXT = 24, NAME_TEXT = 8 };
	const char *name = l->probe->prov->name;
	uint32_t star = ir_newblock(&l->b, NULL), end = ir_newblock(&l->b, NULL);
	struct ir_arg number = ir_m(lower_temp(l, NUMBER_TEXT), 0), prefix = ir_m(lower_temp(l, NAME_TEXT), 0);
	char all[NAME_TEXT] = "", plain[NAME_TEXT] = "";
	int64_t word;

	snprintf(all, sizeof all, "%s*", name);
	snprintf(plain, sizeof plain, "%s", name);
	memcpy(&word, all, sizeof word);
	ir_emit(&l->b, IR_BEQ, ir_r(ir_emit(&l->b, IR_LD64, dst)), ir_i(word), ir_b(star), ir_b(end));
	ir_enter(&l->b, star);
	ir_emit_to(&l->b, IR_LLTOSTR, 0, number, ir_i(NUMBER_TEXT), ir_m(lower_temp(l, RT_WORK), 0), ir_i(RT_WORK),
		   lower_op(l, IR_LSHR, ir_r(ir_emit0(&l->b, IR_PIDTGID)), ir_i(32)), ir_i(10));
	memcpy(&word, plain, sizeof word);
	ir_emit(&l->b, IR_ST64, prefix, ir_i(word));
	ir_emit_to(&l->b, IR_STRJOIN, 0, dst, ir_i(cap), prefix, ir_i(NAME_TEXT), number, ir_i(NUMBER_TEXT));
	ir_emit(&l->b, IR_JMP, ir_b(end));
	ir_enter(&l->b, end);
}

void lower_gate_text(struct lower *l, const struct node *n, struct ir_arg dst, uint32_t cap)
{
	uint32_t width = text_width(l->info->gate, n->var->builtin), obj = texts_object(l, n->var->builtin, width);
	size_t last = (l->info->gate->members.n - 1) * (width / 8);
	ir_reg index = ir_emit(&l->b, IR_MUL, ir_r(l->member), ir_i(width / 8));
	struct strval s = { .cap = width, .place = dst };

	if (cap < width)
		s.place = ir_m(lower_temp(l, width), 0);
	for (uint32_t i = 0; i < width; i += 8) {
		struct ir_arg to = s.place;

		to.imm += i;
		ir_emit(&l->b, IR_ST64, to, ir_r(load_word(l, obj, i, index, last + 1)));
	}
	if (cap < width)
		lower_store_string(l, &s, dst, cap);
	else if (cap > width)
		ir_emit(&l->b, IR_ZERO, (struct ir_arg){ .kind = dst.kind, .obj = dst.obj, .reg = dst.reg,
			.imm = dst.imm + width }, ir_i(cap - width));
	if (n->var->builtin == BI_probeprov && l->probe->prov->everywhere &&
	    l->probe->prov->everywhere->limit)
		process_text(l, dst, cap);
}
