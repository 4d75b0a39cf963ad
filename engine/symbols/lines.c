/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/symbols/lines.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/map.h"
#include "engine/symbols/debuginfo.h"
#include "engine/symbols/golines.h"
#include "engine/symbols/object.h"
#include "engine/symbols/spans.h"

enum {
	HASH = 256,
	DEPTH_MAX = 48,			/* of nested entries; untrusted files may nest without end */
};

/* The functions of a compilation unit. */
struct line_unit {
	struct line_unit *next;
	uint64_t die;
	struct code_spans functions;		/* their entries */
};

/* The information of a file. */
struct line_file {
	struct line_file *next;
	const struct object *object;
	Dwarf *dwarf;			/* NULL: none */
	struct golines *go;		/* for what it lacks, the table of a program of Go; NULL: none */
	bool go_tried;
	struct code_spans units;		/* their entries */
	struct line_unit *unit[HASH];
};

/* What was found at an address. */
struct line_frames {
	unsigned n;
	struct line_frame v[];
};

struct source_lines {
	struct debuginfo info;
	struct line_file *file[HASH];
	struct arena arena;
	struct map paths;		/* the texts of a folder and of a name in it -> path */
	struct map found;		/* an object and an offset in it -> struct line_frames */
};

struct source_lines *lines_open(void)
{
	struct source_lines *l = calloc(1, sizeof *l);

	if (l) {
		map_init(&l->paths, &l->arena);
		map_init(&l->found, &l->arena);
	}
	return l;
}

static void file_free(struct line_file *f)
{
	for (unsigned i = 0; i < HASH; i++) {
		while (f->unit[i]) {
			struct line_unit *u = f->unit[i];

			f->unit[i] = u->next;
			spans_free(&u->functions);
			free(u);
		}
	}
	spans_free(&f->units);
	golines_close(f->go);
	free(f);
}

void lines_close(struct source_lines *l)
{
	if (!l)
		return;
	for (unsigned i = 0; i < HASH; i++) {
		while (l->file[i]) {
			struct line_file *f = l->file[i];

			l->file[i] = f->next;
			file_free(f);
		}
	}
	debuginfo_close(&l->info);
	arena_free(&l->arena);
	free(l);
}

struct debuginfo *lines_info(struct source_lines *l)
{
	return &l->info;
}

const char *lines_why(const struct source_lines *l)
{
	return l ? debuginfo_why(&l->info) : NULL;
}

/* ---- entries ---- */

/* True for entries in which functions are defined. */
static bool is_scope(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_structure_type ||
	       tag == DW_TAG_class_type || tag == DW_TAG_union_type || tag == DW_TAG_subprogram ||
	       tag == DW_TAG_lexical_block;
}

static void functions_add(const struct source_lines *l, Dwarf_Die *parent, struct code_spans *to, unsigned depth)
{
	Dwarf_Die die;
	int tag;

	if (depth > DEPTH_MAX || l->info.dw.child(parent, &die) != 0)
		return;
	do {
		tag = l->info.dw.tag(&die);
		if (tag == DW_TAG_subprogram)
			debuginfo_spans(&l->info, &die, to);
		if (is_scope(tag))
			functions_add(l, &die, to, depth + 1);
	} while (debuginfo_next(&l->info, &die));
}

static struct line_unit *unit_of(struct source_lines *l, struct line_file *f, uint64_t off, Dwarf_Die *die)
{
	struct line_unit **slot = &f->unit[off % HASH], *u;

	for (u = *slot; u; u = u->next)
		if (u->die == off)
			return u;
	u = calloc(1, sizeof *u);
	if (!u)
		return NULL;
	u->die = off;
	functions_add(l, die, &u->functions, 0);
	u->next = *slot;
	return *slot = u;
}

/* ---- files ---- */
static void unit_add(void *arg, Dwarf_Die *unit)
{
	struct source_lines *l = ((void **)arg)[0];
	struct line_file *f = ((void **)arg)[1];

	debuginfo_spans(&l->info, unit, &f->units);
}

static struct line_file *file_of(struct source_lines *l, struct object *o)
{
	struct line_file **slot = &l->file[o->ino % HASH], *f;
	const struct debuginfo_file *info;

	for (f = *slot; f; f = f->next)
		if (f->object == o)
			return f;
	info = debuginfo_find(&l->info, o);
	f = calloc(1, sizeof *f);
	if (!f)
		return NULL;
	f->object = o;
	f->dwarf = info ? info->dwarf : NULL;
	if (f->dwarf)
		debuginfo_units(&l->info, info, unit_add, (void *[]){ l, f });
	f->next = *slot;
	return *slot = f;
}

/* ---- an address ---- */

struct inlined_search {
	const struct source_lines *lines;
	uint64_t addr;
	Dwarf_Die *out;			/* [LINES_MAX] */
};

/*
 * Stores the inlined functions at the address that are in an entry, outermost first, after the n that are there.
 * Returns their number. Entries are searched whatever their ranges are: where gcc has inlined a part of a function, the
 * ranges of what contains it may lack that part.
 */
static unsigned inlined_functions(const struct inlined_search *s, Dwarf_Die *parent, unsigned n, unsigned depth)
{
	const struct dwinfo *dw = &s->lines->info.dw;
	Dwarf_Die x;

	if (depth > DEPTH_MAX || n >= LINES_MAX - 1 || dw->child(parent, &x) != 0)
		return n;
	do {
		int tag = dw->tag(&x);
		bool inlined = tag == DW_TAG_inlined_subroutine;
		unsigned all;

		if (!inlined && tag != DW_TAG_lexical_block)
			continue;
		s->out[n] = x;
		all = inlined_functions(s, &x, n + inlined, depth + 1);
		if (all > n + inlined || (inlined && dw->haspc(&x, s->addr) > 0))
			return all;
	} while (debuginfo_next(&s->lines->info, &x));
	return n;
}

static const char *function_name(const struct source_lines *l, Dwarf_Die *die)
{
	static const unsigned linkage[] = { DW_AT_linkage_name, DW_AT_MIPS_linkage_name };
	Dwarf_Attribute a;
	const char *name;

	for (size_t i = 0; i < sizeof linkage / sizeof *linkage; i++) {
		name = l->info.dw.attr_integrate(die, linkage[i], &a) ? l->info.dw.formstring(&a) : NULL;
		if (name)
			return name;
	}
	name = l->info.dw.diename(die);
	return name ? name : "?";
}

const char *lines_path(struct source_lines *l, Dwarf_Die *unit, const char *file)
{
	Dwarf_Attribute a;
	const char *folder = l->info.dw.attr_integrate(unit, DW_AT_comp_dir, &a) ? l->info.dw.formstring(&a) : NULL;
	const char *const key[] = { folder, file };
	void **path;

	if (!file || *file == '/' || !folder)
		return file;
	path = map_put(&l->paths, key, sizeof key);
	if (!*path)
		*path = arena_printf(&l->arena, "%s/%s", folder, file);
	return *path;
}

static void call_place(struct source_lines *l, Dwarf_Die *unit, Dwarf_Die *die, struct line_frame *out)
{
	Dwarf_Attribute a;
	Dwarf_Word file, line;
	Dwarf_Files *files;
	size_t n;

	if (l->info.dw.attr_integrate(die, DW_AT_call_line, &a) && l->info.dw.formudata(&a, &line) == 0)
		out->line = (uint32_t)line;
	if (l->info.dw.attr_integrate(die, DW_AT_call_file, &a) && l->info.dw.formudata(&a, &file) == 0 &&
	    l->info.dw.getsrcfiles(unit, &files, &n) == 0 && file < n)
		out->file = lines_path(l, unit, l->info.dw.filesrc(files, file, NULL, NULL));
}

static void code_place(struct source_lines *l, Dwarf_Die *unit, uint64_t addr, struct line_frame *out)
{
	Dwarf_Line *line = l->info.dw.getsrc_die(unit, addr);
	int number;

	if (!line || l->info.dw.lineno(line, &number) != 0)
		return;
	out->line = number > 0 ? (uint32_t)number : 0;
	out->file = lines_path(l, unit, l->info.dw.linesrc(line, NULL, NULL));
}

static unsigned frames_make(struct source_lines *l, Dwarf_Die *unit, Dwarf_Die *function, uint64_t addr,
			    struct line_frame out[LINES_MAX])
{
	Dwarf_Die inlined[LINES_MAX];
	const struct inlined_search search = { l, addr, inlined };
	unsigned n = function ? inlined_functions(&search, function, 0, 0) : 0;

	memset(out, 0, (n + 1) * sizeof *out);
	code_place(l, unit, addr, &out[0]);
	for (unsigned i = 0; i < n; i++) {
		out[i].name = function_name(l, &inlined[n - 1 - i]);
		call_place(l, unit, &inlined[n - 1 - i], &out[i + 1]);
	}
	return n + 1;
}

static unsigned go_frames(struct line_file *f, struct object *o, uint64_t addr, struct line_frame out[LINES_MAX])
{
	if (!f->go_tried)
		f->go = golines_open(object_image(o));
	f->go_tried = true;
	return f->go ? golines_find(f->go, addr, out) : 0;
}

static unsigned frames_find(struct source_lines *l, struct object *o, uint64_t off, struct line_frame out[LINES_MAX])
{
	struct line_file *f = file_of(l, o);
	Dwarf_Die unit, function;
	struct line_unit *u;
	uint64_t addr, at;

	if (!f || !object_image(o) || !elf_vaddr(object_image(o), off, &addr))
		return 0;
	if (!f->dwarf || !spans_find(&f->units, addr, &at) || !l->info.dw.offdie(f->dwarf, at, &unit))
		return go_frames(f, o, addr, out);
	u = unit_of(l, f, at, &unit);
	if (u && spans_find(&u->functions, addr, &at) && l->info.dw.offdie(f->dwarf, at, &function))
		return frames_make(l, &unit, &function, addr, out);
	return frames_make(l, &unit, NULL, addr, out);
}

unsigned lines_find(struct source_lines *l, struct object *o, uint64_t off, struct line_frame out[LINES_MAX])
{
	const struct { const struct object *object; uint64_t off; } key = { o, off };
	struct line_frames *known = *map_put(&l->found, &key, sizeof key);
	unsigned n;

	if (!known) {
		n = frames_find(l, o, off, out);
		known = arena_alloc(&l->arena, sizeof *known + n * sizeof *out);
		known->n = n;
		memcpy(known->v, out, n * sizeof *out);
		*map_put(&l->found, &key, sizeof key) = known;
	}
	memcpy(out, known->v, known->n * sizeof *out);
	return known->n;
}
