/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/why/table.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/dtr.h"

/* Interrupts as in share/tools/why.d. */
enum { BY_NOTHING, BY_DEVICE = 0x100, BY_TIMER = 0x200, BY_SOFTIRQ = 0x300, BY_END = 0x400 };

static pid_t tid_of(why_id id) { return (pid_t)(uint32_t)id; }

/* Reads the first line of a file of a thread. Returns false if the thread has ended, or this is not permitted. */
static bool read_thread(why_id id, const char *file, char *line, int n)
{
	char path[64];
	bool r;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/task/%d/%s", (int)(id >> 32), tid_of(id), file);
	f = fopen(path, "re");
	r = f && fgets(line, n, f);
	if (f)
		fclose(f);
	if (r)
		line[strcspn(line, "\n")] = '\0';
	return r;
}

/* NULL: the thread has ended. */
static const char *name_now(struct arena *a, why_id id)
{
	char name[64];

	return read_thread(id, "comm", name, sizeof name) ? arena_strdup(a, name) : NULL;
}

/* 0: the thread has no such descriptor. */
static unsigned type_of_descriptor(why_id id, uint64_t fd)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof path, "/proc/%d/task/%d/fd/%" PRIu64, (int)(id >> 32), tid_of(id), fd);
	return stat(path, &st) ? 0 : (st.st_mode & S_IFMT) >> 12;
}

/* /proc/PID/task/TID/syscall: "running", or the number of the call (-1: none) and its arguments. */
static uint32_t state_now(why_id id)
{
	uint64_t args[3] = { 0 };
	char line[256];
	int call;

	if (!read_thread(id, "syscall", line, sizeof line))
		return WHY_BEFORE;
	if (sscanf(line, "%d %" SCNx64 " %" SCNx64 " %" SCNx64, &call, &args[0], &args[1], &args[2]) < 1)
		return WHY_BEFORE;	/* it runs, or waits for a CPU */
	return why_blocked(call, args, type_of_descriptor(id, args[0]));
}

void why_look_all(struct why_table *t)
{
	DIR *d = opendir("/proc");

	for (struct dirent *e; d && (e = readdir(d));)
		if (isdigit((unsigned char)*e->d_name))
			why_look(t, atoi(e->d_name));
	if (d)
		closedir(d);
}

void why_look(struct why_table *t, pid_t pid)
{
	char path[32];
	DIR *d;

	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	d = opendir(path);
	for (struct dirent *e; d && (e = readdir(d));) {
		const why_id id = (uint64_t)pid << 32 | (uint32_t)atoi(e->d_name);

		if (*e->d_name != '.')
			*VEC_ADD(t->arena, &t->before) =
				(struct why_before){ id, name_now(t->arena, id), state_now(id) };
	}
	if (d)
		closedir(d);
}

static uint32_t state_before(const struct why_table *t, why_id id)
{
	for (size_t i = 0; i < t->before.n; i++)
		if (t->before.v[i].id == id)
			return t->before.v[i].state;
	return WHY_BEFORE;
}

static struct why_thread *find_thread(const struct why_table *t, why_id id)
{
	for (size_t i = 0; i < t->threads.n; i++)
		if (t->threads.v[i]->id == id)
			return t->threads.v[i];
	return NULL;
}

static struct why_thread *thread_of(struct why_table *t, why_id id)
{
	struct why_thread *thread = find_thread(t, id);

	if (!thread) {
		thread = arena_calloc(t->arena, 1, sizeof *thread);
		thread->id = id;
		*VEC_ADD(t->arena, &t->threads) = thread;
	}
	return thread;
}

static void add_time(struct arena *a, struct why_thread *thread, uint32_t number, int64_t ns)
{
	const struct why_state s = why_state(number);
	struct why_time *time = NULL;

	for (size_t i = 0; i < thread->times.n && !time; i++)
		if (!memcmp(&thread->times.v[i].state, &s, sizeof s))
			time = &thread->times.v[i];
	if (!time) {
		time = VEC_ADD(a, &thread->times);
		*time = (struct why_time){ .state = s };
	}
	time->ns += ns;
	thread->of_class[s.class] += ns;
	thread->whole += ns;
}

/* @spent[who, state]: the sum of the ends of a state less that of its beginnings. */
static int take_spent(void *arg, const struct dtr_row *r)
{
	struct why_table *t = arg;
	struct why_thread *thread = thread_of(t, (uint64_t)r->keys[0].number);

	*VEC_ADD(t->arena, &thread->sums) = (struct why_sum){ (uint32_t)r->keys[1].number, r->value };
	return 0;
}

/*
 * A thread that exists has a state that has not ended, which lacks the time of the end. It began after the thread's
 * other times, so its sum is the lowest one, and all sums together are not positive. Two CPUs may disagree by some
 * nanoseconds about the time, so a short state can be negative: that belongs to the next one.
 */
static void end_last_state(const struct why_table *t, struct why_thread *thread)
{
	struct why_sum *lowest = NULL;
	int64_t all = 0;

	for (size_t i = 0; i < thread->sums.n; i++) {
		struct why_sum *s = &thread->sums.v[i];

		all += s->ns;
		if (!lowest || s->ns < lowest->ns)
			lowest = s;
	}
	if (all <= 0)
		lowest->ns += t->elapsed;
	for (size_t i = 0; i < thread->sums.n; i++) {
		struct why_sum *s = &thread->sums.v[i];

		if (s->ns < 0 && s != lowest) {
			lowest->ns += s->ns;
			s->ns = 0;
		}
	}
}

/* The state of a time: what a thread did before it was seen may be known. */
static uint32_t state_of_sum(const struct why_table *t, const struct why_thread *thread, uint32_t state)
{
	const uint32_t before = state_before(t, thread->id);

	if (state == WHY_BEFORE)
		return before;
	return (state & 0xffff) == WHY_CALL_BEFORE ? (state & ~0xffffu) | (before & 0xffff) : state;
}

static void add_times(struct why_table *t)
{
	for (size_t i = 0; i < t->threads.n; i++) {
		struct why_thread *thread = t->threads.v[i];

		if (!thread->sums.n)
			continue;
		end_last_state(t, thread);
		for (size_t k = 0; k < thread->sums.n; k++) {
			const struct why_sum *s = &thread->sums.v[k];

			if (s->ns > 0 && !(t->command && s->state == WHY_BEFORE))
				add_time(t->arena, thread, state_of_sum(t, thread, s->state), s->ns);
		}
	}
}

/* True if they are equal, except for their times. */
static bool same_wait(const struct why_wait *x, const struct why_wait *y)
{
	return x->thread == y->thread && x->object == y->object && x->by == y->by && x->by_waited == y->by_waited &&
	       !memcmp(&x->state, &y->state, sizeof x->state) && !memcmp(&x->by_last, &y->by_last, sizeof x->by_last);
}

/* @woken[who, state, object, by, what the waker does, its last wait]. */
static int take_woken(void *arg, const struct dtr_row *r)
{
	struct why_table *t = arg;
	const uint32_t last = (uint32_t)r->keys[5].number;
	struct why_wait w = {
		.thread = find_thread(t, (uint64_t)r->keys[0].number), .state = why_state((uint32_t)r->keys[1].number),
		.object = (uint64_t)r->keys[2].number, .by = (uint64_t)r->keys[3].number, .by_waited = last != 0,
		.by_last = why_state(last), .ns = r->sum, .times = r->count,
	}, *same = NULL;

	if (!w.thread || !w.times)
		return 0;
	if (w.state.class != WHY_LOCK && w.state.class != WHY_FUTEX)
		w.object = 0;
	for (size_t i = 0; i < t->waits.n && !same; i++)
		if (same_wait(&t->waits.v[i], &w))
			same = &t->waits.v[i];
	if (!same) {
		*VEC_ADD(t->arena, &t->waits) = w;
		return 0;
	}
	same->ns += w.ns;
	same->times += w.times;
	return 0;
}

/* @names[who, name]: the last one that was added, of several (exec, prctl), is not known: one is as good as another
 * unless the thread still exists. */
static int take_name(void *arg, const struct dtr_row *r)
{
	struct why_table *t = arg;

	thread_of(t, (uint64_t)r->keys[0].number)->name = arena_strdup(t->arena, r->keys[1].text);
	return 0;
}

static int take_end(void *arg, const struct dtr_row *r)
{
	((struct why_table *)arg)->elapsed = r->value;
	return 0;
}

/* A thread whose state has never changed. */
static void add_unseen(struct why_table *t)
{
	for (size_t i = 0; i < t->before.n; i++) {
		const struct why_before *b = &t->before.v[i];
		struct why_thread *thread = thread_of(t, b->id);

		if (thread->whole)
			continue;
		thread->name = b->name;
		add_time(t->arena, thread, b->state, t->elapsed);
	}
}

static int longest_time(const void *a, const void *b)
{
	const struct why_time *x = a, *y = b;

	return (x->ns < y->ns) - (x->ns > y->ns);
}

static int longest_wait(const void *a, const void *b)
{
	const struct why_wait *x = a, *y = b;

	return (x->ns < y->ns) - (x->ns > y->ns);
}

/* The time in which a thread runs, wants to, or waits for what is slow; the rest may be idle time. */
static int64_t busy_time(const struct why_thread *t)
{
	static const enum why_class busy[] = {
		WHY_USER, WHY_SYSTEM, WHY_RUNNABLE, WHY_LOCK, WHY_DISK, WHY_NETWORK, WHY_FAULT,
	};
	int64_t ns = 0;

	for (size_t i = 0; i < sizeof busy / sizeof *busy; i++)
		ns += t->of_class[busy[i]];
	return ns;
}

static int busiest(const void *a, const void *b)
{
	const struct why_thread *const *x = a, *const *y = b;
	const int64_t n = busy_time(*x), m = busy_time(*y);

	if (!(*x)->whole != !(*y)->whole)
		return (*x)->whole ? -1 : 1;
	return n != m ? (n < m) - (n > m) : ((*x)->id > (*y)->id) - ((*x)->id < (*y)->id);
}

/* Threads that still exist have their names of now. */
static void name_threads(struct why_table *t)
{
	for (size_t i = 0; i < t->threads.n; i++) {
		const char *name = name_now(t->arena, t->threads.v[i]->id);

		if (name)
			t->threads.v[i]->name = name;
	}
}

/* The other threads are known by name only. */
static void keep_only(struct why_table *t, pid_t tid)
{
	size_t n = 0;

	for (size_t i = 0; i < t->counted; i++) {
		struct why_thread *thread = t->threads.v[i];

		if (tid_of(thread->id) != tid)
			continue;
		t->threads.v[i] = t->threads.v[n];
		t->threads.v[n++] = thread;
	}
	t->counted = n;
	n = 0;
	for (size_t i = 0; i < t->waits.n; i++)
		if (tid_of(t->waits.v[i].thread->id) == tid)
			t->waits.v[n++] = t->waits.v[i];
	t->waits.n = n;
}

static int read_rows(struct why_table *t, struct dtr *session, const char *name,
		     int (*take)(void *arg, const struct dtr_row *r))
{
	struct dtr_agg g;

	for (unsigned i = 0; dtr_agg(session, i, &g); i++)
		if (!strcmp(g.name, name))
			return dtr_agg_rows(session, i, take, t);
	return 0;
}

int why_read(struct why_table *t, struct dtr *session, pid_t only)
{
	if (dtr_snapshot(session) < 0 || read_rows(t, session, "end", take_end) < 0 ||
	    read_rows(t, session, "spent", take_spent) < 0 || read_rows(t, session, "names", take_name) < 0)
		return -1;
	add_times(t);
	add_unseen(t);
	name_threads(t);
	if (read_rows(t, session, "woken", take_woken) < 0)
		return -1;
	for (size_t i = 0; i < t->threads.n; i++)
		qsort(t->threads.v[i]->times.v, t->threads.v[i]->times.n, sizeof(struct why_time), longest_time);
	if (t->threads.n)
		qsort(t->threads.v, t->threads.n, sizeof *t->threads.v, busiest);
	if (t->waits.n)
		qsort(t->waits.v, t->waits.n, sizeof *t->waits.v, longest_wait);
	for (t->counted = 0; t->counted < t->threads.n && t->threads.v[t->counted]->whole;)
		t->counted++;
	if (only)
		keep_only(t, only);
	return 0;
}

const char *why_name(const struct why_table *t, why_id id)
{
	const struct why_thread *thread = find_thread(t, id);

	return thread ? thread->name : NULL;
}

void why_interrupt_text(struct buf *out, why_id by)
{
	static const char *const softirqs[] = {
		"a task of high priority", "a timer", "the network (sending)", "the network", "a disk", "a disk",
		"a tasklet", "the scheduler", "a timer", "RCU",
	};

	if (by >= BY_DEVICE && by < BY_TIMER)
		buf_printf(out, "interrupt %" PRIu64, by - BY_DEVICE);
	else if (by == BY_TIMER)
		buf_puts(out, "a timer");
	else if (by >= BY_SOFTIRQ && by - BY_SOFTIRQ < sizeof softirqs / sizeof *softirqs)
		buf_puts(out, softirqs[by - BY_SOFTIRQ]);
	else
		buf_puts(out, "an interrupt");
}
