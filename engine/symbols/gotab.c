/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/symbols/gotab.h"

#include <dwarf.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/leb128.h"
#include "engine/symbols/gotable.h"
#include "rt/go.h"

enum {
	GO_WORD = 8,
	GO_MAX = 256 << 20,		/* bytes of an image */
};

bool gotab_each(const struct elf *e, void (*fn)(void *arg, uint64_t begin), void *arg)
{
	struct go_func f;
	struct gotable t;

	if (!gotable_open(&t, e))
		return false;
	for (uint32_t i = 0; i < t.n; i++)
		if (gotable_func(&t, i, &f))
			fn(arg, f.begin);
	gotable_close(&t);
	return true;
}

/* ---- an image of a section ---- */
enum { SEC_NULL, SEC_STRINGS, SEC_BYTES, SECTIONS };

static const char section_names[] = "\0.strtab\0.symtab\0.debug_frame";
enum { NAME_STRINGS = 1, NAME_SYMBOLS = 9, NAME_FRAMES = 17 };

static void section_put(struct buf *b, Elf64_Shdr *s, uint32_t name, uint32_t type, const struct buf *bytes)
{
	*s = (Elf64_Shdr){ .sh_name = name, .sh_type = type, .sh_offset = b->len, .sh_size = bytes->len };
	buf_put(b, bytes->data, bytes->len);
	buf_pad(b, 0, -b->len & 7);
	b->failed |= bytes->failed;
}

/* strings: section_names, then other names. Frees the buffers. */
static bool sections_make(struct elf *out, uint32_t name, uint32_t type, struct buf *bytes, struct buf *strings)
{
	Elf64_Ehdr h = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			 .e_type = ET_DYN, .e_machine = EM_X86_64, .e_version = EV_CURRENT, .e_ehsize = sizeof h,
			 .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = SECTIONS, .e_shstrndx = SEC_STRINGS };
	Elf64_Shdr s[SECTIONS] = { { 0 } };
	struct buf b = { 0 };

	buf_put(&b, &h, sizeof h);
	section_put(&b, &s[SEC_STRINGS], NAME_STRINGS, SHT_STRTAB, strings);
	section_put(&b, &s[SEC_BYTES], name, type, bytes);
	s[SEC_BYTES].sh_link = SEC_STRINGS;
	s[SEC_BYTES].sh_entsize = type == SHT_SYMTAB ? sizeof(Elf64_Sym) : 0;
	h.e_shoff = b.len;
	buf_put(&b, s, sizeof s);
	buf_free(bytes);
	buf_free(strings);
	*out = (struct elf){ .fd = -1, .nomem = b.failed };
	if (b.failed) {
		buf_free(&b);
		return false;
	}
	memcpy(b.data, &h, sizeof h);
	return elf_open_own(out, b.data, b.len);
}

bool gotab_symbols(struct elf *out, const struct elf *e)
{
	struct buf symbols = { 0 }, strings = { 0 };
	struct gotable t;
	struct go_func f;

	*out = (struct elf){ .fd = -1 };
	if (!gotable_open(&t, e))
		return false;
	buf_put(&strings, section_names, sizeof section_names);
	for (uint32_t i = 0; i < t.n; i++) {
		Elf64_Sym s = { .st_name = (uint32_t)strings.len, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
				.st_shndx = SEC_BYTES };

		if (!gotable_func(&t, i, &f) || strings.len > GO_MAX)
			continue;
		s.st_value = f.begin;
		s.st_size = f.end - f.begin;
		buf_put(&symbols, &s, sizeof s);
		buf_put(&strings, f.name, strlen(f.name) + 1);
	}
	gotable_close(&t);
	return sections_make(out, NAME_SYMBOLS, SHT_SYMTAB, &symbols, &strings);
}

/* ---- frames ---- */
enum { RSP = 7, R12 = 12, R15 = 15, RIP = 16 };

/* Functions that change to another stack, written in assembler. The caller is on the old one. */
enum go_switch {
	GO_NONE,
	GO_OUTERMOST,			/* there is no caller */
	GO_LEAVES,			/* from a place on, the caller is on another stack (rt/go.h) */
	GO_SAVES,			/* the same for a while; the old stack pointer is in r12 meanwhile */
};

static const struct switching {
	const char *name;
	enum go_switch how;
	enum go_change change;
} switching[] = {
	{ "runtime.systemstack", GO_LEAVES, GO_SYSTEMSTACK }, { "runtime.mcall", GO_LEAVES, GO_MCALL },
	{ "runtime.morestack", GO_LEAVES, GO_MORESTACK }, { "runtime.asmcgocall", GO_LEAVES, GO_ASMCGOCALL },
	{ "runtime.cgocallback", GO_LEAVES, GO_CGOCALLBACK },
	{ "runtime.nanotime1", GO_SAVES, 0 }, { "runtime.walltime", GO_SAVES, 0 }, { "time.now", GO_SAVES, 0 },
	{ "runtime.vgetrandom1", GO_SAVES, 0 },
};

/* Where a function is on another stack. */
struct go_place {
	enum go_switch how;
	enum go_change change;
	uint64_t from, to;		/* addresses; empty if nothing shows that */
	uint64_t place;			/* GO_ASMCGOCALL: where it keeps the g */
};

/* Is a load of rsp at p[0]: mov r/m64, %rsp with 0x8b, mov r64, %rsp with 0x89? */
static bool loads_rsp(const uint8_t *p)
{
	if (p[1] == 0x8b)
		return (p[0] == 0x48 || p[0] == 0x49) && (p[2] >> 3 & 7) == 4;
	return (p[0] == 0x48 || p[0] == 0x4c) && p[1] == 0x89 && (p[2] & 0xc7) == 0xc4;
}

static void switched_find(const struct elf *e, const struct go_func *f, struct go_place *out)
{
	static const uint8_t save[] = { 0x49, 0x89, 0xe4 }, restore[] = { 0x4c, 0x89, 0xe4 };	/* r12 */
	static const uint8_t reserve[] = { 0x48, 0x83, 0xec };		/* sub imm8, %rsp */
	uint8_t code[1024] = { 0 };
	uint64_t off, rest, n = f->end - f->begin;
	bool saves = out->how == GO_SAVES;

	if (n > sizeof code || !elf_code(e, f->begin, &off, &rest) || rest < n || !elf_read(e, off, code, (size_t)n))
		return;
	for (uint64_t i = 0; i + 4 <= n; i++) {
		bool began = out->from != f->end;

		if (!began && (saves ? !memcmp(code + i, save, 3) : loads_rsp(code + i)))
			out->from = f->begin + i + 3 + (saves ? 0 : code[i + 1] == 0x8b);	/* after it */
		else if (began && !out->place && !memcmp(code + i, reserve, 3))
			out->place = code[i + 3] > 16 ? 48 : 8;
		else if (began && (saves ? !memcmp(code + i, restore, 3) :
				   out->change == GO_CGOCALLBACK && loads_rsp(code + i))) {
			out->to = f->begin + i + 3;
			return;
		}
	}
}

/* How a function changes its stack. */
static struct go_place place_of(const struct elf *e, const struct go_func *f)
{
	struct go_place x = { .from = f->end, .to = f->end };

	for (unsigned i = 0; i < sizeof switching / sizeof switching[0]; i++) {
		if (strcmp(f->name, switching[i].name))
			continue;
		x.how = switching[i].how;
		x.change = switching[i].change;
		switched_find(e, f, &x);
	}
	if (f->top || (x.how == GO_LEAVES && x.from == f->end && x.change != GO_CGOCALLBACK))
		return (struct go_place){ .how = GO_OUTERMOST, .from = f->begin, .to = f->end };
	return x;
}

struct go_frames {
	struct buf b;
	uint64_t at;			/* the address that the instructions have reached */
	struct go_place x;
	uint64_t depth, shown;		/* bytes on the stack with the return address: Go's, the instructions' */
};

static void frame_put(struct go_frames *x, uint64_t v, unsigned bytes)
{
	buf_put(&x->b, &v, bytes);
}

static void put_uleb(struct go_frames *x, uint64_t v)
{
	uint8_t out[LEB128_MAX];

	buf_put(&x->b, out, leb128_write(out, v));
}

static void advance_to(struct go_frames *x, uint64_t to)
{
	uint64_t by = to - x->at;

	if (by && by < 0x40) {
		frame_put(x, DW_CFA_advance_loc | by, 1);
	} else if (by) {
		frame_put(x, DW_CFA_advance_loc4, 1);
		frame_put(x, by, 4);
	}
	x->at = to;
}

static void define_cfa(struct go_frames *x, unsigned reg)
{
	frame_put(x, DW_CFA_def_cfa, 1);
	frame_put(x, reg, 1);
	put_uleb(x, x->shown = x->depth);
}

/* From here on, the caller is on another stack. Only the kernel's walker can follow: for others, the return address
 * is where no memory can be read. */
static void change_put(struct go_frames *x)
{
	frame_put(x, DW_CFA_val_expression | RIP << 8 | 11 << 16, 3);
	frame_put(x, DW_OP_const1u | (uint64_t)x->x.change << 8, 2);
	frame_put(x, DW_OP_const2u | x->depth << 8, 3);
	frame_put(x, DW_OP_drop, 1);
	frame_put(x, DW_OP_const2u | x->x.place << 8, 3);
	frame_put(x, DW_OP_drop | DW_OP_deref << 8, 2);
}

/* The instructions of addresses with the same depth. */
static void span_put(struct go_frames *x, uint64_t begin, uint64_t end)
{
	enum go_switch how = x->x.how;
	uint64_t from = x->x.from, to = x->x.to;

	if (x->depth != x->shown && (how != GO_SAVES || begin <= from || begin >= to)) {
		advance_to(x, begin);
		frame_put(x, DW_CFA_def_cfa_offset, 1);
		put_uleb(x, x->shown = x->depth);
	}
	if (how && from >= begin && from < end) {
		advance_to(x, from);
		if (how == GO_SAVES)
			define_cfa(x, R12);
		else if (how == GO_LEAVES)
			change_put(x);
		else
			frame_put(x, DW_CFA_undefined | RIP << 8, 2);
	}
	if (how && to > begin && to < end) {
		advance_to(x, to);
		if (how == GO_SAVES)
			define_cfa(x, RSP);
		else
			frame_put(x, DW_CFA_restore | RIP, 1);
	}
}

static void steps_put(struct go_frames *x, const struct gotable *t, const struct go_func *f)
{
	struct go_steps s = gotable_steps(t, f, f->steps);

	while (gotable_step(&s, f) && s.value >= 0 && s.value <= INT32_MAX) {
		x->depth = (uint64_t)s.value + GO_WORD;
		span_put(x, s.from, s.to);
	}
}

/* The length of an entry precedes it. */
static void length_put(struct go_frames *x, size_t entry)
{
	uint32_t n;

	buf_pad(&x->b, DW_CFA_nop, -(x->b.len - entry) & 3);
	n = (uint32_t)(x->b.len - entry - sizeof n);
	if (!x->b.failed)
		memcpy(x->b.data + entry, &n, sizeof n);
}

static void func_put(struct go_frames *x, const struct gotable *t, const struct go_func *f)
{
	size_t entry = x->b.len;

	x->x = place_of(t->e, f);
	x->at = f->begin;
	x->depth = x->shown = GO_WORD;
	frame_put(x, 0, 4);
	frame_put(x, 0, 4);		/* offset of the CIE */
	frame_put(x, f->begin, 8);
	frame_put(x, f->end - f->begin, 8);
	if (!strcmp(f->name, "runtime.schedule"))
		frame_put(x, DW_CFA_undefined | R15 << 8, 2);	/* GO_MORESTACK in rt/go.h */
	steps_put(x, t, f);
	length_put(x, entry);
}

bool gotab_frames(struct elf *out, const struct elf *e)
{
	/* the CIE: the caller's stack pointer is rsp + 8, its address before that */
	static const uint8_t cie[] = { 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 3, 0, 1, 0x78 /* -8 */, RIP,
				       DW_CFA_def_cfa, RSP, GO_WORD, DW_CFA_offset | RIP, 1 };
	struct buf strings = { 0 };
	struct go_frames x = { .at = 0 };
	struct gotable t;
	struct go_func f;

	*out = (struct elf){ .fd = -1 };
	if (!gotable_open(&t, e))
		return false;
	buf_put(&x.b, cie, sizeof cie);
	length_put(&x, 0);
	for (uint32_t i = 0; i < t.n; i++)
		if (gotable_func(&t, i, &f) && x.b.len < GO_MAX)
			func_put(&x, &t, &f);
	gotable_close(&t);
	buf_put(&strings, section_names, sizeof section_names);
	return sections_make(out, NAME_FRAMES, SHT_PROGBITS, &x.b, &strings);
}
