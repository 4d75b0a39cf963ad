/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Keeps a probe in all processes (a uprobe), as another tracer would.
 *
 *	uprobe_all FILE OFFSET	at an instruction of a file; prints a line when it is there; ends with its standard
 *				input. Status 2: not permitted, or this kernel has none.
 */
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct perf_event_attr attr;
	FILE *f = fopen("/sys/bus/event_source/devices/uprobe/type", "re");
	unsigned type;
	char c;

	if (argc < 3 || !f || fscanf(f, "%u", &type) != 1)
		return 2;
	fclose(f);
	memset(&attr, 0, sizeof attr);
	attr.size = sizeof attr;
	attr.type = type;
	attr.config1 = (uintptr_t)argv[1];
	attr.config2 = strtoull(argv[2], NULL, 0);
	if (syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0) < 0)
		return 2;
	puts("there");
	fflush(stdout);
	while (read(0, &c, 1) > 0)
		;
	return 0;
}
