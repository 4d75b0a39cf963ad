/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kinds N: each probe of prov.d fires N times, from two functions and in threads. The program prints what a tracer
 * should print, in lines that begin with the name of the probe. C and C++.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prov.h"

struct usdt_thing {
	int a;
	long b;
};

static long counter = -77;
static struct usdt_thing things[3] = { { 1, -1 }, { 2, -2 }, { 3, -3 } };

static void __attribute__((noinline)) all(int i)
{
	char c = (char)-i;
	unsigned char uc = (unsigned char)(200 + i);
	short s = (short)(-300 * i);
	uint16_t us = (uint16_t)(65000 + i);
	unsigned int u = 4000000000u + (unsigned int)i;
	int64_t l = -10000000000ll * i;
	uint64_t ul = 18000000000000000000ull + (uint64_t)i;

	PROV_ALL_KINDS(c, uc, s, us, -100000 * i, u, l, ul);
	printf("all %d %u %d %u %d %u %lld %llu\n", c, uc, s, us, -100000 * i, u, (long long)l, (unsigned long long)ul);
}

/* Memory in arrays and global variables. */
static void __attribute__((noinline)) more(int i)
{
	char text[32];

	snprintf(text, sizeof text, "text %d", i);
	counter -= i;
	PROV_MORE(&things[i % 3], text, sizeof text, counter, (int8_t)-i, 2.5 * i);
	printf("more %d %ld %s %zu %ld %d\n", things[i % 3].a, things[i % 3].b, text, sizeof text, counter, (int8_t)-i);
	PROV_NINE(i, i + 1, i + 2, i + 3, i + 4, i + 5, i + 6, i + 7, i + 8, i + 9);
	printf("nine %d %d %d %d\n", i, i + 1, i + 8, i + 9);
}

static void __attribute__((noinline)) again(int i)
{
	PROV_START(i, "again");
	printf("start %d again\n", i);
}

static void *run(void *arg)
{
	int n = *(int *)arg;

	for (int i = 0; i < n; i++) {
		char name[24];

		snprintf(name, sizeof name, "name%d", i);
		PROV_START(i, name);
		printf("start %d %s\n", i, name);
		again(i);
		all(i);
		more(i);
		PROV_MAPPED(i, name, 7l);
		printf("mapped %s %d %d\n", name, i, i);
		PROV_NONE();
		PROV_NOTHING();
		printf("none\nnothing\n");
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1;
	pthread_t t;

	printf("enabled %d %d\n", PROV_START_ENABLED(), PROV_LOOP_ENABLED());
	pthread_create(&t, NULL, run, &n);
	pthread_join(t, NULL);
	run(&n);
	return 0;
}
