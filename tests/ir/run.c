/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Runs golden files of IR (docs/ir.md describes their format): the text through parser, printer, verifier, optimiser
 * and interpreter, and compares the results with those in the file. Produces TAP, one test per file.
 *
 *	tests/ir/run [FILE...]		without files: all of $SRC/tests/ir
 *	tests/ir/run -p FILE		prints the file with the actual results
 */
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/ir.h"
#include "tests/ir/world.h"

enum { MAXPARTS = 32 };

struct ir_part {
	const char *head;	/* "program", "run main" */
	const char *body;
	struct buf got;
};

struct golden {
	struct arena a;
	struct buf text;
	const char *intro;
	struct ir_part part[MAXPARTS];
	size_t nparts;
	struct ir_seed seed;
};

/* ---- the file ---- */
static bool is_head(const char *line)
{
	return !strncmp(line, "--- ", 4);
}

/* Splits the text in place: each part ends at the next head. */
static bool golden_split(struct golden *g)
{
	char *line, *next;

	g->intro = buf_str(&g->text);
	for (line = g->text.data; line && *line; line = next) {
		next = line + strcspn(line, "\n");
		if (*next)
			next++;
		if (!is_head(line))
			continue;
		if (g->nparts == MAXPARTS || next[-1] != '\n')
			return false;
		next[-1] = '\0';
		line[0] = '\0';
		g->part[g->nparts++] = (struct ir_part){ .head = line + 4, .body = next };
	}
	return g->nparts && !strcmp(g->part[0].head, "program");
}

static struct ir_part *part_find(struct golden *g, const char *head)
{
	for (size_t i = 0; i < g->nparts; i++)
		if (!strcmp(g->part[i].head, head))
			return &g->part[i];
	return NULL;
}

/* ---- input ---- */
static bool seed_word(struct golden *g, const char *name, const char *value)
{
	static const struct {
		const char *name;
		size_t off;
	} words[] = {
#define W(n) { #n, offsetof(struct ir_seed, n) }
		W(clock), W(pidtgid), W(uidgid), W(cpu), W(task), W(perfcount), W(stackdepth), W(callerpc),
			W(cookie), W(turn), W(ustackdepth), W(ureg), W(state), W(random), W(jiffies),
#undef W
	};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		if (strcmp(words[i].name, name))
			continue;
		*(uint64_t *)((char *)&g->seed + words[i].off) = strtoull(value, NULL, 0);
		return true;
	}
	return false;
}

static bool seed_line(struct golden *g, const char *line)
{
	char name[16], value[64];
	unsigned off;

	if (sscanf(line, "ctx %u %63s", &off, value) == 2 && off / 8 < 32)
		g->seed.ctx[off / 8] = strtoull(value, NULL, 0);
	else if (sscanf(line, "kmem %u 0x%63s", &off, value) == 2 && off + 8 <= sizeof g->seed.kmem)
		memcpy(g->seed.kmem + off, &(uint64_t){ strtoull(value, NULL, 16) }, 8);
	else if (sscanf(line, "kmem %u %63s", &off, value) == 2 && off + strlen(value) < sizeof g->seed.kmem)
		memcpy(g->seed.kmem + off, value, strlen(value));
	else if (sscanf(line, "comm %15s", value) == 1)
		memcpy(g->seed.comm, value, strlen(value));
	else
		return sscanf(line, "%15s %63s", name, value) == 2 && seed_word(g, name, value);
	return true;
}

static bool seed_read(struct golden *g)
{
	struct ir_part *p = part_find(g, "seed");

	if (!p)
		return true;
	buf_puts(&p->got, p->body);
	for (const char *line = p->body; *line; line += strcspn(line, "\n"), line += *line == '\n')
		if (*line != '\n' && !seed_line(g, line))
			return false;
	return true;
}

/* ---- results ---- */
static int prog_load(struct golden *g, struct ir_prog *p, const char *text, struct buf *errors)
{
	struct source *src = arena_alloc(&g->a, sizeof *src);
	struct diags d;

	*src = (struct source){ .name = "ir", .text = text, .len = strlen(text) };
	diags_init(&d, &g->a);
	ir_prog_init(p, &g->a);
	if (ir_parse(p, src, &d) == 0)
		ir_verify(p, &d);
	for (size_t i = 0; i < d.list.n; i++)
		buf_printf(errors, "line %u: [%s] %s\n", (unsigned)d.list.v[i].loc.line, diag_tag_name(d.list.v[i].tag),
			   d.list.v[i].text);
	return d.nerrors ? -1 : 0;
}

static const struct ir_func *func_find(const struct ir_prog *p, const char *name)
{
	for (size_t i = 0; i < p->funcs.n; i++)
		if (!strcmp(p->funcs.v[i]->name, name))
			return p->funcs.v[i];
	return NULL;
}

static void run_once(struct golden *g, const struct ir_prog *p, const char *name, struct buf *out)
{
	const struct ir_func *f = func_find(p, name);
	struct ir_test_world w;

	if (!f) {
		buf_printf(out, "no function '%s'\n", name);
		return;
	}
	world_open(&w, p, &g->seed);
	world_run(&w, f);
	world_dump(&w, false);
	buf_puts(out, buf_str(&w.trace));
	world_close(&w);
}

static const char *diverges(struct golden *g, const char *what, struct ir_prog *p, struct ir_part *part)
{
	struct buf out = { 0 };
	bool same;

	run_once(g, p, part->head + 4, &out);
	same = !strcmp(buf_str(&out), buf_str(&part->got));
	buf_free(&out);
	return same ? NULL : what;
}

/* Every form of the program must have the same results as the text. NULL, or the form that had not. */
static const char *golden_run(struct golden *g, const char *text)
{
	struct ir_prog plain, opt, seeded;
	struct buf none = { 0 }, printed = { 0 };
	const char *bad = NULL;
	struct ir_part *p;

	prog_load(g, &plain, text, &none);
	prog_load(g, &opt, text, &none);
	prog_load(g, &seeded, text, &none);
	ir_print(&printed, &plain);
	ir_optimise(&opt);
	ir_seed(&seeded);
	ir_optimise(&seeded);
	p = part_find(g, "optimised");
	if (p)
		ir_print(&p->got, &opt);
	for (size_t i = 0; i < g->nparts && !bad; i++) {
		p = &g->part[i];
		if (strncmp(p->head, "run ", 4))
			continue;
		run_once(g, &plain, p->head + 4, &p->got);
		bad = diverges(g, "the optimised program does something else", &opt, p);
		bad = bad ? bad : diverges(g, "the seeded program does something else", &seeded, p);
	}
	if (!bad && (prog_load(g, &plain, buf_str(&printed), &none) || none.len))
		bad = "the printed program does not parse";
	buf_reset(&none);
	ir_print(&none, &plain);
	if (!bad && strcmp(buf_str(&none), buf_str(&printed)))
		bad = "the printed program prints otherwise";
	buf_free(&none);
	buf_free(&printed);
	return bad;
}

static const char *golden_check(struct golden *g)
{
	struct ir_part *errors = part_find(g, "errors");
	struct buf found = { 0 };
	struct ir_prog p;
	int err;

	if (!seed_read(g))
		return "bad seed";
	buf_puts(&g->part[0].got, g->part[0].body);
	err = prog_load(g, &p, g->part[0].body, &found);
	if (errors)
		buf_puts(&errors->got, buf_str(&found));
	if (err && !errors)
		printf("# %s", buf_str(&found));
	buf_free(&found);
	return err ? errors ? NULL : "the program is refused" : golden_run(g, g->part[0].body);
}

static void comment(const char *s)
{
	while (*s) {
		size_t n = strcspn(s, "\n");

		printf("#\t%.*s\n", (int)n, s);
		s += n + (s[n] == '\n');
	}
}

static const char *golden_compare(struct golden *g)
{
	const char *bad = NULL;

	for (size_t i = 0; i < g->nparts; i++) {
		const struct ir_part *p = &g->part[i];

		if (!strcmp(p->body, buf_str(&p->got)))
			continue;
		bad = "other than expected";
		printf("# %s came out as\n", p->head);
		comment(buf_str(&p->got));
	}
	return bad;
}

static void golden_print(struct golden *g)
{
	fputs(g->intro, stdout);
	for (size_t i = 0; i < g->nparts; i++)
		printf("--- %s\n%s", g->part[i].head, buf_str(&g->part[i].got));
}

static bool golden_file(const char *path, unsigned n, bool print)
{
	struct golden g = { 0 };
	const char *bad, *base = strrchr(path, '/');

	arena_init(&g.a, NULL, NULL);
	if (buf_read_file(&g.text, path))
		bad = "cannot be read";
	else if (!golden_split(&g))
		bad = "does not begin with --- program";
	else
		bad = golden_check(&g);
	if (print)
		golden_print(&g);
	else if (!bad)
		bad = golden_compare(&g);
	if (bad)
		printf("# %s: %s\n", path, bad);
	if (!print)
		printf("%s %u - %s\n", bad ? "not ok" : "ok", n, base ? base + 1 : path);
	for (size_t i = 0; i < g.nparts; i++)
		buf_free(&g.part[i].got);
	buf_free(&g.text);
	arena_free(&g.a);
	return !bad;
}

int main(int argc, char **argv)
{
	bool print = argc > 1 && !strcmp(argv[1], "-p"), ok = true;
	const char *src = getenv("SRC");
	char pattern[4096];
	glob_t found = { 0 };
	char **files = argv + 1 + print;
	size_t n = (size_t)(argc - 1 - print);

	if (!n) {
		snprintf(pattern, sizeof pattern, "%s/tests/ir/*.ir", src ? src : ".");
		if (glob(pattern, 0, NULL, &found)) {
			printf("Bail out! no file matches %s\n", pattern);
			return 1;
		}
		files = found.gl_pathv;
		n = found.gl_pathc;
	}
	if (!print)
		printf("1..%zu\n", n);
	for (size_t i = 0; i < n; i++)
		ok &= golden_file(files[i], (unsigned)i + 1, print);
	globfree(&found);
	return !ok;
}
