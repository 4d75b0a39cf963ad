/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/symbols/golines.h"

#include <stdlib.h>
#include <string.h>

#include "engine/symbols/gotable.h"

/* The words of the run-time system's description of the program among which the address of the data of functions is:
 * which one it is changes with Go's version. */
enum { MODULE_FROM = 256, MODULE_TO = 512 };

/* Tables and data of functions, by number. */
enum { TABLE_INLINED = 2, DATA_INLINED = 3 };

/*
 * An inlined call. `parent` is an address relative to the function's, whose place in the source is that of the call.
 * Before Go 1.20 another structure was used.
 */
enum {
	CALL_SIZE_OLD = 20, CALL_NAME_OLD = 12, CALL_PARENT_OLD = 16,
	CALL_SIZE = 16, CALL_NAME = 4, CALL_PARENT = 8,
};
enum { STEPS_MAX = 1 << 20 };		/* of a table of values by address */

struct golines {
	struct gotable t;
	uint64_t functions;		/* link-time address of the data of functions; 0: not found */
};

void golines_close(struct golines *g)
{
	if (!g)
		return;
	gotable_close(&g->t);
	free(g);
}

/* The last function that begins at or before the address. */
static bool function_find(const struct golines *g, uint64_t addr, struct go_func *out)
{
	uint32_t low = 0, high = g->t.n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (g->t.text + gotable_number(&g->t, g->t.funcs + (uint64_t)middle * 8, 4) <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low && gotable_func(&g->t, low - 1, out) && addr >= out->begin && addr < out->end;
}

/* The value of a table at an address; -1: none. */
static int64_t value_find(const struct golines *g, const struct go_func *f, uint64_t steps, uint64_t addr)
{
	struct go_steps s = gotable_steps(&g->t, f, g->t.steps + steps);

	for (unsigned n = 0; steps && n < STEPS_MAX && gotable_step(&s, f); n++)
		if (addr < s.to)
			return s.value;
	return -1;
}

static void place_find(const struct golines *g, const struct go_func *f, uint64_t addr, struct line_frame *out)
{
	const struct gotable *t = &g->t;
	int64_t line = value_find(g, f, gotable_number(t, f->record + GO_FUNC_LINES, 4), addr);
	int64_t file = value_find(g, f, gotable_number(t, f->record + GO_FUNC_FILES, 4), addr);
	uint64_t unit = gotable_number(t, f->record + GO_FUNC_UNIT, 4), name;

	if (line <= 0 || line > INT32_MAX || file < 0 || file > INT32_MAX)
		return;
	out->line = (uint32_t)line;
	name = t->files + gotable_number(t, t->units + (unit + (uint64_t)file) * 4, 4);
	if (name < t->size)
		out->file = (const char *)t->data + name;
}

/* The tables of a function by address, and then its data, follow its record. */
static uint64_t inlined_table(const struct golines *g, const struct go_func *f)
{
	const struct gotable *t = &g->t;
	uint64_t at = gotable_record_end(t, f) + 4, n = gotable_number(t, f->record + GO_FUNC_NTABLES, 4);

	return n > TABLE_INLINED ? gotable_number(t, at + TABLE_INLINED * 4, 4) : 0;
}

/* The address of a function's inlined calls; 0: none. */
static uint64_t inlined_calls(const struct golines *g, const struct go_func *f)
{
	const struct gotable *t = &g->t;
	uint64_t at = gotable_record_end(t, f), n = gotable_number(t, f->record + GO_FUNC_NTABLES, 4);
	uint64_t data = gotable_number(t, at + 4 + (n + DATA_INLINED) * 4, 4);

	return gotable_number(t, at + 3, 1) > DATA_INLINED && data != UINT32_MAX && g->functions ?
	       g->functions + data : 0;
}

/* Inlined call number i: its name, and the address of its call. */
static bool call_read(const struct golines *g, uint64_t calls, int64_t i, const char **name, uint64_t *parent)
{
	uint64_t size = g->t.newer ? CALL_SIZE : CALL_SIZE_OLD, off, at;
	uint8_t call[CALL_SIZE_OLD];
	uint32_t v;

	if (!elf_offset(g->t.e, calls + (uint64_t)i * size, &off) || !elf_read(g->t.e, off, call, (size_t)size))
		return false;
	memcpy(&v, call + (g->t.newer ? CALL_NAME : CALL_NAME_OLD), sizeof v);
	at = g->t.names + v;
	memcpy(&v, call + (g->t.newer ? CALL_PARENT : CALL_PARENT_OLD), sizeof v);
	*parent = v;
	*name = (const char *)g->t.data + at;
	return at < g->t.size && **name;
}

enum { TRIED_MAX = 64 };		/* functions with inlined calls that show where the data of functions are */

/* Does the name of a call begin where one ends? */
static bool is_name(const struct gotable *t, const char *name)
{
	return name > (const char *)t->data && !name[-1];
}

/* Are there inlined calls in the data of functions, if they are at g->functions? */
static bool functions_fit(const struct golines *g)
{
	const char *name;
	uint64_t parent;
	unsigned tried = 0;
	struct go_func f;

	for (uint32_t i = 0; i < g->t.n && tried < TRIED_MAX; i++) {
		if (!gotable_func(&g->t, i, &f) || !inlined_table(g, &f) || !inlined_calls(g, &f))
			continue;
		tried++;
		if (!call_read(g, inlined_calls(g, &f), 0, &name, &parent) || !is_name(&g->t, name) ||
		    parent >= f.end - f.begin)
			return false;
	}
	return tried > 0;
}

struct golines *golines_open(const struct elf *e)
{
	struct golines *g = calloc(1, sizeof *g);
	uint64_t module;

	if (!g)
		return NULL;
	if (!gotable_open(&g->t, e)) {
		golines_close(g);
		return NULL;
	}
	module = gotable_module(&g->t);
	for (unsigned at = MODULE_FROM; module && at < MODULE_TO; at += 8) {
		g->functions = gotable_pointer(e, module + at);
		if (g->functions && functions_fit(g))
			return g;
	}
	g->functions = 0;
	return g;
}

/* A call is numbered before those that are inlined into what it calls, so that numbers fall on the way outwards. */
unsigned golines_find(const struct golines *g, uint64_t addr, struct line_frame out[LINES_MAX])
{
	struct go_func f;
	uint64_t table, calls, parent;
	int64_t call, last = INT32_MAX;
	unsigned n = 0;

	if (!function_find(g, addr, &f))
		return 0;
	table = inlined_table(g, &f);
	calls = table ? inlined_calls(g, &f) : 0;
	for (;;) {
		out[n] = (struct line_frame){ 0 };
		place_find(g, &f, addr, &out[n]);
		call = calls && n + 1 < LINES_MAX ? value_find(g, &f, table, addr) : -1;
		if (call < 0 || call >= last || !call_read(g, calls, call, &out[n].name, &parent) ||
		    parent >= f.end - f.begin)
			break;
		last = call;
		addr = f.begin + parent;
		n++;
	}
	out[n].name = NULL;
	return n + 1;
}
