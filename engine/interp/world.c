/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/interp/world.h"

#include <errno.h>
#include <linux/bpf_perf_event.h>
#include <string.h>

#include "base/arch/arch.h"
#include "engine/interp/store.h"
#include "engine/run/options.h"
#include "engine/sample/source.h"
#include "lang/prog.h"

#define TICK 4000000ull				/* ns: CONFIG_HZ=250 */
#define SOME_KERNEL_PC 0xffffffff81000000ull

static const struct ir_obj *world_obj(const struct world *w, uint32_t obj)
{
	return &w->prog->ir->objs.v[obj];
}

static void world_drop(void *arg, enum ir_drop kind)
{
	struct world *w = arg;

	w->drops[w->now->cpu].n[kind]++;
}

static void *world_mem(void *arg, uint32_t obj)
{
	struct world *w = arg;
	const struct ir_obj *o = world_obj(w, obj);

	if (!w->mem[obj]) {
		w->mem[obj] = arena_alloc(w->arena, (o->size + 7) & ~7u);
		if (o->init)
			memcpy(w->mem[obj], o->init, o->size);
	}
	return w->mem[obj];
}

/* ---- values for programs ---- */

/* The registers that a perf event program sees. The PC is arg0 (kernel) or, if that is 0, arg1 (user). */
static void perf_context(const struct sample *e, struct bpf_perf_event_data *d)
{
	uint64_t mode;

	memset(d, 0, sizeof *d);
	memcpy((char *)&d->regs + ARCH_PC, e->arg[0] ? &e->arg[0] : &e->arg[1], sizeof e->arg[0]);
	mode = e->arg[0] ? ARCH_SAMPLE_KERNEL : ARCH_SAMPLE_USER;
	memcpy((char *)&d->regs + ARCH_MODE, &mode, sizeof mode);
}

static uint64_t read_context(const struct world *w, int64_t off)
{
	struct bpf_perf_event_data d;
	uint64_t word = 0;

	if (w->ctx != IR_C_PERF)
		return off >= 0 && off / 8 < SAMPLE_MAXARGS ? w->now->arg[off / 8] : 0;
	perf_context(w->now, &d);
	if (off >= 0 && (size_t)off + sizeof word <= sizeof d)
		memcpy(&word, (const char *)&d + off, sizeof word);
	return word;
}

/* splitmix64: every run over the same samples gives the same numbers. */
static uint32_t next_random(struct world *w)
{
	uint64_t z = w->random += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return (uint32_t)((z ^ z >> 31) >> 32);
}

static const struct frames *world_ustack(const struct world *w, unsigned kind)
{
	return w->ustack ? w->ustack(w->ustack_arg, w->now, kind) : &w->now->ustack;
}

static uint64_t world_read(void *arg, enum ir_op op, int64_t imm)
{
	struct world *w = arg;
	const struct sample *e = w->now;

	switch (op) {
	case IR_CLOCK:
		return w->clock;
	case IR_PIDTGID:
		return e->pid << 32 | (uint32_t)e->tid;
	case IR_UIDGID:
		return e->gid << 32 | (uint32_t)e->uid;
	case IR_CPU:
		return e->cpu;
	case IR_TASK:
		return e->addr || !w->memory.task ? e->addr : w->memory.task(w->memory.arg, e);
	case IR_CTX:
		return read_context(w, imm);
	case IR_PERFCOUNT:
		return e->arg[2];
	case IR_STACKDEPTH:
		return e->depth;
	case IR_USTACKDEPTH:
		return w->ustack && e->start.bits ? world_ustack(w, IR_STACK_USER)->n : e->udepth;
	case IR_UREG:
		return imm >= 0 && imm < e->uregs.n ? e->uregs.pc[imm] : 0;
	case IR_CALLERPC:
		return e->arg[0] ? e->arg[0] : SOME_KERNEL_PC;
	case IR_STATE:
		return w->state;
	case IR_RANDOM:
		return next_random(w);
	case IR_JIFFIES:
		return e->time / w->tick + w->first_tick;
	default:
		return 0;
	}
}

static void world_comm(void *arg, char out[16])
{
	const struct world *w = arg;

	memcpy(out, w->now->comm, 16);
}

static bool world_stack(void *arg, uint64_t *pc, uint32_t n, unsigned kind)
{
	const struct world *w = arg;
	const struct frames *s = kind & IR_STACK_USER ? world_ustack(w, kind) : &w->now->stack;

	if (s->n)
		memcpy(pc, s->pc, (n < s->n ? n : s->n) * sizeof *pc);
	return s->cut || s->n > n;
}

static int world_kread(void *arg, void *dst, uint32_t n, uint64_t addr)
{
	const struct world *w = arg;

	return w->memory.read(w->memory.arg, false, dst, n, addr);
}

static int world_kstr(void *arg, char *dst, uint32_t n, uint64_t addr)
{
	const struct world *w = arg;

	return w->memory.string(w->memory.arg, false, dst, n, addr);
}

static int world_uread(void *arg, void *dst, uint32_t n, uint64_t addr)
{
	const struct world *w = arg;

	return w->memory.read(w->memory.arg, true, dst, n, addr);
}

static int world_ustr(void *arg, char *dst, uint32_t n, uint64_t addr)
{
	const struct world *w = arg;

	return w->memory.string(w->memory.arg, true, dst, n, addr);
}

static int world_uwrite(void *arg, const void *src, uint32_t n, uint64_t addr)
{
	const struct world *w = arg;

	return w->memory.write(w->memory.arg, src, n, addr);
}

static void world_signal(void *arg, uint64_t number)
{
	const struct world *w = arg;

	if (w->memory.signal)
		w->memory.signal(w->memory.arg, (int64_t)w->now->pid, (int)number);
}

/* ---- cells and variables ---- */

static void *world_cell(void *arg, uint32_t obj, const void *key)
{
	struct world *w = arg;
	const struct ir_obj *o = world_obj(w, obj);
	uint64_t cpu = w->now->cpu, *used = &w->used[obj * w->ncpus + cpu];
	void *v = store_find(&w->stores[obj], cpu, key);

	if (v)
		return v;
	if (o->keysize && !o->cells && *used + o->keysize + o->size + AGG_ROW > w->aggsize) {
		world_drop(w, IR_DROP_AGG);
		return NULL;
	}
	*used += o->keysize + o->size + AGG_ROW;
	return store_put(&w->stores[obj], cpu, key);
}

uint64_t *world_words(struct world *w, uint32_t obj, const struct sample *s)
{
	w->now = s;
	return world_cell(w, obj, NULL);
}

/* Bytes of an element's option: aggsize for stacks, dynvarsize for others. */
static uint64_t var_bytes(const struct ir_obj *o)
{
	return o->keysize + o->size + (o->stacks ? 0 : IR_ELEMENT);
}

static void *world_var(struct world *w, uint32_t obj, uint64_t number, const void *key, bool make)
{
	const struct ir_obj *o = world_obj(w, obj);
	uint64_t *used = &w->used[obj * w->ncpus];
	void *v = store_find(&w->stores[obj], number, key);

	if (v || !make)
		return v;
	if (*used && *used + var_bytes(o) > (o->stacks ? w->aggsize : w->dynvarsize)) {
		world_drop(w, o->stacks ? IR_DROP_AGG : IR_DROP_DYNAMIC);
		return NULL;
	}
	*used += var_bytes(o);
	w->created[obj] += o->threads;
	return store_put(&w->stores[obj], number, key);
}

static void *world_dyn(void *arg, uint32_t obj, const void *key, bool make)
{
	return world_var(arg, obj, 0, key, make);
}

static void var_remove(struct world *w, uint32_t obj, uint64_t number, const void *key)
{
	const struct ir_obj *o = world_obj(w, obj);

	if (store_remove(&w->stores[obj], number, key))
		w->used[obj * w->ncpus] -= var_bytes(o);
}

static void world_dyndel(void *arg, uint32_t obj, const void *key)
{
	var_remove(arg, obj, 0, key);
}

/* ---- elements of ended threads ---- */
enum { SWEEP_SHARE = 16, ENDED_MAX = 4096 };	/* after so many threads, all arrays are swept */

/* True if a sixteenth of the array may belong to ended threads. */
static bool is_crowded(const struct world *w, uint32_t obj)
{
	const struct ir_obj *o = world_obj(w, obj);

	return o->threads && w->created[obj] >= w->dynvarsize / var_bytes(o) / SWEEP_SHARE;
}

static enum ir_sweep world_ended(void *arg, uint64_t number)
{
	struct world *w = arg;
	bool crowded = false;

	if (w->sweeping == IR_SWEEP_ALL)
		store_clear(w->ended);
	store_put(w->ended, number, NULL);
	for (uint32_t i = 0; i < w->prog->ir->objs.n; i++)
		crowded |= is_crowded(w, i);
	w->sweeping = w->ended->n >= ENDED_MAX ? IR_SWEEP_ALL : crowded ? IR_SWEEP_FULL : IR_SWEEP_NONE;
	return w->sweeping;
}

static bool has_ended(void *arg, const void *key)
{
	const struct world *w = arg;
	uint64_t number;

	memcpy(&number, key, sizeof number);
	return store_find(w->ended, number, NULL);
}

static void world_sweep(void *arg, uint32_t obj, enum ir_sweep which)
{
	struct world *w = arg;
	const struct ir_obj *o = world_obj(w, obj);

	if (which == IR_SWEEP_FULL && !is_crowded(w, obj))
		return;
	w->created[obj] = 0;
	w->used[obj * w->ncpus] -= store_sweep(&w->stores[obj], has_ended, w) * var_bytes(o);
}

void world_thread_ended(struct world *w, uint64_t tid)
{
	const struct sample thread = { .tid = tid }, *now = w->now;

	if (w->prog->thread_end)
		world_run(w, w->prog->thread_end, &thread);
	w->now = now;
	for (uint32_t obj = 0; obj < w->prog->ir->objs.n; obj++)
		if (world_obj(w, obj)->kind == IR_O_THREAD)
			var_remove(w, obj, tid, NULL);
}

static void *world_tls(void *arg, uint32_t obj, bool make)
{
	struct world *w = arg;

	return world_var(w, obj, w->now->tid, NULL, make);
}

/* ---- snapshots ---- */

/* A key in a table of stacks. */
struct known_stack {
	const uint64_t *words;
	uint32_t n;
	bool owned;		/* the first word is the owner */
};

/* The frames of a stack number, which is unique among all tables of stacks. */
static void world_frames(void *arg, uint64_t number, uint64_t *owner, uint64_t *pc, uint32_t n)
{
	const struct world *w = arg;
	void **place = map_find(&w->frames, &number, sizeof number);
	const struct known_stack *k = place ? *place : NULL;

	if (!k)
		return;
	if (k->owned && owner)
		*owner = k->words[0];
	n = n < k->n - k->owned ? n : k->n - k->owned;
	memcpy(pc, k->words + k->owned, n * sizeof *pc);
}

/* Maps stack numbers to frames, for one snapshot: the numbers of cleared tables are not reused. */
static void find_stacks(struct world *w)
{
	map_init(&w->frames, &w->frames_arena);
	for (uint32_t obj = 0; obj < w->prog->ir->objs.n; obj++) {
		const struct store *s = &w->stores[obj];
		struct store_entry *e = world_obj(w, obj)->stacks ? store_next(s, NULL) : NULL;

		for (; e; e = store_next(s, e)) {
			struct known_stack *k = arena_alloc(&w->frames_arena, sizeof *k);

			*k = (struct known_stack){ store_key(s, e), s->keysize / 8, world_obj(w, obj)->owned };
			*map_put(&w->frames, e->value, sizeof(uint64_t)) = k;
		}
	}
}

static void forget_stacks(struct world *w)
{
	for (uint32_t obj = 0; obj < w->prog->ir->objs.n; obj++) {
		if (!world_obj(w, obj)->stacks || !world_obj(w, obj)->generations)
			continue;
		store_clear(&w->stores[obj]);
		w->used[obj * w->ncpus] = 0;
	}
}

static int entry_add(struct agg_table *t, const struct store *s, const struct store_entry *e)
{
	const int64_t *value = (const int64_t *)((const char *)e->value + t->desc->valoff);
	uint64_t cell;

	if (!t->desc->cells)
		return agg_table_add(t, store_key(s, e), value);
	memcpy(&cell, store_key(s, e), sizeof cell);
	return agg_table_add_cell(t, (uint32_t)cell, (uint32_t)e->number, value);
}

static int table_read(struct world *w, struct agg_table *t)
{
	const struct ir_obj *o = world_obj(w, t->desc->obj);
	struct store *s = &w->stores[t->desc->obj];
	int r = 0;

	t->frames = world_frames;
	t->frames_arg = w;
	if (!o->generations)
		agg_table_reset(t);
	for (struct store_entry *e = store_next(s, NULL); !r && e; e = store_next(s, e))
		r = entry_add(t, s, e);
	if (r < 0 || !o->generations)
		return r;
	store_clear(s);
	memset(&w->used[t->desc->obj * w->ncpus], 0, w->ncpus * sizeof *w->used);
	return 0;
}

int world_snapshot(struct world *w, struct agg_table *const *tables, unsigned n)
{
	bool stacks = false;
	int r = 0;

	for (unsigned i = 0; i < n && !w->frames.arena; i++)
		if (tables[i]->desc->has_stacks)
			find_stacks(w);
	for (unsigned i = 0; !r && i < n; i++) {
		r = table_read(w, tables[i]);
		stacks |= tables[i]->desc->generations && tables[i]->desc->has_stacks;
	}
	if (stacks && !r)
		forget_stacks(w);
	arena_free(&w->frames_arena);
	w->frames = (struct map){ 0 };
	return r;
}

/* ---- records and exit ---- */

static void world_put(struct world *w, const void *rec, uint32_t size)
{
	struct waiting h = { (int32_t)w->now->cpu, size };

	if (w->waiting[w->now->cpu] + size > w->bufsize) {
		world_drop(w, IR_DROP_PRINCIPAL);
		return;
	}
	w->waiting[w->now->cpu] += size;
	buf_put(&w->records, &h, sizeof h);
	buf_put(&w->records, rec, size);
	buf_pad(&w->records, 0, -size & 7);
}

static void world_commit(void *arg, uint32_t obj, const void *rec, uint32_t n)
{
	(void)obj;
	world_put(arg, rec, n);
}

void world_allow_exit(struct world *w, enum ir_state s)
{
	if (s == IR_S_END)
		w->exited = false;
}

static void world_exit(void *arg, int64_t status)
{
	struct world *w = arg;

	if (w->exited)
		return;
	w->exited = true;
	w->status = status;
	if (w->state < IR_S_DRAINING)
		w->state = IR_S_DRAINING;
}

static void world_fault(void *arg, uint32_t epid, uint32_t action, enum ir_fault kind, uint64_t value)
{
	struct world *w = arg;
	struct error_rec r = {
		.hdr = { .ts = w->clock }, .epid = epid, .action = action, .kind = kind, .value = value,
	};

	world_put(w, &r, sizeof r);
}

int world_records(struct world *w, record_fn fn, void *arg)
{
	size_t off = 0;
	int n = 0;

	if (w->records.failed)
		return -ENOMEM;
	while (off < w->records.len) {
		struct waiting h;

		memcpy(&h, w->records.data + off, sizeof h);
		off += sizeof h;
		fn(arg, h.cpu, w->records.data + off, h.size);
		off += (h.size + 7) & ~7u;
		n++;
	}
	buf_reset(&w->records);
	memset(w->waiting, 0, w->ncpus * sizeof *w->waiting);
	return n;
}

void world_run(struct world *w, const struct ir_func *f, const struct sample *s)
{
	w->now = s;
	w->ctx = f->ctx;
	ir_run(w->prog->ir, f, &w->hooks);
}

void world_cpus(struct world *w, unsigned ncpus)
{
	w->ncpus = ncpus;
	w->used = arena_calloc(w->arena, w->prog->ir->objs.n + 1, ncpus * sizeof *w->used);
	w->waiting = arena_calloc(w->arena, ncpus, sizeof *w->waiting);
	w->drops = arena_calloc(w->arena, ncpus, sizeof *w->drops);
}

void world_init(struct world *w, struct arena *a, const struct d_prog *p, const struct options *o, unsigned ncpus)
{
	*w = (struct world){
		.tick = TICK, .arena = a, .prog = p, .bufsize = o->bufsize, .aggsize = o->d.aggsize,
		.dynvarsize = o->dynvarsize,
		.hooks = {
			.mem = world_mem, .read = world_read, .comm = world_comm, .stack = world_stack,
			.kread = world_kread,
			.kstr = world_kstr, .uread = world_uread, .ustr = world_ustr, .uwrite = world_uwrite,
			.signal = world_signal,
			.cell = world_cell, .dyn = world_dyn, .dyndel = world_dyndel,
			.tls = world_tls, .ended = world_ended, .sweep = world_sweep,
			.commit = world_commit, .exit = world_exit, .drop = world_drop,
			.fault = world_fault,
		},
	};
	w->hooks.arg = w;
	w->mem = arena_calloc(a, p->ir->objs.n + 1, sizeof *w->mem);
	w->stores = arena_calloc(a, p->ir->objs.n + 1, sizeof *w->stores);
	for (uint32_t i = 0; i < p->ir->objs.n; i++)
		store_init(&w->stores[i], a, p->ir->objs.v[i].keysize, p->ir->objs.v[i].size);
	world_cpus(w, ncpus);
	w->created = arena_calloc(a, p->ir->objs.n + 1, sizeof *w->created);
	w->ended = arena_alloc(a, sizeof *w->ended);
	store_init(w->ended, a, 0, 0);
	arena_init(&w->frames_arena, a->oom, a->oom_arg);
}

void world_changed(struct world *w, uint64_t pid, uint64_t time)
{
	uint64_t *owners = w->prog->owners < 0 ? NULL : world_mem(w, (uint32_t)w->prog->owners);
	uint64_t now = val_owner((int64_t)pid, time > w->begun ? time - w->begun : 0);

	if (owners && now > owners[pid % PROG_OWNERS])
		owners[pid % PROG_OWNERS] = now;
}

void world_wall(struct world *w, uint64_t offset)
{
	int64_t wall = ir_obj_find(w->prog->ir, "wall_offset");

	if (w->prog->uses_wall && wall >= 0)
		memcpy(world_mem(w, (uint32_t)wall), &offset, sizeof offset);
}

void world_free(struct world *w)
{
	buf_free(&w->records);
	arena_free(&w->frames_arena);
}
