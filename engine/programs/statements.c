/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/programs/statements.h"

#include <dwarf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "engine/programs/begins.h"
#include "engine/symbols/debuginfo.h"
#include "engine/symbols/lines.h"
#include "engine/symbols/object.h"

struct table {
	const struct statements_want *want;
	struct debuginfo *info;
	const struct dwinfo *dw;
	struct object *object;
	const struct elf *elf;
	/* of the compilation unit */
	Dwarf_Die *unit;
	struct blocks_env env;
	struct line_code code;		/* of the function that is being read */
	struct line_run run;		/* that is being read; file NULL: none */
	const char *last, *last_path;	/* the name of a file, and its path if it is wanted */
};

/* ---- functions ---- */

/* The function whose statement this is: an inlined one, or the one that contains it. */
static const char *function_of(struct table *t, uint64_t off)
{
	struct line_frame frames[LINES_MAX];
	unsigned n = lines_find(t->want->lines, t->object, off, frames);

	if (n > 1 && frames[0].name)
		return frames[0].name;
	return t->code.function ? t->code.function->name : "";
}

/* The entry of an inlined copy is taken to be its first statement by address. copies: those seen so far. */
static bool is_entry(const struct table *t, const struct line_begin *b, struct map *copies)
{
	const uint32_t copy = t->code.run.v[b->run].copy;
	void **seen;

	if (!copy)
		return t->code.function && b->off == t->code.function->off;
	seen = map_put(copies, &copy, sizeof copy);
	if (*seen)
		return false;
	*seen = copies;
	return true;
}

static void statement_report(struct table *t, const struct line_begin *b, bool entry)
{
	const struct line_run *r = &t->code.run.v[b->run];
	const struct program_function *f = t->code.function;

	t->want->found(t->want->arg, &(struct program_statement){
		.file = r->file, .line = r->line, .function = function_of(t, b->off), .off = b->off,
		.at = f ? b->off - f->off : 0, .block = b->block, .cheapest = b->cheapest,
		.why = b->why, .entry = entry,
	});
}

static void function_end(struct table *t)
{
	struct line_code *c = &t->code;
	struct map copies;

	if (c->run.n) {
		map_init(&copies, t->want->arena);
		begins_find(c, t->want->arena, &t->env);
		for (size_t i = 0; i < c->begin.n; i++)
			statement_report(t, &c->begin.v[i], is_entry(t, &c->begin.v[i], &copies));
	}
	c->run.n = c->row.n = c->begin.n = 0;
}

/* ---- runs ---- */
static void run_end(struct table *t, uint64_t off)
{
	if (!t->run.file)
		return;
	t->run.end = off;
	t->run.nrows = t->code.row.n - t->run.row;
	*VEC_ADD(t->want->arena, &t->code.run) = t->run;
	t->run.file = NULL;
}

/* Distinguishes copies of inlined code by the lines of the calls. */
static uint32_t copy_of(struct table *t, uint64_t off)
{
	struct line_frame frames[LINES_MAX];
	unsigned n = lines_find(t->want->lines, t->object, off, frames);
	uint32_t copy = 0;

	for (unsigned i = 1; i < n; i++)
		copy = copy * 65599 + frames[i].line;
	return copy;
}

/* A statement of a wanted file begins, or (file NULL) of another one. */
static void statement_begin(struct table *t, uint64_t off, const char *file, uint32_t line)
{
	const struct program_function *f = functions_at(t->want->functions, off);

	if (f != t->code.function) {
		run_end(t, t->code.function ? t->code.function->off + t->code.function->size : off);
		function_end(t);
		t->code.function = f;
	}
	if (t->run.file && (t->run.file != file || t->run.line != line))
		run_end(t, off);
	if (!file)
		return;
	if (!t->run.file)
		t->run = (struct line_run){
			.start = off, .file = file, .line = line, .copy = copy_of(t, off), .row = t->code.row.n,
		};
	*VEC_ADD(t->want->arena, &t->code.row) = off;
}

/* ---- line tables ---- */

/* The path of a source file if it is wanted, else NULL. Equal paths are the same pointer. */
static const char *wanted_path(struct table *t, const char *name)
{
	if (t->last != name) {
		const char *path = name ? lines_path(t->want->lines, t->unit, name) : NULL;

		t->last = name;
		t->last_path = path && t->want->wanted(t->want->arg, path) ? path : NULL;
	}
	return t->last_path;
}

static void row_read(struct table *t, Dwarf_Line *line)
{
	uint64_t addr, off, rest;
	bool end, begins;
	int number;

	if (t->dw->lineaddr(line, &addr) != 0 || t->dw->lineendsequence(line, &end) != 0 ||
	    t->dw->linebeginstatement(line, &begins) != 0 || t->dw->lineno(line, &number) != 0)
		return;
	if (!elf_code(t->elf, end && addr ? addr - 1 : addr, &off, &rest))
		return;
	if (!begins && !end) {
		if (t->run.file && (int)t->run.line == number)
			*VEC_ADD(t->want->arena, &t->code.row) = off;
	} else if (end) {
		run_end(t, off + 1);
		function_end(t);
	} else if (number > 0) {
		statement_begin(t, off, wanted_path(t, t->dw->linesrc(line, NULL, NULL)), (uint32_t)number);
	}
}

static bool unit_wanted(struct table *t)
{
	Dwarf_Files *files;
	size_t n;

	if (t->dw->getsrcfiles(t->unit, &files, &n) != 0)
		return false;
	for (size_t i = 0; i < n; i++)
		if (wanted_path(t, t->dw->filesrc(files, i, NULL, NULL)))
			return true;
	return false;
}

/* Handwritten code may jump from anywhere to anywhere. */
static bool is_assembly(struct table *t)
{
	int language = t->dw->srclang(t->unit);

	return language < 0 || language == DW_LANG_Mips_Assembler;
}

static void read_unit(void *arg, Dwarf_Die *unit)
{
	struct table *t = arg;
	Dwarf_Lines *lines;
	size_t n;

	t->unit = unit;
	t->last = t->last_path = NULL;
	t->code.function = NULL;
	if (!unit_wanted(t) || t->dw->getsrclines(unit, &lines, &n) != 0)
		return;
	t->env.entries = t->want->entries && !is_assembly(t) ? t->want->entries(t->want->entries_arg) : NULL;
	for (size_t i = 0; i < n; i++)
		row_read(t, t->dw->onesrcline(lines, i));
	run_end(t, t->run.start);
	function_end(t);
}

int statements_find(const struct statements_want *w, struct object *o, char *reason, size_t size)
{
	struct debuginfo *info = lines_info(w->lines);
	const struct debuginfo_file *f = debuginfo_find(info, o);
	struct table t = { .want = w, .info = info, .dw = &info->dw, .object = o, .elf = object_image(o),
			   .env = { .decoder = w->decoder, .elf = object_image(o), .functions = w->functions } };
	const char *why = debuginfo_why(info);

	if (!f || !f->dwarf) {
		snprintf(reason, size, "%s%s%s", why ? why : "", why ? ": " : "", DEBUGINFO_ADVICE);
		return -ENODATA;
	}
	debuginfo_units(info, f, read_unit, &t);
	return 0;
}
