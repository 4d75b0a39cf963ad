/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Verified IR through instruction selection, register allocation and layout: the result must be valid BPF. */
#include <stdlib.h>
#include <string.h>

#include "engine/bpf/code/asm.h"
#include "engine/bpf/code/bpf.h"
#include "engine/bpf/code/insn.h"
#include "engine/bpf/code/layout.h"
#include "tests/fuzz/fuzz.h"

static const struct bpf_params machines[] = {
	{ .ncpus = 2, .bufsize = 1 << 18, .aggsize = 1 << 22, .dynvarsize = 1 << 20, .want_exit = true,
	  .table = 1 << 18, .tables = 1 << 22 },
	{ .ncpus = 65, .bufsize = 1 << 12, .aggsize = 1 << 12, .dynvarsize = 1 << 12, .part_insns = 64,
	  .table = 1 << 12, .tables = 1 << 16 },
};

/* A constant of 64 bits takes two slots; nothing may jump to the second. */
static bool is_wide(const struct bpf_insn *i)
{
	return i->code == (BPF_LD | BPF_DW | BPF_IMM);
}

/* The beginning of the run-time library function that contains instruction `at`; `at` if none does. */
static uint32_t library_start(const struct bpf_code *c, uint32_t at)
{
	static const char *const own[] = { "probe", "fault", "error" };
	uint32_t start = at;

	for (size_t i = 0; i < c->nsubs && c->subs[i].insn <= at; i++) {
		start = c->subs[i].insn;
		for (size_t k = 0; k < sizeof own / sizeof *own; k++)
			if (!strcmp(c->subs[i].name, own[k]))
				start = at;
	}
	return start;
}

/* Only the library has loops, within a function. */
static void check_target(const struct bpf_code *c, const uint8_t *second, uint32_t at, int64_t to)
{
	FUZZ_CHECK((to > at || (to < at && to >= library_start(c, at))) && to < c->n && !second[to],
		   "%s: %u jumps to %lld of %u", c->func->name, at, (long long)to,
		   c->n);
}

static void check_flow(const struct bpf_code *c, const uint8_t *second, uint32_t at)
{
	const struct bpf_insn *i = &c->insns[at];
	uint8_t op = BPF_OP(i->code);

	if (BPF_CLASS(i->code) != BPF_JMP && BPF_CLASS(i->code) != BPF_JMP32)
		FUZZ_CHECK(at + 1 + is_wide(i) < c->n, "%s: runs out of its end", c->func->name);
	else if (op == BPF_CALL)
		FUZZ_CHECK(at + 1 < c->n, "%s: runs out of its end", c->func->name);
	if (BPF_CLASS(i->code) != BPF_JMP && BPF_CLASS(i->code) != BPF_JMP32)
		return;
	if (op == BPF_CALL && i->src_reg == BPF_PSEUDO_CALL)
		check_target(c, second, at, (int64_t)at + 1 + i->imm);
	else if (op == BPF_CALL)
		FUZZ_CHECK(i->imm > 0 && i->imm < __BPF_FUNC_MAX_ID, "helper %d", i->imm);
	else if (op != BPF_EXIT)
		check_target(c, second, at, (int64_t)at + 1 + i->off);
}

static void check_stack(const struct bpf_code *c, uint32_t at)
{
	const struct bpf_insn *i = &c->insns[at];
	uint8_t class = BPF_CLASS(i->code);
	unsigned base = class == BPF_LDX ? i->src_reg : i->dst_reg;

	if ((class == BPF_LDX || class == BPF_ST || class == BPF_STX) && base == BPF_REG_10)
		FUZZ_CHECK(i->off < 0 && i->off >= -STACK_MAX, "%s: %u: stack at %d", c->func->name, at, i->off);
}

/* The disassembler shows unknown instructions as '?'. */
static void check_text(const struct bpf_image *im, const struct bpf_code *c, uint32_t at, struct buf *out)
{
	buf_reset(out);
	bpf_print_insn(out, im, c, at);
	FUZZ_CHECK(out->len && !strchr(buf_str(out), '?'), "%s: %u: %s", c->func->name, at, buf_str(out));
}

static void check_code(const struct bpf_image *im, const struct bpf_code *c)
{
	uint8_t *second = calloc(c->n + 1, 1);
	struct buf out = { 0 };

	FUZZ_CHECK(second && c->n, "%s: empty", c->func->name);
	for (uint32_t at = 0; at < c->n; at++)
		if (is_wide(&c->insns[at]))
			second[++at] = 1;
	for (uint32_t at = 0; at < c->n; at++) {
		if (second[at])
			continue;
		FUZZ_CHECK(c->insns[at].dst_reg <= 10 && c->insns[at].src_reg <= 10, "%s: %u", c->func->name, at);
		check_flow(c, second, at);
		check_stack(c, at);
		check_text(im, c, at, &out);
	}
	buf_free(&out);
	free(second);
}

static void generate(const struct ir_prog *p, const struct bpf_params *par, struct arena *a)
{
	struct buf out = { 0 };
	struct bpf_image im;
	struct diags d;
	int r;

	diags_init(&d, a);
	r = bpf_generate(&im, a, p, par, &d);
	FUZZ_CHECK(!r == !d.nerrors, "%d with %zu errors", r, d.nerrors);
	for (size_t i = 0; r && i < d.list.n; i++)
		FUZZ_CHECK(d.list.v[i].tag == D_LIMIT, "refused: %s", d.list.v[i].text);
	for (size_t i = 0; !r && i < im.codes.n; i++)
		check_code(&im, &im.codes.v[i]);
	if (!r)
		bpf_dump(&out, &im);
	buf_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	struct source src = { .name = "input.ir", .text = text, .len = size };
	struct ir_prog p;
	struct arena a;
	struct diags d;

	arena_init(&a, NULL, NULL);
	diags_init(&d, &a);
	ir_prog_init(&p, &a);
	if (!ir_parse(&p, &src, &d) && !ir_verify(&p, &d)) {
		for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
			generate(&p, &machines[i], &a);
		ir_optimise(&p);
		for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
			generate(&p, &machines[i], &a);
	}
	arena_free(&a);
	free(text);
	return 0;
}
