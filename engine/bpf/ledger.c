/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/bpf/ledger.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/bpf/code/bpf.h"
#include "engine/bpf/govern/cost.h"
#include "engine/bpf/load/load.h"
#include "engine/bpf/load/program.h"
#include "engine/host/create.h"
#include "engine/host/refusal.h"
#include "rt/programs/ledger.h"

_Static_assert(sizeof(struct ledger_words) == CACHE_LINE && sizeof(struct ledger_now) == CACHE_LINE &&
	       sizeof(struct ledger_slot) % CACHE_LINE == 0, "each CPU writes its own cache lines");
_Static_assert((int)LEDGER_CAUSES == DTR_NLOSSES && (int)LEDGER_IDLE == DTR_LOST_IDLE &&
	       (int)LEDGER_LATE == DTR_LOST_LATE && (int)LEDGER_THROTTLED == DTR_LOST_THROTTLED &&
	       (int)LEDGER_NESTED == DTR_LOST_NESTED && (int)LEDGER_OWN == DTR_LOST_OWN &&
	       (int)LEDGER_STOPPED == DTR_LOST_STOPPED && (int)LEDGER_REFUSED == DTR_LOST_REFUSED,
	       "the programs count causes by their numbers");

static struct ledger_words *shared_words(const struct ledger *g)
{
	return (struct ledger_words *)g->mem;
}

static size_t slot_at(const struct ledger *g, size_t probe, int cpu)
{
	return sizeof(struct ledger_words) + g->layout.cpuslots * sizeof(struct ledger_now) +
	       (probe * g->layout.cpuslots + (unsigned)cpu) * sizeof(struct ledger_slot);
}

static int ledger_failed(char *reason, size_t n, int err, const char *what)
{
	refusal_bpf(reason, n, err, what);
	return err;
}

static int make_maps(struct ledger *g, size_t nprobes, char *reason, size_t n)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = slot_at(g, nprobes, 0);
	struct ledger_layout *l = &g->layout;
	void *p;

	if (size > INT32_MAX)
		return ledger_failed(reason, n, -E2BIG, "creating the ledger's maps");
	l->mem_size = (uint32_t)size;
	g->mem_len = (size + page - 1) / page * page;
	l->mem = create_map(BPF_MAP_TYPE_ARRAY, "dtr_ledger", 4, l->mem_size, 1, &opts);
	if (l->mem >= 0)
		l->ids = create_map(BPF_MAP_TYPE_HASH, "dtr_events", 8, sizeof(struct ledger_event),
					(uint32_t)(nprobes * l->cpuslots), NULL);
	if (l->mem < 0 || l->ids < 0)
		return ledger_failed(reason, n, -errno, "creating the ledger's maps");
	p = mmap(NULL, g->mem_len, PROT_READ | PROT_WRITE, MAP_SHARED, l->mem, 0);
	if (p == MAP_FAILED)
		return ledger_failed(reason, n, -errno, "mapping the ledger");
	g->mem = p;
	return 0;
}

static void add_symbols(struct program_symbols *s, const struct ledger_layout *l)
{
	const struct { const char *name; int64_t number; } numbers[] = {
		{ "ledger_size", l->mem_size }, { "data_size", l->data_size }, { "cpu_mask", l->cpuslots - 1 },
		{ "state_active", IR_S_ACTIVE }, { "event_id", l->types.id }, { "event_owner", l->types.owner },
		{ "event_state", l->types.state }, { "event_interrupts", l->types.interrupts },
		{ "timer_expires", l->types.expires }, { "timer_base", l->types.base },
		{ "base_cpu_base", l->types.cpu_base }, { "prog_active", l->types.active },
	};

	program_value(s, "ledger", l->mem, 0);
	program_value(s, "ledger_now", l->mem, sizeof(struct ledger_words));
	program_map(s, "events", l->ids);
	program_value(s, "data", l->data, 0);
	program_value(s, "state", l->data, offsetof(struct bpf_words, state));
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		program_number(s, numbers[i].name, (uint64_t)numbers[i].number);
}

static int load_programs(struct ledger *g, char *reason, size_t n)
{
	static const struct kernel_program progs[] = {
		[LEDGER_SELF] = { .function = "ledger_self", .name = "dtr_self" },
		[LEDGER_ENTRY] = { .function = "ledger_entry", .name = "dtr_expire_in" },
		[LEDGER_EXIT] = { .function = "ledger_exit", .name = "dtr_expire_out" },
	};
	struct program_symbols symbols = { .arena = g->loaded->im->arena };

	add_symbols(&symbols, &g->layout);
	for (int i = 0; i < LEDGER_NPROGS; i++) {
		g->prog[i] = program_load(&progs[i], &symbols);
		if (g->prog[i] < 0)
			return ledger_failed(reason, n, g->prog[i], "loading the ledger's programs");
	}
	return 0;
}

static int attach_program(struct ledger *g, enum ledger_prog which, const char *to, char *reason, size_t n)
{
	int err;

	g->link[which] = bpf_raw_tracepoint_open(to, g->prog[which]);
	if (g->link[which] >= 0)
		return 0;
	err = -errno;
	if (err == -ENOENT)
		snprintf(reason, n, "the kernel has no tracepoint %s", to);
	else
		refusal_bpf(reason, n, err, "attaching the ledger's programs");
	return err;
}

int ledger_open(struct ledger *g, const struct bpf_loaded *l, size_t nprobes, char *reason, size_t n)
{
	int err;

	*g = (struct ledger){ .open = true, .loaded = l };
	g->layout = (struct ledger_layout){ .ids = -1, .mem = -1, .cpuslots = l->im->cpuslots,
					    .data = l->mapfd[l->im->map_of[BPF_MAP_DATA]],
					    .data_size = (uint32_t)l->im->data_size };
	memset(g->prog, 0xff, sizeof g->prog);
	memset(g->link, 0xff, sizeof g->link);
	err = ledger_read_types(&g->layout.types, reason, n);
	if (!err)
		err = make_maps(g, nprobes, reason, n);
	if (!err)
		err = load_programs(g, reason, n);
	/* attach the exit program first: an entry without its exit would be left open */
	if (!err)
		err = attach_program(g, LEDGER_EXIT, "hrtimer_expire_exit", reason, n);
	if (!err)
		err = attach_program(g, LEDGER_ENTRY, "hrtimer_expire_entry", reason, n);
	if (err)
		ledger_close(g);
	return err;
}

void ledger_watch(struct ledger *g, size_t probe, const struct firings_probe *p, const struct perf_change *n)
{
	const struct bpf_image *im = g->loaded->im;
	struct ledger_event e = { .slot = slot_at(g, probe, n->cpu) };
	struct ledger_slot *s = (struct ledger_slot *)(g->mem + e.slot);
	uint8_t *fired = bpf_cell(g->loaded, (uint32_t)p->obj, (unsigned)n->cpu);
	uint64_t id;

	*s = (struct ledger_slot){
		.period = p->cpu[n->cpu].period,
		.fired_at = (uint64_t)(fired - g->loaded->data) + FIRED_SELF * sizeof(uint64_t),
		.drops_at = im->off_drops + (uint64_t)n->cpu * CACHE_LINE + IR_DROP_PRINCIPAL * sizeof(uint64_t),
	};
	bpf_run(g->prog[LEDGER_SELF], -1);
	e.owner = shared_words(g)->task;
	if (!ioctl(n->fd, PERF_EVENT_IOC_ID, &id))
		bpf_map_update_elem(g->layout.ids, &id, &e, BPF_ANY);
}

static int64_t floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

/* When the kernel started the event: between `before` and `after`, computed from its first expiration. */
static uint64_t start_of(const struct ledger_slot *s, const struct firings_cpu *c)
{
	uint64_t start = s->first - s->period;

	if (!s->first || start > c->after)
		return c->after;
	return start < c->before ? c->before : start;
}

/* Adds the intervals from the last expiration to the end, and those lost because the timer was restarted. */
static void add_tail(const struct ledger_slot *s, struct firings_cpu *c, uint64_t start, struct ledger_end end)
{
	enum dtr_loss where = end.dead ? DTR_LOST_OFFLINE : s->throttled ? DTR_LOST_THROTTLED : DTR_LOST_LATE;
	uint64_t tail = end.time - (s->last ? s->last : start);
	int64_t period = (int64_t)s->period, shift, in_all, stopped;

	c->lost[where] += (int64_t)(tail / s->period);
	if (!s->last)
		return;
	shift = (int64_t)(s->first - s->period - start) + s->shift[0];
	in_all = floor_div(shift + s->shift[1] + (int64_t)tail, period) - (int64_t)tail / period;
	stopped = s->shift[1] ? floor_div(shift + period / 2, period) : in_all;
	c->lost[DTR_LOST_STOPPED] += stopped;
	c->lost[DTR_LOST_THROTTLED] += in_all - stopped;
}

void ledger_settle(struct ledger *g, size_t probe, struct firings_cpu *c, const struct perf_change *n,
		   struct ledger_end end)
{
	struct ledger_slot *slot = (struct ledger_slot *)(g->mem + slot_at(g, probe, n->cpu)), s = *slot;
	uint64_t start = start_of(&s, c), id;

	if (!ioctl(n->fd, PERF_EVENT_IOC_ID, &id))
		bpf_map_delete_elem(g->layout.ids, &id);
	memset(slot, 0, sizeof *slot);
	if (end.time < s.last)
		end.time = s.last;
	if (end.time < start)
		end.time = start;
	c->expected += (end.time - start) / s.period;
	add_tail(&s, c, start, end);
	for (int i = 0; i < DTR_NLOSSES; i++)
		c->lost[i] += s.lost[i];
	c->records_lost += s.records_lost;
}

void ledger_cost(const struct ledger *g, struct dtr_cost *out)
{
	cost_add(g->prog[LEDGER_ENTRY], out);
	cost_add(g->prog[LEDGER_EXIT], out);
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void ledger_close(struct ledger *g)
{
	if (!g->open)
		return;
	for (int i = 0; i < LEDGER_NPROGS; i++) {
		close_fd(&g->link[i]);
		close_fd(&g->prog[i]);
	}
	if (g->mem)
		munmap(g->mem, g->mem_len);
	g->mem = NULL;
	close_fd(&g->layout.ids);
	close_fd(&g->layout.mem);
	g->open = false;
}
