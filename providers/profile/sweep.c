/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * sweep-N: the clauses run once on every CPU, one CPU after the other, idle ones included: by the pacer thread, through
 * interrupts that it sends them. No perf event: neither an idle CPU nor a stopped timer makes a hole.
 *
 * A round is due at a time that the round before has told (arg2), whenever it then comes; rounds that are late are not made
 * up for. The first one is run when tracing begins, the last one when it ends.
 */
#ifndef _GNU_SOURCE
#endif
#include <bpf/bpf.h>
#include <errno.h>
#include <time.h>

#include "providers/profile/timer.h"

enum { CTX_WORDS = 12 };

/* So soon is looked again whether what the last round has recorded is printed. */
#define AGAIN_NS 1000000ull

static uint64_t clock_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

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

/* cpu < 0: on this one. 0 or -errno. */
static int sweep_run(const struct timer *t, int cpu, const uint64_t *words)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = words, .ctx_size_in = CTX_WORDS * sizeof *words);

	if (cpu >= 0) {
		opts.flags = BPF_F_TEST_RUN_ON_CPU;
		opts.cpu = (uint32_t)cpu;
	}
	return bpf_prog_test_run_opts(t->env->prog_fd, &opts) ? -errno : 0;
}

/* Every round has a last CPU, though that one may go offline just now: then it is this one. */
static void sweep_round(struct timer *t, uint64_t due, uint64_t next)
{
	for (unsigned i = 0; i < t->env->ncpus; i++) {
		uint64_t words[CTX_WORDS] = { t->env->ncpus - 1 - i, due, next };

		if (sweep_run(t, t->env->cpus[i], words) && !words[0])
			sweep_run(t, -1, words);
	}
	t->swept = clock_now();
	if (t->env->wake)
		t->env->wake(t->env);
}

uint64_t sweep_pace(struct probe *p, uint64_t now)
{
	struct timer *t = timer_of(p);
	uint64_t due = t->next;

	if (!t->start) {
		t->start = due = now;
	} else if (now < due) {
		return due;
	} else if (t->env->printed && t->env->printed(t->env) < t->swept) {
		/* what the script does in turns must be done before its turn comes again */
		return now + AGAIN_NS;
	}
	if (__builtin_add_overflow(now - (now - t->start) % t->interval, t->interval, &t->next))
		t->next = UINT64_MAX;
	sweep_round(t, due, t->next);
	return t->next;
}

void sweep_last(struct probe *p)
{
	struct timer *t = timer_of(p);

	if (t->start)
		sweep_round(t, clock_now(), 0);
}
