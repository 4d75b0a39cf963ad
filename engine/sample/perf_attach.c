/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/sample/perf_attach.h"

#include "base/arena.h"
#include "base/clock.h"
#include "engine/host/cpus.h"
#include "engine/sample/perf_account.h"
#include "engine/sample/perf_attr.h"
#include "engine/sample/uregs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { ROUNDS = 20 };	/* if a process creates threads faster than this finds them, inherited events follow them */

/* ---- one event ---- */
static struct perf_event_attr attr_task(const struct perf_source *s)
{
	struct perf_event_attr a = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY, .sample_period = 1, .task = 1, .comm = 1,
		.comm_exec = 1, .inherit = !s->is_wide,
	};

	perf_attr_init(&a);
	a.mmap = a.mmap2 = s->want->maps;
	a.context_switch = s->want->ran;
	return a;
}

static struct perf_event_attr attr_rate(const struct perf_source *s, unsigned rate)
{
	struct perf_event_attr a = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK, .sample_period = s->interval[rate],
		.inherit = !s->is_wide, .disabled = 1,
	};

	perf_attr_init(&a);
	a.read_format = perf_read_format(s);
	a.sample_type |= PERF_SAMPLE_IP;
	if (s->want->kstacks || s->want->ustacks)
		a.sample_type |= PERF_SAMPLE_CALLCHAIN;
	a.exclude_callchain_kernel = s->hidden || !s->want->kstacks;
	a.exclude_callchain_user = !s->want->ustacks || s->want->unwind;
	if (s->want->uregs) {
		a.sample_type |= PERF_SAMPLE_REGS_USER;
		a.sample_regs_user = uregs_mask();
	}
	if (s->want->unwind)
		perf_attr_unwind(&a, s->want->unwind);
	a.exclude_kernel = a.exclude_hv = s->hidden;
	return a;
}

static void handle_close(struct perf_source *s, struct perf_handle *h)
{
	struct perf_handle **p = &s->ids[h->id % PERF_IDS];

	if (h->fd < 0)
		return;
	while (*p && *p != h)
		p = &(*p)->next;
	if (*p)
		*p = h->next;
	close(h->fd);
	h->fd = -1;
}

static int handle_open(struct perf_source *s, struct perf_handle *h, int tid, const struct perf_ring *ring)
{
	struct perf_event_attr a = h->rate < 0 ? attr_task(s) : attr_rate(s, (unsigned)h->rate);
	int err;

	h->fd = (int)syscall(SYS_perf_event_open, &a, tid, ring->cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (h->fd < 0)
		return -errno;
	if (h->fd >= s->files) {
		close(h->fd);
		h->fd = -1;
		return -EMFILE;
	}
	/* a thread's event needs its CPU online and its ring open */
	if ((ring->fd >= 0 && ioctl(h->fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd)) ||
	    ioctl(h->fd, PERF_EVENT_IOC_ID, &h->id)) {
		err = -errno;
		close(h->fd);
		h->fd = -1;
		return err;
	}
	h->next = s->ids[h->id % PERF_IDS];
	s->ids[h->id % PERF_IDS] = h;
	if (h->rate >= 0 && s->started)
		ioctl(h->fd, PERF_EVENT_IOC_ENABLE, 0);
	return 0;
}

/* Opens task events first: a thread that inherits a sampling event then also inherits the event that reports the
 * thread. */
static int handles_open(struct perf_source *s, struct perf_handle *h, unsigned *n, int tid)
{
	int err;

	for (int rate = -1; rate < (int)s->nrates; rate++)
		for (unsigned i = 0; i < s->rings.n; i++) {
			h[*n] = (struct perf_handle){ .fd = -1, .tid = tid < 0 ? 0 : (uint32_t)tid, .rate = rate,
				.ring = i };
			err = handle_open(s, &h[*n], tid, &s->rings.v[i]);
			if (err && err != -ENODEV)	/* -ENODEV: the CPU is offline */
				return err;
			++*n;
		}
	return 0;
}

/* Opens a counter of the thread's run time, which stays readable after the thread has ended. */
static int counter_open(const struct perf_source *s, uint32_t tid)
{
	struct perf_event_attr a = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK,
		.disabled = !s->started };

	a.size = sizeof a;
	a.exclude_kernel = a.exclude_hv = 1;
	return (int)syscall(SYS_perf_event_open, &a, (pid_t)tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* ---- threads ---- */
static void family_close(struct perf_source *s, struct perf_family *f)
{
	for (unsigned i = 0; i < f->n; i++)
		handle_close(s, &f->v[i]);
	f->n = 0;
}

void perf_join(struct perf_source *s, struct task *t, struct perf_family *f)
{
	struct perf_family *old = t->family;

	if (f)
		f->users++;
	t->family = f;
	t->own = false;
	if (old && --old->users == 0) {
		for (unsigned i = 0; i < old->n; i++)
			perf_account_handle(s, &old->v[i]);
		family_close(s, old);
		*(old->before ? &old->before->next : &s->families) = old->next;
		if (old->next)
			old->next->before = old->before;
		free(old->v);
		free(old->missed);
		free(old);
	}
}

void perf_unfollow(struct perf_source *s, struct task *t)
{
	if (t->own)
		family_close(s, t->family);
	perf_join(s, t, NULL);
	if (t->counter >= 0)
		close(t->counter);
	t->counter = -1;
}

static struct perf_family *family_new(struct perf_source *s)
{
	struct perf_family *f = calloc(1, sizeof *f);

	if (f) {
		f->v = calloc((s->nrates + 1) * s->rings.n, sizeof *f->v);
		f->missed = calloc(s->nrates, sizeof *f->missed);
	}
	if (!f || !f->v || !f->missed) {
		free(f ? f->v : NULL);
		free(f ? f->missed : NULL);
		free(f);
		return NULL;
	}
	f->next = s->families;
	if (f->next)
		f->next->before = f;
	return s->families = f;
}

/* ---- run time of ended threads ---- */
static uint64_t family_ran(const struct perf_family *f)
{
	uint64_t sum = 0, count[3];

	for (unsigned i = 0; i < f->n; i++)
		if (f->v[i].rate == 0 && read(f->v[i].fd, count, sizeof count) > 0)
			sum += count[0];
	return sum;
}

static bool task_lost(const struct task *t)
{
	return t->ended && t->counter < 0 && t->family;
}

static uint64_t task_span(const struct task *t)
{
	uint64_t since = t->read > t->born ? t->read : t->born;

	return t->gone > since ? t->gone - since : 1;
}

void perf_settle(void *arg)
{
	struct perf_source *s = arg;

	for (struct perf_family *f = s->families; f; f = f->next)
		f->left = f->spans = 0;
	for (struct task *t = s->tasks.first; t; t = t->newer)
		if (task_lost(t))
			t->family->spans += task_span(t);
	for (struct perf_family *f = s->families; f; f = f->next)
		if (f->spans)
			f->left = family_ran(f) - f->gone;
	for (struct task *t = s->tasks.first; t; t = t->newer)
		if (t->family && t->family->spans)
			t->family->left -= t->ran < t->family->left ? t->ran : t->family->left;
	for (struct task *t = s->tasks.first; t; t = t->newer)
		if (task_lost(t))
			t->ran += (uint64_t)((double)t->family->left * (double)task_span(t) / (double)t->family->spans);
}

int perf_follow(struct perf_source *s, uint32_t pid, uint32_t tid)
{
	struct task *t = tasks_add(&s->tasks, pid, tid);
	struct perf_family *f;
	int err;

	if (!t || t->own)
		return t ? 0 : -ENOMEM;
	f = family_new(s);
	if (!f)
		return -ENOMEM;
	perf_join(s, t, f);
	t->own = true;
	err = handles_open(s, f->v, &f->n, (int)tid);
	for (unsigned i = 0; i < f->n; i++)
		f->v[i].family = f;
	if (err) {
		tasks_remove(&s->tasks, t);
		s->round.nofiles += err == -EMFILE || err == -ENFILE;
		s->round.refused += err == -EACCES || err == -EPERM;
		return err == -ESRCH ? 0 : err;
	}
	/* it may have ended since it was found, and its ID may belong to another process now */
	if (!task_exists(pid, tid)) {
		tasks_remove(&s->tasks, t);
		return 0;
	}
	t->attached = clock_now();
	t->counter = s->hidden ? counter_open(s, tid) : -1;
	t->ran = t->base = 0;
	return 0;
}

int perf_follow_cpus(struct perf_source *s)
{
	s->wide = arena_calloc(s->arena, (s->nrates + 1) * s->rings.n, sizeof *s->wide);
	return handles_open(s, s->wide, &s->nwide, -1);
}

/* True if the event has run since the last check. After its CPU was offline, an event never runs again. */
static bool handle_alive(struct perf_handle *h)
{
	uint64_t count[3];	/* count, time running, lost */
	bool alive;

	if (h->fd < 0 || read(h->fd, count, sizeof count) < (ssize_t)(2 * sizeof *count))
		return false;
	alive = count[1] > h->alive;
	h->alive = count[1];
	return alive;
}

/* Opens the events of a CPU again if they have stopped. The ring has no records of the old events: all records were
 * read after they last ran. */
static void wide_renew(struct perf_source *s, unsigned ring)
{
	bool alive = false;

	for (unsigned i = 0; i < s->nwide; i++)
		if (s->wide[i].ring == ring && s->wide[i].rate == 0)
			alive = handle_alive(&s->wide[i]);
	for (unsigned i = 0; i < s->nwide && !alive; i++) {
		struct perf_handle *h = &s->wide[i];

		if (h->ring != ring)
			continue;
		perf_account_handle(s, h);
		handle_close(s, h);
		*h = (struct perf_handle){ .fd = -1, .rate = h->rate, .ring = ring };
		handle_open(s, h, -1, &s->rings.v[ring]);	/* if it fails, the next check tries again */
	}
}

/* Redirects the events of all families to a ring; inherited events use the ring of the original event. */
static void threads_output(const struct perf_source *s, unsigned ring)
{
	for (const struct perf_family *f = s->families; f; f = f->next)
		for (unsigned i = 0; i < f->n; i++)
			if (f->v[i].ring == ring)
				ioctl(f->v[i].fd, PERF_EVENT_IOC_SET_OUTPUT, s->rings.v[ring].fd);
}

void perf_follow_online(struct perf_source *s)
{
	unsigned n = cpus_possible();
	int *cpus = calloc(n, sizeof *cpus);

	n = cpus ? cpus_online(cpus, n) : 0;
	for (unsigned i = 0; i < s->rings.n; i++) {
		bool had = s->rings.v[i].page;

		if (!cpus_has(cpus, n, s->rings.v[i].cpu) || (!had && perf_rings_add(&s->rings, i)))
			continue;
		if (s->is_wide)
			wide_renew(s, i);
		else if (!had)
			threads_output(s, i);
		if (!had)
			perf_account_came(s, i);
	}
	free(cpus);
	s->counted = clock_now();
}

static void found_thread(void *arg, uint32_t pid, uint32_t tid)
{
	struct perf_source *s = arg;
	const struct task *t = tasks_find(&s->tasks, tid);

	if (t && !t->ended)
		return;
	s->more |= perf_follow(s, pid, tid) == 0;
}

/* True if the process was followed before this search: threads that it creates inherit its events. */
static bool found_before(void *arg, uint32_t pid)
{
	const struct perf_source *s = arg;
	const struct task *t = tasks_find(&s->tasks, pid);

	return t && !t->ended && t->family && (!t->own || t->attached < s->searched);
}

/* A thread that cannot be followed is found in every search, so the total is the maximum of one search. */
void perf_unseen_update(struct perf_source *s)
{
	struct perf_unseen *most = &s->unseen, *now = &s->round;

	most->nofiles = now->nofiles > most->nofiles ? now->nofiles : most->nofiles;
	most->refused = now->refused > most->refused ? now->refused : most->refused;
	*now = (struct perf_unseen){ 0 };
}

/* Searches repeatedly: threads created during a search are found in the next one, or have inherited events. */
void perf_follow_all(struct perf_source *s)
{
	int err;

	s->searched = clock_now();
	for (int i = 0; i < ROUNDS; i++) {
		s->more = false;
		perf_unseen_update(s);
		if (s->want->target < 0)
			err = tasks_of_user(geteuid(), !geteuid(), found_before, found_thread, s);
		else
			err = tasks_of_tree((uint32_t)s->want->target, found_thread, s);
		s->round.nofiles += err == -EMFILE || err == -ENFILE;
		if (!s->more)
			return;
	}
}

int perf_enable_all(struct perf_source *s, bool on)
{
	unsigned long op = on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;

	for (unsigned i = 0; i < s->nwide; i++)
		if (s->wide[i].rate >= 0)
			ioctl(s->wide[i].fd, op, 0);
	for (struct task *t = s->tasks.first; t; t = t->newer) {
		for (unsigned i = 0; t->own && i < t->family->n; i++)
			if (t->family->v[i].rate >= 0)
				ioctl(t->family->v[i].fd, op, 0);
		if (t->counter >= 0)
			ioctl(t->counter, op, 0);
	}
	return 0;
}
