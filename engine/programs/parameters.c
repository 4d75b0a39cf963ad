/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/programs/parameters.h"

#include <dwarf.h>
#include <string.h>

#include "base/leb128.h"

enum { DEPTH_MAX = 16, WORD = 8 };

/* A search for the entry of a function. */
struct subprogram {
	const struct debuginfo *info;
	const struct dwinfo *dw;
	uint64_t address;
	struct program_signature *out;
	bool found, go;
};

/* ---- types ---- */
static struct program_type base_type(const struct subprogram *s, Dwarf_Die *die, uint64_t size)
{
	struct program_type t = { .kind = PROGRAM_OTHER };
	uint64_t encoding = 0;

	debuginfo_number(s->info, die, DW_AT_encoding, &encoding);
	if (encoding == DW_ATE_float && (size == 4 || size == 8))
		t.kind = PROGRAM_REAL;
	else if ((size == 1 || size == 2 || size == 4 || size == 8) && encoding != DW_ATE_float &&
		 encoding != DW_ATE_complex_float)
		t.kind = PROGRAM_INTEGER;
	t.size = (uint8_t)size;
	t.is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
	return t;
}

static struct program_type enum_type(const struct subprogram *s, Dwarf_Die *die, uint64_t size)
{
	struct program_type t = { .kind = PROGRAM_INTEGER, .size = (uint8_t)size };
	Dwarf_Die base;

	if (size != 1 && size != 2 && size != 4 && size != 8)
		t.kind = PROGRAM_OTHER;
	else if (debuginfo_type(s->info, die, &base))
		t.is_signed = base_type(s, &base, size).is_signed;
	return t;
}

static struct program_type pointer_type(const struct subprogram *s, Dwarf_Die *die)
{
	struct program_type t = { .kind = PROGRAM_POINTER, .size = WORD };
	uint64_t size = 0;
	Dwarf_Die to;

	if (debuginfo_type(s->info, die, &to) && s->dw->tag(&to) == DW_TAG_base_type &&
	    debuginfo_number(s->info, &to, DW_AT_byte_size, &size))
		t.text = size == 1;
	return t;
}

/* The type of a parameter, or of a function's result. */
static struct program_type type_of(const struct subprogram *s, const Dwarf_Die *die)
{
	uint64_t size = 0;
	Dwarf_Die type;

	if (!debuginfo_type(s->info, die, &type))
		return (struct program_type){ .kind = PROGRAM_VOID };
	debuginfo_number(s->info, &type, DW_AT_byte_size, &size);
	switch (s->dw->tag(&type)) {
	case DW_TAG_base_type:
		return base_type(s, &type, size);
	case DW_TAG_enumeration_type:
		return enum_type(s, &type, size);
	case DW_TAG_pointer_type: case DW_TAG_reference_type: case DW_TAG_rvalue_reference_type:
		return pointer_type(s, &type);
	default:
		return (struct program_type){ .kind = PROGRAM_OTHER };
	}
}

/* ---- Go ---- */
enum { GO_KIND = 0x2900, GO_INTERFACE = 20, GO_SLICE = 23, GO_STRING = 24 };	/* an attribute of types; values */

static uint64_t go_kind(const struct subprogram *s, const Dwarf_Die *die)
{
	uint64_t kind = 0;
	Dwarf_Die type;

	if (debuginfo_type(s->info, die, &type))
		debuginfo_number(s->info, &type, GO_KIND, &kind);
	return kind;
}

static struct program_type go_type(const struct subprogram *s, const Dwarf_Die *die)
{
	uint64_t kind = go_kind(s, die);

	if (kind == GO_STRING)
		return (struct program_type){ .kind = PROGRAM_TEXT };
	if (kind == GO_SLICE)
		return (struct program_type){ .kind = PROGRAM_SLICE };
	return type_of(s, die);
}

/* The words of a result; 0: not known. */
static unsigned go_words(const struct subprogram *s, const Dwarf_Die *die)
{
	uint64_t kind = go_kind(s, die);
	struct program_type t = go_type(s, die);

	if (kind == GO_SLICE)
		return 3;
	if (kind == GO_STRING || kind == GO_INTERFACE)
		return 2;
	return t.kind == PROGRAM_INTEGER || t.kind == PROGRAM_POINTER;
}

/* Bytes after the return address: DW_OP_call_frame_cfa, or DW_OP_fbreg with a number. libdw refuses the first one. */
static struct program_place go_stack_place(const uint8_t *p, uint64_t n)
{
	const uint8_t *end = p + n;
	uint8_t op = n ? *p++ : 0;
	uint64_t at = 0;

	if (op != DW_OP_call_frame_cfa && (op != DW_OP_fbreg || !leb128_read(&p, end, &at) || at > INT16_MAX))
		return (struct program_place){ .where = PROGRAM_NOWHERE };
	return (struct program_place){ PROGRAM_STACK, (uint32_t)at };
}

/* Where a parameter is when the function begins. Those that are not used have no place. */
static struct program_place go_place(const struct subprogram *s, Dwarf_Die *die)
{
	/* DWARF's numbers of rax rbx rcx rdi rsi r8 r9 r10 r11, in the order of words */
	static const uint8_t word[] = { 0, 3, 2, 5, 4, 8, 9, 10, 11 };
	struct program_place p = { .where = PROGRAM_NOWHERE };
	Dwarf_Attribute a;
	Dwarf_Block block;
	Dwarf_Op *op;
	size_t n;

	if (!s->dw->attr_integrate(die, DW_AT_location, &a))
		return p;
	if (!s->dw->formblock(&a, &block))
		return go_stack_place(block.data, block.length);
	if (s->dw->getlocation_addr(&a, s->address, &op, &n, 1) != 1 || !n || (n == 1 && go_words(s, die) > 1))
		return p;	/* of a value of which only one word is used, Go's compiler may describe that alone */
	if (op->atom == DW_OP_fbreg && op->number <= INT16_MAX)
		return (struct program_place){ PROGRAM_STACK, (uint32_t)op->number };
	for (unsigned i = 0; i < sizeof word; i++)
		if (op->atom == DW_OP_reg0 + word[i])
			p = (struct program_place){ PROGRAM_WORD, i };
	return p;
}

/* Parameters and results are in the order of the source, without those that are named "_". */
static void take_function_go(struct subprogram *s, Dwarf_Die *function)
{
	struct program_signature *x = s->out;
	bool known = true;		/* the words of all results so far */
	unsigned word = 0;
	Dwarf_Die die;

	s->found = true;
	*x = (struct program_signature){ .n = 0 };
	if (s->dw->child(function, &die) != 0)
		return;
	do {
		Dwarf_Attribute a;
		bool result = false;

		if (s->dw->tag(&die) != DW_TAG_formal_parameter)
			continue;
		if (s->dw->attr_integrate(&die, DW_AT_variable_parameter, &a))
			s->dw->formflag(&a, &result);
		if (!result && x->n < PROGRAM_PARAMETERS) {
			x->place[x->n] = go_place(s, &die);
			x->parameter[x->n++] = go_type(s, &die);
		}
		if (!result || x->nresults == PROGRAM_PARAMETERS || !known)
			continue;
		x->results[x->nresults] = go_type(s, &die);
		known = go_words(s, &die) || x->results[x->nresults].kind == PROGRAM_REAL;
		x->word[x->nresults] = word;
		x->nresults += known;
		word += go_words(s, &die);
	} while (debuginfo_next(s->info, &die));
}

/* ---- functions ---- */
/* Compilers may change how a local function is called. */
static bool is_regular(const struct subprogram *s, Dwarf_Die *function)
{
	uint64_t convention = DW_CC_normal;

	debuginfo_number(s->info, function, DW_AT_calling_convention, &convention);
	return convention == DW_CC_normal;
}

static void take_function(struct subprogram *s, Dwarf_Die *function)
{
	Dwarf_Die die;

	s->found = is_regular(s, function);
	s->out->n = 0;
	s->out->result = type_of(s, function);
	if (s->dw->child(function, &die) != 0)
		return;
	do
		if (s->dw->tag(&die) == DW_TAG_formal_parameter && s->out->n < PROGRAM_PARAMETERS)
			s->out->parameter[s->out->n++] = type_of(s, &die);
	while (debuginfo_next(s->info, &die));
}

static bool begins_here(const struct subprogram *s, Dwarf_Die *function)
{
	Dwarf_Attribute a;
	Dwarf_Addr low;

	return s->dw->hasattr(function, DW_AT_low_pc) && s->dw->attr_integrate(function, DW_AT_low_pc, &a) &&
	       s->dw->formaddr(&a, &low) == 0 && low == s->address;
}

static void subprogram_search(struct subprogram *s, Dwarf_Die *parent, unsigned depth)
{
	Dwarf_Die die;

	if (depth > DEPTH_MAX || s->dw->child(parent, &die) != 0)
		return;
	do {
		int tag = s->dw->tag(&die);

		if (tag == DW_TAG_subprogram && begins_here(s, &die) && s->go)
			take_function_go(s, &die);
		else if (tag == DW_TAG_subprogram && begins_here(s, &die))
			take_function(s, &die);
		else if (tag == DW_TAG_namespace)
			subprogram_search(s, &die, depth + 1);
	} while (!s->found && debuginfo_next(s->info, &die));
}

static void unit_search(void *arg, Dwarf_Die *unit)
{
	struct subprogram *s = arg;

	if (!s->found && s->dw->haspc(unit, s->address) == 1)
		subprogram_search(s, unit, 0);
}

bool parameters_find(struct debuginfo *info, struct object *o, uint64_t address, bool go, struct program_signature *out)
{
	struct subprogram s = { .info = info, .dw = &info->dw, .address = address, .go = go, .out = out };
	const struct debuginfo_file *f = debuginfo_find(info, o);

	if (f && f->dwarf)
		debuginfo_units(info, f, unit_search, &s);
	return s.found;
}
