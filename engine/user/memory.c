/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "engine/user/memory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>

#include "lang/types.h"

/* ---- of processes ---- */
enum { PIECE = 256 };

static ssize_t process_read(int64_t pid, void *dst, size_t n, uint64_t addr)
{
	struct iovec to = { dst, n }, from = { (void *)(uintptr_t)addr, n };

	return process_vm_readv((pid_t)pid, &to, 1, &from, 1, 0);
}

/* As far as the next border of pages, so that a string that ends before an unmapped page is found. */
static size_t to_border(uint64_t addr, size_t n)
{
	size_t left = PIECE - addr % PIECE;

	return left < n ? left : n;
}

static int process_string(int64_t pid, char *dst, uint32_t n, uint64_t addr)
{
	for (uint32_t at = 0; at + 1 < n;) {
		size_t piece = to_border(addr + at, n - 1 - at);

		if (process_read(pid, dst + at, piece, addr + at) != (ssize_t)piece)
			return -EFAULT;
		if (memchr(dst + at, 0, piece))
			return 0;
		at += (uint32_t)piece;
	}
	return 0;
}

/* ---- of the kernel ---- */
#define FAKE_BASE 0xfffffd0000000000ull

/* The structures of the image, each with room for the largest of them. */
enum fake_struct { FAKE_TASK, FAKE_LEADER, FAKE_PARENT, FAKE_CRED, FAKE_SIGNAL, FAKE_PGRP, FAKE_SESSION, FAKE_MM, FAKE_STRUCTS };
enum { FAKE_ROOM = 32 * 1024, FAKE_SIZE = FAKE_STRUCTS * FAKE_ROOM };

static const char *const fake_types[FAKE_STRUCTS] = {
	"struct task_struct", "struct task_struct", "struct task_struct", "struct cred", "struct signal_struct", "struct pid",
	"struct pid", "struct mm_struct",
};

enum fake_kind {
	FAKE_POINTER,		/* to structure `from` */
	FAKE_SAMPLE, FAKE_MORE,	/* the field at `from` of struct sample, struct sample_task */
	FAKE_COMM,		/* 0: the thread's name; 1: that of the process's first thread */
	FAKE_STATE,		/* it was running when the sample was taken */
};

static const struct fake {
	enum fake_struct in;
	const char *member;
	enum fake_kind kind;
	size_t from, size;
	unsigned index;			/* of an array of pointers */
} fakes[] = {
#define OF_SAMPLE(in, member, field) { in, member, FAKE_SAMPLE, offsetof(struct sample, field), sizeof((struct sample *)0)->field, 0 }
#define OF_TASK(in, member, field) \
	{ in, member, FAKE_MORE, offsetof(struct sample_task, field), sizeof((struct sample_task *)0)->field, 0 }
#define POINTER(in, member, index, to) { in, member, FAKE_POINTER, to, 0, index }
	OF_SAMPLE(FAKE_TASK, "pid", tid), OF_SAMPLE(FAKE_TASK, "tgid", pid), OF_SAMPLE(FAKE_TASK, "thread_info.cpu", cpu),
	{ FAKE_TASK, "comm", FAKE_COMM, 0, 0, 0 }, { FAKE_TASK, "__state", FAKE_STATE, 0, 0, 0 },
	{ FAKE_TASK, "exit_state", FAKE_STATE, 0, 0, 0 }, { FAKE_TASK, "on_cpu", FAKE_STATE, 1, 0, 0 },
	OF_TASK(FAKE_TASK, "prio", prio), OF_TASK(FAKE_TASK, "static_prio", static_prio),
	OF_TASK(FAKE_TASK, "normal_prio", normal_prio), OF_TASK(FAKE_TASK, "rt_priority", rt_priority),
	OF_TASK(FAKE_TASK, "policy", policy), OF_TASK(FAKE_TASK, "flags", flags),
	OF_TASK(FAKE_TASK, "start_time", start_time), OF_TASK(FAKE_TASK, "nr_cpus_allowed", cpus_allowed),
	POINTER(FAKE_TASK, "cred", 0, FAKE_CRED), POINTER(FAKE_TASK, "real_cred", 0, FAKE_CRED),
	POINTER(FAKE_TASK, "signal", 0, FAKE_SIGNAL), POINTER(FAKE_TASK, "real_parent", 0, FAKE_PARENT),
	POINTER(FAKE_TASK, "parent", 0, FAKE_PARENT), POINTER(FAKE_TASK, "group_leader", 0, FAKE_LEADER),
	POINTER(FAKE_TASK, "mm", 0, FAKE_MM),
	OF_SAMPLE(FAKE_LEADER, "pid", pid), OF_SAMPLE(FAKE_LEADER, "tgid", pid), { FAKE_LEADER, "comm", FAKE_COMM, 1, 0, 0 },
	OF_TASK(FAKE_PARENT, "pid", ppid), OF_TASK(FAKE_PARENT, "tgid", ppid),
	OF_SAMPLE(FAKE_CRED, "uid.val", uid), OF_SAMPLE(FAKE_CRED, "gid.val", gid), OF_TASK(FAKE_CRED, "euid.val", euid),
	OF_TASK(FAKE_CRED, "egid.val", egid), OF_TASK(FAKE_SIGNAL, "nr_threads", nthreads),
	POINTER(FAKE_SIGNAL, "pids", 2, FAKE_PGRP), POINTER(FAKE_SIGNAL, "pids", 3, FAKE_SESSION),
	OF_TASK(FAKE_PGRP, "numbers.nr", pgid), OF_TASK(FAKE_SESSION, "numbers.nr", sid),
	OF_TASK(FAKE_MM, "arg_start", arg_start), OF_TASK(FAKE_MM, "arg_end", arg_end),
#undef OF_SAMPLE
#undef OF_TASK
#undef POINTER
};

enum { NFAKES = sizeof fakes / sizeof fakes[0], COMM_BYTES = 16 };

struct fake_where {
	uint64_t off, size;
};

/* A member, or one of a member of it; an array's first element stands for it. */
static bool fake_find(struct types *types, const char *type, const char *path, struct fake_where *w)
{
	struct type *t = type_lookup(types, type);
	char name[32];

	*w = (struct fake_where){ 0 };
	while (t) {
		size_t n = strcspn(path, ".");
		const struct member *m;
		uint64_t bits = 0;

		snprintf(name, sizeof name, "%.*s", (int)n, path);
		m = type_member(types, t, name, &bits);
		if (!m)
			return false;
		w->off += bits / 8;
		w->size = m->type->size;
		if (!path[n])
			return true;
		path += n + 1;
		t = m->type->kind == T_ARRAY ? m->type->ref : m->type;
	}
	return false;
}

static void fake_init(struct memory *m)
{
	m->bytes = arena_alloc(m->arena, FAKE_SIZE);
	m->known = arena_alloc(m->arena, FAKE_SIZE);
	m->place = arena_calloc(m->arena, NFAKES, sizeof *m->place);
	m->size = arena_calloc(m->arena, NFAKES, sizeof *m->size);
	for (size_t i = 0; i < NFAKES; i++) {
		const struct fake *f = &fakes[i];
		struct fake_where w;
		bool found = fake_find(m->prog->types, fake_types[f->in], f->member, &w);
		bool fits = f->kind == FAKE_COMM ? w.size == COMM_BYTES : f->kind == FAKE_POINTER || w.size <= sizeof(uint64_t);

		m->size[i] = f->kind == FAKE_POINTER ? sizeof(uint64_t) : (uint8_t)w.size;
		w.off += sizeof(uint64_t) * f->index;
		m->place[i] = found && fits && w.off + COMM_BYTES <= FAKE_ROOM ? (int64_t)(f->in * FAKE_ROOM + w.off) : -1;
	}
}

uint64_t memory_task(const struct memory *m)
{
	return m->bytes ? FAKE_BASE : 0;
}

/* False: it is not known. */
static bool fake_value(const struct fake *f, const struct sample *s, uint64_t *v)
{
	*v = 0;
	if (f->kind == FAKE_MORE && !s->task)
		return false;
	if (f->kind == FAKE_SAMPLE)
		memcpy(v, (const char *)s + f->from, f->size);
	else if (f->kind == FAKE_MORE)
		memcpy(v, (const char *)s->task + f->from, f->size);
	else if (f->kind == FAKE_STATE)
		*v = f->from;
	else
		*v = FAKE_BASE + (f->from == FAKE_LEADER && s->tid == s->pid ? FAKE_TASK : f->from) * FAKE_ROOM;
	return true;
}

static const void *fake_comm(const struct fake *f, const struct sample *s)
{
	if (!f->from || s->tid == s->pid)
		return s->comm;
	return s->task ? s->task->leader_comm : NULL;
}

static void fake_fill(struct memory *m)
{
	const struct sample *s = m->world->now;

	memset(m->known, 0, FAKE_SIZE);
	for (size_t i = 0; i < NFAKES; i++) {
		uint64_t v = 0;
		const void *from = fakes[i].kind == FAKE_COMM ? fake_comm(&fakes[i], s) : fake_value(&fakes[i], s, &v) ? &v : NULL;

		if (m->place[i] < 0 || !from)
			continue;
		memcpy(m->bytes + m->place[i], from, m->size[i]);
		memset(m->known + m->place[i], 1, m->size[i]);
	}
	m->filled = true;
}

/* How many of n bytes are there. */
static size_t fake_there(struct memory *m, uint64_t addr, size_t n)
{
	size_t i = 0;

	if (!m->bytes || addr - FAKE_BASE >= FAKE_SIZE)
		return 0;
	if (!m->filled)
		fake_fill(m);
	while (i < n && addr - FAKE_BASE + i < FAKE_SIZE && m->known[addr - FAKE_BASE + i])
		i++;
	return i;
}

/* ---- the hooks ---- */
static int memory_read(void *arg, bool user, void *dst, uint32_t n, uint64_t addr)
{
	struct memory *m = arg;

	if (user && !m->past)
		return process_read((int64_t)m->world->now->pid, dst, n, addr) == (ssize_t)n ? 0 : -EFAULT;
	if (user || fake_there(m, addr, n) < n)
		return -EFAULT;
	memcpy(dst, m->bytes + (addr - FAKE_BASE), n);
	return 0;
}

static int memory_string(void *arg, bool user, char *dst, uint32_t n, uint64_t addr)
{
	struct memory *m = arg;
	size_t there;

	if (user && !m->past)
		return process_string((int64_t)m->world->now->pid, dst, n, addr);
	n = n ? n - 1 : 0;
	there = user ? 0 : fake_there(m, addr, n);
	if (there)
		memcpy(dst, m->bytes + (addr - FAKE_BASE), there);
	return there && (there == n || memchr(dst, 0, there)) ? 0 : -EFAULT;
}

static int memory_write(void *arg, const void *src, uint32_t n, uint64_t addr)
{
	const struct memory *m = arg;
	struct iovec from = { (void *)(uintptr_t)src, n }, to = { (void *)(uintptr_t)addr, n };

	return !m->past && process_vm_writev((pid_t)m->world->now->pid, &from, 1, &to, 1, 0) == (ssize_t)n ? 0 : -EFAULT;
}

void memory_forget(struct memory *m)
{
	m->filled = false;
}

void memory_init(struct memory *m, struct arena *a, const struct d_prog *p, struct world *w, bool kernel)
{
	*m = (struct memory){ .arena = a, .prog = p, .world = w };
	w->memory = (struct world_memory){ m, memory_read, memory_string, memory_write };
	if (kernel)
		fake_init(m);
}
