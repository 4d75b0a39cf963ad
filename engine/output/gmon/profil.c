/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * -O profil: a table of the cells of profil(2) that have samples (@samples, gmon_run.h), with their addresses and
 * symbols; or, with -x profilraw, all cells as an array of counters in this machine's byte order. The object is that of
 * -x gmonobjects.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "engine/host/refusal.h"
#include "engine/output/gmon/gmon_choose.h"
#include "engine/output/gmon/profil_cells.h"
#include "engine/output/list.h"
#include "engine/output/picture/picture.h"
#include "engine/output/profile/profile.h"
#include "engine/symbols/object.h"

enum { CELLS_MOST = 1 << 28 };

struct profil {
	struct output *output;
	struct arena arena;
	struct gmon_run run;
	const struct gmon_code *code;
	struct profil_map map;
	uint64_t *count;		/* of each cell */
	uint64_t inside, outside, full;	/* samples in cells, in none; cells whose counter is too small */
};

static void profil_fail(struct profil *p, const char *text)
{
	output_message(p->output, "-O profil: %s", text);
	p->output->failed = true;
}

/* Reads a number, also a hexadecimal one. */
static bool profil_number(const char *text, uint64_t *v)
{
	char *end;

	errno = 0;
	*v = strtoull(text, &end, 0);
	return *text >= '0' && *text <= '9' && !*end && !errno;
}

static bool profil_scale(const struct output *o, uint32_t *scale)
{
	const char *text = o->opts->profil.scale;
	uint64_t v = PROFIL_SCALE_MOST;

	if (text && (!profil_number(text, &v) || v < PROFIL_SCALE_LEAST || v > PROFIL_SCALE_MOST))
		return false;
	*scale = (uint32_t)v;
	return true;
}

/* The offset is an address or the name of a function. Returns false after a message. */
static bool profil_offset(struct profil *p)
{
	const char *text = p->output->opts->profil.offset;
	struct object *file = p->code->file;

	p->map.offset = p->code->object.low;
	if (!text || profil_number(text, &p->map.offset))
		return true;
	for (unsigned i = 0; i < object_tables(file); i++)
		if (symtab_named(&file->table[i], text, strlen(text), &p->map.offset))
			return true;
	profil_fail(p, arena_printf(&p->arena, "invalid offset '%s': neither an address nor one function of %s", text,
				    p->code->name));
	return false;
}

/* By default the cells reach to the end of the code. */
static bool profil_cells(struct profil *p)
{
	uint64_t last = 0;

	p->map.cells = p->output->opts->profil.cells;
	if (!p->map.cells) {
		p->map.cells = UINT64_MAX;
		p->map.cells = profil_cell(&p->map, p->code->object.high - 1, &last) ? last + 1 : 1;
	}
	if (p->map.cells <= CELLS_MOST)
		p->count = calloc(p->map.cells, sizeof *p->count);
	if (!p->count)
		profil_fail(p, arena_printf(&p->arena, "%" PRIu64 " cells are too many", p->map.cells));
	return p->count;
}

static void profil_count(struct profil *p)
{
	for (size_t i = 0; i < p->code->samples.n; i++) {
		const struct gmon_sample *s = &p->code->samples.v[i];
		uint64_t cell;

		if (profil_cell(&p->map, s->pc, &cell)) {
			p->count[cell] += s->count;
			p->inside += s->count;
		} else {
			p->outside += s->count;
		}
	}
}

/* ---- output ---- */

/* Counters keep their largest value when they are full. */
static void put_raw(struct profil *p)
{
	const uint64_t most = p->map.size == 2 ? UINT16_MAX : UINT32_MAX;

	for (uint64_t i = 0; i < p->map.cells; i++) {
		uint64_t v = p->count[i] < most ? p->count[i] : most;
		uint16_t half = (uint16_t)v;
		uint32_t word = (uint32_t)v;

		p->full += p->count[i] > most;
		buf_put(&p->output->buf, p->map.size == 2 ? (void *)&half : (void *)&word, p->map.size);
	}
}

/* The symbols from the first to the last address of a cell: "f", "f+0x4", "f ... g". */
static void put_symbols(struct buf *out, struct object *file, uint64_t first, uint64_t last)
{
	char name[2][256];
	uint64_t start[2] = { 0 }, address[2] = { first, last };
	bool known[2] = { false };

	for (unsigned i = 0; i < 2 * object_tables(file); i++) {
		const unsigned k = i % 2;

		known[k] = known[k] || symtab_find(&file->table[i / 2], address[k], &start[k], name[k], sizeof name[k]);
	}
	if (known[0])
		escape_puts(out, name[0], ESCAPE_LINE);
	if (known[0] && first != start[0])
		buf_printf(out, "+0x%" PRIx64, first - start[0]);
	if (known[1] && (!known[0] || start[0] != start[1])) {
		buf_puts(out, known[0] ? " ... " : "... ");
		escape_puts(out, name[1], ESCAPE_LINE);
	}
}

static void put_table(struct profil *p)
{
	struct buf *out = &p->output->buf;

	buf_puts(out, "Object: ");
	escape_puts(out, p->code->path, ESCAPE_LINE);
	buf_printf(out, "\nOffset: 0x%" PRIx64 ", scale: 0x%" PRIx32 ", cells: %" PRIu64 " of %" PRIu32 " bytes\n\n"
		   "%10s %18s %10s  %s\n", p->map.offset, p->map.scale, p->map.cells, p->map.size, "CELL", "ADDRESS",
		   "COUNT", "SYMBOL");
	for (uint64_t i = 0; i < p->map.cells; i++) {
		uint64_t first = profil_address(&p->map, i);

		if (!p->count[i])
			continue;
		buf_printf(out, "%10" PRIu64 " %#18" PRIx64 " %10" PRIu64 "  ", i, first, p->count[i]);
		put_symbols(out, p->code->file, first, profil_address(&p->map, i + 1) - 1);
		buf_putc(out, '\n');
	}
}

/* In raw output this is a message. */
static void put_sums(struct profil *p)
{
	struct buf text = { 0 };
	uint64_t others = 0;

	for (size_t i = 0; i < p->run.code.n; i++)
		others += &p->run.code.v[i] == p->code ? 0 : p->run.code.v[i].count;
	buf_printf(&text, "Samples: %" PRIu64 " in cells, %" PRIu64 " before or after them, %" PRIu64
		   " in other objects", p->inside, p->outside, others + p->run.unknown);
	if (p->full)
		buf_printf(&text, "; %" PRIu64 " counters are full", p->full);
	if (p->output->opts->profil.raw)
		output_stderr(p->output, "%s", buf_str(&text));
	else
		buf_printf(&p->output->buf, "\n%s\n", buf_str(&text));
	p->output->buf.failed |= text.failed;
	buf_free(&text);
}

static void profil_show(struct profil *p)
{
	if (!profil_offset(p) || !profil_cells(p))
		return;
	profil_count(p);
	if (p->output->opts->profil.raw)
		put_raw(p);
	else
		put_table(p);
	put_sums(p);
}

/* Finds the object. Returns false after a message. */
static bool profil_choose(struct profil *p)
{
	const char *name = p->output->opts->gmonobjects ? p->output->opts->gmonobjects : "a.out";
	long i = gmon_choose(&p->run, name, strlen(name), p->output->about.program);

	if (i >= 0)
		p->code = &p->run.code.v[i];
	if (i < 0)
		output_stderr(p->output, "no samples in %s", strcmp(name, "a.out") ? name : "the program");
	else if (!p->code->path)
		profil_fail(p, "it has no cells of the kernel");
	else if (p->code->err < 0)
		profil_fail(p, arena_printf(&p->arena, "failed to read %s: %s", p->code->path,
					    refusal_errno(-p->code->err)));
	return i >= 0 && !p->output->failed;
}

static void profil_draw(struct output *o, const struct agg_table *tables, unsigned n)
{
	struct profil p = { .output = o, .run = { .arena = &p.arena, .names = o->symbols },
			    .map = { .size = o->opts->profil.bits ? 2 : 4 } };
	int r;

	arena_init(&p.arena, o->oom, o->arg);
	r = gmon_run_take(&p.run, tables, n, o->opts->gmonaddresses);
	if (r == -EINVAL)
		profil_fail(&p, "saved aggregations have no addresses");
	else if (r == -ENOMEM)
		o->buf.failed = true;
	else if (r)
		profil_fail(&p, refusal_errno(-r));
	else if (profil_scale(o, &p.map.scale) && profil_choose(&p))
		profil_show(&p);
	free(p.count);
	gmon_run_free(&p.run);
	arena_free(&p.arena);
}

static void profil_begin(struct output *o)
{
	static const struct profile_format none;
	uint32_t scale;

	profile_begin(o, &none);
	if (!profil_scale(o, &scale))
		output_message(o, "invalid scale '%s': expected 2 to 0xffff", o->opts->profil.scale);
	else if (o->opts->profil.raw && isatty(fileno(o->file)))
		output_message(o, "refusing to write -x profilraw to a terminal: use a file (-o)");
	else
		return;
	o->failed = true;
}

const struct printer printer_profil = {
	.pure = true, .addresses = true, .begin = profil_begin, .action = profile_message,
	.record_end = profile_message_end,
	.aggregations = profil_draw, .probes = list_text_head, .probe = list_text_probe, .note = profile_note,
};
