/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/unwind/unwind.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/unwind/tables.h"
#include "rt/callsite.h"

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

/* What is before a return address in its file. */
enum unwind_site {
	SITE_UNKNOWN,			/* not read yet */
	SITE_CALL,			/* or it cannot be read */
	SITE_SIGRETURN,			/* at the address, code that calls rt_sigreturn(2) */
	SITE_GOEXIT,			/* Go's runtime.goexit */
	SITE_OTHER
};

struct cached_row {
	struct code_file *file;
	uint64_t vaddr;
	enum unwind_site site;
	struct unwind_row row;
};

struct unwinder {
	struct dw dw;
	const struct symbol_ops *ops;
	void *arg;
	struct code_file *files[FILES];
	uint64_t bytes;			/* bytes of all tables */
	struct cached_row *rows;
	struct unwind_row sigreturn;	/* of SITE_SIGRETURN */
	struct unwind_row outermost;	/* there is no caller */
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
	row_sigreturn(&u->sigreturn);
	for (unsigned i = 0; i < FRAME_REGS; i++)
		u->outermost.reg[i].how = RULE_UNKNOWN;
	u->ops = ops;
	u->arg = arg;
	return u;
}

/* Drops all tables. */
static void tables_drop(struct unwinder *u)
{
	for (unsigned i = 0; i < FILES; i++) {
		for (struct code_file *f = u->files[i]; f; f = f->next) {
			tables_close(&f->tables);
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
	tables_row(&f->tables, vaddr, out, &u->expr);
	u->counts.nomem |= f->tables.nomem || u->expr.nomem;
	u->bytes += tables_bytes(&f->tables) - before;
}

static struct cached_row *row_of(struct unwinder *u, struct code_file *f, uint64_t vaddr)
{
	struct cached_row *c = &u->rows[(vaddr ^ vaddr >> 14 ^ (uintptr_t)f >> 6) % ROWS];

	if (c->file == f && c->vaddr == vaddr)
		return c;
	if (u->bytes > TABLES_MAX || u->expr.n > RULE_OPS_MAX)
		tables_drop(u);
	row_read(u, f, vaddr, &c->row);
	c->file = f;
	c->vaddr = vaddr;
	c->site = SITE_UNKNOWN;
	return c;
}

/* ---- code ---- */
/* The code at an address of a process. */
struct unwind_code {
	bool nowhere;			/* the address is not in executable memory */
	const struct elf *image;	/* NULL: of no file, or of one that cannot be read */
	uint64_t off;			/* in the file */
	struct cached_row *cached;	/* NULL: in no segment */
	const struct unwind_row *row;	/* NULL: there is no table */
};

/* A thread at the time of a sample. */
struct unwind_thread {
	int64_t pid;
	uint64_t at;			/* time */
	unsigned bits;			/* of a word */
};

static void code_find(struct unwinder *u, const struct unwind_thread *t, uint64_t pc, struct unwind_code *out)
{
	struct symbol_code code;
	struct code_file *f;
	uint64_t vaddr;

	*out = (struct unwind_code){ .nowhere = false };
	errno = 0;
	if (!u->ops->code)
		return;
	if (!u->ops->code(u->arg, t->pid, pc, t->at, &code)) {
		out->nowhere = u->ops->nowhere && u->ops->nowhere(u->arg, t->pid, pc, t->at);
		return;
	}
	out->nowhere = code.data;
	if (!code.object || !object_image(code.object)) {
		u->counts.nomem |= code.object ? code.object->elf.nomem : errno == ENOMEM;
		u->unread = code.path;
		u->blind = true;
		return;
	}
	out->image = object_image(code.object);
	out->off = pc - code.start + code.off;
	f = file_of(u, code.object);
	if (!f || !elf_vaddr(out->image, out->off, &vaddr))
		return;
	out->cached = row_of(u, f, vaddr);
	if (out->cached->row.known && f->tables.machine->bits == t->bits)
		out->row = &out->cached->row;
}

static enum unwind_site site_read(const struct elf *e, uint64_t off)
{
	uint64_t before, first = 0;
	uint8_t last = 0;

	if (off < CALLSITE_BYTES || !elf_read(e, off - CALLSITE_BYTES, &before, CALLSITE_BYTES) ||
	    callsite_call(before))
		return SITE_CALL;
	elf_read(e, off, &first, sizeof first);
	elf_read(e, off + sizeof first, &last, sizeof last);
	if (callsite_sigreturn(first, last))
		return SITE_SIGRETURN;
	return callsite_goexit(before, first) ? SITE_GOEXIT : SITE_OTHER;
}

/* Is the next instruction in code that calls rt_sigreturn(2)? */
static bool in_sigreturn(const struct unwind_code *c)
{
	static const uint8_t part[] = { 0, CALLSITE_SYSCALL, CALLSITE_SIGRETURN };
	uint64_t first = 0;
	uint8_t last = 0;

	for (unsigned i = 0; c->image && i < sizeof part; i++)
		if (c->off >= part[i] && elf_read(c->image, c->off - part[i], &first, sizeof first) &&
		    elf_read(c->image, c->off - part[i] + sizeof first, &last, 1) && callsite_sigreturn(first, last))
			return true;
	return false;
}

/* The row of the next instruction of a thread, of which all registers are known (unwind_exact in
 * rt/unwind_caller.c). NULL: there is none. */
static const struct unwind_row *exact_row(struct unwinder *u, const struct unwind_frame *f, const struct unwind_code *c)
{
	enum { RAX = 0, RSI = 4, BACK = CALLSITE_INSN + 1 };
	bool result = f->known >> RAX & 1 && f->reg[RAX];
	const struct cached_row *cached;
	uint64_t before = 0;

	if (f->m->bits != 64 || !c->image || (c->row && result) || c->off < CALLSITE_BYTES)
		return c->row;
	elf_read(c->image, c->off - CALLSITE_BYTES, &before, CALLSITE_BYTES);
	if (!result && callsite_thread(before, f->known >> RSI & 1 && f->reg[RSI] == f->reg[f->m->sp]))
		return &u->outermost;
	if (c->row)
		return c->row;
	if (in_sigreturn(c))
		return &u->sigreturn;
	if (!c->cached || !callsite_syscall(before))
		return NULL;
	cached = row_of(u, c->cached->file, c->cached->vaddr - BACK);
	return cached->row.known ? &cached->row : NULL;
}

/* The site of the return address after this code. */
static enum unwind_site code_site(struct unwind_code *c)
{
	enum unwind_site site = c->cached ? c->cached->site : SITE_UNKNOWN;

	if (site == SITE_UNKNOWN)
		site = site_read(c->image, c->off + 1);
	if (c->cached)
		c->cached->site = site;
	return site;
}

/* Checks a caller, which was found by a table or by the frame pointer: it must be a return address (unwind_caller in
 * rt/unwind_caller.c). interrupted: it is the next instruction of code that a signal interrupted. */
static enum frame_end caller_check(const struct unwinder *u, const struct unwind_frame *f, struct unwind_code *c,
				   bool interrupted, bool by_table)
{
	const struct unwind_machine *m = f->m;
	enum unwind_site site;
	bool outermost;

	if (c->nowhere)
		return FRAME_INVALID;
	if (interrupted || !c->image)
		return FRAME_GOES_ON;
	site = code_site(c);
	if (site == SITE_CALL || (c->row && (c->row->signal || c->row->reg[m->pc].how == RULE_UNKNOWN)))
		return FRAME_GOES_ON;
	if (site == SITE_SIGRETURN && m->bits == 64) {
		c->row = &u->sigreturn;
		return FRAME_GOES_ON;
	}
	if (c->row)
		return FRAME_INVALID;
	/* coroutines begin with such an address; the frame pointer of a goroutine is 0 there */
	outermost = by_table || (site == SITE_GOEXIT && f->known >> m->fp & 1 && !f->reg[m->fp]);
	return outermost ? FRAME_LAST : FRAME_INVALID;
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

uint32_t unwinder_run(struct unwinder *u, int64_t pid, uint64_t at, const struct unwind_start *s,
		      struct unwind_stack *out)
{
	const struct unwind_thread thread = { pid, at, s->bits };
	enum frame_end end = FRAME_GOES_ON;
	bool exact = true;		/* pc is the address of the next instruction (signal), not a return address */
	bool by_table = false, reachable;
	struct unwind_frame f;
	uint32_t n = 0;

	out->cut = false;
	if (!frame_begin(&f, s))
		return 0;
	u->counts.all++;
	u->blind = false;
	while (n < out->max && end == FRAME_GOES_ON) {
		uint64_t here = f.reg[f.m->pc];
		struct unwind_code code;

		code_find(u, &thread, exact ? here : here - 1, &code);
		if (n)
			end = caller_check(u, &f, &code, exact, by_table);
		if (exact)
			code.row = exact_row(u, &f, &code);
		if (end == FRAME_INVALID)
			break;
		out->pc[n] = here;
		if (out->sp)
			out->sp[n] = f.reg[f.m->sp];
		n++;
		if (end == FRAME_GOES_ON)
			end = code.row ? frame_up(&f, code.row, u->expr.v) : frame_up_pointer(&f, exact);
		by_table = code.row;
		exact = code.row && code.row->signal;
	}
	out->cut = end != FRAME_LAST;
	reachable = f.missed >= f.low && f.missed - f.low < (s->more ? DEEPEST : UNWIND_LARGEST) &&
		    s->size < UNWIND_LARGEST;
	u->counts.cut += end == FRAME_CUT && reachable;
	u->counts.elsewhere += end == FRAME_CUT && !reachable;
	u->counts.lost += end == FRAME_BROKEN;
	u->counts.invalid += end == FRAME_INVALID;
	u->counts.unread += u->blind;
	return n;
}
