/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One script: compiled, verified, optimised, loaded, run by both engines, compared.
 *
 * Who owns what: case_close frees everything. What can fail: c->fail names the stage, or what differs.
 */
#ifndef TESTS_GEN_CASE_H
#define TESTS_GEN_CASE_H

#include "lang/compile.h"
#include "tests/kernel/both.h"

struct gen_case {
	struct both both;
	struct probe_set probes;
	struct compiler compiler;
	struct d_prog *prog;
	uint32_t ir[IR_NOPS];	/* the number of each operation in the IR, before and after the optimiser */
	char fail[64];		/* "compile D_TAG", "load", ...; "" */
};

/* Runs a script; the seed also determines the world that it reads. */
bool case_run(struct gen_case *c, const char *text, uint64_t seed, bool quiet);
void case_close(struct gen_case *c);
/* Shrinks the failing script as far as possible and prints it. */
void case_report(struct gen_case *c, const char *text, uint64_t seed);
/* A smaller script that fails in the same way; the caller frees it. */
char *shrink(const char *text, uint64_t seed, const char *fail);

#endif
