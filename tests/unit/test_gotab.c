/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Hand-made tables of Go's functions: their names, their rows, where code changes to another stack, their lines and
 * inlined calls; damaged ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "engine/symbols/golines.h"
#include "engine/symbols/gotab.h"
#include "engine/symbols/symtab.h"
#include "engine/unwind/cfi.h"
#include "engine/unwind/rules.h"
#include "rt/go.h"

enum { TEXT = 0x401000, CODE = 0x1000, DATA = 0x500000, SIZE = 64, RSP = 7, R12 = 12, RIP = 16 };
enum { HEADER = 72, BEFORE = 40 };	/* BEFORE: bytes that precede the table in a section of other data */
enum { MODULE = 0x600000, MODULE_SIZE = 600, NAMED = 8, TEXT_AT = 176, FUNCTIONS_AT = 344 };

/* A function of SIZE bytes of code. */
struct func_made {
	const char *name;
	uint8_t steps[16], code[16];	/* code: at offset 8 */
	unsigned flags;
};

static const struct func_made funcs[] = {
	{ "main.work", { 2, 4, 48, 40, 47, 20, 0 }, { 0 }, 0 },	/* 0 up to 4, 24 up to 44, then 0 */
	{ "runtime.goexit", { 2, 64, 0 }, { 0 }, 1 },
	{ "runtime.systemstack", { 2, 64, 0 }, { 0x48, 0x89, 0xdc }, 0 },		/* mov %rbx, %rsp */
	{ "runtime.mcall", { 2, 64, 0 }, { 0x49, 0x8b, 0x66, 0x38 }, 0 },		/* mov 0x38(%r14), %rsp */
	{ "runtime.nanotime1", { 2, 4, 48, 10, 32, 50, 0 },
	  { 0x49, 0x89, 0xe4, 0x90, 0x4c, 0x89, 0xe4 }, 0 },			/* r12 = rsp; nop; rsp = r12 */
	{ "runtime.morestack", { 2, 64, 0 }, { 0 }, 0 },				/* in an unknown way */
	{ "runtime.asmcgocall", { 2, 64, 0 },
	  { 0x48, 0x89, 0xfc, 0x48, 0x83, 0xec, 0x40 }, 0 },			/* mov %rdi, %rsp; sub $64, %rsp */
	{ "runtime.cgocallback", { 2, 64, 0 },
	  { 0x48, 0x89, 0xfc, 0x90, 0x90, 0x90, 0x48, 0x8b, 0x66, 0x38 }, 0 },	/* there and back */
};
enum { FUNCS = sizeof funcs / sizeof funcs[0] };

/* How a file is made. */
struct form {
	bool newer;			/* Go 1.20 */
	bool merged;			/* in .data.rel.ro */
	bool relocated;			/* addresses are in relocations */
	bool short_header;		/* Go 1.26: without the address of the code */
};

/* Values by address of the first function: line 7 up to byte 8, 12 up to 16, then 9; calls 0 and 1, which it
 * contains, up to 16. */
static const uint8_t lines[] = { 16, 8, 10, 8, 5, 48, 0 }, files[] = { 2, 64, 0 }, calls[] = { 2, 8, 2, 8, 3, 48, 0 };

static void put(struct buf *b, uint64_t v, unsigned bytes)
{
	buf_put(b, &v, bytes);
}

/* Adds the inlined calls to the records: main.work has inlined the second function, which has inlined the first. Their
 * offset in the data of functions, here the table itself, is at `at`; that of the records is `records_at`. */
static void calls_put(struct buf *records, size_t at, uint64_t records_at, const struct form *form)
{
	static const uint32_t parents[] = { 40, 4 };
	uint32_t off = (uint32_t)(records_at + records->len);

	memcpy(records->data + at, &off, sizeof off);
	for (unsigned i = 0; i < 2; i++) {
		uint32_t name = (uint32_t)(i ? 0 : strlen(funcs[0].name) + 1);

		if (form->newer) {
			put(records, 0, 4);
			put(records, name, 4);
			put(records, parents[i], 4);
			put(records, 1, 4);
		} else {
			buf_pad(records, 0, 12);
			put(records, name, 4);
			put(records, parents[i], 4);
		}
	}
}

static void table_put(struct buf *b, const struct form *form)
{
	struct buf names = { 0 }, steps = { 0 }, records = { 0 }, heads = { 0 };
	uint64_t list = 8 * FUNCS + 4, values[5];
	size_t calls_at = 0;

	put(&steps, 0, 1);		/* offset 0: no steps */
	buf_put(&steps, lines, sizeof lines);
	buf_put(&steps, files, sizeof files);
	buf_put(&steps, calls, sizeof calls);
	for (unsigned i = 0; i < FUNCS; i++) {
		put(&heads, i * SIZE, 4);
		put(&heads, list + records.len, 4);
		put(&records, i * SIZE, 4);
		put(&records, names.len, 4);
		buf_pad(&records, 0, 8);
		put(&records, steps.len, 4);
		put(&records, 1 + sizeof lines, 4);
		put(&records, 1, 4);
		put(&records, i ? 0 : 3, 4);
		put(&records, 1, 4);	/* the second word of the compilation units */
		buf_pad(&records, 0, form->newer ? 4 : 0);
		put(&records, funcs[i].flags << 8 | (i ? 0 : 4u) << 24, 4);
		if (!i) {
			buf_pad(&records, 0, 8);
			put(&records, 1 + sizeof lines + sizeof files, 4);
			buf_pad(&records, 0xff, 12);
			calls_at = records.len;
			put(&records, 0, 4);
		}
		buf_puts(&names, funcs[i].name);
		put(&names, 0, 1);
		buf_put(&steps, funcs[i].steps, sizeof funcs[i].steps);
	}
	put(&heads, (uint64_t)FUNCS * SIZE, 4);
	put(b, form->newer ? 0xfffffff1 : 0xfffffff0, 4);
	put(b, 0x08010000, 4);
	values[0] = HEADER;
	values[1] = HEADER + names.len;
	values[2] = values[1] + 8;
	values[3] = values[2] + sizeof "work.go";
	values[4] = values[3] + steps.len;
	put(b, FUNCS, 8);
	put(b, 0, 8);
	put(b, form->relocated || form->short_header ? 0 : TEXT, 8);
	buf_put(b, values, sizeof values);
	buf_put(b, names.data, names.len);
	put(b, UINT32_MAX, 4);
	put(b, 0, 4);
	buf_put(b, "work.go", sizeof "work.go");
	buf_put(b, steps.data, steps.len);
	buf_put(b, heads.data, heads.len);
	calls_put(&records, calls_at, values[4] + heads.len, form);
	buf_put(b, records.data, records.len);
	buf_free(&names), buf_free(&steps), buf_free(&heads), buf_free(&records);
}

static void code_put(struct buf *b)
{
	for (unsigned i = 0; i < FUNCS; i++) {
		buf_pad(b, 0x90, 8);
		buf_put(b, funcs[i].code, sizeof funcs[i].code);
		buf_pad(b, 0x90, SIZE - 8 - sizeof funcs[i].code);
	}
}

static const char strings[] = "\0.shstrtab\0.gopclntab\0.data.rel.ro\0.go.buildinfo\0.rela.dyn\0.data";

static Elf64_Word name_of(const char *name)
{
	for (size_t i = 1; i < sizeof strings; i++)
		if (!strcmp(strings + i, name))
			return (Elf64_Word)i;
	return 0;
}

/* The run-time system's description of the program: addresses, in the file or in relocations. */
static void module_put(struct buf *b, struct buf *relocations, const struct form *form, uint64_t table)
{
	const struct { uint64_t at, value; } v[] = {
		{ 0, table }, { NAMED, table + HEADER }, { TEXT_AT, TEXT }, { FUNCTIONS_AT, table },
	};
	size_t from = b->len;

	buf_pad(b, 0, MODULE_SIZE);
	for (unsigned i = 0; i < sizeof v / sizeof v[0]; i++) {
		Elf64_Rela r = { .r_offset = MODULE + v[i].at, .r_addend = (int64_t)v[i].value };

		if (form->relocated)
			buf_put(relocations, &r, sizeof r);
		else
			memcpy(b->data + from + v[i].at, &v[i].value, sizeof v[i].value);
	}
}

/* A file of Go: segments of code, the table and other data, and their sections. */
static struct buf file_make(const struct form *form)
{
	enum { SECTIONS = 6, SEGMENTS = 3 };
	Elf64_Ehdr h = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			 .e_machine = EM_X86_64, .e_ehsize = sizeof h, .e_phoff = sizeof h, .e_phnum = SEGMENTS,
			 .e_phentsize = sizeof(Elf64_Phdr), .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = SECTIONS,
			 .e_shstrndx = 1 };
	Elf64_Phdr p[SEGMENTS] = { { .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_offset = CODE, .p_vaddr = TEXT,
				     .p_filesz = FUNCS * SIZE } };
	uint64_t table = DATA + (form->merged ? BEFORE : 0);
	Elf64_Rela r = { .r_offset = table + 24, .r_addend = TEXT };
	struct buf b = { 0 }, relocations = { 0 };
	Elf64_Shdr s[SECTIONS] = { { 0 } };

	buf_pad(&b, 0, CODE);
	code_put(&b);
	s[1] = (Elf64_Shdr){ .sh_name = name_of(".shstrtab"), .sh_type = SHT_STRTAB, .sh_offset = b.len,
			     .sh_size = sizeof strings };
	buf_put(&b, strings, sizeof strings);
	s[2] = (Elf64_Shdr){ .sh_name = name_of(form->merged ? ".data.rel.ro" : ".gopclntab"),
			     .sh_type = SHT_PROGBITS, .sh_offset = b.len, .sh_addr = DATA };
	buf_pad(&b, 1, form->merged ? BEFORE : 0);
	table_put(&b, form);
	s[2].sh_size = b.len - s[2].sh_offset;
	s[3] = (Elf64_Shdr){ .sh_name = name_of(".go.buildinfo"), .sh_type = SHT_PROGBITS };
	if (form->relocated && !form->short_header)
		buf_put(&relocations, &r, sizeof r);
	s[4] = (Elf64_Shdr){ .sh_name = name_of(".data"), .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC | SHF_WRITE,
			     .sh_offset = b.len, .sh_addr = MODULE, .sh_size = MODULE_SIZE };
	module_put(&b, &relocations, form, table);
	s[5] = (Elf64_Shdr){ .sh_name = name_of(".rela.dyn"), .sh_type = SHT_RELA, .sh_flags = SHF_ALLOC,
			     .sh_offset = b.len, .sh_size = relocations.len };
	buf_put(&b, relocations.data, relocations.len);
	buf_free(&relocations);
	for (unsigned i = 1; i < SEGMENTS; i++) {
		const Elf64_Shdr *x = &s[i == 1 ? 2 : 4];

		p[i] = (Elf64_Phdr){ .p_type = PT_LOAD, .p_flags = PF_R, .p_offset = x->sh_offset,
				     .p_vaddr = x->sh_addr, .p_filesz = x->sh_size };
	}
	h.e_shoff = b.len;
	buf_put(&b, s, sizeof s);
	memcpy(b.data, &h, sizeof h);
	memcpy(b.data + sizeof h, p, sizeof p);
	return b;
}

/* ---- rows ---- */
struct rows {
	struct cfi_row v[64];
	struct unwind_bpf_rule rule[64];	/* what the walker in the kernel has */
	unsigned n;
	struct cfi_section section;
};

static bool row_keep(void *arg, const struct cfi_row *row)
{
	struct rows *r = arg;

	if (r->n < 64) {
		r->rule[r->n] = rule_of_row(&r->section, &row->rules);
		r->v[r->n++] = *row;
	}
	return true;
}

/* Reads the rows of a table as dtr does. Returns false if there is none. */
static bool rows_read(const struct elf *e, struct rows *r)
{
	const struct elf_section *s;
	struct cfi_counts n;
	uint8_t *bytes;
	struct elf f;

	r->n = 0;
	if (!gotab_frames(&f, e))
		return false;
	s = elf_section_named(&f, ".debug_frame");
	assert_non_null(s);
	bytes = malloc(s->size + 1);
	assert_true(bytes && elf_read(&f, s->off, bytes, s->size));
	r->section = (struct cfi_section){ .machine = machine_of(64), .data = bytes, .size = s->size };
	assert_int_equal(cfi_rows(&r->section, row_keep, r, &n), CFI_ALL);
	assert_int_equal(n.invalid, 0);
	assert_false(n.unsafe);
	free(bytes);
	elf_close(&f);
	return true;
}

/* reg RIP: its rule is `off`. */
static void row_is(const struct rows *r, unsigned func, uint64_t from, uint64_t to, unsigned reg, int64_t off)
{
	uint64_t begin = TEXT + func * SIZE + from, end = TEXT + func * SIZE + to;

	for (unsigned i = 0; i < r->n; i++) {
		const struct cfi_row *x = &r->v[i];

		if (x->begin != begin)
			continue;
		assert_int_equal(x->end, end);
		assert_true(x->rules.known);
		assert_int_equal(x->rules.reg[RIP].how, reg == RIP ? (unsigned)off : RULE_AT);
		if (reg != RIP) {
			assert_int_equal(x->rules.reg[RIP].val, -8);
			assert_int_equal(x->rules.cfa.reg, reg);
			assert_int_equal(x->rules.cfa.val, off);
		}
		return;
	}
	fail_msg("%s: no row from %u on", funcs[func].name, (unsigned)from);
}

static void rule_is(const struct rows *r, unsigned func, uint64_t from, enum go_change change, int place)
{
	for (unsigned i = 0; i < r->n; i++) {
		if (r->v[i].begin != TEXT + func * SIZE + from)
			continue;
		assert_int_equal(r->rule[i].kind, UNWIND_GO);
		assert_int_equal(r->rule[i].reg, change);
		assert_int_equal(r->rule[i].off, 8);
		assert_int_equal(r->rule[i].add, place);
		return;
	}
	fail_msg("%s: no row from %u on", funcs[func].name, (unsigned)from);
}

/* Frames at an address of main.work: its lines, innermost first, and the names of inlined functions. */
static void lines_are(const struct elf *e, uint64_t at, unsigned n, const unsigned *line, const char *const *name)
{
	struct golines *g = golines_open(e);
	struct line_frame f[LINES_MAX];

	assert_non_null(g);
	assert_int_equal(golines_find(g, TEXT + at, f), n);
	for (unsigned i = 0; i < n; i++) {
		assert_int_equal(f[i].line, line[i]);
		assert_string_equal(f[i].file, "work.go");
		if (i + 1 < n)
			assert_string_equal(f[i].name, name[i]);
		else
			assert_null(f[i].name);
	}
	assert_int_equal(golines_find(g, TEXT - 1, f), 0);
	assert_int_equal(golines_find(g, TEXT + FUNCS * SIZE, f), 0);
	golines_close(g);
}

static void lines_check(const struct elf *e)
{
	const char *both[] = { funcs[0].name, funcs[1].name };

	lines_are(e, 10, 3, (unsigned[]){ 12, 7, 9 }, both);
	lines_are(e, 7, 2, (unsigned[]){ 7, 9 }, both + 1);
	lines_are(e, 63, 1, (unsigned[]){ 9 }, both);
}

static void form_check(const struct form *form)
{
	struct buf b = file_make(form);
	struct elf e, names;
	struct symtab t;
	struct rows r;
	char name[64];
	uint64_t start;

	assert_true(elf_open_mem(&e, b.data, b.len));
	assert_true(rows_read(&e, &r));
	row_is(&r, 0, 0, 4, RSP, 8);
	row_is(&r, 0, 4, 44, RSP, 32);
	row_is(&r, 0, 44, 64, RSP, 8);
	row_is(&r, 1, 0, 64, RIP, RULE_UNKNOWN);
	row_is(&r, 2, 0, 11, RSP, 8);
	row_is(&r, 2, 11, 64, RIP, RULE_EXPR);
	rule_is(&r, 2, 11, GO_SYSTEMSTACK, 0);
	row_is(&r, 3, 0, 12, RSP, 8);
	row_is(&r, 3, 12, 64, RIP, RULE_EXPR);
	rule_is(&r, 3, 12, GO_MCALL, 0);
	row_is(&r, 4, 4, 11, RSP, 32);
	row_is(&r, 4, 11, 15, R12, 32);		/* the depth that Go's table has meanwhile does not count */
	row_is(&r, 4, 15, 64, RSP, 48);
	row_is(&r, 5, 0, 64, RIP, RULE_UNKNOWN);
	row_is(&r, 6, 0, 11, RSP, 8);
	rule_is(&r, 6, 11, GO_ASMCGOCALL, 48);
	rule_is(&r, 7, 11, GO_CGOCALLBACK, 0);
	row_is(&r, 7, 17, 64, RSP, 8);
	assert_true(gotab_symbols(&names, &e));
	assert_true(symtab_open(&t, &names, SHT_SYMTAB));
	for (unsigned i = 0; i < FUNCS; i++) {
		assert_true(symtab_find(&t, TEXT + i * SIZE + SIZE - 1, &start, name, sizeof name));
		assert_int_equal(start, TEXT + i * SIZE);
		assert_string_equal(name, funcs[i].name);
	}
	assert_false(symtab_find(&t, TEXT + FUNCS * SIZE, &start, name, sizeof name));
	symtab_close(&t);
	elf_close(&names);
	lines_check(&e);
	elf_close(&e);
	buf_free(&b);
}

static void test_forms(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 16; i++)
		form_check(&(struct form){ .newer = i & 1, .merged = i & 2, .relocated = i & 4,
					   .short_header = i & 8 });
}

static void damaged_lines(const struct elf *e)
{
	struct golines *g = golines_open(e);
	struct line_frame f[LINES_MAX];

	for (unsigned at = 0; g && at < FUNCS * SIZE; at += 3)
		assert_true(golines_find(g, TEXT + at, f) <= LINES_MAX);
	golines_close(g);
}

/* Whatever a byte of the table is, the rows are valid. */
static void test_damaged(void **state)
{
	static const uint8_t values[] = { 0, 1, 0x7f, 0x80, 0xff };
	struct buf b = file_make(&(struct form){ .newer = true });
	size_t from = CODE + FUNCS * SIZE + sizeof strings;
	struct rows r;

	(void)state;
	for (size_t at = from; at < b.len; at++) {
		char was = b.data[at];

		for (unsigned i = 0; i < sizeof values; i++) {
			struct elf e, names;

			b.data[at] = (char)values[i];
			if (!elf_open_mem(&e, b.data, b.len))
				continue;
			rows_read(&e, &r);
			gotab_symbols(&names, &e);
			elf_close(&names);
			damaged_lines(&e);
			elf_close(&e);
		}
		b.data[at] = was;
	}
	buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_forms), cmocka_unit_test(test_damaged) };

	if (!machine_of(64)) {
		printf("1..0 # SKIP unwinding is for x86-64 so far\n");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
