/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* spinfn CPU: spins in one function on one CPU; prints that function's address range first (hexadecimal, end
 * exclusive). */
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline, section("spin_text"))) static void spin_here(void)
{
	volatile unsigned long n = 0;

	for (;;)
		n++;
}

/* Section bounds, from the linker. */
extern char __start_spin_text[], __stop_spin_text[];

int main(int argc, char **argv)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(argc > 1 ? atoi(argv[1]) : 0, &set);
	sched_setaffinity(0, sizeof set, &set);
	printf("%llx %llx\n", (unsigned long long)(uintptr_t)__start_spin_text,
	       (unsigned long long)(uintptr_t)__stop_spin_text);
	fflush(stdout);
	spin_here();
	return 0;
}
