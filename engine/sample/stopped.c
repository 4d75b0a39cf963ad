/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "engine/sample/stopped.h"

#include <asm/perf_regs.h>
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "base/arch/arch.h"

/* What the kernel itself turns into a repeated call (include/linux/errno.h). */
enum { RESTART_FIRST = 512, RESTART_LAST = 516 };

/* System calls that return EINTR after every stop, but have then done nothing (signal(7), "never restarted"). */
static const int16_t undone_calls[] = {
#ifdef SYS_epoll_wait
	SYS_epoll_wait,
#endif
	SYS_epoll_pwait, SYS_semop, SYS_semtimedop, SYS_rt_sigtimedwait, SYS_io_getevents, SYS_recvfrom, SYS_recvmsg,
	SYS_recvmmsg, SYS_sendto, SYS_sendmsg, SYS_sendmmsg, SYS_accept, SYS_accept4, SYS_connect, SYS_read, SYS_write,
	SYS_readv, SYS_writev,
#ifdef SYS_epoll_pwait2
	SYS_epoll_pwait2,
#endif
#ifdef SYS_io_pgetevents
	SYS_io_pgetevents,
#endif
#ifdef SYS_io_uring_enter
	SYS_io_uring_enter,
#endif
};

static bool is_undone(int64_t call)
{
	for (size_t i = 0; i < sizeof undone_calls / sizeof undone_calls[0]; i++)
		if (undone_calls[i] == call)
			return true;
	return false;
}

/* True if a signal waits that the thread does not block, or if that is unknown: then EINTR is right. */
static bool signal_waits(const struct task *t)
{
	uint64_t own = 0, shared = 0, blocked = 0;
	char path[80], line[128];
	bool known = false;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%u/task/%u/status", t->pid, t->tid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof line, f)) {
		sscanf(line, "SigPnd: %" SCNx64, &own);
		sscanf(line, "ShdPnd: %" SCNx64, &shared);
		known |= sscanf(line, "SigBlk: %" SCNx64, &blocked) == 1;
	}
	if (f)
		fclose(f);
	return !known || (own | shared) & ~blocked;
}

/* The stop may have ended the sleep of a system call. */
static void call_repeat(struct stopped *s, const struct task *t, struct stopped_counts *counts)
{
	int64_t call = ARCH_REGS_CALL(&s->regs), result = ARCH_REGS_RESULT(&s->regs);
	struct iovec v = { &s->regs, s->bytes };

	if (s->bytes < sizeof s->regs || call < 0)
		return;
	if (result <= -RESTART_FIRST && result >= -RESTART_LAST)
		counts->asleep++;
	if (result != -EINTR)
		return;
	counts->asleep++;
	if (signal_waits(t))
		return;		/* which ends the call */
	if (!is_undone(call)) {
		counts->interrupted++;
		return;
	}
	ARCH_REGS_REPEAT(&s->regs);
	if (!ptrace(PTRACE_SETREGSET, (pid_t)t->tid, (void *)NT_PRSTATUS, &v))
		counts->repeated++;
}

/* The register of a stopped thread, 64 or 32 bits. */
static uint64_t register_of(const struct stopped *s, int perf)
{
	uint64_t value[UREGS_PERF];
	unsigned bits;

	return uregs_stopped(&s->regs, s->bytes, 1ull << perf, value, &bits) ? value[0] : 0;
}

/* A process that has another user by now may still be traced, but its memory is read in words only. */
static uint32_t stack_peek(uint32_t tid, uint64_t at, uint8_t *out, uint32_t n)
{
	enum { MOST = 4096 };	/* each word takes a system call */
	uint32_t done = 0;

	for (; done + sizeof(long) <= n && done < MOST; done += sizeof(long)) {
		long word;

		errno = 0;
		word = ptrace(PTRACE_PEEKDATA, (pid_t)tid, (void *)(at + done), NULL);
		if (errno)
			break;
		memcpy(out + done, &word, sizeof word);
	}
	return done;
}

/* Copies the stack page by page: the last page that can be read may be incomplete. */
static uint32_t stack_read(uint32_t tid, uint64_t at, uint8_t *out, uint32_t n)
{
	enum { PAGE = 4096, PAGES = 17 };
	struct iovec remote[PAGES], local = { out, n };
	unsigned long count = 0;
	uint64_t end = at + n;
	ssize_t got;

	for (uint64_t a = at; a < end && count < PAGES; count++) {
		uint64_t next = (a | (PAGE - 1)) + 1;

		next = next > end ? end : next;
		remote[count] = (struct iovec){ (void *)a, next - a };
		a = next;
	}
	got = process_vm_readv((pid_t)tid, &local, 1, remote, count, 0);
	return got > 0 ? (uint32_t)got : got < 0 && errno == EPERM ? stack_peek(tid, at, out, n) : 0;
}

bool stopped_read(struct stopped *s, const struct task *t, struct stopped_counts *counts)
{
	struct iovec v = { &s->regs, sizeof s->regs };

	if (ptrace(PTRACE_GETREGSET, (pid_t)t->tid, (void *)NT_PRSTATUS, &v) < 0)
		return false;
	counts->stops++;
	s->bytes = v.iov_len;
	s->pc = register_of(s, ARCH_PERF_PC);
	s->sp = register_of(s, ARCH_PERF_SP);
	s->size = s->room ? stack_read(t->tid, s->sp, s->stack, s->room) : 0;
	call_repeat(s, t, counts);
	return true;
}

void stopped_store(const struct stopped *s, const struct source_want *w, struct captured *c)
{
	struct sample *out = &c->item.sample;
	struct unwind_start *start = &out->start;

	out->mode = SAMPLE_USER;
	out->arg[1] = s->pc;
	if (w->uregs)
		out->uregs.n = uregs_words(&s->regs, s->bytes, c->words);
	if (!w->ustacks)
		return;
	start->mask = uregs_stopped(&s->regs, s->bytes, unwind_mask(), c->regs, &start->bits);
	start->size = s->size;
	memcpy(c->data, s->stack, s->size);
}
