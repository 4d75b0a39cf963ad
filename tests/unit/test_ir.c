/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Operations, builder, text, interpreter, seed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "ir/ir.h"
#include "ir/value.h"
#include "tests/ir/world.h"

struct t {
	struct arena a;
	struct ir_prog p;
	struct diags d;
};

static int setup(void **state)
{
	struct t *t = calloc(1, sizeof *t);

	arena_init(&t->a, NULL, NULL);
	ir_prog_init(&t->p, &t->a);
	diags_init(&t->d, &t->a);
	*state = t;
	return 0;
}

static int teardown(void **state)
{
	struct t *t = *state;

	arena_free(&t->a);
	free(t);
	return 0;
}

static int parse(struct t *t, const char *text)
{
	struct source *s = arena_alloc(&t->a, sizeof *s);

	*s = (struct source){ .name = "t", .text = text, .len = strlen(text) };
	return ir_parse(&t->p, s, &t->d);
}

/* ---- folding, against C written anew here ---- */
static const uint64_t edges[] = {
	0, 1, 2, 3, 7, 8, 31, 32, 63, 64, 65, 127, 128, 255, 256, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000,
	0xffffffff, 0x100000000, 0x7fffffffffffffff, 0x8000000000000000, 0x8000000000000001, 0xfffffffffffffffe,
	0xffffffffffffffff, 0x123456789abcdef0, 0xffffffff80000000, 0xffffffffffff8000, 0xffffffffffffff80,
};
enum { NEDGES = sizeof edges / sizeof *edges };

static uint64_t ashr(uint64_t a, unsigned n)
{
	for (; n; n--)
		a = a >> 1 | (a & 0x8000000000000000);
	return a;
}

static uint64_t magnitude(uint64_t a)
{
	return a >> 63 ? ~a + 1 : a;
}

/* By magnitudes, so that nothing here can overflow. */
static uint64_t sdiv(uint64_t a, uint64_t b)
{
	uint64_t q = b ? magnitude(a) / magnitude(b) : 0;

	return (a ^ b) >> 63 ? ~q + 1 : q;
}

static uint64_t smod(uint64_t a, uint64_t b)
{
	uint64_t r = b ? magnitude(a) % magnitude(b) : magnitude(a);

	return a >> 63 ? ~r + 1 : r;
}

static uint64_t sext(uint64_t a, unsigned bits)
{
	uint64_t m = 1ull << (bits - 1), low = a & (m * 2 - 1);

	return low & m ? low | ~(m * 2 - 1) : low;
}

static void test_fold_alu(void **state)
{
	(void)state;
	for (unsigned i = 0; i < NEDGES; i++) {
		for (unsigned j = 0; j < NEDGES; j++) {
			uint64_t a = edges[i], b = edges[j], sh = b % 64;

			assert_int_equal(ir_fold(IR_ADD, a, b), a + b);
			assert_int_equal(ir_fold(IR_SUB, a, b), a + ~b + 1);
			assert_int_equal(ir_fold(IR_MUL, a, b), a * b);
			assert_int_equal(ir_fold(IR_UDIV, a, b), b == 0 ? 0 : a / b);
			assert_int_equal(ir_fold(IR_UMOD, a, b), b == 0 ? a : a - a / b * b);
			assert_int_equal(ir_fold(IR_SDIV, a, b), sdiv(a, b));
			assert_int_equal(ir_fold(IR_SMOD, a, b), smod(a, b));
			assert_int_equal(ir_fold(IR_AND, a, b), ~(~a | ~b));
			assert_int_equal(ir_fold(IR_OR, a, b), ~(~a & ~b));
			assert_int_equal(ir_fold(IR_XOR, a, b), (a | b) - (a & b));
			assert_int_equal(ir_fold(IR_SHL, a, b), a << sh);
			assert_int_equal(ir_fold(IR_LSHR, a, b), a >> sh);
			assert_int_equal(ir_fold(IR_ASHR, a, b), ashr(a, (unsigned)sh));
		}
	}
}

static void test_fold_un(void **state)
{
	(void)state;
	for (unsigned i = 0; i < NEDGES; i++) {
		uint64_t a = edges[i];

		assert_int_equal(ir_fold(IR_MOV, a, 9), a);
		assert_int_equal(ir_fold(IR_NEG, a, 9), ~a + 1);
		assert_int_equal(ir_fold(IR_NOT, a, 9), a ^ UINT64_MAX);
		assert_int_equal(ir_fold(IR_SEXT8, a, 9), sext(a, 8));
		assert_int_equal(ir_fold(IR_SEXT16, a, 9), sext(a, 16));
		assert_int_equal(ir_fold(IR_SEXT32, a, 9), sext(a, 32));
		assert_int_equal(ir_fold(IR_ZEXT8, a, 9), a & 0xff);
		assert_int_equal(ir_fold(IR_ZEXT16, a, 9), a & 0xffff);
		assert_int_equal(ir_fold(IR_ZEXT32, a, 9), a & 0xffffffff);
	}
}

static void test_fold_cond(void **state)
{
	(void)state;
	for (unsigned i = 0; i < NEDGES; i++) {
		for (unsigned j = 0; j < NEDGES; j++) {
			uint64_t a = edges[i], b = edges[j], m = 1ull << 63;
			const struct {
				enum ir_op op, branch;
				bool is;
			} row[] = {
				{ IR_EQ, IR_BEQ, i == j }, { IR_NE, IR_BNE, i != j },
				{ IR_ULT, IR_BULT, a < b }, { IR_ULE, IR_BULE, a <= b },
				{ IR_UGT, IR_BUGT, a > b }, { IR_UGE, IR_BUGE, a >= b },
				{ IR_SLT, IR_BSLT, (a ^ m) < (b ^ m) }, { IR_SLE, IR_BSLE, (a ^ m) <= (b ^ m) },
				{ IR_SGT, IR_BSGT, (a ^ m) > (b ^ m) }, { IR_SGE, IR_BSGE, (a ^ m) >= (b ^ m) },
			};

			for (unsigned k = 0; k < sizeof row / sizeof *row; k++) {
				assert_int_equal(ir_fold(row[k].op, a, b), row[k].is);
				assert_int_equal(ir_fold(row[k].branch, a, b), row[k].is);
			}
		}
	}
}

static void test_opinfo(void **state)
{
	(void)state;
	for (unsigned i = 0; i < IR_NOPS; i++) {
		const struct ir_opinfo *o = &ir_opinfo[i];

		assert_non_null(o->text);
		assert_true(strlen(o->sig) <= IR_MAXARGS + 1u);
		assert_true(strspn(o->sig + (*o->sig == 'd'), "vimol") == strlen(o->sig) - (*o->sig == 'd'));
		for (unsigned j = 0; j < i; j++)
			assert_string_not_equal(o->text, ir_opinfo[j].text);
	}
}

static void test_val_int(void **state)
{
	const uint8_t m[] = { 0, 0xf0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
	struct val_field f = { .off = 1, .size = 1, .is_signed = true };

	(void)state;
	assert_int_equal(val_int(&f, m), -16);
	f.is_signed = false;
	assert_int_equal(val_int(&f, m), 0xf0);
	f.size = 2;
	assert_int_equal(val_int(&f, m), 0xfff0);
	f.size = 4;
	assert_int_equal(val_int(&f, m), 0xfffffff0);
	f.is_signed = true;
	assert_int_equal(val_int(&f, m), -16);
	f.size = 8;
	assert_int_equal(val_int(&f, m), -16);
	f.size = 3;
	assert_int_equal(val_int(&f, m), 0);
}

/* ---- the builder ---- */
static void test_build(void **state)
{
	struct t *t = *state;
	struct ir_builder b = { .prog = &t->p };
	uint32_t obj, end, out[2];
	ir_reg a, c, use[8];

	obj = ir_obj_add(&t->p, &(struct ir_obj){ .name = "x", .kind = IR_O_GLOBAL, .size = 8 });
	assert_int_equal(ir_obj_find(&t->p, "x"), obj);
	assert_int_equal(ir_obj_find(&t->p, "y"), -1);
	b.func = ir_func_add(&t->p, "f", IR_C_RUN);
	end = ir_newblock(&b, "end");
	a = ir_emit(&b, IR_LD64, ir_m(obj, 0));
	c = ir_emit(&b, IR_ADD, ir_r(a), ir_i(1));
	assert_int_not_equal(a, c);
	assert_int_equal(ir_emit_to(&b, IR_ADD, a, ir_r(c), ir_r(a)), a);
	assert_int_equal(ir_uses(&b.func->blocks.v[0].ins.v[2], use), 2);
	assert_int_equal(use[0], c);
	assert_int_equal(ir_emit(&b, IR_ST64, ir_m(obj, 0), ir_r(a)), 0);
	assert_false(ir_terminated(&b));
	ir_enter(&b, end);
	assert_int_equal(ir_succ(&b.func->blocks.v[0].ins.v[4], out), 1);
	assert_int_equal(out[0], end);
	ir_emit0(&b, IR_RET);
	assert_true(ir_terminated(&b));
	assert_int_equal(ir_succ(&b.func->blocks.v[1].ins.v[0], out), 0);
	assert_int_equal(ir_verify(&t->p, &t->d), 0);
}

/* Blocks made in an order of their own are put right, and what nothing reaches goes. */
static void test_order(void **state)
{
	struct t *t = *state;
	struct ir_builder b = { .prog = &t->p, .func = ir_func_add(&t->p, "f", IR_C_RUN) };
	uint32_t end = ir_newblock(&b, "end"), mid = ir_newblock(&b, "mid"), lost = ir_newblock(&b, "lost");

	ir_emit(&b, IR_BEQ, ir_i(1), ir_i(2), ir_b(mid), ir_b(end));
	ir_enter(&b, mid);
	ir_emit(&b, IR_EXIT, ir_i(1));
	ir_enter(&b, end);
	ir_emit0(&b, IR_RET);
	ir_enter(&b, lost);
	ir_emit0(&b, IR_RET);
	assert_int_equal(ir_verify(&t->p, &t->d), -1);
	ir_func_order(&t->p, b.func);
	t->d.nerrors = 0;
	assert_int_equal(ir_verify(&t->p, &t->d), 0);
	assert_int_equal(b.func->blocks.n, 3);
	assert_string_equal(b.func->blocks.v[1].label, "mid");
}

/* ---- text ---- */
static const char everything[] =
	"obj a agg key=8 size=16 gen=1 tag=3\n"
	"obj a0 agg size=8\n"
	"obj \"@ \\\"q\\\\\\x01\\xff\" temp size=64\n"
	"obj r1 local size=8\n"
	"obj c const size=3 init=414243\n"
	"obj g global size=8 init=0100000000000000\n"
	"obj rec rec size=64 tag=9\n"
	"obj t thread size=8 ns=1\n"
	"obj d dyn key=8 size=8\n"
	"func \"profile-97\" perf tag=4 {\n"
	"b0 \"the start\":\n"
	"\tr1 = ctx 8\n"
	"\tr2 = add r1, -9223372036854775808\n"
	"\tr3 = mov 1\n"
	"\tst64 [r1+0], r3\n"
	"\tr5 = ld64 [rec+8+r1*8<7]\n"
	"\tscopy [rec+16], 16, [c+0], 3\n"
	"\tr4 = cell a, [r1+0]\n"
	"\tbeq r4, 0 -> b2, b1\n"
	"b1:\n"
	"\tr6 = xcas [r4:a+8], 1, r2\n"
	"\txadd [r4:a+0], 1\n"
	"\tfault 1, 2, 3, r6, 0 -> b2\n"
	"b2 end:\n"
	"\tcommit rec\n"
	"\tret\n"
	"}\n"
	"func line uprobe tag=5 turns=1 {\n"
	"b0:\n"
	"\tr1 = turn\n"
	"\tr2 = cookie\n"
	"\tret\n"
	"}\n"
	"func switch rawtp task=2 {\n"
	"b0:\n"
	"\tret\n"
	"}\n"
	"func error error {\n"
	"b0:\n"
	"\tr1 = param 3\n"
	"\texit r1\n"
	"\tret\n"
	"}\n";

static void test_roundtrip(void **state)
{
	struct t *t = *state;
	struct buf out = { 0 };

	assert_int_equal(parse(t, everything), 0);
	assert_int_equal(ir_verify(&t->p, &t->d), 0);
	ir_print(&out, &t->p);
	assert_string_equal(buf_str(&out), everything);
	buf_free(&out);
}

/* Every operation, with operands by its signature. */
static void test_roundtrip_ops(void **state)
{
	struct t *t = *state;
	struct ir_builder b = { .prog = &t->p };
	struct buf once = { 0 }, twice = { 0 };
	struct ir_prog again;
	struct source src = { 0 };

	ir_obj_add(&t->p, &(struct ir_obj){ .name = "x-y", .kind = IR_O_TEMP, .size = 64 });
	b.func = ir_func_add(&t->p, "f", IR_C_PERF);
	for (unsigned op = 0; op < IR_NOPS; op++) {
		const char *sig = ir_opinfo[op].sig + (ir_opinfo[op].sig[0] == 'd');
		struct ir_arg args[IR_MAXARGS];
		unsigned n = 0;

		for (; sig[n]; n++)
			args[n] = sig[n] == 'v' ? (n % 2 ? ir_i(-5) : ir_r(n + 1)) : sig[n] == 'i' ? ir_i(n * 7) :
				  sig[n] == 'm' ? ir_mx(3, 0, 8, n, n * 3) : sig[n] == 'o' ? ir_o(0) : ir_b(op + n);
		b.func->nregs = 9;
		ir_emitv(&b, (enum ir_op)op, UINT32_MAX, n, args);
		if (ir_terminated(&b))
			ir_enter(&b, ir_newblock(&b, op % 2 ? "l" : NULL));
	}
	ir_print(&once, &t->p);
	ir_prog_init(&again, &t->a);
	src = (struct source){ .name = "t", .text = buf_str(&once), .len = once.len };
	assert_int_equal(ir_parse(&again, &src, &t->d), 0);
	ir_print(&twice, &again);
	assert_string_equal(buf_str(&once), buf_str(&twice));
	buf_free(&once);
	buf_free(&twice);
}

static void test_parse_errors(void **state)
{
	static const struct {
		const char *text, *says;
		unsigned line;
	} rows[] = {
		{ "nonsense", "'obj' or 'func' expected", 1 },
		{ "obj", "a word expected", 1 },
		{ "obj x", "a word expected", 1 },
		{ "obj x foo size=8", "unknown kind of object 'foo'", 1 },
		{ "obj x temp size=4294967296", "number too large", 1 },
		{ "obj x temp colour=3", "unknown attribute 'colour'", 1 },
		{ "obj x agg gen=2 size=8", "number too large", 1 },
		{ "obj x temp size=8\nobj x temp size=8", "object 'x' declared twice", 2 },
		{ "obj x const size=2 init=41", "init= has 1 bytes, the object 2", 1 },
		{ "obj x const size=2 init=414", "an even number of hexadecimal digits expected", 1 },
		{ "obj \"x temp size=8", "'\"' expected", 1 },
		{ "obj \"x\\n\" temp size=8", "not an escape sequence", 1 },
		{ "obj \"x\\x00\" temp size=8", "not an escape sequence", 1 },
		{ "func f perf", "a word expected", 1 },
		{ "func f green {\n}", "unknown kind of function 'green'", 1 },
		{ "func f perf size=3 {\n}", "'tag' or '{' expected", 1 },
		{ "func f uprobe turns=2 {\n}", "number too large", 1 },
		{ "func f perf {\n", "'}' expected", 2 },
		{ "func f perf {\nret\n}", "a block expected", 2 },
		{ "func f perf {\nb1:\n}", "block 0 expected: blocks are numbered in order", 2 },
		{ "func f perf {\nb0:\nb0:\n}", "block 1 expected: blocks are numbered in order", 3 },
		{ "func f perf {\nb0:\nfrob 1\n}", "unknown operation 'frob'", 3 },
		{ "func f perf {\nb0:\nret\nret\n}", "an operation after the end of its block", 4 },
		{ "func f perf {\nb0:\nr1 = ret\n}", "the operation has no result", 3 },
		{ "func f perf {\nb0:\nr0 = mov 1\n}", "registers count from 1", 3 },
		{ "func f perf {\nb0:\nr9999999 = mov 1\n}", "number too large", 3 },
		{ "func f perf {\nb0:\nr1 = add 1\n}", "',' expected", 3 },
		{ "func f perf {\nb0:\nr1 = add 1, 99999999999999999999\n}", "number too large", 3 },
		{ "func f perf {\nb0:\nr1 = ld8 [q+0]\n}", "unknown object 'q'", 3 },
		{ "obj q temp size=8\nfunc f perf {\nb0:\nr1 = ld8 [q]\n}", "'+' expected", 4 },
		{ "obj q temp size=8\nfunc f perf {\nb0:\nr1 = ld8 [q+0+r1]\n}", "'*' expected", 4 },
		{ "obj q temp size=8\nfunc f perf {\nb0:\nr1 = ld8 [q+0+r1*8<99999999]\n}", "number too large", 4 },
		{ "func f perf {\nb0:\njmp b1\n}", "'->' expected", 3 },
		{ "func f perf {\nb0:\njmp -> 1\n}", "a block expected", 3 },
		{ "func f perf {\nb0:\nexit r\n}", "a number expected", 3 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		void *s;
		struct t *t;

		setup(&s);
		t = s;
		assert_int_equal(parse(t, rows[i].text), -1);
		assert_true(t->d.list.n >= 1);
		assert_string_equal(t->d.list.v[0].text, rows[i].says);
		assert_int_equal(t->d.list.v[0].loc.line, rows[i].line);
		assert_int_equal(t->d.list.v[0].tag, D_SYNTAX);
		teardown(&s);
	}
}

/* Damaged text: a program that is accepted must print, verify, and print the same again. */
static void test_parse_hostile(void **state)
{
	static const char spice[] = "rb[]:+*8<,->\"\\x#{}=@ \n0\x01\xff";
	char text[sizeof everything];
	uint64_t rnd = 12345;

	(void)state;
	for (unsigned round = 0; round < 3000; round++) {
		void *s;
		struct t *t;

		memcpy(text, everything, sizeof text);
		for (unsigned i = 0; i < 1 + round % 5; i++) {
			rnd = rnd * 6364136223846793005u + 1442695040888963407u;
			text[(rnd >> 33) % (sizeof text - 1)] = spice[(rnd >> 20) % (sizeof spice - 1)];
		}
		if (round % 7 == 0)
			text[(rnd >> 40) % (sizeof text - 1)] = '\0';
		setup(&s);
		t = s;
		if (parse(t, text) == 0) {
			struct buf once = { 0 }, twice = { 0 };
			struct t *u = t;
			void *s2;

			ir_print(&once, &u->p);
			ir_verify(&t->p, &t->d);
			setup(&s2);
			u = s2;
			assert_int_equal(parse(u, buf_str(&once)), 0);
			ir_print(&twice, &u->p);
			assert_string_equal(buf_str(&once), buf_str(&twice));
			teardown(&s2);
			buf_free(&once);
			buf_free(&twice);
		}
		teardown(&s);
	}
}

/* ---- interpreter ---- */
static struct ir_test_world *run(struct t *t, struct ir_test_world *w, const struct ir_seed *seed, const char *text)
{
	if (parse(t, text) || ir_verify(&t->p, &t->d))
		fail_msg("%s", t->d.list.v[0].text);
	world_open(w, &t->p, seed);
	world_run(w, t->p.funcs.v[0]);
	return w;
}

static void test_interp_strings(void **state)
{
	struct t *t = *state;
	struct ir_test_world w;

	run(t, &w, NULL,
	    "obj s const size=5 init=6162636465\nobj n const size=4 init=61620063\n"
	    "obj d global size=16\nobj r global size=80\n"
	    "func f run {\nb0:\n"
	    "st64 [d+0], -1\nst64 [d+8], -1\n"
	    "scopy [d+0], 4, [s+0], 5\n"		/* cut: abc\0 */
	    "scopy [d+4], 8, [n+0], 4\n"		/* ends at its NUL: ab, zeros */
	    "r1 = seq [s+0], 2, [n+0], 4\nst64 [r+0], r1\n"	/* ab = ab */
	    "r1 = seq [s+0], 3, [n+0], 4\nst64 [r+8], r1\n"	/* abc, ab */
	    "r1 = scmp [s+0], 3, [n+0], 4\nst64 [r+16], r1\n"	/* 1 */
	    "r1 = scmp [n+0], 4, [s+0], 3\nst64 [r+24], r1\n"	/* -1 */
	    "r1 = scmp [s+0], 2, [n+0], 4\nst64 [r+32], r1\n"	/* 0 */
	    "r1 = scmp [d+12], 1, [s+0], 1\nst64 [r+40], r1\n"	/* 0xff above 'a' */
	    "ret\n}\n");
	world_dump(&w, false);
	assert_string_equal(buf_str(&w.trace),
		"d = 6162630061620000" "00000000" "ffffffff\n"
		"r = 0100000000000000" "0000000000000000" "0100000000000000" "ffffffffffffffff"
		"0000000000000000" "0100000000000000" "00000000000000000000000000000000"
		"00000000000000000000000000000000\n");
	world_close(&w);
}

static void test_interp_memory(void **state)
{
	struct t *t = *state;
	struct ir_test_world w;

	run(t, &w, NULL,
	    "obj g global size=64\nobj l local size=8\n"
	    "func f run {\nb0:\n"
	    "st64 [g+0], -1\nr1 = ld8 [g+0]\nst64 [g+8], r1\nr1 = ld16 [g+0]\nst16 [g+16], r1\n"
	    "r1 = ld32 [g+0]\nst32 [g+20], r1\nst8 [g+24], 513\n"
	    "r1 = xadd [g+32], 5\nr1 = xcas [g+32], 5, 9\nr2 = xcas [g+32], 5, 11\n"
	    "st64 [g+40], r2\nr3 = xmax [g+40], 3\nr3 = xmax [g+40], 77\n"
	    "r4 = mov 2\nst64 [g+48+r4*8<2], 1\nr5 = ld64 [g+0+r4*8<2]\n"	/* both outside of their limit */
	    "r6 = ld64 [l+0]\nr6 = add r6, r5\nst64 [g+56], r6\nst64 [l+0], 1\nret\n}\n");
	world_run(&w, t->p.funcs.v[0]);	/* the local is zero again */
	world_dump(&w, false);
	assert_string_equal(buf_str(&w.trace),
		"g = ffffffffffffffff" "ff00000000000000" "ffff0000ffffffff" "0100000000000000"
		"0e00000000000000" "4d00000000000000" "0000000000000000" "0000000000000000\n");
	world_close(&w);
}

static const char faulty[] =
	"obj g global size=8\nobj r rec size=8\n"
	"func f run {\nb0:\nr1 = mov 42\nst64 [g+0], 1\nfault 7, 3, 4, r1, 0 -> b1\nb1:\nst64 [r+0], r1\ncommit "
	"r\nret\n}\n"
	"func e error {\nb0:\nr1 = param 0\nr2 = param 1\nr3 = param 2\nr4 = param 3\n"
	"r1 = mul r1, r2\nr1 = mul r1, r3\nr1 = add r1, r4\nexit r1\nfault 1, 1, 1, 1, 0 -> b1\nb1:\nexit 99\nret\n}\n";

static void test_interp_fault(void **state)
{
	struct t *t = *state;
	struct ir_test_world w;

	run(t, &w, NULL, faulty);
	assert_string_equal(buf_str(&w.trace),
		"fault epid=7 action=3 kind=4 value=42\nexit 126\ndrop 4\nexit 99\ncommit r 2a00000000000000\n");
	world_close(&w);
}

static void test_interp_cells(void **state)
{
	struct t *t = *state;
	struct ir_test_world w;

	run(t, &w, NULL,
	    "obj a agg key=8 size=8\nobj z agg size=8\nobj d dyn key=8 size=8\nobj s thread size=8\nobj k temp size=8\n"
	    "func f run {\nb0:\nst64 [k+0], 7\nr1 = cell a, [k+0]\nbeq r1, 0 -> b2, b1\n"
	    "b1:\nr2 = xadd [r1:a+0], 2\njmp -> b2\n"
	    "b2:\nr3 = cell0 z\nr2 = xadd [r3:z+0], 3\nr4 = dyn d, [k+0], 0\nbne r4, 0 -> b5, b3\n"
	    "b3:\nr4 = dyn d, [k+0], 1\nbeq r4, 0 -> b5, b4\n"
	    "b4:\nst64 [r4:d+0], 4\njmp -> b6\n"
	    "b5:\ndyndel d, [k+0]\njmp -> b6\n"
	    "b6:\nr5 = tls s, 1\nbeq r5, 0 -> b8, b7\n"
	    "b7:\nst64 [r5:s+0], 5\njmp -> b8\nb8:\ndrop 2\nret\n}\n");
	world_dump(&w, false);
	assert_string_equal(buf_str(&w.trace),
		"cell a key=0700000000000000 make\ncell z make\ndyn d key=0700000000000000\n"
		"dyn d key=0700000000000000 make\ntls s make\ndrop 2\n"
		"a key=0700000000000000 = 0200000000000000\nz = 0300000000000000\n"
		"d key=0700000000000000 = 0400000000000000\ns = 0500000000000000\n");
	buf_reset(&w.trace);
	world_run(&w, t->p.funcs.v[0]);
	assert_non_null(strstr(buf_str(&w.trace), "dyndel d"));
	world_close(&w);

	/* No room: cells are dropped, the thread variable and the array are not there. */
	world_open(&w, &t->p, NULL);
	w.max_cells = 0;
	world_run(&w, t->p.funcs.v[0]);
	assert_int_equal(w.cells.n, 1);	/* only the aggregation without a key is always there */
	world_close(&w);
}

/* Many registers do not fit on the stack. */
static void test_interp_registers(void **state)
{
	struct t *t = *state;
	struct ir_test_world w;

	run(t, &w, NULL, "func f run {\nb0:\nr700000 = mov 3\nr1 = add r700000, 1\nexit r1\nret\n}\n");
	assert_string_equal(buf_str(&w.trace), "exit 4\n");
	world_close(&w);
}

/* A hook that is not there must not be called. */
static void test_interp_no_hooks(void **state)
{
	struct t *t = *state;
	struct ir_world none = { 0 };

	assert_int_equal(parse(t, faulty), 0);
	ir_run(&t->p, t->p.funcs.v[0], &none);
}

/* ---- seed ---- */
static void seed_fill(struct ir_seed *s)
{
	uint64_t *word = (uint64_t *)s;

	for (unsigned i = 0; i < sizeof *s / 8; i++)
		word[i] = 0x9e3779b97f4a7c15u * (i + 1);
	memcpy(s->comm, "dd\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16);
	strcpy((char *)s->kmem + 8, "a string");
	s->kmem[255] = 'x';
}

/* Reads everything, at addresses that are good, crooked and outside. */
static const char reader[] =
	"obj g global size=400\n"
	"func f perf {\nb0:\n"
	"r1 = clock\nst64 [g+0], r1\nr1 = pidtgid\nst64 [g+8], r1\nr1 = uidgid\nst64 [g+16], r1\n"
	"r1 = cpu\nst64 [g+24], r1\nr1 = task\nst64 [g+32], r1\nr1 = perfcount\nst64 [g+40], r1\n"
	"r1 = stackdepth\nst64 [g+48], r1\nr1 = callerpc\nst64 [g+56], r1\nr1 = state\nst64 [g+64], r1\n"
	"r1 = cookie\nst64 [g+392], r1\nr1 = turn\nst64 [g+384], r1\n"
	"r1 = ctx 128\nst64 [g+72], r1\ncomm [g+80]\n"
	"r1 = kread [g+96], 24, 0xffff888000000010\nst64 [g+120], r1\n"
	"r1 = kread [g+130], 13, 0xffff8880000000f0\nst64 [g+144], r1\n"
	"r1 = kread [g+152], 8, 0xffff888000000011\nst64 [g+160], r1\n"
	"r1 = kread [g+168], 17, 0xffff8880000000f0\nst64 [g+192], r1\n"
	"r1 = kread [g+200], 8, 5\nst64 [g+208], r1\n"
	"r1 = kstr [g+216], 16, 0xffff888000000008\nst64 [g+232], r1\n"
	"r1 = kstr [g+241], 5, 0xffff888000000008\nst64 [g+248], r1\n"
	"r1 = kstr [g+256], 32, 0xffff8880000000f8\nst64 [g+288], r1\n"
	"r1 = kstr [g+296], 8, 0xffff888000000100\nst64 [g+304], r1\n"
	"kstr [g+312], 8, 0\nret\n}\n";

static void test_seed(void **state)
{
	struct t *t = *state;
	struct ir_seed seed;
	struct ir_test_world w, v;

	seed_fill(&seed);
	run(t, &w, &seed, reader);
	world_dump(&w, false);
	ir_seed(&t->p);
	assert_int_equal(ir_verify(&t->p, &t->d), 0);
	world_open(&v, &t->p, &seed);
	memset(&v.hooks.read, 0, sizeof v.hooks.read);
	v.hooks.comm = NULL;
	v.hooks.kread = NULL;
	v.hooks.kstr = NULL;
	world_run(&v, t->p.funcs.v[0]);
	world_dump(&v, false);
	assert_string_equal(buf_str(&w.trace), buf_str(&v.trace));
	assert_non_null(strstr(buf_str(&v.trace), "6120737472696e67"));	/* "a string" */
	world_close(&v);
	ir_optimise(&t->p);
	assert_int_equal(ir_verify(&t->p, &t->d), 0);
	world_open(&v, &t->p, &seed);
	world_run(&v, t->p.funcs.v[0]);
	world_dump(&v, false);
	assert_string_equal(buf_str(&w.trace), buf_str(&v.trace));
	world_close(&v);
	world_close(&w);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_fold_alu), T(test_fold_un), T(test_fold_cond), T(test_opinfo), T(test_val_int), T(test_build),
		T(test_order), T(test_roundtrip), T(test_roundtrip_ops), T(test_parse_errors), T(test_parse_hostile),
		T(test_interp_strings), T(test_interp_memory), T(test_interp_fault), T(test_interp_cells),
		T(test_interp_registers), T(test_interp_no_hooks), T(test_seed),
	};

	return cmocka_run_group_tests_name("ir", tests, NULL, NULL);
}
