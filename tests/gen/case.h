/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One script: compiled, verified, optimised, loaded, run by both engines, compared.
 *
 * Who owns what: case_close gives everything back. What can fail: c->fail says at which stage, or what differs.
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
	uint32_t ir[IR_NOPS];	/* how often each operation is in the IR, as made and optimised */
	char fail[64];		/* "compile D_TAG", "load", ...; "" */
};

/* Runs it; the seed also makes the world that it sees. */
bool case_run(struct gen_case *c, const char *text, uint64_t seed, bool quiet);
void case_close(struct gen_case *c);
/* Makes the failing script as small as it gets, prints it. */
void case_report(struct gen_case *c, const char *text, uint64_t seed);
/* A smaller script that fails in the same way; the caller frees it. */
char *shrink(const char *text, uint64_t seed, const char *fail);

#endif
