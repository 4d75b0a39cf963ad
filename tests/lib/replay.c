/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "tests/lib/replay.h"

#include <errno.h>
#include <string.h>

#include "engine/interp/world.h"
#include "lang/prog.h"
#include "tests/lib/events.h"

/* The clock stands at one second when BEGIN runs and moves by a millisecond with each firing. */
#define FIRST_NS 1000000000ull
#define STEP_NS 1000000ull
/* walltimestamp: 2026-01-01 00:00:00 UTC when the clock is 0. */
#define WALL_OFFSET 1767225600000000000ull

struct replay_engine {
	struct world world;
	struct events events;
	struct replay *replay;
	size_t next;		/* event */
	uint64_t latest;	/* the clock, which events may turn back */
};

static struct replay_engine *replay_engine(struct backend *handle)
{
	return (struct replay_engine *)handle;
}

static uint8_t *memory_byte(const struct events *e, bool user, uint64_t addr)
{
	for (size_t i = 0; i < e->kmem.n; i++) {
		const struct kmem *k = &e->kmem.v[i];

		if (k->user == user && addr - k->addr < k->n)
			return k->bytes + (addr - k->addr);
	}
	return NULL;
}

static int memory_read(void *arg, bool user, void *dst, uint32_t n, uint64_t addr)
{
	for (uint32_t i = 0; i < n; i++) {
		const uint8_t *b = memory_byte(arg, user, addr + i);

		if (!b)
			return -EFAULT;
		((uint8_t *)dst)[i] = *b;
	}
	return 0;
}

static int memory_string(void *arg, bool user, char *dst, uint32_t n, uint64_t addr)
{
	for (uint32_t i = 0; i + 1 < n; i++) {
		const uint8_t *b = memory_byte(arg, user, addr + i);

		if (!b)
			return -EFAULT;
		dst[i] = (char)*b;
		if (!*b)
			break;
	}
	return 0;
}

static int memory_write(void *arg, const void *src, uint32_t n, uint64_t addr)
{
	for (uint32_t i = 0; i < n; i++)
		if (!memory_byte(arg, true, addr + i))
			return -EFAULT;
	for (uint32_t i = 0; i < n; i++)
		*memory_byte(arg, true, addr + i) = ((const uint8_t *)src)[i];
	return 0;
}

/* Does an event name this probe? By its name, or in full. */
static bool replay_names(const struct event *e, const struct enabled_probe *p)
{
	const struct probe *q = p->probe;
	size_t n = strlen(q->provname);

	if (probe_state(q) != IR_S_ACTIVE)
		return false;
	if (!strcmp(e->probe, q->name))
		return true;
	return !strncmp(e->probe, q->provname, n) && !strncmp(e->probe + n, ":::", 3) &&
		!strcmp(e->probe + n + 3, q->name);
}

static int replay_open(struct backend **out, const struct backend_args *args, struct diags *d)
{
	struct replay_engine *b = arena_alloc(args->arena, sizeof *b);
	struct world *w = &b->world;

	*out = (struct backend *)b;
	world_init(w, args->arena, args->prog, args->opts, EVENT_MAXCPU);
	world_wall(w, WALL_OFFSET);
	w->memory = (struct world_memory){ &b->events, memory_read, memory_string, memory_write, NULL, NULL };
	w->clock = b->latest = FIRST_NS;
	b->replay = args->input;
	if (events_parse(&b->events, w->arena, &b->replay->src, d) < 0)
		return -1;
	for (size_t i = 0; i < b->events.list.n; i++) {
		const struct event *e = &b->events.list.v[i];
		bool found = !e->probe;

		for (size_t j = 0; !found && j < w->prog->probes.n; j++)
			found = replay_names(e, &w->prog->probes.v[j]);
		if (!found)
			return diag(d, e->loc, D_PDESC_ZERO, "the script does not enable %s", e->probe);
	}
	return 0;
}

static int replay_run(struct backend *handle, const struct ir_func *f)
{
	struct replay_engine *b = replay_engine(handle);

	if (b->world.clock < b->latest)
		b->world.clock = b->latest;
	world_run(&b->world, f, &b->events.self);
	b->world.clock += STEP_NS;
	b->latest = b->world.clock;
	return 0;
}

static void replay_nothing(struct backend *handle)
{
	(void)handle;
}

static void replay_set_state(struct backend *handle, enum ir_state s)
{
	struct replay_engine *b = replay_engine(handle);

	b->world.state = s;
	world_allow_exit(&b->world, s);
}

static int replay_start(struct backend *handle, struct diags *d)
{
	(void)d;
	replay_set_state(handle, IR_S_ACTIVE);
	return 0;
}

static enum ir_state replay_state(struct backend *handle)
{
	struct replay_engine *b = replay_engine(handle);

	return b->world.state;
}

static int64_t replay_exit_status(struct backend *handle)
{
	struct replay_engine *b = replay_engine(handle);

	return b->world.status;
}

static void replay_fire(struct replay_engine *b, const struct event *e)
{
	struct world *w = &b->world;

	if (e->has_ts)
		w->clock = e->s.time;
	for (size_t i = 0; i < w->prog->probes.n; i++)
		if (replay_names(e, &w->prog->probes.v[i]))
			world_run(w, w->prog->probes.v[i].func, &e->s);
	w->clock += STEP_NS;
	if (w->clock > b->latest)
		b->latest = w->clock;
}

/* One event, or all from `hold` to `pass`. */
static void replay_step(struct replay_engine *b)
{
	bool hold = false;

	while (b->next < b->events.list.n) {
		const struct event *e = &b->events.list.v[b->next++];

		if (e->probe)
			replay_fire(b, e);
		else
			hold = e->hold;
		if (!hold)
			return;
	}
	b->replay->done = true;
}

static int replay_poll(struct backend *handle, uint64_t timeout_ns, record_fn fn, void *arg)
{
	struct replay_engine *b = replay_engine(handle);

	if (timeout_ns && b->world.state == IR_S_ACTIVE)
		replay_step(b);
	return world_records(&b->world, fn, arg);
}

static void *replay_object(struct backend *handle, uint32_t obj)
{
	struct replay_engine *b = replay_engine(handle);

	return b->world.hooks.mem(&b->world, obj);
}

static int replay_snapshot(struct backend *handle, struct agg_table *const *tables, unsigned n)
{
	struct replay_engine *b = replay_engine(handle);

	return world_snapshot(&b->world, tables, n);
}

static bool replay_drops(struct backend *handle, int cpu, struct drop_counts *out)
{
	struct replay_engine *b = replay_engine(handle);

	if (cpu >= EVENT_MAXCPU)
		return false;
	*out = b->world.drops[cpu];
	memset(&b->world.drops[cpu], 0, sizeof *out);
	return true;
}

static void symbol_find(const struct replay_engine *b, int64_t pid, uint64_t addr, struct symbol *out)
{
	const struct events *e = &b->events;
	const struct event_symbol *found = NULL;

	*out = (struct symbol){ .base = UINT64_MAX };
	for (size_t i = 0; i < e->symbols.n && !found; i++)
		if (e->symbols.v[i].pid == pid && addr - e->symbols.v[i].start < e->symbols.v[i].size)
			found = &e->symbols.v[i];
	if (!found)
		return;
	out->object = found->object;
	out->name = *found->name ? found->name : NULL;
	out->start = found->start;
	for (size_t i = 0; i < e->symbols.n; i++) {
		const struct event_symbol *s = &e->symbols.v[i];

		if (s->pid == pid && !strcmp(s->object, found->object) && s->start < out->base)
			out->base = s->start;
	}
}

static void symbol_kernel(void *arg, uint64_t addr, struct symbol *out)
{
	symbol_find(arg, -1, addr, out);
}

static void symbol_user(void *arg, int64_t pid, uint64_t addr, uint64_t at, struct symbol *out)
{
	(void)at;
	symbol_find(arg, pid, addr, out);
}

/* The symbols in the events, as those of the machine would differ between runs. */
static const struct symbol_ops *replay_symbols(struct backend *handle, void **arg)
{
	struct replay_engine *b = replay_engine(handle);
	static const struct symbol_ops ops = { .kernel = symbol_kernel, .user = symbol_user };

	*arg = b;
	return &ops;
}

/* So late that no record is withheld for being recent. */
static uint64_t replay_now(struct backend *handle)
{
	struct replay_engine *b = replay_engine(handle);

	return b->latest + STEP_NS;
}

static void replay_close(struct backend *handle)
{
	struct replay_engine *b = replay_engine(handle);

	if (b)
		world_free(&b->world);
}

const struct backend_ops backend_replay = {
	.name = "replay",
	.open = replay_open,
	.run = replay_run,
	.start = replay_start,
	.disarm = replay_nothing,
	.set_state = replay_set_state,
	.state = replay_state,
	.exit_status = replay_exit_status,
	.poll = replay_poll,
	.object = replay_object,
	.snapshot = replay_snapshot,
	.drops = replay_drops,
	.refresh = replay_nothing,
	.wake = replay_nothing,
	.close = replay_close,
	.clock = &(const struct backend_clock){ .now = replay_now },
	.symbols = &(const struct backend_symbols){ .symbols = replay_symbols },
};
