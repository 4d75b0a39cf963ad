/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "tests/ir/world.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

static const struct ir_seed no_seed;

static const struct ir_obj *obj_of(const struct ir_test_world *w, uint32_t obj)
{
	return &w->prog->objs.v[obj];
}

static void put_bytes(struct buf *b, const void *p, size_t n)
{
	static const char digits[] = "0123456789abcdef";
	const uint8_t *c = p;
	char text[128];

	while (n) {
		size_t m = n < sizeof text / 2 ? n : sizeof text / 2;

		for (size_t i = 0; i < m; i++) {
			text[2 * i] = digits[c[i] >> 4];
			text[2 * i + 1] = digits[c[i] & 15];
		}
		buf_put(b, text, 2 * m);
		c += m;
		n -= m;
	}
}

static void put_key(struct buf *b, const struct ir_obj *o, const void *key)
{
	if (!o->keysize)
		return;
	buf_puts(b, " key=");
	put_bytes(b, key, o->keysize);
}

/* ---- hooks ---- */
static void *hook_mem(void *arg, uint32_t obj)
{
	struct ir_test_world *w = arg;

	return w->obj[obj];
}

static uint64_t hook_read(void *arg, enum ir_op op, int64_t imm)
{
	const struct ir_seed *s = ((struct ir_test_world *)arg)->seed;

	switch (op) {
	case IR_CLOCK:
		return s->clock;
	case IR_PIDTGID:
		return s->pidtgid;
	case IR_UIDGID:
		return s->uidgid;
	case IR_CPU:
		return s->cpu;
	case IR_TASK:
		return s->task;
	case IR_PERFCOUNT:
		return s->perfcount;
	case IR_STACKDEPTH:
		return s->stackdepth;
	case IR_GOID:
		return s->goid;
	case IR_USTACKDEPTH:
		return s->ustackdepth;
	case IR_UREG:
		return s->ureg;
	case IR_CALLERPC:
		return s->callerpc;
	case IR_COOKIE:
		return s->cookie;
	case IR_TURN:
		return s->turn;
	case IR_STATE:
		return s->state;
	case IR_RANDOM:
		return s->random;
	case IR_JIFFIES:
		return s->jiffies;
	default:
		return s->ctx[imm / 8 % 32];
	}
}

static void hook_comm(void *arg, char out[16])
{
	memcpy(out, ((struct ir_test_world *)arg)->seed->comm, 16);
}

static bool hook_stack(void *arg, uint64_t *pc, uint32_t n, unsigned kind)
{
	if (n)
		pc[0] = ((struct ir_test_world *)arg)->seed->pc[kind & IR_STACK_USER];
	return !n;
}

static bool in_kernel(uint64_t addr, uint32_t n)
{
	uint64_t off = addr - IR_SEED_KBASE;

	return n <= 256 && off <= 256 - n && off % 8 == 0;
}

static int hook_kread(void *arg, void *dst, uint32_t n, uint64_t addr)
{
	struct ir_test_world *w = arg;

	if (!in_kernel(addr, n))
		return -1;
	memcpy(dst, w->seed->kmem + (addr - IR_SEED_KBASE), n);
	return 0;
}

static int hook_kstr(void *arg, char *dst, uint32_t n, uint64_t addr)
{
	struct ir_test_world *w = arg;
	size_t off = addr - IR_SEED_KBASE;

	if (!in_kernel(addr, 1))
		return -1;
	memcpy(dst, w->seed->kmem + off, n < 256 - off ? n : 256 - off);
	return 0;
}

static int hook_uread(void *arg, void *dst, uint32_t n, uint64_t addr)
{
	return hook_kread(arg, dst, n, addr - IR_SEED_UBASE + IR_SEED_KBASE);
}

static int hook_ustr(void *arg, char *dst, uint32_t n, uint64_t addr)
{
	return hook_kstr(arg, dst, n, addr - IR_SEED_UBASE + IR_SEED_KBASE);
}

static struct world_cell *cell_find(struct ir_test_world *w, uint32_t obj, const void *key)
{
	for (size_t i = 0; i < w->cells.n; i++) {
		struct world_cell *c = &w->cells.v[i];

		if (!c->deleted && c->obj == obj &&
		    (!obj_of(w, obj)->keysize || !memcmp(c->key, key, obj_of(w, obj)->keysize)))
			return c;
	}
	return NULL;
}

static void *cell_make(struct ir_test_world *w, uint32_t obj, const void *key)
{
	const struct ir_obj *o = obj_of(w, obj);
	struct world_cell c = { .obj = obj };
	size_t n = 0;

	for (size_t i = 0; i < w->cells.n; i++)
		n += w->cells.v[i].obj == obj && !w->cells.v[i].deleted;
	if (n >= w->max_cells && (o->kind != IR_O_AGG || (o->keysize && !o->cells))) {	/* others are always there */
		buf_puts(&w->trace, "dropped\n");
		return NULL;
	}
	c.key = o->keysize ? arena_memdup(&w->mem, key, o->keysize) : NULL;
	c.value = arena_alloc(&w->mem, o->size);
	*VEC_ADD(&w->mem, &w->cells) = c;
	return c.value;
}

static void *cell_get(struct ir_test_world *w, const char *what, uint32_t obj, const void *key, bool make)
{
	struct world_cell *c;

	buf_printf(&w->trace, "%s %s", what, obj_of(w, obj)->name);
	put_key(&w->trace, obj_of(w, obj), key);
	buf_puts(&w->trace, make ? " make\n" : "\n");
	c = cell_find(w, obj, key);
	return c ? c->value : make ? cell_make(w, obj, key) : NULL;
}

static void *hook_cell(void *arg, uint32_t obj, const void *key)
{
	return cell_get(arg, "cell", obj, key, true);
}

static void *hook_dyn(void *arg, uint32_t obj, const void *key, bool make)
{
	return cell_get(arg, "dyn", obj, key, make);
}

static void hook_dyndel(void *arg, uint32_t obj, const void *key)
{
	struct ir_test_world *w = arg;
	struct world_cell *c = cell_find(w, obj, key);

	buf_printf(&w->trace, "dyndel %s", obj_of(w, obj)->name);
	put_key(&w->trace, obj_of(w, obj), key);
	buf_putc(&w->trace, '\n');
	if (c)
		c->deleted = true;
}

static void *hook_tls(void *arg, uint32_t obj, bool make)
{
	return cell_get(arg, "tls", obj, NULL, make);
}

static enum ir_sweep hook_ended(void *arg, uint64_t number)
{
	buf_printf(&((struct ir_test_world *)arg)->trace, "ended %" PRIu64 "\n", number);
	return IR_SWEEP_FULL;
}

static void hook_sweep(void *arg, uint32_t obj, enum ir_sweep which)
{
	struct ir_test_world *w = arg;

	buf_printf(&w->trace, "sweep %s %d\n", obj_of(w, obj)->name, (int)which);
}

static void hook_commit(void *arg, uint32_t obj, const void *rec, uint32_t n)
{
	struct ir_test_world *w = arg;

	buf_printf(&w->trace, "commit %s ", obj_of(w, obj)->name);
	put_bytes(&w->trace, rec, n);
	buf_putc(&w->trace, '\n');
}

static void hook_exit(void *arg, int64_t status)
{
	buf_printf(&((struct ir_test_world *)arg)->trace, "exit %" PRId64 "\n", status);
}

static void hook_drop(void *arg, enum ir_drop kind)
{
	buf_printf(&((struct ir_test_world *)arg)->trace, "drop %d\n", (int)kind);
}

static void hook_fault(void *arg, uint32_t epid, uint32_t action, enum ir_fault kind, uint64_t value)
{
	buf_printf(&((struct ir_test_world *)arg)->trace, "fault epid=%u action=%u kind=%d value=%" PRIu64 "\n",
		   (unsigned)epid, (unsigned)action, (int)kind, value);
}

/* ---- the world ---- */
void world_open(struct ir_test_world *w, const struct ir_prog *p, const struct ir_seed *seed)
{
	memset(w, 0, sizeof *w);
	w->prog = p;
	w->seed = seed ? seed : &no_seed;
	w->max_cells = SIZE_MAX;
	arena_init(&w->mem, NULL, NULL);
	w->obj = arena_calloc(&w->mem, p->objs.n + 1, sizeof *w->obj);
	for (size_t i = 0; i < p->objs.n; i++) {
		const struct ir_obj *o = &p->objs.v[i];

		if (o->kind == IR_O_THREAD || o->kind == IR_O_DYN || o->kind == IR_O_AGG)
			continue;
		w->obj[i] = arena_alloc(&w->mem, o->size);
		if (o->init)
			memcpy(w->obj[i], o->init, o->size);
		if (!strcmp(o->name, "seed") && o->size >= sizeof *w->seed)
			memcpy(w->obj[i], w->seed, sizeof *w->seed);
	}
	w->hooks = (struct ir_world){
		.arg = w, .mem = hook_mem, .read = hook_read, .comm = hook_comm, .stack = hook_stack,
		.kread = hook_kread,
		.kstr = hook_kstr, .uread = hook_uread, .ustr = hook_ustr,
		 .cell = hook_cell, .dyn = hook_dyn, .dyndel = hook_dyndel, .tls = hook_tls,
		.ended = hook_ended, .sweep = hook_sweep,
		.commit = hook_commit, .exit = hook_exit, .drop = hook_drop, .fault = hook_fault,
	};
}

void world_close(struct ir_test_world *w)
{
	buf_free(&w->trace);
	arena_free(&w->mem);
}

void world_run(struct ir_test_world *w, const struct ir_func *f)
{
	ir_run(w->prog, f, &w->hooks);
}

void world_dump(struct ir_test_world *w, bool all)
{
	for (size_t i = 0; i < w->prog->objs.n; i++) {
		const struct ir_obj *o = &w->prog->objs.v[i];

		if (!w->obj[i] || !strncmp(o->name, "seed", 4) || o->kind == IR_O_TEMP ||
		    !(all || o->kind == IR_O_GLOBAL))
			continue;
		buf_printf(&w->trace, "%s = ", o->name);
		put_bytes(&w->trace, w->obj[i], o->size);
		buf_putc(&w->trace, '\n');
	}
	for (size_t i = 0; i < w->cells.n; i++) {
		const struct world_cell *c = &w->cells.v[i];

		if (c->deleted)
			continue;
		buf_puts(&w->trace, obj_of(w, c->obj)->name);
		put_key(&w->trace, obj_of(w, c->obj), c->key);
		buf_puts(&w->trace, " = ");
		put_bytes(&w->trace, c->value, obj_of(w, c->obj)->size);
		buf_putc(&w->trace, '\n');
	}
}
