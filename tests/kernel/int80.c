/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Makes N system calls with the number 64 as 32-bit programs do, where it is getppid(); in 64-bit programs it is
 * semget(). Ends with a signal if the kernel does not offer them, with status 77 on other processors. */
#include <stdlib.h>

int main(int argc, char **argv)
{
#ifdef __x86_64__
	for (int n = argc > 1 ? atoi(argv[1]) : 1; n > 0; n--) {
		long result = 64;

		__asm__ volatile("int $0x80" : "+a"(result) : : "memory", "r8", "r9", "r10", "r11");
		if (result <= 0)
			return 1;
	}
	return 0;
#else
	(void)argc;
	(void)argv;
	return 77;
#endif
}
