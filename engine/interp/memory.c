/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "engine/interp/memory.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/uio.h>

#include "engine/sample/source.h"
#include "lang/prog.h"

/* ---- memory of processes ---- */
enum { PIECE = 256 };

static ssize_t process_read(int64_t pid, void *dst, size_t n, uint64_t addr)
{
	struct iovec to = { dst, n }, from = { (void *)(uintptr_t)addr, n };

	return process_vm_readv((pid_t)pid, &to, 1, &from, 1, 0);
}

/* Reads in pieces that do not cross a page boundary, so that a string at the end of the mapped memory can be read. */
static size_t piece_size(uint64_t addr, size_t n)
{
	size_t left = PIECE - addr % PIECE;

	return left < n ? left : n;
}

static int process_string(int64_t pid, char *dst, uint32_t n, uint64_t addr)
{
	for (uint32_t at = 0; at + 1 < n;) {
		size_t piece = piece_size(addr + at, n - 1 - at);

		if (process_read(pid, dst + at, piece, addr + at) != (ssize_t)piece)
			return -EFAULT;
		if (memchr(dst + at, 0, piece))
			return 0;
		at += (uint32_t)piece;
	}
	return 0;
}

/* ---- the hooks ---- */
static int memory_read(void *arg, bool user, void *dst, uint32_t n, uint64_t addr)
{
	struct memory *m = arg;

	if (!user)
		return m->image ? image_read(m->image, m->world->now, dst, n, addr) : -EFAULT;
	return !m->past.past && process_read((int64_t)m->world->now->pid, dst, n, addr) == (ssize_t)n ? 0 : -EFAULT;
}

static int memory_string(void *arg, bool user, char *dst, uint32_t n, uint64_t addr)
{
	struct memory *m = arg;

	if (!user)
		return m->image ? image_string(m->image, m->world->now, dst, n, addr) : -EFAULT;
	return m->past.past ? -EFAULT : process_string((int64_t)m->world->now->pid, dst, n, addr);
}

static int memory_write(void *arg, const void *src, uint32_t n, uint64_t addr)
{
	const struct memory *m = arg;
	struct iovec from = { (void *)(uintptr_t)src, n }, to = { (void *)(uintptr_t)addr, n };

	return !m->past.past && process_vm_writev((pid_t)m->world->now->pid, &from, 1, &to, 1, 0) == (ssize_t)n ? 0 :
		-EFAULT;
}

/* Like bpf_send_signal(), never sends a signal to process 1. */
static void memory_signal(void *arg, int64_t pid, int number)
{
	const struct memory *m = arg;

	if (!m->past.past && pid > 1)
		kill((pid_t)pid, number);
}

static uint64_t memory_task(void *arg, const struct sample *s)
{
	(void)arg;
	return image_task(s->tid);
}

void memory_forget(struct memory *m)
{
	if (m->image)
		image_forget(m->image);
}

void memory_init(struct memory *m, struct arena *a, const struct d_prog *p, struct world *w, bool kernel)
{
	*m = (struct memory){ .world = w };
	w->memory = (struct world_memory){ m, memory_read, memory_string, memory_write, memory_signal, memory_task };
	if (kernel)
		m->image = image_open(a, p->types, &m->past);
}
