/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Probes of SystemTap's header, with a semaphore. Prints what a tracer should print. */
#define _SDT_HAS_SEMAPHORES 1
#include <stdio.h>
#include <sys/sdt.h>

unsigned short sdt_work__done_semaphore __attribute__((section(".probes")));
unsigned short sdt_real_semaphore __attribute__((section(".probes")));

int main(void)
{
	double half = 0.5;

	printf("enabled %d\n", sdt_work__done_semaphore);
	for (int i = 0; i < 5; i++) {
		DTRACE_PROBE3(sdt, work__done, i, "text", (short)-i);
		printf("work %d text %d\n", i, -i);
		DTRACE_PROBE2(sdt, real, half, i);
	}
	return 0;
}
