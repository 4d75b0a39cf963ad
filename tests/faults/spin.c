/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* spin MS: uses MS milliseconds of CPU time, then ends with status 0. */
#include <stdlib.h>
#include <time.h>

int main(int argc, char **argv)
{
	long ms = argc > 1 ? atol(argv[1]) : 10;
	struct timespec t;

	do
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	while (t.tv_sec * 1000 + t.tv_nsec / 1000000 < ms);
	return 0;
}
