/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "tests/gen/replay.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/gen/case.h"
#include "tests/kernel/diff_gen.h"
#include "tests/lib/cases.h"

static bool slurp(struct buf *b, const char *path)
{
	FILE *f = fopen(path, "r");
	char chunk[4096];
	size_t n;

	if (!f) {
		perror(path);
		return false;
	}
	while ((n = fread(chunk, 1, sizeof chunk, f)))
		buf_put(b, chunk, n);
	fclose(f);
	return true;
}

static bool script(const char *text)
{
	const char *at = strstr(text, "seed ");
	struct gen_case c;
	bool ok;

	/* four seeds: with and without the optimiser, in one piece and in parts, for few and for many CPUs */
	for (uint64_t i = 0, seed = at ? strtoull(at + 5, NULL, 10) : 1; i < 4; i++, seed++) {
		ok = case_run(&c, text, seed, false);
		if (!ok)
			printf("# %s\n", c.fail);
		both_show(&c.both);
		both_dump(&c.both);
		case_close(&c);
		if (!ok)
			return false;
	}
	return true;
}

/* The section "--- program" of an IR test. */
static const char *section(struct arena *a, const char *text)
{
	const char *from = strstr(text, "--- program\n"), *to;

	if (!from)
		return NULL;
	from = strchr(from, '\n') + 1;
	to = strstr(from, "\n--- ");
	return to ? arena_memdup(a, arena_printf(a, "%.*s\n", (int)(to - from), from), (size_t)(to - from) + 2) : from;
}

static bool ir_once(const char *text, uint64_t seed, bool *again)
{
	struct source src = { .name = "test.ir" };
	struct both t;
	bool ok = true;

	*again = false;
	both_open(&t, seed);
	src.text = section(&t.arena, text);
	src.len = src.text ? strlen(src.text) : 0;
	t.prog = arena_alloc(&t.arena, sizeof *t.prog);
	ir_prog_init(t.prog, &t.arena);
	/* some programs are refused by the parser or the verifier */
	if (src.text && !ir_parse(t.prog, &src, &t.diags) && !ir_verify(t.prog, &t.diags)) {
		ir_seed(t.prog);
		if (seed % 2)
			ir_optimise(t.prog);
		for (size_t i = 0; i < t.prog->funcs.n; i++) {
			if (t.prog->funcs.v[i]->ctx == IR_C_ERROR)
				continue;
			t.prog->funcs.v[i]->ctx = IR_C_RUN;
			diff_seed(&both_fire(&t, t.prog->funcs.v[i])->seed, seed + i);
		}
		ok = both_run(&t, again);
		both_show(&t);
	}
	both_close(&t);
	return ok;
}

static bool ir_tried(const char *text, uint64_t seed)
{
	bool again = true, ok = false;

	for (unsigned i = 0; again && both_try(i); i++)
		ok = ir_once(text, seed, &again);
	return ok && !again;
}

/* The .err file of a golden test shows if the script is refused. */
static bool is_refused(const char *path)
{
	struct buf b = { 0 };
	char err[4096];
	FILE *f;
	bool refused = false;

	snprintf(err, sizeof err, "%.*s.err", (int)(strrchr(path, '.') - path), path);
	f = fopen(err, "r");
	if (f) {
		fclose(f);
		refused = slurp(&b, err) && strstr(buf_str(&b), "failed to compile");
	}
	buf_free(&b);
	return refused;
}

bool replay_file(const char *path)
{
	const char *end = strrchr(path, '.');
	struct buf b = { 0 };
	bool ok = slurp(&b, path);

	if (ok && end && !strcmp(end, ".ir")) {
		for (uint64_t seed = 1; ok && seed <= 4; seed++)
			ok = ir_tried(buf_str(&b), seed);
	} else if (ok && !(end && is_refused(path))) {
		ok = script(buf_str(&b));
	}
	if (!ok)
		printf("# %s failed\n", path);
	buf_free(&b);
	return ok;
}

bool replay_folder(unsigned number, const char *folder, const char *end)
{
	const char *src = getenv("SRC");
	size_t bad = 0, n = 0;
	char pattern[4096];
	glob_t g;

	snprintf(pattern, sizeof pattern, "%s/%s/*%s", src ? src : ".", folder, end);
	if (!glob(pattern, 0, NULL, &g)) {
		n = g.gl_pathc;
		for (size_t i = 0; i < n; i++)
			bad += !replay_file(g.gl_pathv[i]);
		globfree(&g);
	}
	printf("%sok %u - %zu files of %s, %zu failed\n", n && !bad ? "" : "not ", number, n, folder, bad);
	return n && !bad;
}

bool replay_table(unsigned number, const char *path)
{
	const char *src = getenv("SRC");
	struct case_table t;
	size_t bad = 0, n = 0;
	char full[4096];

	snprintf(full, sizeof full, "%s/%s", src ? src : ".", path);
	if (!cases_read(&t, full))
		n = t.list.n;
	for (size_t i = 0; i < n; i++) {
		if (strstr(t.list.v[i].messages, "failed to compile") || script(t.list.v[i].script))
			continue;
		printf("# %s:%u failed\n", path, t.list.v[i].line);
		bad++;
	}
	printf("%sok %u - %zu cases of %s, %zu failed\n", n && !bad ? "" : "not ", number, n, path, bad);
	cases_free(&t);
	return n && !bad;
}
