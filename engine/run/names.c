/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/run/names.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/escape.h"
#include "engine/containers/containers.h"
#include "engine/symbols/codes.h"
#include "engine/symbols/jit.h"
#include "engine/symbols/lines.h"

/* ---- symbol sources ---- */
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

/* The time at which addresses of this owner are resolved; 0: now. */
static uint64_t owner_time(const struct names *n, uint64_t owner)
{
	if (n->at || !n->begun || owner & VAL_OWNER_NEXT)
		return n->at;
	return n->begun + val_owner_time(owner);
}

/* The first address of a module that is shown stands for all of it: the lowest one would have to be searched. */
static uint64_t module_base(struct names *n, const char *module, uint64_t addr)
{
	void **base;

	if (!n->kernel.modules.arena)
		map_init(&n->kernel.modules, &n->kernel.arena);
	base = map_put(&n->kernel.modules, module, strlen(module));
	if (!*base)
		*base = (void *)(uintptr_t)addr;
	return (uintptr_t)*base;
}

static void find_kernel(struct names *n, uint64_t addr, struct symbol *out)
{
	if (!n->kernel.find || n->ops != &symbols_ops || !addr) {
		n->ops->kernel(n->arg, addr, out);
		return;
	}
	if (!n->kernel.find(n->kernel.arg, addr, out))
		n->ops->kernel(n->arg, addr, out);
	if (out->object)
		out->base = module_base(n, out->object, addr);
}

static void find_symbol(struct names *n, int64_t owner, uint64_t addr, struct symbol *out)
{
	*out = (struct symbol){ 0 };
	if ((owner >= 0 && n->numbers) || !names_ready(n))
		return;
	if (owner < 0)
		find_kernel(n, addr, out);
	else
		n->ops->user(n->arg, val_owner_pid((uint64_t)owner), addr, owner_time(n, (uint64_t)owner), out);
}

void names_symbol(struct names *n, int64_t pid, uint64_t addr, struct symbol *out)
{
	find_symbol(n, pid, addr, out);
}

bool names_mapping(struct names *n, int64_t pid, uint64_t addr, struct symbol_mapping *out)
{
	*out = (struct symbol_mapping){ 0 };
	return names_ready(n) && n->ops->mapping && n->ops->mapping(n->arg, pid, addr, n->at, out);
}

bool names_code(struct names *n, int64_t owner, uint64_t addr, struct symbol_code *out)
{
	const int64_t pid = owner < 0 ? -1 : val_owner_pid((uint64_t)owner);
	const uint64_t at = owner < 0 ? n->at : owner_time(n, (uint64_t)owner);

	*out = (struct symbol_code){ 0 };
	return names_ready(n) && n->ops->code && n->ops->code(n->arg, pid, addr, at, out);
}

uint64_t names_changed(struct names *n, int64_t pid)
{
	return names_ready(n) && n->ops->changed ? n->ops->changed(n->arg, pid, n->at) : 0;
}

int names_watch(struct names *n)
{
	if (n->ops)
		return 0;	/* an engine with its own symbols does not need this machine's */
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
	n->refreshed = clock_now();
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
	out->nomem |= n->nomem || n->frames.nomem;
	if (lines_why(n->lines))
		out->lines = lines_why(n->lines);
}

void names_close(struct names *n)
{
	lines_close(n->lines);
	n->lines = NULL;
	demangler_close(&n->demangler);
	symbols_close(n->symbols);
	if (n->symbols)
		n->ops = NULL;
	n->symbols = NULL;
	arena_free(&n->texts.arena);
	n->texts.map = (struct map){ 0 };
	arena_free(&n->kernel.arena);
	n->kernel.modules = (struct map){ 0 };
	unnamed_free(&n->unnamed);
	texts_free(&n->frames);
}

/* ---- which programs need symbols ---- */
static bool fields_user(const struct val_field *f, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (val_is_user(f[i].kind))
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

/* File names and symbols are untrusted: anybody may have written the file. */
static void put_name(struct buf *out, const char *s)
{
	escape_puts(out, s, ESCAPE_LINE);
}

static void put_interpreted(struct buf *out, const struct symbol *s)
{
	put_name(out, s->name);
	buf_puts(out, " (");
	put_name(out, s->file);
	buf_printf(out, ":%" PRIu32 ")", s->line);
}

static void put_symbol(struct buf *out, const struct symbol *s, uint64_t addr)
{
	if (s->file) {
		put_interpreted(out, s);
		return;
	}
	if (s->object) {
		put_name(out, s->object);
		buf_putc(out, '`');
	}
	if (!s->object || !s->name) {
		buf_printf(out, "0x%" PRIx64, addr);
		return;
	}
	put_name(out, s->name);
}

/* The same, and where in it the address is. */
static void put_place(struct buf *out, const struct symbol *s, uint64_t addr)
{
	put_symbol(out, s, addr);
	if (!s->file && s->object && s->name && addr != s->start)
		buf_printf(out, "+0x%" PRIx64, addr - s->start);
}

static void put_module(struct buf *out, const struct symbol *s, uint64_t addr)
{
	if (s->object)
		put_name(out, s->object);
	else
		buf_printf(out, "0x%" PRIx64, addr);
}

void names_weigh(void *arg, uint64_t samples)
{
	struct names *n = arg;

	n->weight = samples;
}

/* Why an address of a process has no name: see unnamed_cause. Memory that the process has made executable later is not
 * recorded; where it is sampled, it has code. */
static unsigned why_unnamed(struct names *n, uint64_t owner, uint64_t addr)
{
	const int64_t pid = val_owner_pid(owner);
	const uint64_t at = owner_time(n, owner);
	struct symbol_mapping m = { 0 };
	struct symbol_code code = { 0 };
	const char *path;
	bool generated;

	if (n->ops->mapping)
		n->ops->mapping(n->arg, pid, addr, at, &m);
	else if (n->ops->code)
		n->ops->code(n->arg, pid, addr, at, &code);
	path = m.path ? m.path : code.path;
	generated = !path || !strcmp(path, JIT_OBJECT);
	if (generated)
		path = n->ops->program ? n->ops->program(n->arg, pid, at) : NULL;
	return unnamed_cause(&n->unnamed, path, generated);
}

/* Instructions of uprobes have no names, and need none; address 0 is that of a sample elsewhere. */
static bool lacks_name(const struct symbol *s, uint64_t addr)
{
	return addr && !s->name && !(s->object && !strcmp(s->object, UPROBES_OBJECT));
}

/* True if the word of a key is the number of a text. */
static bool is_text(int64_t owner, uint64_t word)
{
	return owner == TEXTS_OWNER && texts_is_word(word);
}

/* Counts the samples at an address, or a text, that is shown: where samples are, not one of their callers. */
static void count_sampled(struct names *n, int64_t owner, uint64_t addr, const struct symbol *s)
{
	uint64_t samples = n->weight ? n->weight : 1;
	const bool text = is_text(owner, addr);

	if (owner < 0 || !addr || !n->ops || n->numbers)
		return;
	n->weight = 0;
	if (!text && !val_owner_pid((uint64_t)owner))
		return;		/* a process outside of this PID name space: nothing gives it names */
	n->unnamed.samples += samples;
	if (text ? texts_unnamed(&n->frames, addr) : lacks_name(s, addr))
		unnamed_add(&n->unnamed, text ? texts_cause(&n->frames, addr) : why_unnamed(n, (uint64_t)owner, addr),
			    samples);
}

static void put_text(void *out, const struct val_frame *f)
{
	if (!f->inlined)
		buf_puts(out, f->text);
}

void names_addr(void *arg, struct buf *out, int64_t owner, uint64_t addr)
{
	struct names *n = arg;
	struct symbol s = { 0 };

	if (is_text(owner, addr)) {
		texts_frames(&n->frames, addr, put_text, out);
	} else {
		find_symbol(n, owner, addr, &s);
		put_place(out, &s, addr);
	}
	count_sampled(n, owner, addr, &s);
}

/* The functions and source lines at an address, innermost first. Returns their number. */
static unsigned find_lines(struct names *n, int64_t owner, uint64_t addr, struct line_frame out[LINES_MAX])
{
	struct symbol_code code;

	if ((!n->inlined && !n->places) || n->numbers || !names_code(n, owner, addr, &code) || !code.object)
		return 0;
	if (!n->lines)
		n->lines = lines_open();
	n->nomem |= !n->lines;
	return n->lines ? lines_find(n->lines, code.object, addr - code.start + code.off, out) : 0;
}

/* An address of a stack. */
struct stack_address {
	int64_t owner;
	uint64_t addr;
	bool call;		/* it is the one to which a call returns, and the call is in front of it */
};

/* Calls fn for the functions at an address whose symbol is s. */
static void put_frames(struct names *n, const struct stack_address *place, const struct symbol *s, val_frame_fn *fn,
		       void *to)
{
	struct line_frame line[LINES_MAX];
	unsigned count = find_lines(n, place->owner, place->addr - place->call, line);
	struct buf text = { 0 };
	struct symbol inner;

	for (unsigned i = 0; i < count || i == 0; i++) {
		struct val_frame f = { .inlined = i + 1 < count };

		if (f.inlined && !n->inlined)
			continue;
		if (count && n->places) {
			f.file = line[i].file;
			f.line = line[i].line;
		}
		inner = *s;
		if (f.inlined)
			inner.name = demangler_name(&n->demangler, line[i].name);
		buf_reset(&text);
		if (f.inlined)
			put_symbol(&text, &inner, place->addr);
		else
			put_place(&text, &inner, place->addr);
		f.text = buf_str(&text);
		fn(to, &f);
	}
	n->nomem |= text.failed;
	buf_free(&text);
}

void names_frames(void *arg, int64_t owner, uint64_t addr, bool call, val_frame_fn *fn, void *to)
{
	struct names *n = arg;
	struct symbol s = { 0 };

	if (is_text(owner, addr)) {
		texts_frames(&n->frames, addr, fn, to);
	} else {
		find_symbol(n, owner, addr, &s);
		put_frames(n, &(struct stack_address){ owner, addr, call }, &s, fn, to);
	}
	if (!call)
		count_sampled(n, owner, addr, &s);
}

/* True for functions between the tracepoint and the program, which are not part of the traced code. */
static bool is_glue(struct names *n, uint64_t addr)
{
	static const char *const glue[] = { "__traceiter_", "__bpf_trace_" };
	struct symbol s;

	find_symbol(n, -1, addr, &s);
	for (size_t i = 0; s.name && i < sizeof glue / sizeof *glue; i++) {
		if (!strncmp(s.name, glue[i], strlen(glue[i])))
			return true;
	}
	return false;
}

/* The number of frames at the start of a kernel stack that are not part of the traced code. */
static uint32_t glue_frames(struct names *n, const struct val_field *f, const uint8_t *p)
{
	uint32_t i = 0;

	while (i < f->size / 8 && val_word(p, i) && !val_is_cut(NULL, val_word(p, i)) && is_glue(n, val_word(p, i)))
		i++;
	return i;
}

struct names_stack {
	struct buf *out;
	unsigned indent;
};

static void show_frame(void *arg, const struct val_frame *f)
{
	struct names_stack *s = arg;

	buf_pad(s->out, ' ', s->indent);
	val_put_frame(s->out, f, strlen(f->text));
	buf_putc(s->out, '\n');
}

static void show_stack(struct names *n, struct buf *out, const struct val_field *f, const uint8_t *p)
{
	bool user = f->kind == VAL_USTACK;
	int64_t owner = user ? (int64_t)val_word(p, 0) : -1;
	uint32_t first = user ? 1 : glue_frames(n, f, p);
	struct names_stack stack = { out, n->indent };

	buf_putc(out, '\n');
	for (uint32_t i = first; i < f->size / 8 && val_word(p, i) && !val_is_cut(NULL, val_word(p, i)); i++)
		names_frames(n, owner, val_word(p, i), i > first, show_frame, &stack);
}

static void put_field(struct buf *out, const struct val_field *f, const struct symbol *s, uint64_t addr)
{
	if (f->kind == VAL_MOD || f->kind == VAL_UMOD)
		put_module(out, s, addr);
	else if (f->kind == VAL_UADDR)
		put_place(out, s, addr);
	else
		put_symbol(out, s, addr);
}

static void show_cgroup(struct names *n, struct buf *out, const struct val_field *f, uint64_t id)
{
	if (n->containers)
		containers_show(n->containers, f->kind, id, out);
	else
		buf_printf(out, "%" PRIu64, id);
}

void names_show(void *arg, struct buf *out, const struct val_field *f, const void *base)
{
	const uint8_t *p = (const uint8_t *)base + f->off;
	bool user = val_is_user(f->kind);
	int64_t owner = user ? (int64_t)val_word(p, 0) : -1;
	uint64_t addr = val_word(p, user);
	struct symbol s;

	if (val_is_cgroup(f->kind)) {
		show_cgroup(arg, out, f, addr);
	} else if (f->kind == VAL_STACK || f->kind == VAL_USTACK) {
		show_stack(arg, out, f, p);
	} else if (is_text(owner, addr)) {
		names_addr(arg, out, owner, addr);
	} else {
		find_symbol(arg, owner, addr, &s);
		put_field(out, f, &s, addr);
		count_sampled(arg, owner, addr, &s);
	}
}

/* Replaces the address by that of its symbol or module. */
static void settle_address(struct names *n, const struct val_field *f, uint8_t *p)
{
	bool user = val_is_user(f->kind), module = f->kind == VAL_MOD || f->kind == VAL_UMOD;
	uint64_t addr = val_word(p, user);
	struct symbol s;

	if (!module && f->kind != VAL_SYM && f->kind != VAL_USYM)
		return;
	find_symbol(n, user ? (int64_t)val_word(p, 0) : -1, addr, &s);
	if (!s.object || (!module && !s.name))
		return;
	addr = module ? s.base : s.start;
	memcpy(p + 8 * user, &addr, sizeof addr);
}

static void put_owner(uint8_t *p, int64_t pid, uint64_t ns)
{
	uint64_t owner = val_owner(pid, ns);

	memcpy(p, &owner, sizeof owner);
}

/* Reads new process events if the key is newer than those read so far. */
static void catch_up(struct names *n, uint64_t owner)
{
	if (n->watching && n->begun + val_owner_time(owner) > n->refreshed)
		names_refresh(n);
}

/* If an address of the same process has shown the same text before, replaces this key by the earlier one (for example,
 * after a plugin was loaded again at another address). After MANY texts, starts over; then two keys may show the same
 * text. */
static void settle_text(struct names *n, const struct val_field *f, uint8_t *p)
{
	enum { MANY = 1 << 16 };
	struct { int64_t pid, kind; } who = { val_owner_pid(val_word(p, 0)), f->kind };
	struct buf text = { 0 };
	struct symbol s;
	void **first;

	if (n->texts.map.n >= MANY)
		arena_free(&n->texts.arena);
	if (n->texts.map.n >= MANY || !n->texts.map.arena)
		map_init(&n->texts.map, &n->texts.arena);
	buf_put(&text, &who, sizeof who);
	find_symbol(n, (int64_t)val_word(p, 0), val_word(p, 1), &s);
	put_field(&text, f, &s, val_word(p, 1));
	first = map_put(&n->texts.map, text.data, text.len);
	if (!*first)
		*first = arena_memdup(&n->texts.arena, p, 16);
	memcpy(p, *first, 16);
	buf_free(&text);
}

/* Replaces the owner's time by the earliest time at which the symbols were the same. */
static void settle_user(struct names *n, const struct val_field *f, uint8_t *p)
{
	uint64_t owner = val_word(p, 0), at = n->begun + val_owner_time(owner);
	struct symbol_addresses addr = { .v = (const void *)(p + sizeof owner) };	/* words are aligned in keys */
	int64_t pid = val_owner_pid(owner);

	if (!names_ready(n) || !n->begun || !n->ops->settle) {
		settle_address(n, f, p);
		return;
	}
	catch_up(n, owner);
	if (owner & VAL_OWNER_NEXT)
		at = n->ops->next(n->arg, pid, at);
	put_owner(p, pid, at - n->begun);
	settle_address(n, f, p);
	while (addr.n < f->size / 8 - 1 && addr.v[addr.n])
		addr.n++;
	at = n->ops->settle(n->arg, pid, &addr, n->begun, n->begun + val_owner_time(val_word(p, 0)));
	put_owner(p, pid, at > n->begun ? at - n->begun : 0);
	if (f->kind != VAL_USTACK)
		settle_text(n, f, p);
}

static void settle_cgroup(struct names *n, const struct val_field *f, uint8_t *p)
{
	const uint64_t id = n->containers ? containers_settle(n->containers, f->kind, val_word(p, 0)) : 0;

	if (id)
		memcpy(p, &id, sizeof id);
}

void names_settle(void *arg, const struct val_field *f, void *base)
{
	uint8_t *p = (uint8_t *)base + f->off;

	if (f->kind == VAL_STACK) {
		uint32_t glue = 8 * glue_frames(arg, f, p);

		memmove(p, p + glue, f->size - glue);
		memset(p + f->size - glue, 0, glue);
	}
	if (val_is_cgroup(f->kind))
		settle_cgroup(arg, f, p);
	else if (val_is_user(f->kind))
		settle_user(arg, f, p);
	else
		settle_address(arg, f, p);
}

/* ---- texts instead of addresses ---- */
bool names_due(struct names *n, const struct val_field *f, const void *base, bool all)
{
	uint64_t owner = val_field_word(f, base, 0);

	if (!val_is_user(f->kind) || owner == TEXTS_OWNER || !names_ready(n))
		return false;
	return all || (n->ops->ended && n->ops->ended(n->arg, val_owner_pid(owner), owner_time(n, owner)));
}

/* The word of an address in a stack; 0: no memory. */
static uint64_t frame_word(struct names *n, uint64_t owner, uint64_t addr, bool call)
{
	uint64_t word = texts_find(&n->frames, owner, addr, call);
	struct symbol s;
	bool unnamed;

	if (word)
		return word;
	find_symbol(n, (int64_t)owner, addr, &s);
	unnamed = !call && lacks_name(&s, addr);
	texts_begin(&n->frames, unnamed, unnamed ? why_unnamed(n, owner, addr) : 0);
	put_frames(n, &(struct stack_address){ (int64_t)owner, addr, call }, &s, texts_add, &n->frames);
	word = texts_end(&n->frames);
	texts_keep(&n->frames, owner, addr, call, word);
	return word;
}

static bool name_stack(struct names *n, const struct val_field *f, uint64_t *p)
{
	for (uint32_t i = 1; i < f->size / 8 && p[i]; i++) {
		if (codes_is_word(p[i]) || val_is_cut(NULL, p[i]))
			continue;
		p[i] = frame_word(n, p[0], p[i], i > 1);
		if (!p[i])
			return false;
	}
	return true;
}

static bool name_symbol(struct names *n, const struct val_field *f, uint64_t *p)
{
	struct buf text = { 0 };
	struct symbol s;
	bool unnamed;

	find_symbol(n, (int64_t)p[0], p[1], &s);
	put_field(&text, f, &s, p[1]);
	unnamed = lacks_name(&s, p[1]);
	texts_begin(&n->frames, unnamed, unnamed ? why_unnamed(n, p[0], p[1]) : 0);
	texts_add(&n->frames, &(struct val_frame){ .text = buf_str(&text) });
	p[1] = text.failed ? 0 : texts_end(&n->frames);
	n->nomem |= text.failed;
	buf_free(&text);
	return p[1];
}

/* Words are aligned in keys. */
bool names_name(struct names *n, const struct val_field *f, void *base, bool all)
{
	uint64_t *p = (void *)((uint8_t *)base + f->off);

	if (!names_due(n, f, base, all) || !(f->kind == VAL_USTACK ? name_stack(n, f, p) : name_symbol(n, f, p)))
		return false;
	p[0] = TEXTS_OWNER;
	return true;
}

int names_compare(void *arg, uint64_t a, uint64_t b)
{
	struct names *n = arg;

	if (texts_is_word(a) && texts_is_word(b))
		return texts_compare(&n->frames, a, b);
	return (a > b) - (a < b);
}
