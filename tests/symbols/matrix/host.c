/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Usage: host LIBRARY, which is loaded and started; host -m PROGRAM, which is executed from memory (memfd). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int from_memory(char **argv)
{
	static char copied[1 << 16];
	int in = open(argv[0], O_RDONLY), out = memfd_create("matrix", MFD_CLOEXEC);
	ssize_t n;

	while ((n = read(in, copied, sizeof(copied))) > 0)
		if (write(out, copied, (size_t)n) != n)
			return 1;
	fexecve(out, argv, environ);
	perror(argv[0]);
	return 1;
}

int main(int argc, char **argv)
{
	void *library;
	void (*start)(void) = NULL;

	if (argc > 2 && !strcmp(argv[1], "-m"))
		return from_memory(argv + 2);
	library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
	if (library)
		*(void **)&start = dlsym(library, "chain_start");
	if (!start) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	start();
	return 0;
}
