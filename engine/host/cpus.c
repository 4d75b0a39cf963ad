/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/host/cpus.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Parses a list such as "0-3,8,10-11" and stores its numbers. Returns the highest number plus one; 0 if the file does
 * not exist. */
static unsigned read_list(const char *path, int *out, unsigned max, unsigned *n)
{
	FILE *f = fopen(path, "re");
	unsigned from, to, last = 0;
	int c;

	*n = 0;
	while (f && fscanf(f, "%u", &from) == 1) {
		to = from;
		c = fgetc(f);
		if (c == '-') {
			if (fscanf(f, "%u", &to) != 1)
				break;
			c = fgetc(f);
		}
		for (unsigned i = from; i <= to && *n < max; i++)
			out[(*n)++] = (int)i;
		last = to + 1;
		if (c != ',')
			break;
	}
	if (f)
		fclose(f);
	return last;
}

unsigned cpus_possible(void)
{
	unsigned n, last = read_list("/sys/devices/system/cpu/possible", NULL, 0, &n);
	long conf;

	if (last)
		return last;
	conf = sysconf(_SC_NPROCESSORS_CONF);
	return conf > 0 ? (unsigned)conf : 1;
}

/* Reads the CPUs listed in the file; without it, uses the first `sysconf(otherwise)` CPUs. */
static unsigned cpus_of(const char *path, int otherwise, int *out, unsigned max)
{
	unsigned n;
	long count;

	if (read_list(path, out, max, &n))
		return n;
	count = sysconf(otherwise);
	for (n = 0; n < max && (long)n < count; n++)
		out[n] = (int)n;
	return n;
}

unsigned cpus_online(int *out, unsigned max)
{
	return cpus_of("/sys/devices/system/cpu/online", _SC_NPROCESSORS_ONLN, out, max);
}

unsigned cpus_present(int *out, unsigned max)
{
	return cpus_of("/sys/devices/system/cpu/present", _SC_NPROCESSORS_CONF, out, max);
}

bool cpus_has(const int *cpus, unsigned n, int cpu)
{
	for (unsigned i = 0; i < n; i++)
		if (cpus[i] == cpu)
			return true;
	return false;
}

void cpus_place(unsigned cpu, int *chip, int *node)
{
	char path[96];
	glob_t g = { 0 };
	FILE *f;

	*chip = *node = 0;
	snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/topology/physical_package_id", cpu);
	f = fopen(path, "re");
	if (f) {
		if (fscanf(f, "%d", chip) != 1 || *chip < 0)
			*chip = 0;
		fclose(f);
	}
	snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/node[0-9]*", cpu);
	if (!glob(path, 0, NULL, &g) && g.gl_pathc)
		*node = atoi(strrchr(g.gl_pathv[0], '/') + strlen("/node"));
	globfree(&g);
}
