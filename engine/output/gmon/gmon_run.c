/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/output/gmon/gmon_run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/symbols/kallsyms.h"
#include "engine/symbols/object.h"

enum {
	KERNEL = -1,			/* the owner of the kernel's addresses */
	FRAMES_MAX = 1024,		/* of a stack: the most that -x maxframes allows */
};

/* ---- places ---- */

/* An address in an object; code -1: in none. */
struct gmon_place {
	long code;
	uint64_t addr;			/* in the object's file */
};

static const struct gmon_place nowhere = { .code = -1 };

static long code_known(const struct gmon_run *run, const char *name, const struct object *file)
{
	for (size_t i = 0; i < run->code.n; i++)
		if (run->code.v[i].file == file && (file || !strcmp(run->code.v[i].name, name)))
			return (long)i;
	return -1;
}

static long code_of_file(struct gmon_run *run, struct object *file)
{
	long known = code_known(run, file->name, file);
	struct gmon_code *c;

	if (known >= 0)
		return known;
	c = VEC_ADD(run->arena, &run->code);
	*c = (struct gmon_code){ .name = arena_strdup(run->arena, file->name), .file = file,
				 .path = arena_strdup(run->arena, file->path) };
	c->err = gmon_object_file(&c->object, file);
	return (long)run->code.n - 1;
}

static long code_of_module(struct gmon_run *run, const char *module)
{
	long known = code_known(run, module, NULL);
	struct gmon_code *c;

	if (known >= 0)
		return known;
	c = VEC_ADD(run->arena, &run->code);
	*c = (struct gmon_code){ .name = arena_strdup(run->arena, module) };
	c->err = gmon_object_kernel(&c->object, run->kernel, module);
	return (long)run->code.n - 1;
}

/* The symbols of a recording of another boot are elsewhere. Symbols of this machine are those of `kernel`. */
static bool is_other_boot(const struct gmon_run *run, uint64_t addr, const struct symbol *here)
{
	struct symbol s;

	if (!run->names || !run->names->ops || run->names->ops == &symbols_ops)
		return false;
	names_symbol(run->names, KERNEL, addr, &s);
	return s.name && (!here->name || s.start != here->start || strcmp(s.name, here->name));
}

static struct gmon_place kernel_place(struct gmon_run *run, uint64_t addr)
{
	struct gmon_place p = nowhere;
	struct symbol s;

	if (!run->kernel && !run->kernel_err)
		run->kernel = kallsyms_open("/proc/kallsyms", &run->kernel_err);
	if (!run->kernel)
		return p;
	kallsyms_find(run->kernel, addr, &s);
	if (is_other_boot(run, addr, &s))
		run->kernel_err = ESTALE;
	if (!s.object || run->kernel_err)
		return p;
	p.code = code_of_module(run, s.object);
	p.addr = addr - run->code.v[p.code].object.slide;
	return p;
}

static struct gmon_place user_place(struct gmon_run *run, uint64_t owner, uint64_t addr)
{
	struct gmon_place p = nowhere;
	struct symbol_code code;
	const struct elf *e;

	if (!names_code(run->names, (int64_t)owner, addr, &code) || !code.object)
		return p;
	e = object_image(code.object);
	if (!e || !elf_vaddr(e, addr - code.start + code.off, &p.addr))
		return p;
	p.code = code_of_file(run, code.object);
	return p;
}

static struct gmon_place place_of(struct gmon_run *run, int64_t owner, uint64_t addr)
{
	if (!addr)
		return nowhere;
	if (owner != KERNEL)
		return user_place(run, (uint64_t)owner, addr);
	if (run->given)
		return (struct gmon_place){ .code = code_of_file(run, run->given), .addr = addr };
	return kernel_place(run, addr);
}

/* The function that contains an address; without a symbol the address itself. */
static struct gmon_place function_of(struct gmon_run *run, int64_t owner, uint64_t addr)
{
	struct symbol s;

	names_symbol(run->names, owner, addr, &s);
	return place_of(run, owner, s.name && s.start && s.start <= addr ? s.start : addr);
}

/* ---- rows ---- */

static void add_sample(struct gmon_run *run, struct gmon_place p, uint64_t count)
{
	struct gmon_code *c;

	if (p.code < 0) {
		run->unknown += count;
		return;
	}
	c = &run->code.v[p.code];
	c->count += count;
	*VEC_ADD(run->arena, &c->samples) = (struct gmon_sample){ p.addr, count };
}

static void add_arc(struct gmon_run *run, struct gmon_place from, struct gmon_place self, uint64_t count)
{
	struct gmon_code *c = self.code < 0 ? NULL : &run->code.v[self.code];

	if (c && from.code == self.code)
		*VEC_ADD(run->arena, &c->arcs) = (struct gmon_arc){ from.addr, self.addr, count };
	else if (c)
		c->foreign += count;
}

/* An address in a key; *owner: its process or KERNEL. */
static uint64_t key_addr(const struct val_field *f, const uint8_t *key, int64_t *owner)
{
	if (!val_is_user(f->kind)) {
		*owner = KERNEL;
		return val_field_word(f, key, 0);
	}
	*owner = (int64_t)val_field_word(f, key, 0);
	return val_field_word(f, key, 1);
}

static void take_sample(struct gmon_run *run, const struct agg_desc *d, const uint8_t *key, uint64_t count)
{
	int64_t owner;
	uint64_t addr = key_addr(&d->key[0], key, &owner);

	if (addr)
		add_sample(run, place_of(run, owner, addr), count);
}

/* A call is in front of the address to which it returns, which may be in another function. */
static void take_arc(struct gmon_run *run, const struct agg_desc *d, const uint8_t *key, uint64_t count)
{
	int64_t owner;
	uint64_t from = key_addr(&d->key[0], key, &owner);
	struct gmon_place caller = place_of(run, owner, from ? from - 1 : 0);
	uint64_t self = key_addr(&d->key[1], key, &owner);

	add_arc(run, caller, place_of(run, owner, self), count);
}

/* True if an arc between the same functions is further in: recursion. */
static bool is_repeated(const struct gmon_place *call, const struct gmon_place *fn, uint32_t i)
{
	for (uint32_t k = 0; k < i; k++)
		if (fn[k].addr == fn[i].addr && fn[k].code == fn[i].code && call[k + 1].addr == call[i + 1].addr &&
		    call[k + 1].code == call[i + 1].code)
			return true;
	return false;
}

static void take_stack(struct gmon_run *run, const struct agg_desc *d, const uint8_t *key, uint64_t count)
{
	const struct val_field *f = &d->key[0];
	const uint32_t user = f->kind == VAL_USTACK, most = f->size / 8 - user;
	int64_t owner = user ? (int64_t)val_field_word(f, key, 0) : KERNEL;
	struct gmon_place call[FRAMES_MAX], fn[FRAMES_MAX];
	uint32_t n = 0;

	for (uint64_t pc; n < most && n < FRAMES_MAX && (pc = val_field_word(f, key, n + user)) && pc != VAL_CUT; n++) {
		call[n] = place_of(run, owner, pc - (n > 0));
		fn[n] = function_of(run, owner, pc - (n > 0));
	}
	if (n)
		add_sample(run, call[0], count);
	for (uint32_t i = 0; i + 1 < n; i++)
		if (!is_repeated(call, fn, i))
			add_arc(run, call[i + 1], fn[i], count);
}

/* The first two frames: a function and its caller. */
static void take_call(struct gmon_run *run, const struct agg_desc *d, const uint8_t *key, uint64_t count)
{
	const uint32_t user = d->key[0].kind == VAL_USTACK;
	const int64_t owner = user ? (int64_t)val_field_word(&d->key[0], key, 0) : KERNEL;
	const uint64_t self = val_field_word(&d->key[0], key, user);
	const uint64_t from = self ? val_field_word(&d->key[0], key, user + 1) : 0;

	add_arc(run, place_of(run, owner, from && from != VAL_CUT ? from - 1 : 0), place_of(run, owner, self), count);
}

/* ---- tables ---- */

static bool is_addresses(const struct agg_desc *d, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		const struct val_field *f = &d->key[i];

		if (f->kind != VAL_UADDR && ((f->kind != VAL_INT && f->kind != VAL_PTR) || f->size != 8))
			return false;
	}
	return d->nkeys == n;
}

typedef void take_fn(struct gmon_run *run, const struct agg_desc *d, const uint8_t *key, uint64_t count);

static take_fn *taker_of(const struct agg_desc *d)
{
	if (d->func != agg_func_find("count") && d->func != agg_func_find("sum"))
		return NULL;
	if (!strcmp(d->name, "samples") && is_addresses(d, 1))
		return take_sample;
	if (!strcmp(d->name, "arcs") && is_addresses(d, 2))
		return take_arc;
	if (d->nkeys != 1 || (d->key[0].kind != VAL_STACK && d->key[0].kind != VAL_USTACK))
		return NULL;
	return !strcmp(d->name, "stacks") ? take_stack : !strcmp(d->name, "calls") ? take_call : NULL;
}

bool gmon_run_samples(const struct agg_desc *d)
{
	return taker_of(d) == take_sample || taker_of(d) == take_stack;
}

static void take_table(struct gmon_run *run, const struct agg_table *t)
{
	take_fn *take = taker_of(t->desc);

	for (size_t i = 0; take && i < t->n; i++) {
		int64_t v = t->desc->func->number(&t->desc->spec, t->rows[i].value, 1);

		if (v > 0)
			take(run, t->desc, agg_row_key(t, &t->rows[i]), (uint64_t)v);
	}
}

static int arc_compare(const void *x, const void *y)
{
	const struct gmon_arc *a = x, *b = y;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return (a->self > b->self) - (a->self < b->self);
}

/* Adds up equal arcs. */
static void join_arcs(struct gmon_code *c)
{
	size_t n = 0;

	if (c->arcs.n)
		qsort(c->arcs.v, c->arcs.n, sizeof *c->arcs.v, arc_compare);
	for (size_t i = 0; i < c->arcs.n; i++) {
		if (n && !arc_compare(&c->arcs.v[n - 1], &c->arcs.v[i]))
			c->arcs.v[n - 1].count += c->arcs.v[i].count;
		else
			c->arcs.v[n++] = c->arcs.v[i];
	}
	c->arcs.n = n;
}

int gmon_run_take(struct gmon_run *run, const struct agg_table *tables, unsigned n, const char *file)
{
	struct stat st;

	for (unsigned i = 0; i < n; i++)
		if (tables[i].names && tables[i].names->texts)
			return -EINVAL;
	if (file && !stat(file, &st))
		run->given = object_new(file, st.st_dev, st.st_ino);
	if (file && !run->given)
		return -errno;
	for (unsigned i = 0; i < n; i++)
		take_table(run, &tables[i]);
	for (size_t i = 0; i < run->code.n; i++)
		join_arcs(&run->code.v[i]);
	for (size_t i = 0; i < run->code.n; i++)
		if (run->code.v[i].err == -ENOMEM)
			return -ENOMEM;
	return 0;
}

void gmon_run_free(struct gmon_run *run)
{
	for (size_t i = 0; i < run->code.n; i++)
		gmon_object_free(&run->code.v[i].object);
	object_free(run->given);
	run->given = NULL;
	kallsyms_close(run->kernel);
	run->kernel = NULL;
}
