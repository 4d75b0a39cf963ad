/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * sweep-N: the clauses run once on every CPU, idle ones included, one CPU after the other. The pacer thread runs them
 * by inter-processor interrupts instead of perf events, so no CPU is left out because it is idle or its timer has
 * stopped.
 *
 * The time of each round is announced in advance (by a firing on one CPU with arg1 == 0), so that all CPUs use the same
 * time although they run one after the other and somewhat later. It is announced only after all records of the previous
 * round were printed, so that actions from one round take effect before the next.
 */
#ifndef _GNU_SOURCE
#endif
#include <bpf/bpf.h>
#include <errno.h>
#include <time.h>

#include "base/clock.h"
#include "providers/profile/timer.h"

enum { CTX_WORDS = 12 };

/* The interval at which sweep checks whether the records of the last round were printed, and the minimum time
 * between the announcement of a round and its start. */
#define AGAIN_NS 1000000ull

ir_reg sweep_arg(struct ir_builder *b, unsigned n)
{
	return n < SWEEP_ARGS ? ir_emit(b, IR_CTX, ir_i(8 * n)) : 0;
}

int sweep_attach(struct probe *p, struct attach_env *env)
{
	struct timer *t = timer_of(p);

	(void)env;
	t->start = t->next = t->swept = 0;
	return 0;
}

/* cpu < 0: the current CPU. Returns 0 or -errno. */
static int sweep_run(const struct timer *t, int cpu, const uint64_t *words)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = words, .ctx_size_in = CTX_WORDS * sizeof *words);

	if (cpu >= 0) {
		opts.flags = BPF_F_TEST_RUN_ON_CPU;
		opts.cpu = (uint32_t)cpu;
	}
	return bpf_prog_test_run_opts(t->env->prog_fd, &opts) ? -errno : 0;
}

static void sweep_announce(struct timer *t, uint64_t due)
{
	const uint64_t words[CTX_WORDS] = { 0, 0, due };

	t->next = due;
	sweep_run(t, -1, words);
}

/* Every round ends with a last CPU. If that one goes offline now, the current CPU replaces it. */
static void sweep_round(struct timer *t)
{
	for (unsigned i = 0; i < t->env->ncpus; i++) {
		uint64_t words[CTX_WORDS] = { t->env->ncpus - 1 - i, t->next, 0 };

		if (sweep_run(t, t->env->cpus[i], words) && !words[0])
			sweep_run(t, -1, words);
	}
	t->swept = clock_now();
	t->next = 0;
	if (t->env->wake)
		t->env->wake(t->env);
}

/* True if records of the last round have not been printed yet. */
static bool sweep_pending(const struct timer *t)
{
	return t->swept && t->env->printed && t->env->printed(t->env) < t->swept;
}

uint64_t sweep_pace(struct probe *p, uint64_t now)
{
	struct timer *t = timer_of(p);
	uint64_t due;

	if (!t->start)
		t->start = now;
	if (t->next && now < t->next)
		return t->next;
	if (t->next) {
		sweep_round(t);
		return now + AGAIN_NS;
	}
	if (sweep_pending(t)) {
		if (t->env->wake)
			t->env->wake(t->env);
		return now + AGAIN_NS;
	}
	if (now != t->start)
		now += AGAIN_NS;
	if (__builtin_add_overflow(now - (now - t->start) % t->interval, t->interval, &due))
		due = UINT64_MAX;
	sweep_announce(t, due);
	return due;
}

void sweep_last(struct probe *p)
{
	struct timer *t = timer_of(p);
	uint64_t due = clock_now() + AGAIN_NS;
	struct timespec ts;

	if (!t->start || (!t->next && sweep_pending(t)))
		return;
	if (!t->next || t->next > due)
		sweep_announce(t, due);
	ts = clock_until(t->next);
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		;
	sweep_round(t);
}
