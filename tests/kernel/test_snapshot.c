/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * dtr_snapshot on the kernel engine: a session that traces the system calls of this process, which knows their number.
 * Snapshots are taken while it runs, between the actions that print and clear.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tests/lib/kernel.h"
#include "tests/lib/snapshots.h"

static int number, failed;

static void ok(bool good, const char *what)
{
	failed += !good;
	printf("%sok %d - %s\n", good ? "" : "not ", ++number, what);
}

static void is(const char *got, const char *want, const char *what)
{
	bool good = !strcmp(got, want);

	ok(good, what);
	if (!good)
		printf("# got: %s\n# want: %s\n", got, want);
}

/* System calls that scripts count, and one that makes them act. */
static void __attribute__((noinline)) add(unsigned n, uint64_t key)
{
	while (n--)
		syscall(SYS_getpgid, key);
}

static void act(void)
{
	syscall(SYS_getppid);
}

#define ADD "syscall::getpgid:entry /pid == $pid/ "
#define ACT "syscall::getppid:entry /pid == $pid/ "

static bool start(struct snapshots *s, const char *script, const char *const *options)
{
	bool good = snapshots_open(s, script, "bpf", options);

	if (!good)
		ok(false, script);
	return good;
}

static void test_values(void)
{
	struct snapshots s;
	struct dtr_agg agg;

	if (!start(&s, ADD "{ @ = count(); @sum[arg0, \"a\\tb\"] = sum(-(int)arg0); @avg = avg(arg0); @min = min(arg0);"
		       "@max = max(arg0); @sd = stddev(arg0); @q[(short)-1] = quantize(arg0);"
		       "@l = lquantize(arg0, 10, 30, 10); @ll[(void *)arg0] = llquantize(arg0, 10, 0, 1, 10); }", NULL))
		return;
	ok(dtr_agg_count(s.t) == 9 && dtr_agg(s.t, 6, &agg) && !strcmp(agg.name, "q") &&
	   !strcmp(agg.function, "quantize") && agg.n_keys == 1 && !dtr_agg(s.t, 9, &agg),
	   "aggregations are in the order of their first use");
	is(snapshots_rows(&s, ""), "", "no rows without a snapshot");
	add(3, 5);
	add(1, 40);
	snapshots_take(&s);
	is(snapshots_rows(&s, ""), "=4 n=4\n", "count()");
	is(snapshots_rows(&s, "sum"), "40,a\\tb=-40 s=-40\n5,a\\tb=-15 s=-15\n", "sum() with keys, ascending");
	is(snapshots_rows(&s, "avg"), "=13 n=4 s=55\n", "avg()");
	is(snapshots_rows(&s, "min"), "=5\n", "min()");
	is(snapshots_rows(&s, "max"), "=40\n", "max()");
	is(snapshots_rows(&s, "sd"), "=15 n=4 s=55\n", "stddev()");
	is(snapshots_rows(&s, "q"), "-1=4 n=4 [4,7]:3 [32,63]:1\n", "quantize()");
	is(snapshots_rows(&s, "l"), "=4 n=4 [-9223372036854775808,9]:3 [30,9223372036854775807]:1\n", "lquantize()");
	is(snapshots_rows(&s, "ll"), "0x5=3 n=3 [5,5]:3\n0x28=1 n=1 [40,49]:1\n", "llquantize()");
	is(snapshots_rows(&s, "ll"), "0x5=3 n=3 [5,5]:3\n0x28=1 n=1 [40,49]:1\n", "rows can be read again");
	add(2, 5);
	is(snapshots_rows(&s, "avg"), "=13 n=4 s=55\n", "a snapshot does not change");
	snapshots_take(&s);
	is(snapshots_rows(&s, "avg"), "=10 n=6 s=65\n", "the next one has the new values");
	dtr_finish(s.t);
	snapshots_take(&s);
	is(snapshots_rows(&s, "q"), "-1=6 n=6 [4,7]:5 [32,63]:1\n", "after the end of the session");
	snapshots_close(&s);
}

/* With clear() and trunc(), the engine's rows move to the session when they are read. */
static void test_clear(void)
{
	struct snapshots s;

	if (!start(&s, ADD "{ @n = count(); @k[arg0] = count(); } " ACT "{ printa(\"%@d\\n\", @n); clear(@n); }"
		   ACT "{ trunc(@k, 1); }", NULL))
		return;
	add(100, 1);
	snapshots_take(&s);
	is(snapshots_rows(&s, "n"), "=100 n=100\n", "clear(): before it");
	add(50, 2);
	snapshots_take(&s);
	snapshots_take(&s);
	is(snapshots_rows(&s, "n"), "=150 n=150\n", "... again");
	is(snapshots_rows(&s, "k"), "2=50 n=50\n1=100 n=100\n", "... keys");
	act();
	is(snapshots_printed(&s, 1), "150\n", "printa() prints what snapshots have read");
	snapshots_take(&s);
	is(snapshots_rows(&s, "n"), "=0 n=0\n", "clear() is seen");
	is(snapshots_rows(&s, "k"), "1=100 n=100\n", "trunc() is seen");
	add(30, 2);
	snapshots_take(&s);
	is(snapshots_rows(&s, "n"), "=30 n=30\n", "values after clear()");
	is(snapshots_rows(&s, "k"), "2=30 n=30\n1=100 n=100\n", "values after trunc()");
	act();
	is(snapshots_printed(&s, 1), "30\n", "the next printa()");
	snapshots_close(&s);
}

/* Many snapshots while records are processed: every value is printed or left exactly once. */
static void test_interleaved(void)
{
	struct snapshots s;
	const char *end;
	long long printed = 0, n = 0;

	if (!start(&s, ADD "{ @n[arg0 & 7] = count(); } " ACT "{ printa(\"%@d\\n\", @n); trunc(@n); }", NULL))
		return;
	for (unsigned i = 0; i < 60; i++, n += 50) {
		add(50, i);
		if (i % 2)
			snapshots_take(&s);
		if (i % 3 == 0)
			act();
		if (i % 5 == 0)
			dtr_work(s.t);
	}
	dtr_finish(s.t);
	for (end = snapshots_printed(&s, 0); *end; end = strchr(end, '\n') + 1)
		printed += atoll(end);
	snapshots_take(&s);
	for (end = snapshots_rows(&s, "n"); *end; end = strchr(end, '\n') + 1)
		printed += atoll(strchr(end, '=') + 1);
	ok(printed == n, "nothing is lost or counted twice");
	if (printed != n)
		printf("# %lld of %lld\n", printed, n);
	snapshots_close(&s);
}

static void test_options(void)
{
	static const char *const options[] = { "aggsortkey", NULL, "aggsortrev", NULL, NULL };
	struct snapshots s;

	if (!start(&s, ADD "{ @n[arg0] = sum(1000); @q = quantize(arg0); } "
		   ACT "{ normalize(@n, 300); printf(\"x\\n\"); }", options))
		return;
	add(1, 9);
	add(2, 3);
	act();
	snapshots_printed(&s, 1);
	snapshots_take(&s);
	is(snapshots_rows(&s, "n"), "9=3 s=3\n3=6 s=6\n", "normalize() and options for sorting");
	snapshots_close(&s);
}

/* The frames of a stack are lines without blanks in front. */
static void test_names(void)
{
	struct snapshots s;
	const char *rows;

	if (!start(&s, ADD "{ @u[usym(arg0)] = count(); @s[ustack()] = count(); @k[stack(5)] = count(); }"
		   ACT "{ clear(@s); printf(\"x\\n\"); }", NULL))
		return;
	for (unsigned i = 0; i < 3; i++) {
		add(2, (uint64_t)(uintptr_t)act);
		snapshots_take(&s);
	}
	is(snapshots_rows(&s, "u"), "test_snapshot`act=6 n=6\n", "a symbol");
	rows = snapshots_rows(&s, "s");
	ok(*rows != ' ' && strstr(rows, "\ntest_snapshot`add+") && strstr(rows, "=6 n=6\n"), "a user stack");
	rows = snapshots_rows(&s, "k");
	ok(!strncmp(rows, "vmlinux`", 8) && strstr(rows, "\nvmlinux`") && strstr(rows, "=6 n=6\n"), "a kernel stack");
	act();
	snapshots_printed(&s, 1);
	add(1, 1);
	snapshots_take(&s);
	rows = snapshots_rows(&s, "s");
	ok(strstr(rows, "=1 n=1\n") && strstr(rows, "`add+"), "a user stack after clear()");
	snapshots_close(&s);
}

static int pass(void *arg, const struct dtr_row *r)
{
	*(int64_t *)arg += r->value;
	return r->value < 0;
}

/* Prints the CPU time of a snapshot of many rows. */
static void test_many(const char *clause)
{
	enum { ROWS = 10000, TIMES = 20 };
	char script[256];
	struct snapshots s;
	int64_t sum = 0;
	clock_t from;

	snprintf(script, sizeof script, ADD "%s", clause);
	if (!start(&s, script, (const char *const[]){ "aggsize", "64m", NULL }))
		return;
	for (unsigned i = 0; i < ROWS; i++)
		add(1, (uint64_t)(uintptr_t)act + i);
	from = clock();
	for (unsigned i = 0; i < TIMES; i++) {
		snapshots_take(&s);
		dtr_agg_rows(s.t, 0, pass, &sum);
	}
	printf("# %d rows: %.2f ms\n", ROWS, (double)(clock() - from) * 1e3 / CLOCKS_PER_SEC / TIMES);
	ok(sum == ROWS * TIMES, clause);
	snapshots_close(&s);
}

int main(void)
{
	if (kernel_skip())
		return 0;
	test_values();
	test_clear();
	test_interleaved();
	test_options();
	test_names();
	test_many("{ @n[execname, arg0] = count(); }");
	test_many("{ @n[execname, arg0] = count(); } END { clear(@n); }");
	test_many("{ @n[arg0] = quantize(arg0); }");
	test_many("{ @n[arg0, usym(arg0)] = count(); }");
	printf("1..%d\n", number);
	return failed != 0;
}
