/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * paging FILE: known numbers of page faults, of which dtr traces those between two calls of getppid(). Prints them:
 * pages that are zeroed, copied, written without permission (and the signals handled), read from FILE, which is
 * created; the kernel's counts of minor and major faults, and the bytes that it read from the device.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE = 4096, ZEROED = 1000, DENIED = 30, READ = 100 /* and written: copied */ };

static sigjmp_buf again;

static void on_fault(int sig)
{
	(void)sig;
	siglongjmp(again, 1);
}

static void deny(volatile char *page, int n)
{
	for (volatile int i = 0; i < n; i++)
		if (!sigsetjmp(again, 1))
			*page = 1;
}

static long bytes_read(void)
{
	FILE *f = fopen("/proc/self/io", "r");
	char line[128];
	long n = -1;

	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "read_bytes: %ld", &n) == 1)
			break;
	if (f)
		fclose(f);
	return n;
}

/* A file of READ pages that are not in memory. */
static int make_file(const char *path)
{
	static char page[PAGE];
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	memset(page, 'x', sizeof page);
	for (int i = 0; i < READ; i++)
		if (write(fd, page, sizeof page) != sizeof page)
			return -1;
	fsync(fd);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	return fd;
}

static volatile char *map(size_t pages, int prot, int flags, int fd)
{
	char *p = mmap(NULL, pages * PAGE, prot, flags, fd, 0);

	if (p == MAP_FAILED)
		_exit(2);
	madvise(p, pages * PAGE, fd < 0 ? MADV_NOHUGEPAGE : MADV_RANDOM);
	return p;
}

static void touch(volatile char *p, int pages, int write)
{
	for (int i = 0; i < pages; i++) {
		if (write)
			p[i * PAGE] = 1;
		else
			(void)p[i * PAGE];
	}
}

int main(int argc, char **argv)
{
	int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), fd = argc == 2 ? make_file(argv[1]) : -1;
	volatile char *fresh = map(ZEROED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	volatile char *file = map(READ, PROT_READ, MAP_SHARED, fd), *denied = map(1, PROT_READ, MAP_SHARED, self);
	volatile char *copy = map(READ, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd);
	struct rusage before, after;
	long read;

	signal(SIGSEGV, on_fault);
	(void)*denied;
	deny(denied, 1);
	read = bytes_read();
	getrusage(RUSAGE_SELF, &after);
	if (fd < 0 || self < 0 || syscall(SYS_getpid) < 0)
		return 1;
	/* both functions have been called before, so the calls themselves cause no page faults */
	getrusage(RUSAGE_SELF, &before);
	syscall(SYS_getppid);
	touch(fresh, ZEROED, 1);
	deny(denied, DENIED);
	touch(file, READ, 0);
	touch(copy, READ, 0);
	touch(copy, READ, 1);
	syscall(SYS_getppid);
	getrusage(RUSAGE_SELF, &after);
	read = bytes_read() - read;
	printf("zeroed %d\ncopied %d\ndenied %d\nminor %ld\nmajor %ld\nbytes %ld\n", ZEROED, READ, DENIED,
	       after.ru_minflt - before.ru_minflt, after.ru_majflt - before.ru_majflt, read);
	return 0;
}
