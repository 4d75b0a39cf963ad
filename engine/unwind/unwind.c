/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/unwind/unwind.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/unwind/tables.h"

enum {
	ROWS = 1 << 14,			/* size of the cache, a power of two */
	FILES = 1 << 10,
	DEEPEST = 64 << 20,		/* with parts: bytes from the stack pointer that may be of the same stack */
};
#define TABLES_MAX (512ull << 20)	/* bytes of all tables; above this, all are dropped and read again */

/* A file with code. */
struct code_file {
	struct code_file *next;		/* in its hash chain */
	struct object *object;
	struct tables tables;
	bool opened;
};

struct cached_row {
	const struct code_file *file;
	uint64_t vaddr;
	struct unwind_row row;
};

struct unwinder {
	struct dw dw;
	const struct symbol_ops *ops;
	void *arg;
	struct code_file *files[FILES];
	uint64_t bytes;			/* bytes of all tables */
	struct cached_row *rows;
	struct rule_ops expr;
	struct unwind_counts counts;
	const char *unread;		/* path of an unreadable file; `blind`: the current stack went through one */
	bool blind;
};

uint64_t unwind_mask(void)
{
	return machine_mask();
}

struct unwinder *unwinder_pointers(void)
{
	static const struct symbol_ops none;
	struct unwinder *u = calloc(1, sizeof *u);

	if (u)
		u->ops = &none;
	return u;
}

bool unwinder_available(char *reason, size_t n)
{
	struct dw dw = { 0 };
	bool found = dw_open(&dw, reason, n);

	dw_close(&dw);
	return found;
}

struct unwinder *unwinder_open(const struct symbol_ops *ops, void *arg, char *reason, size_t n)
{
	struct unwinder *u = calloc(1, sizeof *u);

	if (u)
		u->rows = calloc(ROWS, sizeof *u->rows);
	if (!u || !u->rows) {
		snprintf(reason, n, "out of memory");
		unwinder_close(u);
		return NULL;
	}
	if (!dw_open(&u->dw, reason, n)) {
		unwinder_close(u);
		return NULL;
	}
	u->ops = ops;
	u->arg = arg;
	return u;
}

/* Drops all tables. */
static void tables_drop(struct unwinder *u)
{
	for (unsigned i = 0; i < FILES; i++) {
		for (struct code_file *f = u->files[i]; f; f = f->next) {
			tables_close(&f->tables, &u->dw);
			f->opened = false;
		}
	}
	u->bytes = 0;
	u->expr.n = 0;
	memset(u->rows, 0, ROWS * sizeof *u->rows);
}

void unwinder_close(struct unwinder *u)
{
	if (!u)
		return;
	if (u->rows)
		tables_drop(u);
	for (unsigned i = 0; i < FILES; i++) {
		while (u->files[i]) {
			struct code_file *f = u->files[i];

			u->files[i] = f->next;
			free(f);
		}
	}
	free(u->rows);
	free(u->expr.v);
	dw_close(&u->dw);
	free(u);
}

const struct unwind_counts *unwinder_counts(const struct unwinder *u)
{
	return &u->counts;
}

const char *unwinder_unread(const struct unwinder *u)
{
	return u->unread;
}

/* ---- rows ---- */
static struct code_file *file_of(struct unwinder *u, struct object *o)
{
	struct code_file **slot = &u->files[(uintptr_t)o / 64 % FILES], *f;

	for (f = *slot; f; f = f->next)
		if (f->object == o)
			return f;
	f = calloc(1, sizeof *f);
	u->counts.nomem |= !f;
	if (!f)
		return NULL;
	f->object = o;
	f->next = *slot;
	return *slot = f;
}

static void row_read(struct unwinder *u, struct code_file *f, uint64_t vaddr, struct unwind_row *out)
{
	uint64_t before = tables_bytes(&f->tables);

	if (!f->opened)
		tables_open(&f->tables, &u->dw, f->object);
	f->opened = true;
	tables_row(&f->tables, &u->dw, f->object, vaddr, out, &u->expr);
	u->counts.nomem |= f->tables.nomem || u->expr.nomem;
	u->bytes += tables_bytes(&f->tables) - before;
}

static const struct unwind_row *row_of(struct unwinder *u, struct code_file *f, uint64_t vaddr)
{
	struct cached_row *c = &u->rows[(vaddr ^ vaddr >> 14 ^ (uintptr_t)f >> 6) % ROWS];

	if (c->file == f && c->vaddr == vaddr)
		return &c->row;
	if (u->bytes > TABLES_MAX || u->expr.n > RULE_OPS_MAX)
		tables_drop(u);
	row_read(u, f, vaddr, &c->row);
	c->file = f;
	c->vaddr = vaddr;
	return &c->row;
}

/* Returns the row for the code at an address of a process, or NULL. */
static const struct unwind_row *row_at(struct unwinder *u, int64_t pid, uint64_t pc, uint64_t at, unsigned bits)
{
	struct symbol_code code;
	const struct unwind_row *row;
	struct code_file *f;
	uint64_t vaddr;

	errno = 0;
	if (!u->ops->code || !u->ops->code(u->arg, pid, pc, at, &code))
		return NULL;
	if (!code.object || !object_image(code.object)) {
		u->counts.nomem |= code.object ? code.object->elf.nomem : errno == ENOMEM;
		u->unread = code.path;
		u->blind = true;
		return NULL;
	}
	f = file_of(u, code.object);
	if (!f || !elf_vaddr(object_image(code.object), pc - code.start + code.off, &vaddr))
		return NULL;
	row = row_of(u, f, vaddr);
	return row->known && f->tables.machine->bits == bits ? row : NULL;
}

/* ---- a stack ---- */
static bool frame_begin(struct unwind_frame *f, const struct unwind_start *s)
{
	const struct unwind_machine *m = machine_of(s->bits);

	*f = (struct unwind_frame){ .m = m, .stack = s->stack, .more = s->more, .more_arg = s->more_arg };
	if (!m)
		return false;
	for (unsigned i = 0; i < m->nregs; i++) {
		uint64_t bit = 1ull << m->perf[i];

		if (!(s->mask & bit))
			continue;
		memcpy(&f->reg[i], s->regs + 8 * __builtin_popcountll(s->mask & (bit - 1)), 8);
		f->known |= 1u << i;
	}
	f->low = f->reg[m->sp] - s->below;
	f->high = f->low + s->size;
	return f->known >> m->pc & 1 && f->known >> m->sp & 1 && f->high >= f->low;
}

uint32_t unwinder_run(struct unwinder *u, int64_t pid, uint64_t at, const struct unwind_start *s, uint64_t *pc,
		      uint64_t *sp, uint32_t max, bool *cut)
{
	enum frame_end end = FRAME_GOES_ON;
	bool exact = true;		/* pc is the address of the next instruction (signal), not a return address */
	struct unwind_frame f;
	uint32_t n = 0;
	bool reachable;

	*cut = false;
	if (!frame_begin(&f, s))
		return 0;
	u->counts.all++;
	u->blind = false;
	while (n < max && end == FRAME_GOES_ON) {
		uint64_t here = pc[n] = f.reg[f.m->pc];
		const struct unwind_row *row = row_at(u, pid, exact ? here : here - 1, at, f.m->bits);

		if (sp)
			sp[n] = f.reg[f.m->sp];
		n++;
		end = row ? frame_up(&f, row, u->expr.v) : frame_up_pointer(&f, exact);
		exact = row && row->signal;
	}
	*cut = end != FRAME_LAST;
	reachable = f.missed >= f.low && f.missed - f.low < (s->more ? DEEPEST : UNWIND_LARGEST) &&
		    s->size < UNWIND_LARGEST;
	u->counts.cut += end == FRAME_CUT && reachable;
	u->counts.elsewhere += end == FRAME_CUT && !reachable;
	u->counts.lost += end == FRAME_BROKEN;
	u->counts.unread += u->blind;
	return n;
}
