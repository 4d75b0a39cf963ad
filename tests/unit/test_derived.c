/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* engine/sample/derived.c, tasks.c: threads, what /proc tells of them, firings that are told from the time that they
 * have run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/clock.h"
#include "engine/sample/derived.h"

#define SEC 1000000000ull

enum {
	NOBODY = 1 << 30,	/* IDs from here on are those of no thread */
	MS = 1000000,
};

static struct perf_family *const inherited = (struct perf_family *)8;	/* only its being there counts */

struct derived_fixture {
	struct arena arena;
	struct tasks tasks;
	struct derived derived;
	uint64_t interval[2];
	unsigned dropped, missing;
};

static void count_drop(void *arg, struct task *t)
{
	struct derived_fixture *f = arg;

	(void)t;
	f->dropped++;
}

/* At every thread's cost until there are none left. */
static uint64_t take_missing(void *arg, struct task *t, unsigned rate, uint64_t n)
{
	struct derived_fixture *f = arg;

	(void)t, (void)rate;
	n = n < f->missing ? n : f->missing;
	f->missing -= (unsigned)n;
	return n;
}

static struct derived_fixture *fixture_open(unsigned nrates)
{
	struct derived_fixture *f = calloc(1, sizeof *f);

	arena_init(&f->arena, NULL, NULL);
	f->interval[0] = 10 * MS;
	f->interval[1] = 3 * MS;
	tasks_init(&f->tasks, nrates);
	f->tasks.drop = count_drop;
	f->tasks.arg = f;
	derived_init(&f->derived, &f->arena, &f->tasks, f->interval, nrates);
	f->derived.on = true;
	f->derived.mode = SAMPLE_KERNEL;
	f->derived.arg = f;
	derived_begin(&f->derived, clock_now(), 1);
	return f;
}

static void fixture_close(struct derived_fixture *f)
{
	tasks_close(&f->tasks);
	assert_null(f->tasks.first);
	arena_free(&f->arena);
	free(f);
}

/* A thread with this run time, which only this test knows. */
static struct task *ran(struct derived_fixture *f, uint32_t tid, uint64_t us)
{
	struct task *t = tasks_add(&f->tasks, NOBODY, NOBODY + tid);

	t->family = inherited;
	t->ran = us * 1000;
	return t;
}

/* All that is derived now, of a rate. */
static uint64_t collect(struct derived_fixture *f, unsigned rate, unsigned *items)
{
	struct source_item it;
	uint64_t sum = 0;

	derived_read(&f->derived, true);
	while (derived_next(&f->derived, &it)) {
		assert_int_equal(it.kind, SOURCE_SAMPLE);
		assert_true(it.sample.weight > 0);
		sum += it.sample.rate == rate ? it.sample.weight : 0;
		*items += it.sample.rate == rate;
	}
	return sum;
}

/* ---- derived ---- */
static void test_hidden(void **state)
{
	struct derived_fixture *f = fixture_open(1);
	struct task *t = ran(f, 1, 104000);
	struct source_item it;
	unsigned items = 0;

	(void)state;
	t->cpu = 3;
	t->share[0].seen = 7;
	memcpy(t->comm, "worker", 7);
	derived_read(&f->derived, true);
	assert_true(derived_next(&f->derived, &it));
	assert_int_equal(it.sample.weight, 3);
	assert_int_equal(it.sample.cpu, 3);
	assert_int_equal(it.sample.tid, NOBODY + 1);
	assert_int_equal(it.sample.mode, SAMPLE_KERNEL);
	assert_true(it.sample.arg[0] == SAMPLE_HIDDEN_PC && !it.sample.arg[1]);
	assert_true(it.sample.stack.n == 1 && it.sample.stack.pc[0] == SAMPLE_HIDDEN_PC && it.sample.depth == 1);
	assert_int_equal(it.sample.time, f->derived.time);
	assert_string_equal(it.sample.comm, "worker");
	assert_false(derived_next(&f->derived, &it));
	/* nothing twice; parts add up */
	assert_int_equal(collect(f, 0, &items), 0);
	t->ran = 109999 * 1000;
	assert_int_equal(collect(f, 0, &items), 0);
	t->ran = 110000 * 1000;
	assert_int_equal(collect(f, 0, &items), 1);
	/* more samples than time: they are made up for later */
	t->share[0].seen += 3;
	t->ran = 130000 * 1000;
	assert_int_equal(collect(f, 0, &items), 0);
	t->ran = 150000 * 1000;
	assert_int_equal(collect(f, 0, &items), 1);
	fixture_close(f);
}

/* Threads that end leave parts of intervals: these are whole firings together. */
static void test_ended(void **state)
{
	struct derived_fixture *f = fixture_open(2);
	unsigned items = 0, others = 0;
	uint64_t first, second;

	(void)state;
	for (uint32_t i = 0; i < 1000; i++)
		ran(f, i, 5000)->ended = true;
	ran(f, 1000, 25000);
	derived_read(&f->derived, true);
	assert_int_equal(f->tasks.n, 1001);
	first = collect(f, 0, &items);
	assert_int_equal(first, 500 + 2);
	assert_int_equal(items, 501);
	assert_int_equal(f->tasks.n, 1);
	assert_int_equal(f->dropped, 1000);
	/* the other rate had its firings in the same pass */
	second = f->tasks.first->share[1].hidden;
	assert_int_equal(second, 8);
	assert_int_equal(collect(f, 1, &others), 0);
	fixture_close(f);
	assert_int_equal(others, 0);
}

static void test_rates(void **state)
{
	struct derived_fixture *f = fixture_open(2);
	unsigned items = 0;

	(void)state;
	for (uint32_t i = 0; i < 200; i++)
		ran(f, i, 7000)->ended = i % 2;
	/* 100 that ended: 233 and a third firings of 3 ms; 100 that go on: 2 each */
	assert_int_equal(collect(f, 1, &items), 233 + 200);
	fixture_close(f);
}

/* A thread that was on four CPUs has four timers, each late by half an interval. */
static void test_moved(void **state)
{
	struct derived_fixture *f = fixture_open(1);
	struct task *t = ran(f, 1, 104000);
	unsigned items = 0;

	(void)state;
	t->cpus = 0xf;
	assert_int_equal(collect(f, 0, &items), 8);
	t = ran(f, 2, 9000);
	t->cpus = 0xf;
	assert_int_equal(collect(f, 0, &items), 0);
	fixture_close(f);
}

/* Firings that are known to be lost are neither delivered nor derived later. */
static void test_missed(void **state)
{
	struct derived_fixture *f = fixture_open(1);
	struct task *t = ran(f, 1, 104000);
	unsigned items = 0;

	(void)state;
	f->derived.missed = take_missing;
	f->missing = 4;
	assert_int_equal(collect(f, 0, &items), 6);
	assert_int_equal(f->missing, 0);
	assert_int_equal(collect(f, 0, &items), 0);
	f->missing = 100;
	t->ran = 124000 * 1000;
	assert_int_equal(collect(f, 0, &items), 0);
	assert_int_equal(f->missing, 98);
	assert_int_equal(items, 1);
	fixture_close(f);
}

/* If kernel code is sampled, nothing is derived; threads that have ended are removed anyway. */
static void test_off(void **state)
{
	struct derived_fixture *f = fixture_open(1);
	unsigned items = 0;

	(void)state;
	f->derived.on = false;
	ran(f, 1, 104000);
	ran(f, 2, 104000)->ended = true;
	assert_int_equal(collect(f, 0, &items), 0);
	assert_int_equal(f->tasks.n, 1);
	fixture_close(f);
}

/* Without perf events: no program counter, and it is not known where the thread was. */
static void test_unknown(void **state)
{
	struct derived_fixture *f = fixture_open(1);
	struct source_item it;

	(void)state;
	f->derived.mode = SAMPLE_MODE_UNKNOWN;
	ran(f, 1, 104000);
	derived_read(&f->derived, true);
	assert_true(derived_next(&f->derived, &it));
	assert_true(it.sample.weight == 10 && it.sample.mode == SAMPLE_MODE_UNKNOWN);
	assert_true(!it.sample.arg[0] && !it.sample.arg[1] && !it.sample.stack.n && !it.sample.task);
	fixture_close(f);
}

/* A counter provides the run time, minus that from before; one that cannot be read changes nothing. */
static void test_counter(void **state)
{
	struct derived_fixture *f = fixture_open(1);
	struct task *t = tasks_add(&f->tasks, NOBODY, NOBODY);
	uint64_t ns = 60 * MS;
	unsigned items = 0;
	int fd = eventfd(0, EFD_NONBLOCK);

	(void)state;
	t->counter = fd;
	t->base = 20 * MS;
	assert_int_equal(write(fd, &ns, sizeof ns), sizeof ns);
	assert_int_equal(collect(f, 0, &items), 4);
	assert_int_equal(collect(f, 0, &items), 0);
	assert_true(t->ran == 40 * MS && !t->ended);
	ns = 10 * MS;		/* below the base */
	assert_int_equal(write(fd, &ns, sizeof ns), sizeof ns);
	assert_int_equal(collect(f, 0, &items), 0);
	assert_int_equal(t->ran, 0);
	fixture_close(f);
	close(fd);
}

/* Between the look at the times and the handing out, samples come, and tell that a thread is another one now. */
static void test_forgotten(void **state)
{
	struct derived_fixture *f = fixture_open(1);
	struct source_item it;

	(void)state;
	ran(f, 1, 104000);
	ran(f, 2, 20000);
	derived_read(&f->derived, true);
	tasks_remove(&f->tasks, f->tasks.first);
	assert_true(derived_next(&f->derived, &it));
	assert_int_equal(it.sample.tid, NOBODY + 2);
	assert_false(derived_next(&f->derived, &it));
	derived_read(&f->derived, true);
	tasks_remove(&f->tasks, f->tasks.first);
	assert_false(derived_next(&f->derived, &it));
	fixture_close(f);
}

/* It is read at the requested rate, and at the end. */
static void test_often(void **state)
{
	struct derived_fixture *f = fixture_open(1);
	struct source_item it;

	(void)state;
	derived_begin(&f->derived, clock_now(), 3600 * SEC);
	ran(f, 1, 104000);
	derived_read(&f->derived, false);
	assert_false(derived_next(&f->derived, &it));
	derived_read(&f->derived, true);
	assert_true(derived_next(&f->derived, &it));
	fixture_close(f);
}

static uint64_t own_time(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * SEC + (uint64_t)ts.tv_nsec;
}

/* This thread, by /proc: what it has run before is not derived, what it runs then is. */
static void test_self(void **state)
{
	struct derived_fixture *f = fixture_open(1);
	struct task *t = tasks_add(&f->tasks, (uint32_t)getpid(), (uint32_t)getpid());
	uint64_t before, after, least, most, n;
	unsigned items = 0;

	(void)state;
	while (own_time() < 50 * MS)
		;
	before = own_time();
	derived_begin(&f->derived, clock_now(), 1);
	least = own_time();
	while (own_time() - least < 80 * MS)
		;
	after = own_time() - least;
	n = collect(f, 0, &items);
	most = own_time() - before;
	if (t->base % 1000000 || t->ran % 1000000) {	/* else /proc counts ticks of the clock only */
		assert_true(n >= after / (10 * MS) - 1);
		assert_true(n <= most / (10 * MS) + 1);
	}
	/* one that is as old as the session but found now has it all to come; an older one has not */
	f->derived.begun = 0;
	t->base = 0;
	derived_found(&f->derived, t);
	assert_int_equal(t->base, 0);
	f->derived.begun = UINT64_MAX;
	derived_found(&f->derived, t);
	assert_true(t->base >= t->ran);
	fixture_close(f);
}

/* The run time in a sample, including that from before the session. */
static uint64_t sample_ran(const struct task *t)
{
	struct sample s = { 0 };

	task_sample(t, &s);
	return s.ran;
}

/* A thread's clock is what a counter says, but goes no faster than time does: a tick that comes late tells of what was
 * run before it. */
static void test_clock(void **state)
{
	struct derived_fixture *f = fixture_open(1);
	struct task *t = tasks_add(&f->tasks, NOBODY, NOBODY);
	int fd = eventfd(0, EFD_NONBLOCK);
	uint64_t ns = 60 * MS, then, clock;
	unsigned items = 0;

	(void)state;
	t->counter = fd;
	t->base = 20 * MS;
	assert_int_equal(write(fd, &ns, sizeof ns), sizeof ns);
	collect(f, 0, &items);
	assert_int_equal(sample_ran(t), 60 * MS);	/* there is nothing to compare it with */
	then = t->read;
	ns = 3600 * SEC;
	assert_int_equal(write(fd, &ns, sizeof ns), sizeof ns);
	collect(f, 0, &items);
	assert_true(t->read > then);
	assert_int_equal(sample_ran(t), 60 * MS + (t->read - then));
	/* a counter that cannot be read: neither clock nor its time go on */
	then = t->read;
	clock = sample_ran(t);
	collect(f, 0, &items);
	assert_true(t->read == then && sample_ran(t) == clock);
	usleep(20000);
	ns = clock + 5 * MS;
	assert_int_equal(write(fd, &ns, sizeof ns), sizeof ns);
	collect(f, 0, &items);
	assert_int_equal(sample_ran(t), clock + 5 * MS);	/* it was off its CPU for the rest */
	fixture_close(f);
	close(fd);
}

/* This thread's clock in /proc, which may be as old as the last tick. */
static void test_clock_proc(void **state)
{
	const uint64_t tick = SEC / (uint64_t)sysconf(_SC_CLK_TCK);
	struct derived_fixture *f = fixture_open(1);
	struct task *t = tasks_add(&f->tasks, (uint32_t)getpid(), (uint32_t)getpid());
	uint64_t last = 0, then = 0;
	unsigned items = 0;

	(void)state;
	for (int i = 0; i < 10; i++) {
		uint64_t until = own_time() + 7 * MS, least, most;

		while (own_time() < until)
			;
		least = own_time();
		collect(f, 0, &items);
		most = own_time();
		assert_true(sample_ran(t) <= most + (t->ran % MS || t->base % MS ? 0 : tick));
		assert_true(sample_ran(t) + 2 * tick >= least);
		assert_true(sample_ran(t) >= last);
		if (i)
			assert_true(sample_ran(t) - last <= t->read - then);
		last = sample_ran(t);
		then = t->read;
	}
	fixture_close(f);
}

/* ---- tasks ---- */
static void test_table(void **state)
{
	struct derived_fixture *f = fixture_open(1);
	unsigned n = 0;

	(void)state;
	/* all in one slot of the table */
	for (uint32_t i = 0; i < 100; i++)
		assert_int_equal(tasks_add(&f->tasks, NOBODY, NOBODY + i * TASKS_HASH)->tid, NOBODY + i * TASKS_HASH);
	assert_ptr_equal(tasks_add(&f->tasks, 1, NOBODY), tasks_find(&f->tasks, NOBODY));
	assert_int_equal(tasks_find(&f->tasks, NOBODY)->pid, NOBODY);
	assert_null(tasks_find(&f->tasks, NOBODY + 1));
	for (uint32_t i = 0; i < 100; i += 3)
		tasks_remove(&f->tasks, tasks_find(&f->tasks, NOBODY + i * TASKS_HASH));
	assert_int_equal(f->tasks.n, 66);
	assert_int_equal(f->dropped, 34);
	for (const struct task *t = f->tasks.first; t; t = t->newer, n++) {
		assert_true((t->tid - NOBODY) / TASKS_HASH % 3);
		assert_true(t->newer ? t->newer->older == t && t->newer->tid > t->tid : f->tasks.last == t);
		assert_ptr_equal(tasks_find(&f->tasks, t->tid), t);
	}
	assert_int_equal(n, 66);
	for (uint32_t i = 0; i < 100; i += 3)
		assert_null(tasks_find(&f->tasks, NOBODY + i * TASKS_HASH));
	fixture_close(f);
}

struct owed_seen {
	uint32_t want_pid, want_tid;
	unsigned n, wanted;
};

static void see(void *arg, uint32_t pid, uint32_t tid)
{
	struct owed_seen *s = arg;

	s->n++;
	s->wanted += pid == s->want_pid && tid == s->want_tid;
}

static bool is_first(void *arg, uint32_t pid)
{
	return pid == ((const struct owed_seen *)arg)->want_pid;
}

struct other {
	pthread_barrier_t there, leave;
	uint32_t tid;
};

static void *other_thread(void *arg)
{
	struct other *o = arg;

	o->tid = (uint32_t)syscall(SYS_gettid);
	pthread_barrier_wait(&o->there);
	pthread_barrier_wait(&o->leave);
	return NULL;
}

static void test_walks(void **state)
{
	uint32_t self = (uint32_t)getpid();
	struct other o;
	struct owed_seen s;
	pthread_t t;
	int fds[2];
	pid_t child;
	char c;

	(void)state;
	pthread_barrier_init(&o.there, NULL, 2);
	pthread_barrier_init(&o.leave, NULL, 2);
	assert_int_equal(pthread_create(&t, NULL, other_thread, &o), 0);
	pthread_barrier_wait(&o.there);
	s = (struct owed_seen){ self, o.tid, 0, 0 };
	tasks_of_process(self, see, &s);
	assert_true(s.n == 2 && s.wanted == 1);
	s = (struct owed_seen){ self, o.tid, 0, 0 };
	tasks_of_user(geteuid(), false, NULL, see, &s);
	assert_int_equal(s.wanted, 1);
	s = (struct owed_seen){ self, o.tid, 0, 0 };
	tasks_of_user(geteuid() + 1, false, NULL, see, &s);
	assert_int_equal(s.wanted, 0);
	tasks_of_user(geteuid() + 1, true, NULL, see, &s);
	assert_int_equal(s.wanted, 1);
	s = (struct owed_seen){ self, o.tid, 0, 0 };
	tasks_of_user(geteuid(), true, is_first, see, &s);
	assert_true(s.n && !s.wanted);
	assert_int_equal(pipe(fds), 0);
	child = fork();
	if (!child) {
		close(fds[1]);
		_exit(read(fds[0], &c, 1) != 0);
	}
	s = (struct owed_seen){ (uint32_t)child, (uint32_t)child, 0, 0 };
	tasks_of_tree(self, see, &s);
	assert_true(s.n == 3 && s.wanted == 1);
	close(fds[1]);
	close(fds[0]);
	assert_int_equal(waitpid(child, NULL, 0), child);
	pthread_barrier_wait(&o.leave);
	pthread_join(t, NULL);
	s = (struct owed_seen){ 0 };
	tasks_of_process(NOBODY, see, &s);
	tasks_of_tree(NOBODY, see, &s);
	assert_int_equal(s.n, 0);
}

/* The name may look like the fields after it. */
static void test_stat(void **state)
{
	uint32_t self = (uint32_t)getpid();
	struct derived_fixture *f = fixture_open(1);
	struct sample s = { 0 };
	struct task *t;
	char name[16] = { 0 };

	(void)state;
	prctl(PR_GET_NAME, name);
	prctl(PR_SET_NAME, "a) S 1 (b\t)");
	t = tasks_add(&f->tasks, self, self);
	assert_string_equal(t->comm, "a) S 1 (b\t)");
	assert_true(task_more(t, true));
	prctl(PR_SET_NAME, name);
	assert_int_equal(t->more.state, 'R');
	assert_int_equal(t->more.ppid, getppid());
	assert_int_equal(t->more.pgid, getpgrp());
	assert_int_equal(t->more.sid, getsid(0));
	assert_int_equal(t->more.static_prio, 120 + getpriority(PRIO_PROCESS, 0));
	assert_int_equal(t->more.nthreads, 1);
	assert_true(t->more.cpus_allowed > 0 && t->more.arg_start && t->more.arg_end > t->more.arg_start);
	assert_string_equal(t->more.leader_comm, "a) S 1 (b\t)");
	assert_int_equal(t->uid, getuid());
	assert_int_equal(t->more.egid, getegid());
	task_sample(t, &s);
	assert_true(s.pid == self && s.tid == self && s.uid == getuid() && s.gid == getgid() && !s.task);
	t->more_at = 1;
	task_sample(t, &s);
	assert_ptr_equal(s.task, &t->more);
	assert_false(task_more(tasks_add(&f->tasks, NOBODY, NOBODY), true));
	fixture_close(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hidden), cmocka_unit_test(test_ended), cmocka_unit_test(test_rates),
		cmocka_unit_test(test_moved), cmocka_unit_test(test_missed), cmocka_unit_test(test_off),
		cmocka_unit_test(test_unknown), cmocka_unit_test(test_counter), cmocka_unit_test(test_often),
		cmocka_unit_test(test_forgotten), cmocka_unit_test(test_self), cmocka_unit_test(test_clock),
		cmocka_unit_test(test_clock_proc),
		cmocka_unit_test(test_table), cmocka_unit_test(test_walks),
		cmocka_unit_test(test_stat),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
