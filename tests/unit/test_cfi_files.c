/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The rows that cfi_rows enumerates in files of this machine must be those that libdw finds: at the beginning of each
 * row, at a random address within it, and in the gaps between rows.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dwarf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "engine/unwind/tables.h"
#include "tests/lib/filerows.h"
#include "tests/lib/random.h"

enum { RAX = 0, EACH = 10000 };	/* rows compared in a file, about */

struct compared {
	struct dw *dw;
	struct tables tables;
	struct object *object;
	struct file_rows eh, debug;
	struct rule_ops ops;
	uint64_t random;
	uint64_t rows, exprs, signals, gaps;
};

/* ---- expressions ---- */

/* The operands of an operation: u unsigned LEB, s signed LEB, 1 2 4 8 bytes, after - with a sign. */
static const char *operands(unsigned op)
{
	static const char *const table[256] = {
		[DW_OP_addr] = "8", [DW_OP_const1u] = "1", [DW_OP_const1s] = "-1", [DW_OP_const2u] = "2",
		[DW_OP_const2s] = "-2", [DW_OP_const4u] = "4", [DW_OP_const4s] = "-4", [DW_OP_const8u] = "8",
		[DW_OP_const8s] = "8", [DW_OP_constu] = "u", [DW_OP_consts] = "s", [DW_OP_pick] = "1",
		[DW_OP_plus_uconst] = "u", [DW_OP_bra] = "-2", [DW_OP_skip] = "-2", [DW_OP_bregx] = "us",
		[DW_OP_deref_size] = "1",
	};

	return op >= DW_OP_breg0 && op <= DW_OP_breg31 ? "s" : table[op] ? table[op] : "";
}

static uint64_t operand(struct cfi_bytes *b, const char **what)
{
	bool sign = **what == '-';
	unsigned n, bits;
	uint64_t v;

	*what += sign;
	if (*(*what)++ == 'u')
		return cfi_uleb(b);
	if ((*what)[-1] == 's')
		return (uint64_t)cfi_sleb(b);
	n = (unsigned)((*what)[-1] - '0');
	bits = 64 - 8 * n;
	v = cfi_fixed(b, n);
	return sign ? (uint64_t)((int64_t)(v << bits) >> bits) : v;
}

/* True if the bytes mean these operations. */
static bool expr_same(struct cfi_bytes b, const Dwarf_Op *ops, unsigned n)
{
	unsigned i = 0;

	for (; b.p < b.end && i < n; i++) {
		unsigned op = (unsigned)cfi_fixed(&b, 1);
		const char *what = operands(op);
		uint64_t v[2] = { 0 };

		for (int k = 0; *what; k++)
			v[k] = operand(&b, &what);
		if (b.bad || ops[i].atom != op || ops[i].number != v[0] || ops[i].number2 != v[1])
			return false;
	}
	return b.p == b.end && i == n;
}

/* ---- comparing ---- */
static bool rule_same(const struct compared *c, const struct file_rows *from, const struct unwind_rule *a,
		      const struct unwind_rule *b, bool cfa)
{
	const uint8_t *expr;
	const Dwarf_Op *ops;
	unsigned n = b->nops;

	if (a->how != b->how || (a->how != RULE_EXPR && a->how != RULE_EXPR_AT))
		return a->how == b->how && a->val == b->val && (!cfa || a->reg == b->reg);
	expr = from->source.section.data + a->val;
	ops = c->ops.v + b->val;
	if (!cfa) {	/* libdw adds what the kind of the rule implies */
		if (!n || ops->atom != DW_OP_call_frame_cfa)
			return false;
		ops++;
		n--;
	}
	if (!cfa && a->how == RULE_EXPR) {
		if (!n || ops[n - 1].atom != DW_OP_stack_value)
			return false;
		n--;
	}
	return expr_same((struct cfi_bytes){ expr, expr + a->nops, false }, ops, n);
}

static bool rules_same(const struct compared *c, const struct file_rows *from, const struct unwind_row *a,
		       const struct unwind_row *b)
{
	const struct unwind_machine *m = c->tables.machine;

	if (a->known != b->known || !a->known)
		return a->known == b->known;
	if (a->signal != b->signal || !rule_same(c, from, &a->cfa, &b->cfa, true))
		return false;
	for (unsigned i = 0; i < FRAME_REGS; i++) {
		/* libdw's default rules preserve rax */
		if (i == RAX && m->bits == 64 && a->reg[i].how == RULE_UNKNOWN && b->reg[i].how == RULE_SAME)
			continue;
		if (!rule_same(c, from, &a->reg[i], &b->reg[i], false))
			return false;
	}
	return true;
}

static void compare(struct compared *c, uint64_t at)
{
	const struct file_rows *from = &c->eh;
	const struct cfi_row *mine = file_rows_find(from, at);
	struct unwind_row theirs;

	if (!mine)
		mine = file_rows_find(from = &c->debug, at);
	c->ops.n = 0;
	tables_row(&c->tables, at, &theirs, &c->ops);
	if (mine ? !rules_same(c, from, &mine->rules, &theirs) : theirs.known)
		fail_msg("%s: 0x%llx: different rules", c->object->path, (unsigned long long)at);
}

/* True for rules that are in few rows; all of these are compared. */
static bool is_rare(const struct unwind_row *r)
{
	bool rare = r->signal || r->cfa.how != RULE_REG;

	for (unsigned i = 0; i < FRAME_REGS; i++)
		rare |= r->reg[i].how == RULE_REG || r->reg[i].how == RULE_EXPR;
	return rare;
}

static void compare_rows(struct compared *c, const struct file_rows *r)
{
	size_t step = r->n / EACH + 1, first = random_below(&c->random, step);

	for (size_t i = 0; i < r->n; i++) {
		const struct cfi_row *row = &r->v[i];

		if (i % step != first && !is_rare(&row->rules))
			continue;
		compare(c, row->begin);
		compare(c, row->begin + random_below(&c->random, row->end - row->begin));
		c->rows++;
		c->signals += row->rules.signal;
		c->exprs += row->rules.cfa.how == RULE_EXPR;
		if (i + 1 < r->n && row->end < row[1].begin) {
			compare(c, row->end);
			compare(c, row->end + random_below(&c->random, row[1].begin - row->end));
			c->gaps++;
		}
	}
}

/* Compares the rows of a file. Returns false if it has no tables. */
static bool object_compare(struct object *o, void *compared)
{
	struct compared *c = compared;
	struct dw dw;
	char why[160];
	bool any;

	if (!dw_open(&dw, why, sizeof why))
		skip();
	*c = (struct compared){ .dw = &dw, .object = o, .random = 1 };
	any = tables_open(&c->tables, &dw, o);
	if (any) {
		file_rows_read(&c->eh, o, true);
		file_rows_read(&c->debug, o, false);
		compare_rows(c, &c->eh);
		compare_rows(c, &c->debug);
		printf("# %s: %zu + %zu rows, compared %llu and %llu gaps; %llu in signal frames, %llu expressions\n",
		       o->name, c->eh.n, c->debug.n, (unsigned long long)c->rows, (unsigned long long)c->gaps,
		       (unsigned long long)c->signals, (unsigned long long)c->exprs);
	}
	file_rows_free(&c->eh);
	file_rows_free(&c->debug);
	free(c->ops.v);
	tables_close(&c->tables);
	dw_close(&dw);
	return any && c->rows;
}

/* ---- tests ---- */
static int loaded_compare(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct compared c;

	(void)size;
	*(unsigned *)arg += file_visit(*info->dlpi_name ? info->dlpi_name : "/proc/self/exe", object_compare, &c);
	return 0;
}

static void test_loaded(void **state)
{
	unsigned n = 0;

	(void)state;
	dl_iterate_phdr(loaded_compare, &n);
	assert_in_range(n, 3, 100);	/* this program, the C library and its loader at least */
}

static void test_vdso(void **state)
{
	struct object *o = object_new("[vdso]", 0, 0);
	struct compared c;

	(void)state;
	assert_non_null(o);
	object_vdso(o);
	assert_true(object_compare(o, &c));
	object_free(o);
}

/* Programs and libraries of the distribution; those that are installed. */
static void test_installed(void **state)
{
	struct compared c;

	(void)state;
	files_visit("/usr/bin/{bash,perl,python3.*,git,openssl,gdb,node}", object_compare, &c);
	files_visit("/usr/lib/*-linux-gnu/lib{c,crypto,stdc++,python3.*,gmp,LLVM-*}.so.[0-9]*", object_compare, &c);
}

static void test_32_bits(void **state)
{
	struct compared c;

	(void)state;
	if (!files_visit("/{lib32,usr/lib/i386-linux-gnu}/{libc.so.6,libm.so.6,ld-linux.so.2,libstdc++.so.6}",
			 object_compare, &c)) {
		printf("# no 32-bit libraries are installed\n");
		skip();
	}
}

/* A program of the tests. */
static char *built(char path[4096], const char *name)
{
	ssize_t n = readlink("/proc/self/exe", path, 4000);

	assert_true(n > 0);
	path[n] = '\0';
	sprintf(strrchr(path, '/'), "/../symbols/%s", name);
	return path;
}

/* A static program; .debug_frame. */
static void test_built(void **state)
{
	struct compared c;
	char path[4096];

	(void)state;
	assert_true(file_visit(built(path, "unwound-static"), object_compare, &c));
	assert_true(c.signals > 0);
	assert_true(file_visit(built(path, "unwound-debug"), object_compare, &c));
	assert_true(c.debug.n > 0);
}

/* Opens the section of a program that is in memory. */
static bool memory_open(const struct buf *b, bool eh_frame, uint64_t *size)
{
	struct object *o = object_new("/made", 0, 0);
	struct cfi_source f;
	bool opened;

	assert_non_null(o);
	object_memory(o, b->data, b->len);
	opened = cfi_open(&f, o, eh_frame);
	*size = f.section.size;
	assert_false(f.nomem);
	cfi_close(&f);
	object_free(o);
	return opened;
}

/* A compressed .debug_frame, and what its header may claim. */
static void test_compressed(void **state)
{
	struct buf b = { 0 };
	struct compared c;
	char path[4096];
	struct elf e;
	Elf64_Chdr was, h;
	uint64_t at, size;

	(void)state;
	assert_true(file_visit(built(path, "unwound-packed"), object_compare, &c));
	assert_true(c.debug.n > 0);
	assert_int_equal(buf_read_file(&b, path), 0);
	assert_true(elf_open_mem(&e, b.data, b.len));
	assert_true(elf_section_named(&e, ".debug_frame")->flags & SHF_COMPRESSED);
	at = elf_section_named(&e, ".debug_frame")->off;
	elf_close(&e);
	memcpy(&was, b.data + at, sizeof was);
	assert_true(memory_open(&b, false, &size) && size == was.ch_size);
	for (int i = 0; i < 4; i++) {
		h = was;
		h.ch_size = (const uint64_t[]){ 0, 1ull << 40, UINT64_MAX, was.ch_size + 1 }[i];
		memcpy(b.data + at, &h, sizeof h);
		assert_false(memory_open(&b, false, &size));
	}
	h = was;
	h.ch_type = 99;
	memcpy(b.data + at, &h, sizeof h);
	assert_false(memory_open(&b, false, &size));
	buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loaded), cmocka_unit_test(test_vdso), cmocka_unit_test(test_installed),
		cmocka_unit_test(test_32_bits), cmocka_unit_test(test_built),
		cmocka_unit_test(test_compressed),
	};

	if (!machine_of(64)) {
		printf("1..0 # SKIP unwinding is for x86-64 so far\n");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
