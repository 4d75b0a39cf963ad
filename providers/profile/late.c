/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * arg2 of profile-N: how late a firing is.
 *
 * The kernel's timer runs on CLOCK_MONOTONIC from the moment when the event is enabled. (The event's own count uses the
 * scheduler's clock, which the time daemon does not adjust, so after some seconds its value modulo the interval is
 * useless.) This process knows that moment only to within the time that enabling takes. It counts from the end of that
 * time, and the firings provide the rest: if one is earlier, it is on time.
 */
#include "providers/profile/timer.h"

/* The maximum that a kernel can be built for. */
enum { LATE_CPUS = 8192 };

/* The GLOBAL object "NAME.late", which exists only if arg2 is used. */
struct late_words {
	uint64_t interval[LATE_CPUS];	/* 1: not a clock, so no firing is late (x % 1 is 0) */
	uint64_t since[LATE_CPUS];	/* just before the CPU's event was enabled */
	uint64_t ahead[LATE_CPUS];	/* the smallest time from a firing to the next multiple of the interval */
};

#define LATE ".late"

static uint32_t late_object(struct ir_prog *prog, const struct probe *p)
{
	const char *name = arena_printf(prog->arena, "%s" LATE, p->name);
	int64_t obj = ir_obj_find(prog, name);
	struct late_words *init;

	if (obj >= 0)
		return (uint32_t)obj;
	init = arena_alloc(prog->arena, sizeof *init);
	for (unsigned i = 0; i < LATE_CPUS; i++)
		init->interval[i] = timer_of(p)->interval;
	return ir_obj_add(prog, &(struct ir_obj){
		.name = name, .kind = IR_O_GLOBAL, .size = sizeof *init, .init = init,
	});
}

ir_reg late_emit(struct ir_builder *b, const struct probe *p)
{
	uint32_t obj = late_object(b->prog, p);
	ir_reg cpu = ir_emit0(b, IR_CPU), now = ir_emit0(b, IR_CLOCK);
	struct ir_arg ahead = ir_mx(0, obj, offsetof(struct late_words, ahead), cpu, LATE_CPUS);
	ir_reg since = ir_emit(b, IR_LD64, ir_mx(0, obj, offsetof(struct late_words, since), cpu, LATE_CPUS));
	ir_reg interval = ir_emit(b, IR_LD64, ir_mx(0, obj, offsetof(struct late_words, interval), cpu, LATE_CPUS));
	ir_reg past = ir_emit(b, IR_UMOD, ir_r(ir_emit(b, IR_SUB, ir_r(now), ir_r(since))), ir_r(interval));
	ir_reg left = ir_emit(b, IR_SUB, ir_r(interval), ir_r(past));

	ir_emit(b, IR_XMAX, ahead, ir_r(left));
	return ir_emit(b, IR_SUB, ir_r(ir_emit(b, IR_LD64, ahead)), ir_r(left));
}

void late_unknown(const struct probe *p, struct attach_env *env)
{
	struct late_words *words = timer_object(p, env, LATE);

	for (unsigned i = 0; words && i < LATE_CPUS; i++)
		words->interval[i] = 1;
}

void late_update(const struct probe *p)
{
	const struct timer *t = timer_of(p);
	struct late_words *words = timer_object(p, t->env, LATE);
	uint64_t period = t->events.attr.sample_period, took;

	if (!words)
		return;
	if (!source_is_clock(t->env->clock_source)) {
		late_unknown(p, t->env);
		return;
	}
	for (unsigned i = 0; i < t->events.n && i < LATE_CPUS; i++) {
		if (t->events.v[i].fd < 0 || t->events.v[i].since == words->since[i])
			continue;
		took = t->events.v[i].took;
		__atomic_store_n(&words->interval[i], period, __ATOMIC_RELAXED);
		__atomic_store_n(&words->since[i], t->events.v[i].since, __ATOMIC_RELAXED);
		__atomic_store_n(&words->ahead[i], took < period ? period - took : 0, __ATOMIC_RELAXED);
	}
}
