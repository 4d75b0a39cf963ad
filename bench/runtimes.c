/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * runtimes PID [ROUNDS]: the time in ms that dtr needs to find the interpreters of a process and their layout: its list
 * of mappings, their files, and the search in each. First the median of rounds in which no file is known yet, then of
 * rounds in which all files are, as for a second process of a program.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "engine/runtimes/jstack.h"
#include "engine/symbols/symbols.h"

enum { ROUNDS_MAX = 999 };

struct runtimes_search {
	struct jstack *jstack;
	int64_t pid;
	unsigned mappings, found;
};

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void mapping_search(void *arg, const struct mapping *x)
{
	struct runtimes_search *s = arg;
	struct rt_py_layout python;
	struct rt_v8_layout v8;
	uint64_t at;

	s->mappings++;
	s->found += jstack_mapped(s->jstack, s->pid, x, &at, &python) ||
		    jstack_mapped_v8(s->jstack, s->pid, x, &at, &v8);
}

/* The time of a search; -1: it is impossible. */
static double search_time(struct runtimes_search *s, struct symbols *symbols)
{
	double start = now_ms();

	s->mappings = s->found = 0;
	return symbols_code(symbols, s->pid, mapping_search, s) < 0 ? -1 : now_ms() - start;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	struct runtimes_search s = { .pid = argc > 1 ? atoll(argv[1]) : 0 };
	int rounds = argc > 2 ? atoi(argv[2]) : 1;
	double first[ROUNDS_MAX], again[ROUNDS_MAX];

	if (s.pid <= 0 || rounds < 1 || rounds > ROUNDS_MAX) {
		fprintf(stderr, "usage: runtimes PID [ROUNDS]\n");
		return 2;
	}
	for (int i = 0; i < rounds; i++) {
		struct symbols *symbols = symbols_open();
		struct codes *codes = codes_open();

		s.jstack = codes && symbols ? jstack_open(&symbols_ops, symbols, codes) : NULL;
		if (!s.jstack)
			return 1;
		first[i] = search_time(&s, symbols);
		again[i] = search_time(&s, symbols);
		jstack_close(s.jstack);
		symbols_close(symbols);
		codes_close(codes);
	}
	qsort(first, (size_t)rounds, sizeof *first, by_value);
	qsort(again, (size_t)rounds, sizeof *again, by_value);
	printf("%u mappings, %u with an interpreter: %.2f ms, again %.2f ms\n", s.mappings, s.found,
	       first[rounds / 2], again[rounds / 2]);
	return 0;
}
