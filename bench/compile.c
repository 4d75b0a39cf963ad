/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Measures the time to verify, optimise and verify again the IR of a script of N clauses: ms, best of five.
 * A clause is `/pid == i && execname != "x"/ { @a[pid, execname] = quantize(arg0); }`, about 20 blocks.
 *
 *	bench/compile [N...]		2,000 should stay well under 300 ms, and grow in proportion
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "ir/ir.h"

struct compile_bench {
	struct arena a;
	struct ir_prog p;
	struct ir_builder b;
	uint32_t key, name, agg;
	ir_reg arg0;		/* read by the prologue, used by every clause */
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* a && b as a number, which is then tested. */
static ir_reg make_predicate(struct compile_bench *m, uint32_t i)
{
	uint32_t more = ir_newblock(&m->b, NULL), no = ir_newblock(&m->b, NULL), end = ir_newblock(&m->b, NULL);
	ir_reg both = ir_newreg(&m->b), pid, is, equal;

	pid = ir_emit(&m->b, IR_SEXT32, ir_r(ir_emit(&m->b, IR_LSHR, ir_r(ir_emit0(&m->b, IR_PIDTGID)), ir_i(32))));
	is = ir_emit(&m->b, IR_EQ, ir_r(pid), ir_i(i));
	ir_emit(&m->b, IR_BNE, ir_r(is), ir_i(0), ir_b(more), ir_b(no));
	ir_enter(&m->b, more);
	ir_emit(&m->b, IR_COMM, ir_m(m->key, 8));
	equal = ir_emit(&m->b, IR_SEQ, ir_m(m->key, 8), ir_i(16), ir_m(m->name, 0), ir_i(2));
	ir_emit_to(&m->b, IR_EQ, both, ir_r(equal), ir_i(0));
	ir_emit(&m->b, IR_JMP, ir_b(end));
	ir_enter(&m->b, no);
	ir_emit_to(&m->b, IR_MOV, both, ir_i(0));
	ir_enter(&m->b, end);
	return both;
}

/* The bucket of a quantize, found by comparisons. */
static ir_reg make_bucket(struct compile_bench *m)
{
	uint32_t end = ir_newblock(&m->b, NULL);
	ir_reg bucket = ir_newreg(&m->b);

	for (unsigned k = 0; k < 12; k++) {
		uint32_t next = ir_newblock(&m->b, NULL);

		ir_emit_to(&m->b, IR_MOV, bucket, ir_i(k));
		ir_emit(&m->b, IR_BULT, ir_r(m->arg0), ir_i(1ll << (4 * k)), ir_b(end), ir_b(next));
		ir_enter(&m->b, next);
	}
	ir_emit_to(&m->b, IR_MOV, bucket, ir_i(12));
	ir_enter(&m->b, end);
	return bucket;
}

static void make_clause(struct compile_bench *m, uint32_t i)
{
	uint32_t body = ir_newblock(&m->b, NULL), ok = ir_newblock(&m->b, NULL), next = ir_newblock(&m->b, NULL);
	ir_reg yes = make_predicate(m, i), pid, cell, bucket;

	ir_emit(&m->b, IR_BNE, ir_r(yes), ir_i(0), ir_b(body), ir_b(next));
	ir_enter(&m->b, body);
	pid = ir_emit(&m->b, IR_LSHR, ir_r(ir_emit0(&m->b, IR_PIDTGID)), ir_i(32));
	ir_emit(&m->b, IR_ST64, ir_m(m->key, 0), ir_r(ir_emit(&m->b, IR_SEXT32, ir_r(pid))));
	ir_emit(&m->b, IR_COMM, ir_m(m->key, 8));
	cell = ir_emit(&m->b, IR_CELL, ir_o(m->agg), ir_m(m->key, 0));
	ir_emit(&m->b, IR_BEQ, ir_r(cell), ir_i(0), ir_b(next), ir_b(ok));
	ir_enter(&m->b, ok);
	bucket = make_bucket(m);
	ir_emit(&m->b, IR_XADD, ir_mx(cell, m->agg, 0, bucket, 13), ir_i(1));
	ir_enter(&m->b, next);
}

static void make(struct compile_bench *m, uint32_t n)
{
	arena_init(&m->a, NULL, NULL);
	ir_prog_init(&m->p, &m->a);
	m->key = ir_obj_add(&m->p, &(struct ir_obj){ .name = "key", .kind = IR_O_TEMP, .size = 24 });
	m->name = ir_obj_add(&m->p, &(struct ir_obj){ .name = "x", .kind = IR_O_CONST, .size = 2, .init = "x" });
	m->agg = ir_obj_add(&m->p, &(struct ir_obj){ .name = "@", .kind = IR_O_AGG, .size = 104, .keysize = 24 });
	m->b = (struct ir_builder){ .prog = &m->p, .func = ir_func_add(&m->p, "profile-97", IR_C_PERF) };
	m->arg0 = ir_emit(&m->b, IR_CTX, ir_i(0));
	for (uint32_t i = 0; i < n; i++)
		make_clause(m, i);
	ir_emit0(&m->b, IR_RET);
	ir_func_order(&m->p, m->b.func);
}

struct times {
	double build, verify, optimise, again;
	size_t blocks, left;
};

static int measure(uint32_t n, struct times *t)
{
	struct compile_bench m = { 0 };
	struct diags d;
	double at[5];
	int err;

	at[0] = now();
	make(&m, n);
	diags_init(&d, &m.a);
	t->blocks = m.b.func->blocks.n;
	at[1] = now();
	err = ir_verify(&m.p, &d);
	at[2] = now();
	ir_optimise(&m.p);
	at[3] = now();
	err |= ir_verify(&m.p, &d);
	at[4] = now();
	t->left = m.b.func->blocks.n;
	t->build = at[1] - at[0];
	t->verify = at[2] - at[1];
	t->optimise = at[3] - at[2];
	t->again = at[4] - at[3];
	if (err)
		fprintf(stderr, "compile: %s\n", d.list.v[0].text);
	arena_free(&m.a);
	return err;
}

static double total(const struct times *t)
{
	return t->verify + t->optimise + t->again;
}

static int row(uint32_t n)
{
	struct times best, t;

	for (unsigned i = 0; i < 5; i++) {
		if (measure(n, &t))
			return 1;
		if (i == 0 || total(&t) < total(&best))
			best = t;
	}
	printf("%8u %8zu %8zu %9.1f %9.1f %9.1f %9.1f %9.1f\n", (unsigned)n, best.blocks, best.left, best.build,
	       best.verify, best.optimise, best.again, total(&best));
	return 0;
}

int main(int argc, char **argv)
{
	static const uint32_t usual[] = { 250, 500, 1000, 2000, 4000 };
	int err = 0;

	printf("%8s %8s %8s %9s %9s %9s %9s %9s\n", "clauses", "blocks", "left", "build", "verify", "optimise",
	       "verify", "total");
	if (argc > 1) {
		for (int i = 1; i < argc; i++)
			err |= row((uint32_t)strtoul(argv[i], NULL, 0));
		return err;
	}
	for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
		err |= row(usual[i]);
	return err;
}
