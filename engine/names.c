/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/names.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* ---- who is asked ---- */
static bool names_ready(struct names *n)
{
	if (n->ops)
		return true;
	if (!n->symbols)
		n->symbols = symbols_open();
	n->nomem |= !n->symbols;
	if (!n->symbols)
		return false;
	n->ops = &symbols_ops;
	n->arg = n->symbols;
	return true;
}

static void find(struct names *n, int64_t pid, uint64_t addr, struct symbol *out)
{
	*out = (struct symbol){ 0 };
	if (!names_ready(n))
		return;
	if (pid < 0)
		n->ops->kernel(n->arg, addr, out);
	else
		n->ops->user(n->arg, pid, addr, n->at, out);
}

void names_symbol(struct names *n, int64_t pid, uint64_t addr, struct symbol *out)
{
	find(n, pid, addr, out);
}

bool names_mapping(struct names *n, int64_t pid, uint64_t addr, struct symbol_mapping *out)
{
	return names_ready(n) && n->ops->mapping && n->ops->mapping(n->arg, pid, addr, n->at, out);
}

int names_watch(struct names *n)
{
	if (n->ops)
		return 0;	/* whoever has names of his own needs none of the machine's */
	n->watching = names_ready(n);
	return n->watching ? symbols_watch(n->symbols) : -ENOMEM;
}

uint64_t names_patience(const struct names *n, uint64_t ns)
{
	const uint64_t most = 100000000;

	return n->watching && ns > most ? most : ns;
}

void names_refresh(struct names *n)
{
	if (n->symbols)
		symbols_refresh(n->symbols);
}

void names_cpus(struct names *n)
{
	if (n->watching)
		symbols_cpus(n->symbols);
}

void names_lacks(const struct names *n, struct symbol_lacks *out)
{
	*out = (struct symbol_lacks){ 0 };
	if (n->ops && n->ops->lacks)
		n->ops->lacks(n->arg, out);
	out->nomem |= n->nomem;
}

void names_close(struct names *n)
{
	symbols_close(n->symbols);
	if (n->symbols)
		n->ops = NULL;
	n->symbols = NULL;
}

/* ---- who needs them ---- */
static bool is_user(unsigned kind)
{
	return kind == VAL_USTACK || kind == VAL_USYM || kind == VAL_UMOD || kind == VAL_UADDR;
}

static bool fields_user(const struct val_field *f, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (is_user(f[i].kind))
			return true;
	return false;
}

static bool format_user(const struct fmt *f)
{
	for (unsigned i = 0; f && i < f->n; i++)
		if (f->conv[i].kind == CONV_USYM)
			return true;
	return false;
}

bool names_needed(const struct d_prog *p)
{
	for (size_t i = 0; i < p->epids.n; i++) {
		const struct epid_desc *e = &p->epids.v[i];

		for (unsigned k = 0; k < e->nacts; k++)
			if (fields_user(e->acts[k].fields, e->acts[k].nfields) || format_user(e->acts[k].fmt))
				return true;
	}
	for (size_t i = 0; i < p->script->agglist.n; i++)
		if (fields_user(p->script->agglist.v[i]->key, p->script->agglist.v[i]->nkeys))
			return true;
	return false;
}

/* ---- text ---- */

/* Names come out of files that anybody may have written. */
static void put_name(struct buf *out, const char *s)
{
	for (; *s; s++)
		buf_putc(out, (unsigned char)*s < ' ' || *s == 0x7f ? '?' : *s);
}

static void put_symbol(struct buf *out, const struct symbol *s, uint64_t addr, bool behind)
{
	if (s->object) {
		put_name(out, s->object);
		buf_putc(out, '`');
	}
	if (!s->object || !s->name) {
		buf_printf(out, "0x%" PRIx64, addr);
		return;
	}
	put_name(out, s->name);
	if (behind && addr != s->start)
		buf_printf(out, "+0x%" PRIx64, addr - s->start);
}

static void put_module(struct buf *out, const struct symbol *s, uint64_t addr)
{
	if (s->object)
		put_name(out, s->object);
	else
		buf_printf(out, "0x%" PRIx64, addr);
}

void names_addr(void *arg, struct buf *out, int64_t pid, uint64_t addr)
{
	struct symbol s;

	find(arg, pid, addr, &s);
	put_symbol(out, &s, addr, true);
}

static uint64_t word(const uint8_t *p, uint32_t i)
{
	uint64_t w;

	memcpy(&w, p + 8 * (size_t)i, sizeof w);
	return w;
}

/* Between the tracepoint and the program: not of what is traced. */
static bool is_glue(struct names *n, uint64_t addr)
{
	static const char *const glue[] = { "__traceiter_", "__bpf_trace_" };
	struct symbol s;

	find(n, -1, addr, &s);
	for (size_t i = 0; s.name && i < sizeof glue / sizeof *glue; i++) {
		if (!strncmp(s.name, glue[i], strlen(glue[i])))
			return true;
	}
	return false;
}

/* How many frames a kernel stack begins with that are not of what is traced. */
static uint32_t glue_frames(struct names *n, const struct val_field *f, const uint8_t *p)
{
	uint32_t i = 0;

	while (i < f->size / 8 && word(p, i) && !val_is_cut(NULL, word(p, i)) && is_glue(n, word(p, i)))
		i++;
	return i;
}

static void show_stack(struct names *n, struct buf *out, const struct val_field *f, const uint8_t *p)
{
	bool user = f->kind == VAL_USTACK;
	int64_t pid = user ? (int64_t)word(p, 0) : -1;
	uint32_t first = user ? 1 : glue_frames(n, f, p);

	buf_putc(out, '\n');
	for (uint32_t i = first; i < f->size / 8 && word(p, i) && !val_is_cut(NULL, word(p, i)); i++) {
		buf_pad(out, ' ', n->indent);
		names_addr(n, out, pid, word(p, i));
		buf_putc(out, '\n');
	}
}

void names_show(void *arg, struct buf *out, const struct val_field *f, const void *base)
{
	const uint8_t *p = (const uint8_t *)base + f->off;
	bool user = is_user(f->kind);
	uint64_t addr = word(p, user);
	struct symbol s;

	if (f->kind == VAL_STACK || f->kind == VAL_USTACK) {
		show_stack(arg, out, f, p);
		return;
	}
	find(arg, user ? (int64_t)word(p, 0) : -1, addr, &s);
	if (f->kind == VAL_MOD || f->kind == VAL_UMOD)
		put_module(out, &s, addr);
	else
		put_symbol(out, &s, addr, f->kind == VAL_UADDR);
}

void names_settle(void *arg, const struct val_field *f, void *base)
{
	uint8_t *p = (uint8_t *)base + f->off;
	bool user = is_user(f->kind), module = f->kind == VAL_MOD || f->kind == VAL_UMOD;
	uint64_t addr;
	struct symbol s;

	if (f->kind == VAL_STACK) {
		uint32_t glue = 8 * glue_frames(arg, f, p);

		memmove(p, p + glue, f->size - glue);
		memset(p + f->size - glue, 0, glue);
	}
	if (!module && f->kind != VAL_SYM && f->kind != VAL_USYM)
		return;
	addr = word(p, user);
	find(arg, user ? (int64_t)word(p, 0) : -1, addr, &s);
	if (!s.object || (!module && !s.name))
		return;
	addr = module ? s.base : s.start;
	memcpy(p + 8 * user, &addr, sizeof addr);
}
