/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* faults SECONDS: takes page faults, as fast as possible. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

enum { PAGES = 1024, PAGE = 4096 };

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	double end = now() + (argc == 2 ? atof(argv[1]) : 1);

	while (now() < end) {
		char *p = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (p == MAP_FAILED) {
			perror("faults: mmap");
			return 1;
		}
		madvise(p, PAGES * PAGE, MADV_NOHUGEPAGE);
		for (int i = 0; i < PAGES; i++)
			*(volatile char *)(p + i * PAGE) = 1;
		munmap(p, PAGES * PAGE);
	}
	return 0;
}
