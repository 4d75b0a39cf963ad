/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Causes a known number of events between two calls of getrusage(), and prints how many the kernel attributes to this
 * process, which is an independent count:
 *
 *	counted faults N	first touches N pages
 *	counted switches N	sleeps N times
 *	counted migrations N	moves from one CPU to the other N times; 0 if it may use only one
 *	counted time N		computes for N milliseconds of CPU time
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static struct rusage usage(void)
{
	struct rusage r;

	if (getrusage(RUSAGE_SELF, &r))
		exit(1);
	return r;
}

static long faults(long n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = page * (size_t)n;
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct rusage before, after;

	if (p == MAP_FAILED)
		exit(1);
	madvise(p, size, MADV_NOHUGEPAGE);
	usage();	/* its own pages */
	before = usage();
	for (size_t i = 0; i < size; i += page)
		((volatile char *)p)[i] = 1;
	after = usage();
	return after.ru_minflt + after.ru_majflt - before.ru_minflt - before.ru_majflt;
}

static long switches(long n)
{
	struct rusage before = (usage(), usage()), after;

	for (long i = 0; i < n; i++)
		usleep(100);
	after = usage();
	return after.ru_nvcsw + after.ru_nivcsw - before.ru_nvcsw - before.ru_nivcsw;
}

static void move_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof set, &set))
		exit(1);
}

static long migrations(long n)
{
	int cpu[2], found = 0;
	cpu_set_t allowed;

	if (sched_getaffinity(0, sizeof allowed, &allowed))
		exit(1);
	for (int i = 0; i < CPU_SETSIZE && found < 2; i++)
		if (CPU_ISSET(i, &allowed))
			cpu[found++] = i;
	move_to(cpu[0]);
	usage();
	usage();
	for (long i = 1; i <= n && found == 2; i++)
		move_to(cpu[i % 2]);
	usage();
	return found == 2 ? n : 0;
}

/* The milliseconds of user and system time. */
static long compute(long n)
{
	clock_t end = clock() + n * (CLOCKS_PER_SEC / 1000);
	struct rusage r;

	while (clock() < end)
		;
	r = usage();
	return r.ru_utime.tv_sec * 1000 + r.ru_utime.tv_usec / 1000 +
	       r.ru_stime.tv_sec * 1000 + r.ru_stime.tv_usec / 1000;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		long (*cause)(long n);
	} kinds[] = {
		{ "faults", faults }, { "switches", switches }, { "migrations", migrations }, { "time", compute },
	};

	for (size_t i = 0; argc == 3 && i < sizeof kinds / sizeof *kinds; i++) {
		if (strcmp(kinds[i].name, argv[1]))
			continue;
		printf("%ld\n", kinds[i].cause(atol(argv[2])));
		return fflush(stdout) != 0;
	}
	return 2;
}
