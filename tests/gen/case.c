/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "tests/gen/case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/kernel/diff_gen.h"
#include "tests/lib/options.h"

static struct d_options options_make(uint64_t seed)
{
	static const uint32_t sizes[] = { 256, 16, 64, 32 };
	struct d_options o = test_options();

	o.strsize = seed % 32 == 5 ? 2048 : sizes[seed % 4];
	o.share_self = o.destructive = o.defaultargs = o.argref = true;
	o.nspec = seed % 7 == 0 ? 70 : seed % 5;
	o.specsize = seed % 3 ? 4096 : 40;
	o.printsize = 64;
	o.aggsize = seed % 3 ? 4 << 20 : 0;
	return o;
}

static struct compile_env env_make(struct arena *a)
{
	static const char *const given[] = { "42", "-7" };
	const char *share = getenv("DTR_SHARE");

	return (struct compile_env){
		.argv0 = "script", .nargs = 2, .args = arena_memdup(a, given, sizeof given), .target = 1,
		.prelude = arena_printf(a, "%s/prelude.d", share ? share : "share"),
	};
}

static bool compile(struct gen_case *c, const char *text, uint64_t seed)
{
	struct arena *a = &c->both.arena;
	struct source *src = arena_alloc(a, sizeof *src);
	struct d_options opts = options_make(seed);
	struct compile_env env = env_make(a);

	probe_set_init(&c->probes, a);
	probe_set_enumerate(&c->probes);
	compiler_init(&c->compiler, a, &c->both.diags, &c->probes, &opts, &env);
	*src = (struct source){ .name = "gen.d", .text = arena_strdup(a, text), .len = strlen(text) };
	*VEC_ADD(a, &c->compiler.texts) = src;
	if (lang_compile(&c->compiler, STAGE_LOWERED))
		return false;
	c->prog = c->compiler.prog;
	return true;
}

/* The world of the Nth firing: mostly readable memory at the addresses of kernel structures. */
static void world_make(struct both_firing *f, uint64_t seed, unsigned n, const struct probe *p)
{
	diff_seed(&f->seed, seed * 16 + n);
	f->seed.task = IR_SEED_KBASE - seed % 600 * 4;
	f->seed.state = (uint64_t)probe_state(p);
}

/* Each probe fires twice, in the second form once more. */
static void fire_all(struct gen_case *c, uint64_t seed)
{
	unsigned n = 0;

	for (unsigned turn = 0; turn < 2; turn++) {
		for (size_t i = 0; i < c->prog->probes.n; i++) {
			const struct enabled_probe *e = &c->prog->probes.v[i];

			world_make(both_fire(&c->both, e->func), seed, n++, e->probe);
			if (e->alt && turn)
				world_make(both_fire(&c->both, e->alt), seed, n++, e->probe);
		}
	}
}

static void count_ops(struct gen_case *c)
{
	const struct ir_prog *ir = c->prog->ir;

	for (size_t f = 0; f < ir->funcs.n; f++) {
		for (size_t b = 0; b < ir->funcs.v[f]->blocks.n; b++) {
			const struct ir_block *k = &ir->funcs.v[f]->blocks.v[b];

			for (size_t i = 0; i < k->ins.n; i++)
				c->ir[k->ins.v[i].op]++;
		}
	}
}

static void prepare(struct gen_case *c, uint64_t seed)
{
	struct ir_prog *ir = c->prog->ir;

	c->both.prog = ir;
	count_ops(c);
	ir_seed(ir);
	for (size_t i = 0; i < ir->funcs.n; i++) {
		if (ir->funcs.v[i]->ctx != IR_C_ERROR)
			ir->funcs.v[i]->ctx = IR_C_RUN;
	}
	if (seed % 4)
		ir_optimise(ir);
	count_ops(c);
	fire_all(c, seed);
}

static const char *first_tag(const struct diags *d)
{
	for (size_t i = 0; i < d->list.n; i++)
		if (!d->list.v[i].warning)
			return diag_tag_name(d->list.v[i].tag);
	return "";
}

static bool run_once(struct gen_case *c, const char *text, uint64_t seed, bool quiet, bool *again)
{
	memset(c, 0, sizeof *c);
	both_open(&c->both, seed);
	c->both.quiet = quiet;
	*again = false;
	if (!compile(c, text, seed)) {
		snprintf(c->fail, sizeof c->fail, "compile %s", first_tag(&c->both.diags));
		return false;
	}
	prepare(c, seed);
	if (!c->fail[0] && !both_run(&c->both, again))
		snprintf(c->fail, sizeof c->fail, "%s", c->both.fail);
	return !c->fail[0];
}

bool case_run(struct gen_case *c, const char *text, uint64_t seed, bool quiet)
{
	bool again = true, ok = false;

	for (unsigned i = 0; again && both_try(i); i++) {
		if (i)
			case_close(c);
		ok = run_once(c, text, seed, quiet, &again);
	}
	if (again)
		snprintf(c->fail, sizeof c->fail, "no thread variable can be made");
	return ok && !again;
}

void case_close(struct gen_case *c)
{
	compiler_close(&c->compiler);
	both_close(&c->both);
}

/* Keeps failing scripts in the folder GEN_FOUND. */
static void keep(const char *small, uint64_t seed, const char *fail)
{
	const char *folder = getenv("GEN_FOUND");
	char path[4096];
	FILE *f;

	if (!folder)
		return;
	snprintf(path, sizeof path, "%s/seed-%llu.d", folder, (unsigned long long)seed);
	f = fopen(path, "w");
	if (!f) {
		printf("# cannot write %s\n", path);
		return;
	}
	fprintf(f, "/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */\n/* seed %llu: %s */\n%s",
		(unsigned long long)seed, fail, small);
	fclose(f);
}

void case_report(struct gen_case *c, const char *text, uint64_t seed)
{
	char *small, *line, *save = NULL;

	printf("# seed %llu: %s\n", (unsigned long long)seed, c->fail);
	both_show(&c->both);
	both_dump(&c->both);
	small = shrink(text, seed, c->fail);
	keep(small, seed, c->fail);
	for (line = strtok_r(small, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		printf("#\t%s\n", line);
	free(small);
}
