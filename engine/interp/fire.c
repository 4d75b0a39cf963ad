/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Runs the probes: samples and ticks in order of time, and process events in between. */
#include "engine/interp/account.h"
#include "engine/interp/engine.h"
#include "engine/run/options.h"
#include "lang/prog.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* If a tick is later than this, the process was suspended, and older ticks are skipped. */
#define LATE_NS 1000000000ull
/* Maximum age of this process's data from /proc. */
#define SELF_NS 100000000ull
/* In a recording, an invalid time (years later) must not cause more work than the size of the recording justifies.
 * These limit the ticks in a session, and the additional ticks per sample. */
enum { SPARE_TICKS = 1000000, TICKS_PER_SAMPLE = 1000 };

/* ---- firing ---- */
bool interp_active(const struct interp_engine *b)
{
	return b->armed && b->world.state == IR_S_ACTIVE;
}

void interp_run_at(struct interp_engine *b, const struct ir_func *f, const struct sample *s, uint64_t time)
{
	b->world.clock = time;
	memory_forget(&b->memory);
	world_run(&b->world, f, s);
	if (b->armed && !b->ended && b->world.state != IR_S_ACTIVE)
		b->ended = time;
}

/* True if records must be delivered before probes can fire. */
static bool interp_full(const struct interp_engine *b)
{
	if (b->stepwise)
		return b->world.records.len;
	for (unsigned i = 0; i < b->world.ncpus; i++)
		if (b->world.waiting[i] > b->world.bufsize / 2)
			return true;
	return false;
}

/* Returns the tick that is due first, at `until` or earlier; NULL if none is due. */
static struct clocked *interp_due(struct interp_engine *b, uint64_t until)
{
	struct clocked *first = NULL;

	for (unsigned i = 0; i < b->nticks; i++)
		if (b->ticks[i].due <= until && (!first || b->ticks[i].due < first->due))
			first = &b->ticks[i];
	return first;
}

void interp_self_refresh(struct interp_engine *b, uint64_t now)
{
	if (b->past || !b->want.memory || (b->own.more_at && now - b->own.more_at < SELF_NS))
		return;
	b->own.pid = (uint32_t)b->self.pid;
	b->own.tid = (uint32_t)b->self.tid;
	if (!task_more(&b->own, false))
		return;
	b->own.more.euid = geteuid();
	b->own.more.egid = getegid();
	b->own.more_at = now;
	b->self.task = &b->own.more;
}

/* True if a stop was requested before all items were processed. */
static bool interp_stop_requested(const struct interp_engine *b)
{
	return b->stop_requested && !b->stopping;
}

/* The last time, not after `until`, at which the tick is due. */
static uint64_t last_due(const struct clocked *t, uint64_t until)
{
	return until <= t->due ? t->due : until - (until - t->due) % t->interval;
}

/* Skips a period without samples that is too long: ticks continue at its end. */
static void interp_skip(struct interp_engine *b, uint64_t until)
{
	uint64_t from = interp_due(b, until)->due;

	for (unsigned i = 0; i < b->nticks; i++)
		b->ticks[i].due = last_due(&b->ticks[i], until);
	b->skipped += interp_due(b, until)->due - from;
}

/* Counts one tick against the limit for recordings. */
static void interp_count_tick(struct interp_engine *b, uint64_t until)
{
	if (!b->past)
		return;
	if (b->spare_ticks)
		b->spare_ticks--;
	else
		interp_skip(b, until);
}

void interp_armed(struct interp_engine *b)
{
	b->spare_ticks = SPARE_TICKS;
	b->armed = true;
}

static void interp_tick(struct interp_engine *b, uint64_t until)
{
	struct clocked *t;

	while (interp_active(b) && !interp_full(b) && !interp_stop_requested(b) && interp_due(b, until)) {
		interp_count_tick(b, until);
		t = interp_due(b, until);
		b->self.time = t->due;
		b->self.ran = interp_own_time();
		b->self.arg[1] = b->past ? 0 : (uintptr_t)interp_tick;
		interp_self_refresh(b, until);
		t->fired->delivered++;
		interp_run_at(b, t->func, &b->self, t->due);
		if ((!b->ops || !b->ops->now) && until - t->due > LATE_NS + t->interval)
			t->due = last_due(t, until - LATE_NS);
		t->due += t->interval;
	}
}

/* A mapping that the source does not report must be read before the process ends. */
static void interp_locate(const struct interp_engine *b, const struct sample *s)
{
	struct symbol_mapping m;

	if (b->symbols && b->ops && b->ops->stops && s->arg[1])
		symbols_ops.mapping(b->symbols, (int64_t)s->pid, s->arg[1], s->time, &m);
}

/* A probe of a rate that was lowered: one firing, which stands for all of the sample. */
static void interp_run_joined(struct interp_engine *b, const struct clocked *c, const struct sample *s)
{
	uint64_t *words = c->words < 0 ? NULL : world_words(&b->world, (uint32_t)c->words, s);

	if (words)
		words[FIRED_RATE] = s->weight - 1;
	interp_run_at(b, c->func, s, s->time);
	if (words)
		words[FIRED_RATE] = 0;
}

/* Fires the probes of a sample. Returns true if records must be delivered first: then call it again for the remaining
 * firings. */
static bool interp_fire(struct interp_engine *b, struct sample *s)
{
	uint64_t n;

	if (s->cpu >= b->world.ncpus || (b->opts->d.cpu >= 0 && s->cpu != (uint64_t)b->opts->d.cpu))
		return false;
	chains_forget(&b->chains);
	interp_locate(b, s);
	for (s->weight += !s->weight; s->weight; s->weight -= n) {
		const bool joined = govern_joins(&b->govern, s->rate);

		if (interp_active(b) && interp_full(b))
			return true;
		n = joined ? s->weight : 1;
		for (unsigned i = 0; i < b->nsamplers; i++) {
			const struct clocked *c = &b->samplers[i];

			if (c->rate != s->rate)
				continue;
			fired_add(&c->fired[s->cpu], s, n, interp_active(b));
			if (interp_active(b) && joined)
				interp_run_joined(b, c, s);
			else if (interp_active(b))
				interp_run_at(b, c->func, s, s->time);
		}
	}
	return false;
}

static void interp_lost(struct interp_engine *b, const struct source_item *it)
{
	uint64_t cpu = it->sample.cpu < b->world.ncpus ? it->sample.cpu : 0;

	if (!b->ended)
		b->world.drops[cpu].n[IR_DROP_PRINCIPAL] += it->lost;
	for (unsigned i = 0; i < b->nsamplers; i++)
		if (b->samplers[i].rate == it->sample.rate)
			*(b->ended ? &b->samplers[i].fired[cpu].lost_after :
			  &b->samplers[i].fired[cpu].lost) += it->lost;
}

/* Applies a fork, exec or exit. Returns true if a process was forked, whose addresses may have other symbols from then
 * on. After an exec, symbols change only with the first mapping. */
static bool interp_task_event(struct interp_engine *b, const struct source_item *it)
{
	int64_t pid = (int64_t)it->sample.pid;
	bool forked = it->kind == SOURCE_FORK && it->sample.pid != it->parent;

	if (forked)
		symbols_forked(b->symbols, pid, it->parent, it->sample.time);
	else if (it->kind == SOURCE_COMM && it->exec)
		symbols_execed(b->symbols, pid, it->sample.time);
	else if (it->kind == SOURCE_EXIT && it->sample.pid == it->sample.tid)
		symbols_ended(b->symbols, pid);
	return forked;
}

static bool interp_mapped(struct interp_engine *b, const struct source_item *it)
{
	const struct sample_mapping *m = &it->mapping;

	return symbols_mapped(b->symbols, (int64_t)it->sample.pid, it->sample.time, &(struct symbol_file){
			      m->start, m->size, m->offset, m->major, m->minor, m->inode, m->path });
}

static void interp_process_event(struct interp_engine *b, const struct source_item *it)
{
	bool changed = it->kind == SOURCE_CHANGE;

	if (it->kind == SOURCE_LOST) {
		interp_lost(b, it);
		return;
	}
	if (it->kind == SOURCE_EXIT)
		world_thread_ended(&b->world, it->sample.tid);
	if (b->memory.image && (it->kind == SOURCE_FORK || (it->kind == SOURCE_COMM && it->exec)))
		image_thread(b->memory.image, it->kind == SOURCE_FORK ? IMAGE_CREATED : IMAGE_EXECUTED,
			     it->sample.pid, it->sample.tid);
	if (b->symbols)
		changed |= it->kind == SOURCE_MAP ? interp_mapped(b, it) : interp_task_event(b, it);
	if (changed)
		world_changed(&b->world, it->sample.pid, it->sample.time);
}

/* Counts the remaining samples. Those taken after exit() were not due. */
static void interp_count_rest(struct interp_engine *b)
{
	int r = 0;

	if (b->held && b->item.kind == SOURCE_SAMPLE && !b->past)
		interp_fire(b, &b->item.sample);
	b->held = false;
	while (b->ops && b->source && !b->past && (r = b->ops->next(b->source, &b->item)) > 0)
		if (b->item.kind == SOURCE_SAMPLE)
			interp_fire(b, &b->item.sample);
		else if (b->item.kind == SOURCE_LOST)
			interp_lost(b, &b->item);
}

bool interp_account(struct backend *handle, unsigned probe, int cpu, struct dtr_account *out)
{
	struct interp_engine *b = interp_engine(handle);

	memset(out, 0, sizeof *out);
	out->cpu = cpu;
	if (!b->ended)
		return false;
	interp_count_rest(b);
	out->probe = b->world.prog->probes.v[probe].probe->name;
	for (unsigned i = 0; i < b->nticks && cpu < 0; i++)
		if (b->ticks[i].probe == probe) {
			account_tick(b->ticks[i].fired->delivered, b->ticks[i].interval, b->begun, b->ended, out);
			return true;
		}
	for (unsigned i = 0; i < b->nsamplers; i++) {
		const struct clocked *c = &b->samplers[i];

		if (c->probe == probe && b->ops)
			return account_sampler(&(struct account_probe){ c->interval, c->fired, b->world.ncpus, b->ops,
				b->source, c->rate,
								       b->opts->d.cpu }, cpu, out);
	}
	return false;
}

/* Processes the source's items while there is room for records. Returns true if there are more. */
bool interp_step(struct interp_engine *b)
{
	struct source_item *it = &b->item;
	int r = 0;

	while (interp_active(b) && b->source && !interp_full(b) && !interp_stop_requested(b) &&
	       (b->held || (r = b->ops->next(b->source, it)) > 0)) {
		interp_tick(b, it->sample.time);
		b->spare_ticks += it->kind == SOURCE_SAMPLE && !b->held ? TICKS_PER_SAMPLE : 0;
		b->held = interp_full(b) || interp_stop_requested(b) ||
			  (it->kind == SOURCE_SAMPLE && interp_fire(b, &it->sample));
		if (b->held)
			return interp_active(b);
		if (it->kind != SOURCE_SAMPLE)
			interp_process_event(b, it);
	}
	if (interp_active(b) && (r > 0 || interp_stop_requested(b)))
		return true;
	if (interp_active(b) && b->source && interp_full(b))
		return true;
	if (r < 0 && r != -ENODATA)
		b->err = r;
	if (interp_active(b))
		interp_tick(b, interp_clock(b));
	if (interp_active(b) && interp_full(b))
		return true;
	if ((r < 0 || b->stopping) && b->world.state == IR_S_ACTIVE) {
		b->ended = interp_clock(b);
		b->world.state = IR_S_DRAINING;
	}
	return false;
}
