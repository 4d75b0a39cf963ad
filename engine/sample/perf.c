/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Samples from perf events: on all CPUs if that is allowed, else of the user's own threads. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/openfiles.h"
#include "base/sysctl.h"
#include "engine/host/framelimit.h"
#include "engine/host/refusal.h"
#include "engine/sample/perf_account.h"
#include "engine/sample/perf_attach.h"
#include "engine/sample/perf_attr.h"

/* Time between two searches for new processes of the user whose parents are not followed. */
#define SEARCH_NS 500000000ull
/*
 * Bytes of a ring. A user may lock kernel.perf_event_mlock_kb (516 by default) per CPU: 128 pages of 4 KB and the
 * header page. Stacks take up to a kilobyte each, so rings with stacks are larger and need more locked memory (ulimit
 * -l).
 */
#define RING_BYTES (512u * 1024)
#define RING_STACKS (2048u * 1024)
#define RING_UNWIND (4096u * 1024)
/* stack copies that a ring must hold */
enum { UNWIND_ROOM = 16 };
/* Time between two readings of the run times. */
#define COUNT_NS 100000000ull

/* ---- opening ---- */
static int try_open(bool kernel, bool wide, uint64_t format)
{
	struct perf_event_attr a = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 1000000000 };
	int fd;

	perf_attr_init(&a);
	a.read_format = format;
	a.disabled = 1;
	a.exclude_kernel = a.exclude_hv = !kernel;
	fd = (int)syscall(SYS_perf_event_open, &a, wide ? -1 : 0, wide ? 0 : -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static void perf_refusal(int err, char *reason, size_t n)
{
	int level = sysctl_number("perf_event_paranoid", -1);

	if ((err == -EACCES || err == -EPERM) && level > 2)
		snprintf(reason, n, "perf_event_open is forbidden: kernel.perf_event_paranoid is %d", level);
	else if (err == -EACCES || err == -EPERM)
		snprintf(reason, n, "perf_event_open is forbidden, by a seccomp filter or a security module");
	else if (err == -ENOSYS)
		snprintf(reason, n,
			 "perf_event_open is not available: not in this kernel, or hidden by a seccomp filter");
	else
		snprintf(reason, n, "perf_event_open: %s", refusal_errno(-err));
}

/* Releases a thread's data. Events that its descendants have inherited stay open. */
static void drop_task(void *arg, struct task *t)
{
	if (t->family)
		t->family->gone += t->ran;
	perf_account_parts(arg, t);
	perf_join(arg, t, NULL);
	if (t->counter >= 0)
		close(t->counter);
}

/* For stack copies, checks that events support them and that the rings hold enough of them. */
static int rings_open(struct perf_source *s, char *reason, size_t n)
{
	const struct source_want *w = s->want;
	struct perf_event_attr attr = { .disabled = 1 };
	struct perf_rings_want want = { .attr = &attr, .wake = true, .at_once = w->interpreted };
	int err = w->unwind ? perf_try_unwind(w->unwind) : 0;

	if (err) {
		snprintf(reason, n, "perf events provide no registers or stacks: %s", strerror(-err));
		return err;
	}
	perf_attr_init(&attr);
	want.bytes = w->unwind ? RING_UNWIND : w->kstacks || w->ustacks ? RING_STACKS : RING_BYTES;
	err = perf_rings_open(&s->rings, &want, reason, n);
	if (!err && w->unwind && s->rings.bytes / UNWIND_ROOM < w->unwind) {
		snprintf(reason, n,
			 "the locked-memory limit is too low for copies of stacks "
			 "(ulimit -l, kernel.perf_event_mlock_kb)");
		return -ENOMEM;
	}
	return err;
}

static int source_open(struct sample_source **out, const struct source_want *w, char *reason, size_t n)
{
	struct perf_source *s = arena_alloc(w->arena, sizeof *s);
	int err = try_open(false, false, 0);

	*out = (struct sample_source *)s;
	s->arena = w->arena;
	s->want_copy = *w;
	s->want = &s->want_copy;
	if (err) {
		perf_refusal(err, reason, n);
		return err;
	}
	s->frames = frame_limit();
	s->reports_lost = true;
	s->reports_lost = !try_open(false, false, perf_read_format(s));
	s->hidden = try_open(true, false, 0) != 0;
	s->is_wide = w->target < 0 && !s->hidden && !try_open(true, true, 0);
	return rings_open(s, reason, n);
}

/* Raises the limit of open files. Returns the limit, less a reserve for other purposes. */
static int raise_files(void)
{
	const uint64_t others = 32;
	uint64_t limit = openfiles_raise(UINT64_MAX);

	limit -= limit / 4 < others ? limit / 4 : others;
	return limit > INT_MAX ? INT_MAX : (int)limit;
}

/* Follows the threads of the target or the user. Returns 0, and mentions threads that are not followed in *reason; or
 * -errno and the reason. */
static int task_follow(struct perf_source *s, char *reason, size_t n)
{
	if (s->is_wide) {
		int err = perf_follow_cpus(s);

		if (err)
			perf_refusal(err, reason, n);
		return err;
	}
	perf_follow_all(s);
	perf_unseen_update(s);
	if (!s->tasks.n && s->unseen.refused) {
		snprintf(reason, n, "the process belongs to another user, or is protected (non-dumpable)");
		return -EACCES;
	}
	if (!s->tasks.n) {
		perf_refusal(s->unseen.nofiles ? -EMFILE : -ESRCH, reason, n);
		return -ESRCH;
	}
	s->reported_files = s->unseen.nofiles;
	if (s->reported_files)
		snprintf(reason, n, "not all threads are sampled: too many open files (ulimit -n)");
	return 0;
}

static int source_start(struct sample_source *handle, const uint64_t *interval, unsigned n, char *reason, size_t size)
{
	struct perf_source *s = perf_source(handle);
	int err;

	s->nrates = n;
	s->interval = arena_memdup(s->arena, interval, n * sizeof *interval);
	tasks_init(&s->tasks, n);
	derived_init(&s->derived, s->arena, &s->tasks, s->interval, n);
	s->derived.on = s->hidden;
	s->derived.mode = SAMPLE_KERNEL;
	s->derived.settle = perf_settle;
	s->derived.arg = s;
	s->derived.missed = perf_account_missed;
	s->derived.stat = s->want->memory;
	s->derived.timed = s->want->ran;
	s->tasks.drop = drop_task;
	s->tasks.arg = s;
	perf_account_open(s);
	s->files = raise_files();
	err = task_follow(s, reason, size);
	if (err)
		return err;
	derived_begin(&s->derived, clock_now(), COUNT_NS);
	s->started = true;
	perf_account_turn(s, true);
	perf_enable_all(s, true);
	s->counted = clock_now();
	return 0;
}

static void source_close(struct sample_source *handle)
{
	struct perf_source *s = perf_source(handle);

	if (!s)
		return;
	for (unsigned i = 0; i < s->nwide; i++)
		if (s->wide[i].fd >= 0)
			close(s->wide[i].fd);
	s->nwide = 0;
	tasks_close(&s->tasks);
	perf_rings_close(&s->rings);
}

static void source_describe(struct sample_source *handle, char *out, size_t n)
{
	struct perf_source *s = perf_source(handle);
	const char *whose = s->is_wide ? "all tasks" : s->want->target >= 0 ? "the target's tasks" :
		"this user's tasks";

	snprintf(out, n, "samples of %s from perf events%s", whose,
		 s->hidden ? ", kernel code hidden (kernel.perf_event_paranoid)" : "");
}

/* ---- records ---- */
struct task_rec {
	struct perf_event_header h;
	uint32_t pid, ppid, tid, ptid;
};

struct name_rec {
	struct perf_event_header h;
	uint32_t pid, tid;
	char comm[];
};

/* A new thread has inherited all events of its parent if they were complete when it was created; if not, follows it. */
static void scan_fork(struct perf_source *s, const struct task_rec *r, uint64_t time)
{
	struct task *parent = tasks_find(&s->tasks, r->ptid), *t = tasks_find(&s->tasks, r->tid);

	if (s->is_wide)
		return;
	if (parent && parent->attached < time) {
		if (t && t->own && t->attached > time) {
			perf_unfollow(s, t);
			perf_join(s, t, parent->family);
		}
		return;
	}
	if (!t)
		perf_follow(s, r->pid, r->tid);
}

/* A sample by an event of another thread: this thread has inherited events, so closes its own. */
static void scan_sample(struct perf_source *s, const struct perf_head *r)
{
	const struct perf_handle *h = perf_handle_find(s, r->id);
	struct task *t = h && h->tid && h->tid != r->tid ? tasks_find(&s->tasks, r->tid) : NULL;

	if (t && t->own && t->family != h->family) {
		perf_unfollow(s, t);
		perf_join(s, t, h->family);
	}
}

static void record_scan(void *arg, const struct perf_event_header *h, uint64_t time)
{
	struct perf_source *s = arg;

	if (h->type == PERF_RECORD_FORK)
		scan_fork(s, (const void *)h, time);
	else if (h->type == PERF_RECORD_SAMPLE)
		scan_sample(s, (const void *)h);
}

static void set_comm(char out[16], const char *name)
{
	memset(out, 0, 16);
	memcpy(out, name, strnlen(name, 15));
}

static bool item_fork(struct perf_source *s, const struct task_rec *r, struct source_item *out)
{
	const struct task *parent = tasks_find(&s->tasks, r->ptid);
	struct task *t = tasks_find(&s->tasks, r->tid);

	if (t && t->ended) {
		tasks_remove(&s->tasks, t);
		t = NULL;
	}
	if (!t)
		t = tasks_add(&s->tasks, r->pid, r->tid);
	if (t)
		t->born = out->sample.time;
	if (t)
		t->timed = s->want->ran;
	if (t && parent && s->want->memory)
		task_inherit(t, parent, out->sample.time);
	if (t && parent && !t->family && !s->is_wide)
		perf_join(s, t, parent->family);
	s->forked = true;
	if (t && parent && !*t->comm) {
		memcpy(t->comm, parent->comm, sizeof t->comm);
		t->uid = parent->uid;
		t->gid = parent->gid;
	}
	out->kind = SOURCE_FORK;
	out->sample.pid = r->pid;
	out->sample.tid = r->tid;
	out->parent = r->ppid;
	out->ptid = r->ptid;
	return true;
}

/* The kernel takes the events off a thread that executes a program with privileges, or one that it may not read
 * (begin_new_exec() in fs/exec.c), and reports that as its end at once. */
static bool lives_on(const struct task *t, uint64_t time)
{
	const uint64_t at_once = 1000000;
	const uint32_t exiting = 0x4;		/* PF_EXITING */
	struct task now = *t;

	return t->executed && time - t->executed < at_once && task_stat(&now) && now.more.state != 'Z' &&
	       now.more.state != 'X' && !(now.more.flags & exiting);
}

static bool item_exit(struct perf_source *s, const struct task_rec *r, struct source_item *out)
{
	struct task *t = tasks_find(&s->tasks, r->tid);

	if (t) {
		s->unseen.privileged += lives_on(t, out->sample.time);
		t->ended = true;
		t->gone = out->sample.time;
		if (t->timed)	/* no record reports that it was switched out */
			task_switch(t, false, out->sample.time);
	}
	out->kind = SOURCE_EXIT;
	out->sample.pid = r->pid;
	out->sample.tid = r->tid;
	return true;
}

static bool item_comm(struct perf_source *s, const struct name_rec *r, struct source_item *out)
{
	struct task *t = tasks_find(&s->tasks, r->tid);

	if (t)
		set_comm(t->comm, r->comm);
	if (t && r->h.misc & PERF_RECORD_MISC_COMM_EXEC)
		t->executed = out->sample.time;
	out->kind = SOURCE_COMM;
	out->sample.pid = r->pid;
	out->sample.tid = r->tid;
	set_comm(out->sample.comm, r->comm);
	out->exec = r->h.misc & PERF_RECORD_MISC_COMM_EXEC;
	return true;
}

static bool item_map(const struct perf_mmap2 *r, struct source_item *out)
{
	out->kind = SOURCE_MAP;
	out->sample.pid = r->pid;
	out->sample.tid = r->tid;
	out->mapping = (struct sample_mapping){
		.start = r->addr, .size = r->len, .offset = r->off, .major = r->major, .minor = r->minor,
		.inode = r->ino,
		.generation = r->generation, .prot = r->prot, .flags = r->flags, .path = r->path,
	};
	return true;
}

/* Splits a call chain: a count, then addresses, with marks before those of the kernel and of the process. `limit`: how
 * many frames the kernel collects. Returns the address after the chain. */
static const uint64_t *split_chain(const struct perf_head *r, struct sample *out, unsigned limit)
{
	const uint64_t *p = (const uint64_t *)(r + 1), *end = (const uint64_t *)((const char *)r + r->h.size);
	uint64_t n = p < end ? *p++ : 0;
	struct frames *f = NULL;

	for (; n && p < end; n--, p++) {
		if (*p < PERF_CONTEXT_MAX) {
			if (f)
				f->n++;
			continue;
		}
		f = *p == PERF_CONTEXT_KERNEL ? &out->stack : *p == PERF_CONTEXT_USER ? &out->ustack : NULL;
		if (f)
			f->pc = p + 1;
	}
	if (f)
		f->cut = out->stack.n + out->ustack.n >= limit;
	out->depth = out->stack.n;
	out->udepth = out->ustack.n;
	return p;
}

/* The stack copy after the registers: its size, the bytes, and how many of them are valid. */
static void take_start(uint64_t abi, uint64_t mask, const uint64_t *regs, const uint64_t *end, struct sample *out)
{
	const uint64_t *stack = regs + __builtin_popcountll(mask) + 1;

	if (stack > end)
		return;
	if (stack[-1] > 8 * (uint64_t)(end - stack) || (stack[-1] && stack[-1] / 8 >= (uint64_t)(end - stack)))
		return;
	out->start = (struct unwind_start){
		.bits = abi == PERF_SAMPLE_REGS_ABI_32 ? 32 : 64, .mask = mask, .regs = (const uint8_t *)regs,
		.stack = (const uint8_t *)stack, .size = (uint32_t)(stack[-1] ? stack[stack[-1] / 8] : 0),
	};
	if (out->start.size > stack[-1])
		out->start.bits = 0;
}

/* The registers after the call chain: the ABI (0: no registers), then the values. */
static void take_regs(struct perf_source *s, const struct perf_head *r, const uint64_t *p, struct sample *out)
{
	uint64_t mask = (s->want->unwind ? unwind_mask() : 0) | (s->want->uregs ? uregs_mask() : 0);
	const uint64_t *end = (const uint64_t *)((const char *)r + r->h.size), *regs = p + 1;

	if (p >= end || !*p || end - regs < __builtin_popcountll(mask))
		return;
	if (s->want->uregs)
		out->uregs = (struct frames){ .n = uregs_take(mask, regs, s->uregs), .pc = s->uregs };
	if (s->want->unwind)
		take_start(*p, mask, regs, end, out);
}

static bool item_sample(struct perf_source *s, const struct perf_head *r, struct source_item *out)
{
	const struct perf_handle *h = perf_handle_find(s, r->id);
	const uint64_t *p = (const uint64_t *)(r + 1);
	struct sample *x = &out->sample;
	struct task *t;

	if (!h || h->rate < 0)
		return false;	/* from an event that has been closed because it was redundant */
	t = r->tid ? tasks_find(&s->tasks, r->tid) : NULL;
	if (t && t->ended) {	/* its ID is in use again: a thread that executes a program takes its process's ID */
		perf_join(s, t, NULL);
		tasks_remove(&s->tasks, t);
	}
	t = r->tid ? tasks_add(&s->tasks, r->pid, r->tid) : NULL;
	if (t && !t->family && h->family)
		perf_join(s, t, h->family);
	out->kind = SOURCE_SAMPLE;
	x->rate = (uint32_t)h->rate;
	x->mode = (r->h.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER ? SAMPLE_USER : SAMPLE_KERNEL;
	x->arg[x->mode == SAMPLE_USER] = r->ip;
	x->pid = r->pid;
	x->tid = r->tid;
	if (t) {
		t->pid = r->pid;
		t->cpu = r->cpu;
		t->cpus |= 1ull << r->cpu % 64;
		t->share[h->rate].seen++;
		if (s->want->memory)
			derived_refresh_task(t, x->time);
		if (s->want->ran && !t->since)
			task_switch(t, true, x->time);
		task_sample(t, x);
	} else {
		snprintf(x->comm, sizeof x->comm, "swapper/%u", r->cpu);
	}
	if (s->want->kstacks || s->want->ustacks)
		p = split_chain(r, x, s->frames);
	if (s->want->unwind || s->want->uregs)
		take_regs(s, r, p, x);
	return true;
}

static bool item_lost(struct perf_source *s, const struct perf_event_header *h, struct source_item *out)
{
	const uint64_t *v = (const uint64_t *)(h + 1);

	out->kind = SOURCE_LOST;
	out->lost = v[1];
	out->sample.rate = perf_account_lost(s, h);
	return true;
}

static void item_switch(struct perf_source *s, const struct perf_event_header *h, uint32_t pid, uint32_t tid,
			uint64_t time)
{
	bool comes = !(h->misc & PERF_RECORD_MISC_SWITCH_OUT);
	struct task *t = tasks_find(&s->tasks, tid);

	if (!t && tid && comes)
		t = tasks_add(&s->tasks, pid, tid);
	if (t && tid)
		task_switch(t, comes, time);
}

static bool item_make(struct perf_source *s, const struct perf_event_header *h, uint64_t time, struct source_item *out)
{
	const struct perf_tail *tail = (const void *)((const char *)h + h->size - sizeof *tail);

	memset(out, 0, sizeof *out);
	out->sample.time = time;
	out->sample.cpu = h->type == PERF_RECORD_SAMPLE ? ((const struct perf_head *)h)->cpu : tail->cpu;
	switch (h->type) {
	case PERF_RECORD_SAMPLE:
		return item_sample(s, (const void *)h, out);
	case PERF_RECORD_FORK:
		return item_fork(s, (const void *)h, out);
	case PERF_RECORD_EXIT:
		return item_exit(s, (const void *)h, out);
	case PERF_RECORD_COMM:
		return item_comm(s, (const void *)h, out);
	case PERF_RECORD_MMAP2:
		return item_map((const void *)h, out);
	case PERF_RECORD_LOST:
		return item_lost(s, h, out);
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		item_switch(s, h, tail->pid, tail->tid, time);
		return false;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		perf_account_throttle(s, h, time);
		return false;
	default:
		return false;
	}
}

/* ---- delivery ---- */
static void source_take(struct perf_source *s)
{
	uint64_t now;

	if (!s->is_wide && !s->stopped && s->want->target < 0 && clock_now() - s->searched > SEARCH_NS)
		perf_follow_all(s);
	if (!s->stopped && clock_now() - s->counted > SEARCH_NS)
		perf_follow_online(s);
	derived_read(&s->derived, s->stopped);
	now = clock_now();
	perf_rings_take(&s->rings, s->stopped ? UINT64_MAX : now);
	s->derived.time = now;	/* derived firings come after all records of this pass */
	perf_rings_each(&s->rings, record_scan, s);
	/* must precede the delivery of derived firings */
	if (s->rings.full && s->reports_lost)
		perf_account_all(s);
}

static int source_next(struct sample_source *handle, struct source_item *out)
{
	struct perf_source *s = perf_source(handle);
	const struct perf_event_header *h;
	uint64_t time;

	if (!s->started)
		return 0;
	if (!s->more)
		source_take(s);
	s->more = true;
	while ((h = perf_rings_next(&s->rings, &time)))
		if (item_make(s, h, time, out))
			return 1;
	if (s->rings.failed)
		return -ENOMEM;
	if (perf_account_unreported(s, out) || derived_next(&s->derived, out))
		return 1;
	s->more = false;
	return 0;
}

static void source_lacks(struct sample_source *handle, struct buf *out)
{
	struct perf_source *s = perf_source(handle);

	perf_unseen_update(s);
	if (s->unseen.nofiles > s->reported_files)
		buf_printf(out, "warning: %" PRIu64 " threads were not sampled: too many open files (ulimit -n)",
			   s->unseen.nofiles);
	for (unsigned i = 0; i < s->rings.n; i++)
		if (!s->rings.v[i].away && !s->rings.v[i].page)
			buf_printf(out,
				   "%sCPU %d was not sampled: it came online, and the locked-memory limit is too low "
				   "(ulimit -l)", out->len ? "; " : "warning: ", s->rings.v[i].cpu);
	if (s->unseen.refused)
		buf_printf(out, "%s%" PRIu64 " threads were not sampled: they belong to another user, have "
			   "capabilities that dtr lacks, or are protected (non-dumpable)",
			   out->len ? "; " : "warning: ", s->unseen.refused);
	if (s->unseen.privileged)
		buf_printf(out, "%s%" PRIu64 " program%s not sampled: executed with privileges of the file "
			   "(set-user-ID, set-group-ID, capabilities), or not readable",
			   out->len ? "; " : "warning: ", s->unseen.privileged,
			   s->unseen.privileged == 1 ? " was" : "s were");
}

static int source_wait(struct sample_source *handle, int wake, uint64_t timeout_ns)
{
	struct perf_source *s = perf_source(handle);
	struct timespec ts = { .tv_sec = (time_t)(timeout_ns / 1000000000),
		.tv_nsec = (long)(timeout_ns % 1000000000) };
	struct pollfd p[64] = { { .fd = wake, .events = POLLIN } };
	unsigned n = 1;

	for (unsigned i = 0; i < s->rings.n && n < 64; i++)
		if (s->rings.v[i].page)
			p[n++] = (struct pollfd){ .fd = s->rings.v[i].fd, .events = POLLIN };
	return ppoll(p, n, &ts, NULL) < 0 ? -errno : 0;
}

static void source_stop(struct sample_source *handle)
{
	struct perf_source *s = perf_source(handle);

	if (s->stopped || !s->started)
		return;
	perf_enable_all(s, false);
	perf_account_turn(s, false);
	s->stopped = true;
}

static bool source_account(struct sample_source *handle, unsigned rate, int cpu, struct source_account *out)
{
	return perf_account(perf_source(handle), rate, cpu, out);
}

const struct source_ops source_perf = {
	.name = "perf",
	.open = source_open,
	.start = source_start,
	.next = source_next,
	.wait = source_wait,
	.stop = source_stop,
	.describe = source_describe,
	.account = source_account,
	.lacks = source_lacks,
	.close = source_close,
};
