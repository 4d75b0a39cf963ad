/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/bpf/code/link.h"

#include <assert.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

#include "engine/bpf/code/asm.h"
#include "ir/ir.h"
#include "rt/blob.h"

enum { RELOC_LD64 = 1, RELOC_CALL = 10 };	/* R_BPF_64_64, R_BPF_64_32 */

/* The sections of the object file. All code is in one section. */
struct link_object {
	Elf *elf;
	Elf_Data *code, *symtab, *rel;
	size_t code_index, strings, nsyms, nrels;
};

static bool open_section(struct link_object *o, Elf_Scn *scn, size_t names)
{
	GElf_Shdr h;
	const char *name;

	if (!gelf_getshdr(scn, &h) || !(name = elf_strptr(o->elf, names, h.sh_name)))
		return false;
	if (h.sh_type == SHT_PROGBITS && !strcmp(name, ".text")) {
		o->code = elf_getdata(scn, NULL);
		o->code_index = elf_ndxscn(scn);
	} else if (h.sh_type == SHT_SYMTAB) {
		o->symtab = elf_getdata(scn, NULL);
		o->strings = h.sh_link;
		o->nsyms = h.sh_size / sizeof(Elf64_Sym);
	} else if (h.sh_type == SHT_REL && !strcmp(name, ".rel.text")) {
		o->rel = elf_getdata(scn, NULL);
		o->nrels = h.sh_size / sizeof(Elf64_Rel);
	}
	return true;
}

static bool open_object(struct link_object *o, const uint8_t *object, const uint8_t *end)
{
	size_t names;

	*o = (struct link_object){ 0 };
	if (elf_version(EV_CURRENT) == EV_NONE)
		return false;
	o->elf = elf_memory((char *)object, (size_t)(end - object));
	if (!o->elf || elf_getshdrstrndx(o->elf, &names))
		return false;
	for (Elf_Scn *s = NULL; (s = elf_nextscn(o->elf, s));) {
		if (!open_section(o, s, names))
			return false;
	}
	return o->code && o->symtab && o->code->d_size % sizeof(struct bpf_insn) == 0;
}

static bool read_functions(struct rt_lib *lib, struct arena *a, const struct link_object *o)
{
	lib->func = arena_calloc(a, o->nsyms + 1, sizeof *lib->func);
	for (size_t i = 0; i < o->nsyms; i++) {
		const char *name;
		GElf_Sym s;

		if (!gelf_getsym(o->symtab, (int)i, &s))
			return false;
		if (GELF_ST_TYPE(s.st_info) != STT_FUNC || s.st_shndx != o->code_index)
			continue;
		name = elf_strptr(o->elf, o->strings, s.st_name);
		if (!name || s.st_value + s.st_size > o->code->d_size)
			return false;
		lib->func[lib->nfuncs++] = (struct rt_func){ arena_printf(a, "%s", name), (uint32_t)(s.st_value / 8),
							     (uint32_t)(s.st_size / 8) };
	}
	return true;
}

/* The function that starts at this instruction, or -1. */
static int32_t function_at(const struct rt_lib *lib, int64_t insn)
{
	for (uint32_t f = 0; f < lib->nfuncs; f++) {
		if (lib->func[f].start == insn)
			return (int32_t)f;
	}
	return -1;
}

static bool is_local_call(const struct bpf_insn *i)
{
	return i->code == (BPF_JMP | BPF_CALL) && i->src_reg == BPF_PSEUDO_CALL;
}

/* The number of an undefined symbol, or -1. */
static int32_t external_of(struct rt_lib *lib, struct arena *a, const char *name)
{
	uint32_t i = 0;

	while (name && i < lib->nexterns && strcmp(lib->extern_name[i], name))
		i++;
	if (!name)
		return -1;
	if (i == lib->nexterns)
		lib->extern_name[lib->nexterns++] = arena_printf(a, "%s", name);
	return (int32_t)i;
}

/* Finds the function or data that a relocated instruction refers to: a symbol plus an addend, counted in instructions
 * for a call and in bytes for an address. */
static bool resolve_reloc(struct rt_lib *lib, struct arena *a, const struct link_object *o, size_t i, uint32_t n)
{
	const struct bpf_insn *insn;
	int64_t target;
	GElf_Rel r;
	GElf_Sym s;

	if (!gelf_getrel(o->rel, (int)i, &r) || !gelf_getsym(o->symtab, (int)GELF_R_SYM(r.r_info), &s))
		return false;
	if (r.r_offset / 8 >= n)
		return false;
	if (s.st_shndx == SHN_UNDEF && GELF_R_TYPE(r.r_info) == RELOC_LD64) {
		lib->external[r.r_offset / 8] = external_of(lib, a, elf_strptr(o->elf, o->strings, s.st_name));
		return lib->external[r.r_offset / 8] >= 0;
	}
	if (s.st_shndx != o->code_index)
		return false;
	insn = &lib->code[r.r_offset / 8];
	target = (int64_t)s.st_value / 8;
	if (GELF_R_TYPE(r.r_info) == RELOC_CALL)
		target += insn->imm + 1;
	else if (GELF_R_TYPE(r.r_info) == RELOC_LD64)
		target += insn->imm / 8;
	else
		return false;
	lib->callee[r.r_offset / 8] = function_at(lib, target);
	return lib->callee[r.r_offset / 8] >= 0;
}

static bool read_references(struct rt_lib *lib, struct arena *a, const struct link_object *o)
{
	uint32_t n = (uint32_t)(o->code->d_size / sizeof(struct bpf_insn));

	lib->code = arena_memdup(a, o->code->d_buf, o->code->d_size);
	lib->callee = arena_calloc(a, n, sizeof *lib->callee);
	lib->external = arena_calloc(a, n, sizeof *lib->external);
	memset(lib->external, 0xff, n * sizeof *lib->external);
	lib->extern_name = arena_calloc(a, o->nsyms + 1, sizeof *lib->extern_name);
	for (uint32_t i = 0; i < n; i++) {	/* a call without a relocation: the compiler has resolved it */
		lib->callee[i] = -1;
		if (is_local_call(&lib->code[i]) && lib->code[i].imm != -1)
			lib->callee[i] = function_at(lib, (int64_t)i + 1 + lib->code[i].imm);
	}
	for (size_t i = 0; i < o->nrels; i++) {
		if (!resolve_reloc(lib, a, o, i, n))
			return false;
	}
	for (uint32_t i = 0; i < n; i++) {
		if (is_local_call(&lib->code[i]) && lib->callee[i] < 0)
			return false;
	}
	return true;
}

const struct rt_lib *link_read(struct arena *a, const uint8_t *object, const uint8_t *end)
{
	struct rt_lib *lib = arena_calloc(a, 1, sizeof *lib);
	struct link_object o;
	bool ok = open_object(&o, object, end) && read_functions(lib, a, &o) && read_references(lib, a, &o);

	elf_end(o.elf);
	return ok ? lib : NULL;
}

const struct rt_lib *link_open(struct arena *a, struct diags *d)
{
	const struct rt_lib *lib = link_read(a, rt_library, rt_library_end);
	int err = elf_errno();

	if (!lib)
		diag(d, (struct loc){ 0 }, D_BPF, "cannot read the run-time library: %s",
		     err ? elf_errmsg(err) : "unexpected contents");
	return lib;
}

void link_init(struct rt_link *l, const struct rt_lib *lib, struct arena *a)
{
	*l = (struct rt_link){ .lib = lib, .start = UINT32_MAX, .walkers = UINT32_MAX };
	if (!lib)
		return;
	l->label = arena_calloc(a, lib->nfuncs + 1, sizeof *l->label);
	memset(l->label, 0xff, lib->nfuncs * sizeof *l->label);
	l->external = arena_calloc(a, lib->nexterns + 1, sizeof *l->external);
}

static uint32_t need_function(struct rt_link *l, struct asm_buf *a, uint32_t f)
{
	if (l->label[f] == UINT32_MAX)
		l->label[f] = asm_label(a);
	return l->label[f];
}

bool link_unwinds(const struct ir_ins *ins)
{
	return ins->op == IR_USTACKDEPTH || (ins->op == IR_STACK && ins->arg[2].imm & IR_STACK_USER);
}

const char *link_function(const struct ir_ins *ins, bool unwind)
{
	if (unwind && link_unwinds(ins))
		return ins->op != IR_STACK ? "unwinddepth" :
		       ins->arg[2].imm & IR_STACK_INTERPRETED ? "jstack" : "unwind";
	if (ins->op == IR_GATHER || ins->op == IR_CLIMB || ins->op == IR_GOID)
		return ir_opinfo[ins->op].text;
	return ir_opinfo[ins->op].flags & IR_F_RT ? ir_opinfo[ins->op].text : NULL;
}

uint32_t link_find(const struct rt_lib *lib, const char *name)
{
	uint32_t f = 0;

	while (f < lib->nfuncs && (strncmp(lib->func[f].name, "rt_", 3) ||
				   strcmp(lib->func[f].name + 3, name)))
		f++;
	assert(f < lib->nfuncs);
	return f;
}

uint32_t link_label(struct rt_link *l, struct asm_buf *a, const char *name)
{
	return need_function(l, a, link_find(l->lib, name));
}

static const struct { const char *call, *program; } walkers[] = {
	[LINK_PYTHON] = { "jstack_call_python", "jstack_program_python" },
	[LINK_V8] = { "jstack_call_v8", "jstack_program_v8" },
};

/* The walker that a function calls; LINK_WALKERS: it is no such function. */
static enum link_walker walker_called(const struct rt_lib *lib, uint32_t f)
{
	unsigned w = 0;

	while (w < LINK_WALKERS && strcmp(lib->func[f].name, walkers[w].call))
		w++;
	return w;
}

/* A function that calls a walker by a tail call: its context is in R1. */
static void emit_walker_call(struct rt_link *l, struct asm_buf *a, enum link_walker w)
{
	asm_map(a, R2, l->walkers);
	asm_movi(a, R3, w);
	asm_call(a, BPF_FUNC_tail_call);
	asm_movi(a, R0, 0);
	asm_exit(a);
}

/* Adds `by` to the count of each function that f calls, once per call. */
static void count_calls(const struct rt_link *l, uint32_t f, int32_t *count, int by)
{
	const struct rt_lib *lib = l->lib;

	if (l->walkers != UINT32_MAX && walker_called(lib, f) < LINK_WALKERS)
		return;
	for (uint32_t i = lib->func[f].start, end = i + lib->func[f].n; i < end; i++) {
		if (lib->callee[i] >= 0)
			count[lib->callee[i]] += by;
	}
}

/* Adds the callees of needed functions. */
static void need_callees(struct rt_link *l, struct asm_buf *a, int32_t *count)
{
	bool *seen = arena_calloc(a->arena, l->lib->nfuncs + 1, sizeof *seen), more = true;

	while (more) {
		more = false;
		for (uint32_t f = 0; f < l->lib->nfuncs; f++) {
			if (seen[f] || (l->label[f] == UINT32_MAX && !count[f]))
				continue;
			need_function(l, a, f);
			count_calls(l, f, count, 1);
			seen[f] = more = true;
		}
	}
}

static void emit_function(struct rt_link *l, struct asm_buf *a, uint32_t f)
{
	const struct rt_lib *lib = l->lib;

	asm_sub(a, lib->func[f].name);
	asm_bind(a, l->label[f]);
	if (l->walkers != UINT32_MAX && walker_called(lib, f) < LINK_WALKERS) {
		emit_walker_call(l, a, walker_called(lib, f));
		return;
	}
	for (uint32_t i = lib->func[f].start, end = i + lib->func[f].n; i < end; i++) {
		const struct bpf_insn *insn = &lib->code[i];

		if (lib->external[i] >= 0) {
			const struct rt_place *p = &l->external[lib->external[i++]];

			if (p->value)
				asm_mapval(a, insn->dst_reg, p->map, p->off + (uint32_t)insn->imm);
			else
				asm_map(a, insn->dst_reg, p->map);
		} else if (lib->callee[i] < 0) {
			asm_emit(a, *insn);
		} else if (is_local_call(insn)) {
			asm_callsub(a, l->label[lib->callee[i]]);
		} else {
			asm_subaddr(a, insn->dst_reg, l->label[lib->callee[i++]]);
		}
	}
}

/* Emits callers before their callees, since every jump and call goes forward; there is no recursion. */
void link_emit(struct rt_link *l, struct asm_buf *a)
{
	int32_t *count;
	bool more = l->lib;

	if (!l->lib)
		return;
	l->start = (uint32_t)a->code.n;
	count = arena_calloc(a->arena, l->lib->nfuncs + 1, sizeof *count);
	need_callees(l, a, count);
	while (more) {
		more = false;
		for (uint32_t f = 0; f < l->lib->nfuncs; f++) {
			if (l->label[f] == UINT32_MAX || count[f])
				continue;
			emit_function(l, a, f);
			count_calls(l, f, count, -1);
			count[f] = -1;
			more = true;
		}
	}
}

void link_emit_walker(struct rt_link *l, struct asm_buf *a, enum link_walker w)
{
	uint32_t f = 0;

	while (strcmp(l->lib->func[f].name, walkers[w].program))
		f++;
	need_function(l, a, f);
	link_emit(l, a);
}

/* Bytes of the function's own stack: the lowest offset from the frame pointer that it uses. */
static uint32_t own_stack(const struct rt_lib *lib, uint32_t f)
{
	int32_t deepest = 0;

	for (uint32_t i = lib->func[f].start, end = i + lib->func[f].n; i < end; i++) {
		const struct bpf_insn *in = &lib->code[i];
		uint8_t class = BPF_CLASS(in->code);
		int32_t off = 0;

		if ((class == BPF_LDX && in->src_reg == FP) ||
		    ((class == BPF_STX || class == BPF_ST) && in->dst_reg == FP))
			off = in->off;
		else if (in->code == (BPF_ALU64 | BPF_MOV | BPF_X) && in->src_reg == FP && i + 1 < end)
			off = in[1].imm;
		if (off < deepest)
			deepest = off;
	}
	/* rounded up as the kernel counts it */
	return deepest ? (uint32_t)(-deepest + 31) / 32 * 32 : 32;
}

uint32_t link_stack(const struct rt_lib *lib, uint32_t f, bool late)
{
	uint32_t most = 0;

	if (late && walker_called(lib, f) < LINK_WALKERS)
		return STACK_CALL;
	for (uint32_t i = lib->func[f].start, end = i + lib->func[f].n; i < end; i++) {
		uint32_t n = lib->callee[i] >= 0 ? link_stack(lib, (uint32_t)lib->callee[i], late) : 0;

		if (n > most)
			most = n;
	}
	return own_stack(lib, f) + most;
}
