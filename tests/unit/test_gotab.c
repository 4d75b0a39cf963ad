/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Hand-made tables of Go's functions: their names, their rows, where code changes to another stack; damaged ones. */
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
#include "engine/symbols/gotab.h"
#include "engine/symbols/symtab.h"
#include "engine/unwind/cfi.h"
#include "engine/unwind/rules.h"
#include "rt/go.h"

enum { TEXT = 0x401000, CODE = 0x1000, DATA = 0x500000, SIZE = 64, RSP = 7, R12 = 12, RIP = 16 };
enum { HEADER = 72, BEFORE = 40 };	/* BEFORE: bytes that precede the table in a section of other data */

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
	bool relocated;			/* its address is in a relocation */
};

static void put(struct buf *b, uint64_t v, unsigned bytes)
{
	buf_put(b, &v, bytes);
}

static void table_put(struct buf *b, const struct form *form)
{
	struct buf names = { 0 }, steps = { 0 }, records = { 0 }, heads = { 0 };
	uint64_t list = 8 * FUNCS + 4, values[5];

	put(&steps, 0, 1);		/* offset 0: no steps */
	for (unsigned i = 0; i < FUNCS; i++) {
		put(&heads, i * SIZE, 4);
		put(&heads, list + records.len, 4);
		put(&records, i * SIZE, 4);
		put(&records, names.len, 4);
		buf_pad(&records, 0, 8);
		put(&records, steps.len, 4);
		buf_pad(&records, 0, form->newer ? 20 : 16);
		put(&records, funcs[i].flags << 8, 4);
		buf_puts(&names, funcs[i].name);
		put(&names, 0, 1);
		buf_put(&steps, funcs[i].steps, sizeof funcs[i].steps);
	}
	put(&heads, (uint64_t)FUNCS * SIZE, 4);
	put(b, form->newer ? 0xfffffff1 : 0xfffffff0, 4);
	put(b, 0x08010000, 4);
	values[0] = HEADER;
	values[1] = values[2] = values[3] = HEADER + names.len;
	values[4] = values[3] + steps.len;
	put(b, FUNCS, 8);
	put(b, 0, 8);
	put(b, form->relocated ? 0 : TEXT, 8);
	buf_put(b, values, sizeof values);
	buf_put(b, names.data, names.len);
	buf_put(b, steps.data, steps.len);
	buf_put(b, heads.data, heads.len);
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

static const char strings[] = "\0.shstrtab\0.gopclntab\0.data.rel.ro\0.go.buildinfo\0.rela.dyn";

static Elf64_Word name_of(const char *name)
{
	for (size_t i = 1; i < sizeof strings; i++)
		if (!strcmp(strings + i, name))
			return (Elf64_Word)i;
	return 0;
}

/* A file of Go: one segment of code, and the sections of the table. */
static struct buf file_make(const struct form *form)
{
	Elf64_Ehdr h = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			 .e_machine = EM_X86_64, .e_ehsize = sizeof h, .e_phoff = sizeof h, .e_phnum = 1,
			 .e_phentsize = sizeof(Elf64_Phdr), .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 5,
			 .e_shstrndx = 1 };
	Elf64_Phdr p = { .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_offset = CODE, .p_vaddr = TEXT,
			 .p_filesz = FUNCS * SIZE };
	Elf64_Rela r = { .r_offset = DATA + (form->merged ? BEFORE : 0) + 24, .r_addend = TEXT };
	Elf64_Shdr s[5] = { { 0 } };
	struct buf b = { 0 };

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
	s[4] = (Elf64_Shdr){ .sh_name = name_of(".rela.dyn"), .sh_type = SHT_RELA, .sh_flags = SHF_ALLOC,
			     .sh_offset = b.len, .sh_size = form->relocated ? sizeof r : 0 };
	buf_put(&b, &r, sizeof r);
	h.e_shoff = b.len;
	buf_put(&b, s, sizeof s);
	memcpy(b.data, &h, sizeof h);
	memcpy(b.data + sizeof h, &p, sizeof p);
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
	elf_close(&e);
	buf_free(&b);
}

static void test_forms(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 8; i++)
		form_check(&(struct form){ .newer = i & 1, .merged = i & 2, .relocated = i & 4 });
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
