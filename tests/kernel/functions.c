/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A program that makes the kernel call certain functions a known number of times, for tests of the fbt provider:
 * getppid, openat of the directory -77, mmap of 77 pages, faults of 64 pages from address 3 << 44, and epolls that
 * watch epolls, for which ep_loop_check_proc calls itself to depth 2.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PARENTS = 1000, OPENS = 40, MAPS = 30, PAGES = 64, CHAINS = 50, CHAIN = 3, PAGE = 4096 };

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void calls(void)
{
	for (int i = 0; i < PARENTS; i++)
		syscall(SYS_getppid);
	for (int i = 0; i < OPENS; i++)
		syscall(SYS_openat, -77, "a", O_RDONLY);
	for (int i = 0; i < MAPS; i++)
		if (mmap(NULL, 77 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
			fail("mmap");
}

/* The page before them is touched first: the kernel may handle the first fault of a mapping twice. */
static void faults(void)
{
	volatile char *at = mmap((void *)(((uintptr_t)3 << 44) - PAGE), (PAGES + 1) * PAGE, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (at == MAP_FAILED)
		fail("mmap");
	madvise((void *)at, (PAGES + 1) * PAGE, MADV_NOHUGEPAGE);
	for (int i = 0; i <= PAGES; i++)
		at[(size_t)i * PAGE] = 1;
}

/* Each epoll watches the one that was made before it. */
static void chain(void)
{
	struct epoll_event event = { .events = EPOLLIN };
	int fd[CHAIN];

	for (int i = 0; i < CHAIN; i++) {
		fd[i] = epoll_create1(0);
		if (fd[i] < 0 || (i && epoll_ctl(fd[i], EPOLL_CTL_ADD, fd[i - 1], &event)))
			fail("epoll");
	}
	for (int i = 0; i < CHAIN; i++)
		close(fd[i]);
}

int main(void)
{
	calls();
	faults();
	for (int i = 0; i < CHAINS; i++)
		chain();
	return 0;
}
