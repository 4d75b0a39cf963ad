/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "providers/links.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/shield.h"

enum { MANY = 8 };		/* closing as many takes 0.2 s */

static bool links_add(struct links *l, int fd)
{
	if (l->n == l->room) {
		size_t room = l->room ? 2 * l->room : 16;
		int *v = realloc(l->fd, room * sizeof *v);

		if (!v)
			return false;
		l->fd = v;
		l->room = room;
	}
	l->fd[l->n++] = fd;
	return true;
}

int links_keep(struct links *l, int fd)
{
	if (fd < 0)
		return fd;
	if (links_add(l, fd))
		return 0;
	close(fd);
	return -ENOMEM;
}

int links_event(int event, int prog, uint64_t cookie)
{
	union bpf_attr a;
	int fd;

	memset(&a, 0, sizeof a);
	a.link_create.prog_fd = (uint32_t)prog;
	a.link_create.target_fd = (uint32_t)event;
	a.link_create.attach_type = BPF_PERF_EVENT;
	a.link_create.perf_event.bpf_cookie = cookie;
	fd = (int)syscall(SYS_bpf, BPF_LINK_CREATE, &a, sizeof a);
	return fd < 0 ? -errno : fd;
}

/* ---- closing ---- */

static int compare_fds(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* In the child: keeps only these descriptors, and closes them when the parent has closed its own: who closes a
 * descriptor last waits. */
static _Noreturn void close_alone(const struct links *l, int parent)
{
	int next = 0;
	char c;

	setsid();
	for (size_t i = 0; i < l->n; i++) {
		if (l->fd[i] > next)
			syscall(SYS_close_range, next, l->fd[i] - 1, 0);
		next = l->fd[i] + 1;
	}
	syscall(SYS_close_range, next, ~0u, 0);
	while (read(parent, &c, 1) < 0 && errno == EINTR)
		;
	for (size_t i = 0; i < l->n; i++)
		close(l->fd[i]);
	_exit(0);
}

/* A pipe that ends when the parent has closed its descriptors. Returns the other end, and adds this one; or -1. */
static int closing_pipe(struct links *l, int *end)
{
	int fd[2];

	if (pipe2(fd, O_CLOEXEC))
		return -1;
	if (!links_add(l, fd[0])) {
		close(fd[0]);
		close(fd[1]);
		return -1;
	}
	*end = fd[1];
	return fd[0];
}

/*
 * Closing waits for RCU, for a perf event while it holds a lock, so threads do not help. A process of its own, whose
 * parent is init, holds many descriptors until they are closed. Their programs do nothing any more. Returns a
 * descriptor to close when the others are closed, or -1.
 */
static int close_elsewhere(struct links *l)
{
	int end = -1, parent = closing_pipe(l, &end), status;
	pid_t pid;

	qsort(l->fd, l->n, sizeof *l->fd, compare_fds);
	pid = fork();
	if (pid == 0) {
		if (fork() == 0)
			close_alone(l, parent);
		_exit(0);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return end;
}

static int close_all(void *arg)
{
	const struct links *l = arg;

	for (size_t i = 0; i < l->n; i++)
		close(l->fd[i]);
	return 0;
}

void links_move(struct links *to, struct links *from)
{
	for (size_t i = 0; i < from->n; i++)
		links_keep(to, from->fd[i]);
	free(from->fd);
	*from = (struct links){ 0 };
}

void links_close(struct links *l)
{
	int end = l->n > MANY ? close_elsewhere(l) : -1;

	if (l->n)
		shield_run(close_all, l);
	if (end >= 0)
		close(end);
	free(l->fd);
	*l = (struct links){ 0 };
}

int links_try(unsigned type, unsigned attach, unsigned btf_id)
{
	static const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K }, { .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr a;
	int fd;

	memset(&a, 0, sizeof a);
	a.prog_type = type;
	a.expected_attach_type = attach;
	a.attach_btf_id = btf_id;
	a.insns = (uintptr_t)insns;
	a.insn_cnt = sizeof insns / sizeof *insns;
	a.license = (uintptr_t)"GPL";
	fd = (int)syscall(SYS_bpf, BPF_PROG_LOAD, &a, sizeof a);
	return fd < 0 ? -errno : fd;
}
