/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "tests/fuzz/irsame.h"

#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "tests/ir/world.h"

/* A run costs at most the size of the objects for each operation. */
enum { RUN_BYTES = 64 << 10, RUN_WORK = 16 << 20 };

/* The worlds in which programs run: every function reads the session's state first. */
static const struct scene {
	enum ir_state state;
	bool filled;		/* the data to be read is not all zeros */
	size_t cells;		/* the limit for one object */
} scenes[] = {
	{ IR_S_BEGIN, true, 64 }, { IR_S_ACTIVE, true, 64 }, { IR_S_ACTIVE, false, 0 }, { IR_S_END, true, 1 },
};

static void parse_printed(struct ir_prog *copy, const char *text, size_t n, struct arena *a)
{
	struct source *src = arena_alloc(a, sizeof *src);
	struct diags d;

	*src = (struct source){ .name = "printed", .text = text, .len = n };
	diags_init(&d, a);
	ir_prog_init(copy, a);
	if (ir_parse(copy, src, &d) || ir_verify(copy, &d))
		fuzz_fail("what is printed parses and verifies", "%s\n%s", d.list.v[0].text, text);
}

static void copy_prog(struct ir_prog *copy, const struct ir_prog *p, struct arena *a)
{
	struct buf text = { 0 };

	ir_print(&text, p);
	parse_printed(copy, buf_str(&text), text.len, a);
	buf_free(&text);
}

void ir_check_text(const struct ir_prog *p, struct arena *a)
{
	struct buf text = { 0 }, again = { 0 };
	struct ir_prog copy;

	ir_print(&text, p);
	parse_printed(&copy, buf_str(&text), text.len, a);
	ir_print(&again, &copy);
	FUZZ_CHECK(!strcmp(buf_str(&text), buf_str(&again)), "it prints otherwise:\n%s\n---\n%s", buf_str(&text),
		   buf_str(&again));
	buf_free(&text);
	buf_free(&again);
}

static bool is_runnable(const struct ir_prog *p)
{
	uint64_t bytes = 0, ins = 0;

	for (size_t i = 0; i < p->objs.n; i++)
		bytes += (uint64_t)p->objs.v[i].size + p->objs.v[i].keysize;
	for (size_t i = 0; i < p->funcs.n; i++)
		for (size_t b = 0; b < p->funcs.v[i]->blocks.n; b++)
			ins += p->funcs.v[i]->blocks.v[b].ins.n;
	return bytes <= RUN_BYTES && ins * bytes <= RUN_WORK;
}

static void seed_fill(struct ir_seed *s)
{
	uint64_t *word = (uint64_t *)s;

	for (size_t i = 0; i < sizeof *s / sizeof *word; i++)
		word[i] = i * 0x9e3779b97f4a7c15ull >> i % 48;
	memcpy(s->comm, "some process", sizeof "some process");
	memcpy(s->kmem, "in the kernel", sizeof "in the kernel");
	s->task = IR_SEED_KBASE;
	s->ctx[1] = IR_SEED_KBASE;
	s->ctx[2] = IR_SEED_KBASE + 64;
	for (size_t i = 2; i < sizeof s->kmem / 8; i += 3)
		((uint64_t *)s->kmem)[i] = IR_SEED_KBASE + i * 8 % 128;
}

/* Runs every function, and again on the results of the first pass. */
static void run_all(const struct ir_prog *p, struct buf *out, const struct scene *sc)
{
	struct ir_seed seed;
	struct ir_test_world w;

	memset(&seed, 0, sizeof seed);
	if (sc->filled)
		seed_fill(&seed);
	seed.state = sc->state;
	world_open(&w, p, &seed);
	w.max_cells = sc->cells;
	for (unsigned round = 0; round < 2; round++)
		for (size_t i = 0; i < p->funcs.n; i++)
			world_run(&w, p->funcs.v[i]);
	world_dump(&w, false);
	buf_put(out, buf_str(&w.trace), w.trace.len);
	world_close(&w);
}

void ir_check_optimiser(const struct ir_prog *p, struct arena *a)
{
	struct buf before = { 0 }, after = { 0 };
	struct ir_prog opt;
	struct diags d;

	copy_prog(&opt, p, a);
	ir_optimise(&opt);
	diags_init(&d, a);
	FUZZ_CHECK(!ir_verify(&opt, &d), "optimised: %s", d.list.v[0].text);
	for (size_t i = 0; is_runnable(p) && i < sizeof scenes / sizeof *scenes; i++) {
		run_all(p, &before, &scenes[i]);
		run_all(&opt, &after, &scenes[i]);
	}
	FUZZ_CHECK(!strcmp(buf_str(&before), buf_str(&after)),
		   "the optimised program does something else:\n%s\n---\n%s",
		   buf_str(&before), buf_str(&after));
	buf_free(&before);
	buf_free(&after);
}
