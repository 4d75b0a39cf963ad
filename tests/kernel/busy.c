/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Uses CPU time in known ways:
 *
 *	busy split U K		U ms in busy_user(), then K ms in the kernel
 *	busy processes N US	N processes one after the other, each runs for at least US microseconds of CPU time
 *	busy threads N US	N times four threads at a time, the same
 *	busy deep U N		U ms in user code below N calls of deep()
 *
 * With a number before all that (ms), it sleeps first; with "wait" until there is a line to read. Prints, in ms: how
 * long it and its children have run ("ran"), and for how much of that, in pieces of 3 ms and more, its first thread was
 * kept from its work
 * ("held"): a hypervisor took the CPU away without reporting it, or interrupts did. For processes and threads also how
 * long they have run by their own clocks, from their first instruction to the end of their work ("own", which the time
 * of fork and exit is no part of), and the longest of them ("longest").
 */
#include <ctype.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { AT_ONCE = 4, SHORT = 200, LONG = 1000, HELD = 3000 };	/* us */

/* The run times of processes and threads in us, in shared memory. */
struct own {
	_Atomic uint64_t sum, longest;
};

static struct own *own;
static _Thread_local uint64_t held;	/* us */

static uint64_t ran_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000u + (uint64_t)ts.tv_nsec / 1000;
}

/* The time after a piece of work that takes much less than HELD. */
static uint64_t next(uint64_t last)
{
	uint64_t now = ran_us();

	if (now - last > HELD)
		held += now - last;
	return now;
}

/* Pieces are so long that the system call that reads the clock does not matter, however fast the processor is. */

__attribute__((noinline)) void busy_user(uint64_t us);
void busy_user(uint64_t us)
{
	uint64_t last, now = ran_us(), end = now + us;
	unsigned turns = 1000;

	do {
		for (volatile unsigned i = 0; i < turns; i++)
			;
		last = now;
		now = next(last);
		if (now - last < SHORT && turns < 1u << 30)
			turns *= 2;
		else if (now - last > LONG && turns > 1000)
			turns /= 2;
	} while (now < end);
}

/* Each call has a frame: its result is in memory, so that no compiler turns the calls into a loop. */
__attribute__((noinline)) int deep(int ms, int n);
int deep(int ms, int n)
{
	volatile int below = 0;

	if (n)
		below = deep(ms, n - 1);
	else
		busy_user((uint64_t)ms * 1000);
	return below + 1;
}

static void busy_kernel(uint64_t us)
{
	static char bytes[1 << 20];
	uint64_t now = ran_us(), end = now + us;
	int fd = open("/dev/zero", O_RDONLY);

	while ((now = next(now)) < end)
		if (read(fd, bytes, sizeof bytes) < 0)
			_exit(1);
}

/* The work of a new thread or process. */
static void busy_own(uint64_t us)
{
	uint64_t ran, longest;

	busy_user(us);
	ran = ran_us();
	own->sum += ran;
	longest = own->longest;
	while (longest < ran && !atomic_compare_exchange_weak(&own->longest, &longest, ran))
		;
}

static void *thread(void *arg)
{
	busy_own(*(uint64_t *)arg);
	return NULL;
}

static void processes(int n, uint64_t us)
{
	for (int i = 0; i < n; i++) {
		pid_t pid = fork();

		if (!pid) {
			busy_own(us);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
}

static void threads(int n, uint64_t us)
{
	pthread_t t[AT_ONCE];

	for (int i = 0; i < n; i++) {
		for (int k = 0; k < AT_ONCE; k++)
			if (pthread_create(&t[k], NULL, thread, &us))
				_exit(1);
		for (int k = 0; k < AT_ONCE; k++)
			pthread_join(t[k], NULL);
	}
}

static double usage_ms(int who)
{
	struct rusage r;

	getrusage(who, &r);
	return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) * 1e3 + (double)(r.ru_utime.tv_usec +
		r.ru_stime.tv_usec) / 1e3;
}

int main(int argc, char **argv)
{
	char line[64];

	if (argc > 1 && !strcmp(argv[1], "wait")) {
		if (!fgets(line, sizeof line, stdin))
			return 1;
		argv++;
		argc--;
	}
	if (argc > 1 && isdigit((unsigned char)*argv[1])) {
		usleep((useconds_t)atoi(argv[1]) * 1000);
		argv++;
		argc--;
	}
	own = mmap(NULL, sizeof *own, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (argc < 4 || own == MAP_FAILED)
		return 2;
	if (!strcmp(argv[1], "split")) {
		busy_user((uint64_t)atoi(argv[2]) * 1000);
		busy_kernel((uint64_t)atoi(argv[3]) * 1000);
	} else if (!strcmp(argv[1], "deep")) {
		deep(atoi(argv[2]), atoi(argv[3]));
	} else if (!strcmp(argv[1], "processes")) {
		processes(atoi(argv[2]), (uint64_t)atoi(argv[3]));
	} else {
		threads(atoi(argv[2]), (uint64_t)atoi(argv[3]));
	}
	printf("ran %.0f\nheld %.0f\n", usage_ms(RUSAGE_SELF) + usage_ms(RUSAGE_CHILDREN), (double)held / 1e3);
	if (own->sum)
		printf("own %.0f\nlongest %.1f\n", (double)own->sum / 1e3, (double)own->longest / 1e3);
	return 0;
}
