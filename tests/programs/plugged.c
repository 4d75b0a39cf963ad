/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * plugged LIBRARY...: loads each library, calls its function plug() three times, and removes it. Between two libraries,
 * memory is mapped, so that the same library is loaded at another address. Prints whether it was.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

int main(int argc, char **argv)
{
	void *before = NULL;

	for (int i = 1; i < argc; i++) {
		void *library = dlopen(argv[i], RTLD_NOW);
		void (*plug)(int n) = NULL;

		if (!library) {
			fprintf(stderr, "%s\n", dlerror());
			return 1;
		}
		*(void **)&plug = dlsym(library, "plug");
		for (int n = 1; n <= 3; n++)
			plug(i * 10 + n);
		if (before)
			printf("%s\n", (void *)plug == before ? "same" : "moved");
		before = (void *)plug;
		dlclose(library);
		/* where the library was */
		mmap((void *)((unsigned long)before & ~4095ul), 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	}
	return 0;
}
