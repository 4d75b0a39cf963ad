/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * loop [fork|exec PROGRAM|dlopen LIBRARY]: fires the probe prov:::loop until it is ended, and prints a line whenever
 * the probe is switched on or off. After the first time: fork: a child goes on, too; exec: the program is executed;
 * dlopen: the library is loaded and its function plugin() called.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "prov.h"

static void (*plugin)(int i);

static void first(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "fork")) {
		fork();
	} else if (argc > 2 && !strcmp(argv[1], "exec")) {
		execl(argv[2], argv[2], (char *)NULL);
	} else if (argc > 2 && !strcmp(argv[1], "dlopen")) {
		void *lib = dlopen(argv[2], RTLD_NOW);

		if (lib)
			*(void **)&plugin = dlsym(lib, "plugin");
		printf("loaded %d\n", plugin != NULL);
	}
}

int main(int argc, char **argv)
{
	int was = 0, times = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("ready\n");
	for (int i = 0; ; i++) {
		int on = PROV_LOOP_ENABLED();

		if (on != was) {
			printf("%s %d\n", on ? "on" : "off", (int)prov_loop_semaphore);
			was = on;
			if (on && !times++)
				first(argc, argv);
		}
		PROV_LOOP(i);
		if (plugin)
			plugin(i);
		usleep(500);
	}
}
