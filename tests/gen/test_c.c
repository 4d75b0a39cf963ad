/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Random integer programs (cgen.h) print the same if compiled by dtr and by gcc. dtr runs them in its interpreter;
 * test_gen compares that with the kernel engine.
 *
 *	test_c			200 fixed seeds
 *	test_c N [SEED]		N programs from a seed (a fresh one if there is none)
 *	test_c -p SEED		prints the program of this seed
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "engine/dtr.h"
#include "tests/gen/cgen.h"
#include "tests/lib/replay.h"

enum { TOGETHER = 20 };		/* programs in a file */

struct lines {
	char **v;
	size_t n, cap;
};

/* ---- D ---- */
/* Keeps warnings, which comparisons with a known result cause. */
static void keep_message(void *arg, const char *text)
{
	if (strncmp(text, "dtr: warning: ", 14))
		buf_puts(arg, text);
}

/* The output of the script and its messages. The caller frees both. */
static char *run_d(const char *text, struct buf *messages)
{
	struct replay r = { .src = { .name = "none", .text = "" } };
	const char *src = getenv("SRC");
	struct buf share = { 0 };
	size_t len = 0;
	char *out = NULL;
	struct dtr_config config = {
		.progname = "dtr", .message = keep_message, .arg = messages,
		.out = open_memstream(&out, &len),
	};
	struct dtr *t;

	buf_printf(&share, "%s/share", src ? src : ".");
	config.share = buf_str(&share);
	t = dtr_open(&config);
	session_use(t, &backend_replay, &r);
	dtr_option(t, "quiet", NULL);
	if (!dtr_add_text(t, text, DTR_PROBE) && !dtr_compile(t) && !dtr_go(t))
		while (!r.done && dtr_work(t) == DTR_MORE)
			;
	dtr_finish(t);
	dtr_close(t);
	fclose(config.out);
	buf_free(&share);
	return out;
}

/* ---- C ---- */
static const char *compiler(void)
{
	const char *cc = getenv("GEN_CC");

	return cc ? cc : "gcc";
}

static bool write_file(const char *path, const struct buf *text)
{
	FILE *f = fopen(path, "w");
	bool ok = f && fwrite(text->data, 1, text->len, f) == text->len;

	return f && !fclose(f) && ok;
}

/* The output of the program; false: it failed. */
static bool run_c(const char *folder, const struct buf *text, struct buf *out)
{
	char path[4200], command[9000], some[4096];
	size_t n;
	FILE *p;

	snprintf(path, sizeof path, "%s/p.c", folder);
	if (!write_file(path, text))
		return false;
	snprintf(command, sizeof command, "%s -std=gnu11 -w -O0 -fwrapv -fsigned-char -o %s/p %s && %s/p", compiler(),
		folder, path,
		 folder);
	p = popen(command, "r");
	while (p && (n = fread(some, 1, sizeof some, p)) > 0)
		buf_put(out, some, n);
	return p && !pclose(p);
}

/* ---- comparing ---- */
static void split(struct lines *l, struct arena *a, char *text)
{
	char *save = NULL;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (l->n == l->cap) {
			char **v = arena_calloc(a, 2 * l->cap + 64, sizeof *v);

			if (l->n)
				memcpy(v, l->v, l->n * sizeof *v);
			l->v = v;
			l->cap = 2 * l->cap + 64;
		}
		l->v[l->n++] = line;
	}
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The program to which a line belongs, and the kind of line: 'v', 'm', 'k', 'b'. */
static unsigned owner(const char *line, char *kind)
{
	bool front = *line == 'k' || *line == 'b';
	char *end;
	unsigned id = (unsigned)strtoul(front ? line + 1 : line, &end, 10);

	*kind = front ? *line : end[0] == ' ' && end[1] == 'm' ? 'm' : 'v';
	return id;
}

/* Removes the lines on keys of programs whose keys are not valid in D. */
static void drop_keys(struct lines *l, const bool *odd)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++) {
		char kind;
		unsigned id = owner(l->v[i], &kind);

		if (kind == 'b' || (kind != 'v' && id < TOGETHER && odd[id]))
			continue;
		l->v[n++] = l->v[i];
	}
	l->n = n;
}

/* Sorts rows, which are printed in any order, and puts them at the end. */
static void sort_rows(struct lines *l, struct arena *a)
{
	char **rows = arena_calloc(a, l->n + 1, sizeof *rows);
	size_t n = 0, nrows = 0;

	for (size_t i = 0; i < l->n; i++) {
		if (*l->v[i] == 'k')
			rows[nrows++] = l->v[i];
		else
			l->v[n++] = l->v[i];
	}
	qsort(rows, nrows, sizeof *rows, by_text);
	for (size_t i = 0; i < nrows; i++)
		l->v[n++] = rows[i];
}

/* The first program whose lines differ, or -1. */
static int compare(struct lines *d, struct lines *c)
{
	char kind;

	for (size_t i = 0; i < d->n || i < c->n; i++) {
		const char *x = i < d->n ? d->v[i] : "", *y = i < c->n ? c->v[i] : "";

		if (!strcmp(x, y))
			continue;
		printf("# dtr: %s\n# gcc: %s\n", x, y);
		return (int)owner(*y ? y : x, &kind);
	}
	return -1;
}

struct c_group {
	struct arena arena;
	struct buf d, c, out, messages;
	char *said;
};

static int group_compare(struct c_group *g)
{
	struct lines d = { 0 }, c = { 0 };
	bool odd[TOGETHER] = { false };
	char kind;

	split(&d, &g->arena, g->said);
	split(&c, &g->arena, arena_strdup(&g->arena, buf_str(&g->out)));
	for (size_t i = 0; i < c.n; i++) {
		unsigned id = owner(c.v[i], &kind);

		if (kind == 'b' && id < TOGETHER)
			odd[id] = true;
	}
	drop_keys(&d, odd);
	drop_keys(&c, odd);
	sort_rows(&d, &g->arena);
	sort_rows(&c, &g->arena);
	return compare(&d, &c);
}

static void show(uint64_t seed)
{
	struct buf d = { 0 }, c = { 0 };
	char *save = NULL;

	cgen_program(&d, &c, seed, 0);
	printf("# seed %llu, as program 0:\n", (unsigned long long)seed);
	buf_putc(&d, '\0');
	for (char *line = strtok_r(d.data, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		printf("#\t%s\n", line);
	buf_free(&d);
	buf_free(&c);
}

static bool run_group(struct c_group *g, const char *folder, uint64_t seed, unsigned n)
{
	int bad;

	cgen_head(&g->c);
	for (unsigned i = 0; i < n; i++)
		cgen_program(&g->d, &g->c, seed + i, i);
	cgen_main(&g->c, n);
	g->said = run_d(buf_str(&g->d), &g->messages);
	if (!run_c(folder, &g->c, &g->out)) {
		printf("# %s: seeds %llu and on\n", compiler(), (unsigned long long)seed);
		return false;
	}
	bad = group_compare(g);
	if (g->messages.len)
		printf("# %.2000s\n", buf_str(&g->messages));
	if (bad >= 0)
		show(seed + (unsigned)bad);
	return bad < 0 && !g->messages.len;
}

static bool group(unsigned number, const char *folder, uint64_t seed, unsigned n)
{
	struct c_group g = { 0 };
	bool ok;

	arena_init(&g.arena, NULL, NULL);
	ok = run_group(&g, folder, seed, n);
	printf("%sok %u - %u programs from seed %llu\n", ok ? "" : "not ", number, n, (unsigned long long)seed);
	fflush(stdout);
	free(g.said);
	buf_free(&g.d);
	buf_free(&g.c);
	buf_free(&g.out);
	buf_free(&g.messages);
	arena_free(&g.arena);
	return ok;
}

static int study(uint64_t count, uint64_t seed)
{
	unsigned groups = (unsigned)((count + TOGETHER - 1) / TOGETHER);
	char folder[] = "/tmp/dtr-test-c.XXXXXX", path[64];
	bool ok = true;

	if (!mkdtemp(folder))
		return 1;
	printf("# seed %llu\n1..%u\n", (unsigned long long)seed, groups);
	for (unsigned i = 0; i < groups; i++) {
		uint64_t left = count - (uint64_t)i * TOGETHER;

		ok &= group(i + 1, folder, seed + (uint64_t)i * TOGETHER, left < TOGETHER ? (unsigned)left : TOGETHER);
	}
	for (unsigned i = 0; i < 2; i++) {
		snprintf(path, sizeof path, "%s/p%s", folder, i ? ".c" : "");
		unlink(path);
	}
	rmdir(folder);
	return !ok;
}

static int print(uint64_t seed)
{
	struct buf d = { 0 }, c = { 0 };

	cgen_head(&c);
	cgen_program(&d, &c, seed, 0);
	cgen_main(&c, 1);
	printf("%s\n%s", buf_str(&d), buf_str(&c));
	buf_free(&d);
	buf_free(&c);
	return 0;
}

int main(int argc, char **argv)
{
	char command[4200];

	if (argc > 2 && !strcmp(argv[1], "-p"))
		return print(strtoull(argv[2], NULL, 0));
	snprintf(command, sizeof command, "%s --version >/dev/null 2>&1", compiler());
	if (system(command)) {
		printf("1..0 # SKIP no %s\n", compiler());
		return 0;
	}
	if (argc > 1)
		return study(strtoull(argv[1], NULL, 0),
			     argc > 2 ? strtoull(argv[2], NULL, 0) : (uint64_t)time(NULL) * 1000000);
	return study(200, 1);
}
