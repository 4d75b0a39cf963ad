/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "tests/lib/dworld.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/options.h"

static uint32_t key_size(const struct dworld *w, uint32_t obj)
{
	return w->prog->ir->objs.v[obj].keysize;
}

static struct dw_cell **find(struct dworld *w, uint32_t obj, const void *key)
{
	struct dw_cell **c = &w->cells;

	while (*c && ((*c)->obj != obj || (key_size(w, obj) && memcmp((*c)->key, key, key_size(w, obj)))))
		c = &(*c)->next;
	return c;
}

static void *cell(struct dworld *w, uint32_t obj, const void *key, bool make, enum ir_drop drop)
{
	struct dw_cell **c = find(w, obj, key);

	if (*c || !make)
		return *c ? (*c)->value : NULL;
	if (w->full) {
		w->drops[drop]++;
		return NULL;
	}
	*c = arena_alloc(&w->arena, sizeof **c);
	(*c)->obj = obj;
	(*c)->key = key_size(w, obj) ? arena_memdup(&w->arena, key, key_size(w, obj)) : NULL;
	(*c)->value = arena_alloc(&w->arena, w->prog->ir->objs.v[obj].size);
	return (*c)->value;
}

/* ---- hooks ---- */
static void *hook_mem(void *arg, uint32_t obj)
{
	return ((struct dworld *)arg)->mem[obj];
}

static uint64_t hook_read(void *arg, enum ir_op op, int64_t imm)
{
	struct dworld *w = arg;

	switch (op) {
	case IR_CLOCK:
		w->clocks++;
		return w->clock++;
	case IR_PIDTGID:
		return w->pidtgid;
	case IR_UIDGID:
		return w->uidgid;
	case IR_CPU:
		return w->cpu;
	case IR_TASK:
		return w->task;
	case IR_STACKDEPTH:
		return w->stackdepth;
	case IR_USTACKDEPTH:
		return w->ustackdepth;
	case IR_UREG:
		return imm < 0 || imm >= 8 ? 0 : w->ureg[imm];
	case IR_CALLERPC:
		return w->callerpc;
	case IR_STATE:
		return w->state;
	case IR_RANDOM:
		return w->random;
	case IR_JIFFIES:
		return w->jiffies;
	case IR_CTX:
		return w->ctx[imm / 8 % 64];
	default:
		return 0;
	}
}

static void hook_comm(void *arg, char out[16])
{
	memcpy(out, ((struct dworld *)arg)->comm, 16);
}

static bool hook_stack(void *arg, uint64_t *pc, uint32_t n, unsigned kind)
{
	const struct dworld *w = arg;
	unsigned user = kind & IR_STACK_USER;

	for (uint32_t i = 0; i < n && i < DW_FRAMES; i++)
		pc[i] = w->stack[user][i];
	return n < DW_FRAMES && w->stack[user][n];
}

static int hook_kread(void *arg, void *dst, uint32_t n, uint64_t addr)
{
	struct dworld *w = arg;
	uint64_t off = addr - IR_SEED_KBASE;

	w->kreads++;
	if (off >= DW_KMEM || n > DW_KMEM - off)
		return -1;
	memcpy(dst, w->kmem + off, n);
	return 0;
}

static int hook_kstr(void *arg, char *dst, uint32_t n, uint64_t addr)
{
	struct dworld *w = arg;
	uint64_t off = addr - IR_SEED_KBASE;

	if (off >= DW_KMEM)
		return -1;
	for (uint32_t i = 0; i + 1 < n && off + i < DW_KMEM && w->kmem[off + i]; i++)
		dst[i] = (char)w->kmem[off + i];
	return 0;
}

/* The process sees the kernel's memory at another address. */
static int hook_uread(void *arg, void *dst, uint32_t n, uint64_t addr)
{
	return hook_kread(arg, dst, n, addr - IR_SEED_UBASE + IR_SEED_KBASE);
}

static int hook_ustr(void *arg, char *dst, uint32_t n, uint64_t addr)
{
	return hook_kstr(arg, dst, n, addr - IR_SEED_UBASE + IR_SEED_KBASE);
}

static int hook_uwrite(void *arg, const void *src, uint32_t n, uint64_t addr)
{
	struct dworld *w = arg;
	uint64_t off = addr - IR_SEED_UBASE;

	if (off >= DW_KMEM || n > DW_KMEM - off)
		return -1;
	memcpy(w->kmem + off, src, n);
	return 0;
}

static void *hook_cell(void *arg, uint32_t obj, const void *key)
{
	return cell(arg, obj, key, true, IR_DROP_AGG);
}

static void *hook_dyn(void *arg, uint32_t obj, const void *key, bool make)
{
	bool stacks = ((struct dworld *)arg)->prog->ir->objs.v[obj].stacks;

	return cell(arg, obj, key, make, stacks ? IR_DROP_AGG : IR_DROP_DYNAMIC);
}

static void *hook_tls(void *arg, uint32_t obj, bool make)
{
	return cell(arg, obj, NULL, make, IR_DROP_DYNAMIC);
}

static void hook_dyndel(void *arg, uint32_t obj, const void *key)
{
	struct dw_cell **c = find(arg, obj, key);

	if (*c)
		*c = (*c)->next;
}

/* As the consumer sees it: what was not sent is 0. */
static void hook_commit(void *arg, uint32_t obj, const void *rec, uint32_t n)
{
	struct dworld *w = arg;
	uint32_t size = w->prog->ir->objs.v[obj].size;
	void *whole = arena_calloc(&w->arena, 1, size);

	memcpy(whole, rec, n);
	*VEC_ADD(&w->arena, &w->recs) = (struct dw_rec){ size, whole };
}

static void hook_exit(void *arg, int64_t status)
{
	struct dworld *w = arg;

	if (!w->exited)
		w->status = status;
	w->exited = true;
	w->state = IR_S_DRAINING;
}

static void hook_drop(void *arg, enum ir_drop kind)
{
	((struct dworld *)arg)->drops[kind]++;
}

static void hook_fault(void *arg, uint32_t epid, uint32_t action, enum ir_fault kind, uint64_t value)
{
	struct dworld *w = arg;

	*VEC_ADD(&w->arena, &w->faults) = (struct dw_fault){ epid, action, kind, value };
}

/* ---- opening ---- */
static bool is_scratch(const struct ir_obj *o)
{
	return o->kind == IR_O_TEMP || o->kind == IR_O_REC || o->kind == IR_O_LOCAL;
}

static bool is_memory(const struct ir_obj *o)
{
	return is_scratch(o) || o->kind == IR_O_GLOBAL || o->kind == IR_O_CONST;
}

/* Blocks of exact size from malloc, so that a sanitizer detects accesses outside of an object. */
static void lay_out(struct dworld *w)
{
	const struct ir_prog *ir = w->prog->ir;

	w->mem = calloc(ir->objs.n + 1, sizeof *w->mem);
	for (size_t i = 0; i < ir->objs.n; i++) {
		const struct ir_obj *o = &ir->objs.v[i];

		if (!is_memory(o))
			continue;
		w->mem[i] = malloc(o->size);
		memset(w->mem[i], is_scratch(o) ? DW_CONST : 0, o->size);
		if (o->init)
			memcpy(w->mem[i], o->init, o->size);
	}
}

void dworld_open(struct dworld *w, const char *text, const struct d_options *opts, bool optimise)
{
	static const struct compile_env env = { .target = -1 };
	const struct d_options defaults = test_options();
	struct source *src;

	memset(w, 0, sizeof *w);
	arena_init(&w->arena, NULL, NULL);
	diags_init(&w->diags, &w->arena);
	probe_set_init(&w->probes, &w->arena);
	probe_set_enumerate(&w->probes);
	compiler_init(&w->c, &w->arena, &w->diags, &w->probes, opts ? opts : &defaults, &env);
	src = arena_alloc(&w->arena, sizeof *src);
	*src = (struct source){ .name = "test.d", .text = text, .len = strlen(text) };
	*VEC_ADD(&w->arena, &w->c.texts) = src;
	if (lang_compile(&w->c, optimise ? STAGE_OPTIMISED : STAGE_LOWERED) ||
	    (optimise && ir_verify(w->c.prog->ir, &w->diags)))
		return;
	w->prog = w->c.prog;
	lay_out(w);
}

void dworld_close(struct dworld *w)
{
	for (size_t i = 0; w->mem && i < w->prog->ir->objs.n; i++)
		free(w->mem[i]);
	free(w->mem);
	w->mem = NULL;
	compiler_close(&w->c);
	arena_free(&w->arena);
}

void dworld_open_ok(struct dworld *w, const char *text, bool optimise)
{
	dworld_open(w, text, NULL, optimise);
	if (!w->prog) {
		fprintf(stderr, "%s\n%s", text, dworld_errors(w));
		abort();
	}
	w->pidtgid = 4711ull << 32 | 4712;
	w->uidgid = 100ull << 32 | 1000;
	w->cpu = 3;
	w->clock = 1000;
	w->task = IR_SEED_KBASE;
	w->stackdepth = 7;
	strcpy(w->comm, "gzip");
}

void dworld_each(const char *text, void (*fn)(struct dworld *w))
{
	for (int optimise = 0; optimise < 2; optimise++) {
		struct dworld w;

		dworld_open_ok(&w, text, optimise);
		fn(&w);
		dworld_close(&w);
	}
}

/* ---- running and looking ---- */
static const struct enabled_probe *enabled(const struct dworld *w, const char *probe)
{
	for (size_t i = 0; i < w->prog->probes.n; i++)
		if (!strcmp(w->prog->probes.v[i].probe->name, probe))
			return &w->prog->probes.v[i];
	fprintf(stderr, "no probe %s\n", probe);
	abort();
}

/* Scratch memory is garbage at each firing, like a stack. */
static void spoil(struct dworld *w)
{
	for (size_t i = 0; i < w->prog->ir->objs.n; i++)
		if (is_scratch(&w->prog->ir->objs.v[i]))
			memset(w->mem[i], DW_CONST, w->prog->ir->objs.v[i].size);
}

static void run(struct dworld *w, const struct ir_func *f)
{
	struct ir_world world = {
		.arg = w, .mem = hook_mem, .read = hook_read, .comm = hook_comm, .stack = hook_stack,
		.kread = hook_kread, .kstr = hook_kstr,
		.uread = hook_uread, .ustr = hook_ustr, .uwrite = hook_uwrite,
		.cell = hook_cell, .dyn = hook_dyn, .dyndel = hook_dyndel, .tls = hook_tls, .commit = hook_commit,
		.exit = hook_exit, .drop = hook_drop, .fault = hook_fault,
	};

	spoil(w);
	ir_run(w->prog->ir, f, &world);
}

void dworld_fire(struct dworld *w, const char *probe)
{
	const struct enabled_probe *e = enabled(w, probe);
	uint64_t state = w->state;

	if (!state)
		w->state = probe_state(e->probe);
	run(w, e->func);
	if (!state && !w->exited)
		w->state = 0;
}

void dworld_switch(struct dworld *w, uint64_t next)
{
	uint64_t saved = w->ctx[2];

	w->ctx[2] = next;
	run(w, w->prog->vtime);
	w->ctx[2] = saved;
}

const struct agg_desc *dworld_agg(const struct dworld *w, const char *name)
{
	const struct agg_desc *d = map_gets(&w->prog->script->aggs, name);

	if (!d) {
		fprintf(stderr, "no aggregation %s\n", name);
		abort();
	}
	return d;
}

uint64_t *dworld_cell(struct dworld *w, const char *obj, const void *key)
{
	int64_t o = ir_obj_find(w->prog->ir, obj);

	if (o < 0) {
		fprintf(stderr, "no object %s\n", obj);
		abort();
	}
	if (w->mem[o])
		return w->mem[o];
	return cell(w, (uint32_t)o, key, false, IR_DROP_DYNAMIC);
}

unsigned dworld_ncells(const struct dworld *w, const char *obj)
{
	int64_t o = ir_obj_find(w->prog->ir, obj);
	unsigned n = 0;

	for (const struct dw_cell *c = w->cells; c; c = c->next)
		n += c->obj == o;
	return n;
}

static const struct val_field *field_of(const struct dworld *w, size_t rec, unsigned act, unsigned field)
{
	struct rec_hdr h;

	if (rec >= w->recs.n) {
		fprintf(stderr, "no record %zu\n", rec);
		abort();
	}
	memcpy(&h, w->recs.v[rec].data, sizeof h);
	if (act >= w->prog->epids.v[h.epid - 1].nacts || field >= w->prog->epids.v[h.epid - 1].acts[act].nfields) {
		fprintf(stderr, "no field %u of action %u\n", field, act);
		abort();
	}
	return &w->prog->epids.v[h.epid - 1].acts[act].fields[field];
}

int64_t dworld_int(const struct dworld *w, size_t rec, unsigned act, unsigned field)
{
	return val_int(field_of(w, rec, act, field), w->recs.v[rec].data);
}

const char *dworld_str(const struct dworld *w, size_t rec, unsigned act, unsigned field)
{
	const struct val_field *f = field_of(w, rec, act, field);

	return f->kind == VAL_STR ? (const char *)w->recs.v[rec].data + f->off : "not a string";
}

const char *dworld_errors(struct dworld *w)
{
	struct buf b = { 0 };
	const char *s;

	for (size_t i = 0; i < w->diags.list.n; i++)
		diag_print(&b, &w->diags.list.v[i], "dtr", true);
	s = arena_strdup(&w->arena, buf_str(&b));
	buf_free(&b);
	return s;
}
