/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * records DTR BPFTRACE TRIALS [SECONDS]: the highest rate of printed lines without loss. Both run the same script:
 * profile-4999 on every CPU, K printf()s per firing, and a count of the produced lines, which is printed at the end. A
 * trial is lossless if that many lines were printed, except for the last four firings of each CPU. K is increased by a
 * quarter after a lossless trial and reduced by a fifth after another one, so it converges to the limit. The trials of
 * both alternate. "-" for BPFTRACE omits it.
 *
 * Prints the median and the largest of the lossless rates in the second half of the trials, in lines per second. Busy
 * processes of the lowest priority keep the CPUs from idling, as idle CPUs would lose samples.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/jobs.h"

/* bpftrace silently discards the last few records in its buffers when it ends: tolerated for both. */
enum { K_MAX = 400, CONTESTANTS = 2, LAST_FIRINGS = 4 };

struct contestant {
	const char *name, *path;
	const char *head, *print, *tail, *total;	/* the script; the form of its total */
	int clause;					/* the number of printf()s in one clause */
	double k;
	struct job rates;	/* values: lossless rates */
	int good, trials;
};

static struct contestant contestants[CONTESTANTS] = {
	{ .name = "dtr", .k = 4, .clause = 32, .head = "profile-4999 {\n",
	  .print = "printf(\"%d %d %s\\n\", pid, cpu, execname);\n",
	  .tail = "@ = sum(%d); } tick-%dms { exit(0); } END { printa(\"total %%@d\\n\", @); }\n",
	  .total = "total %lu" },
	{ .name = "bpftrace", .k = 4, .clause = K_MAX, .head = "profile:hz:4999 {\n",
	  .print = "printf(\"%d %d %s\\n\", pid, cpu, comm);\n",
	  .tail = "@ = sum(%d); } interval:ms:%d { exit(); }\n", .total = "@: %lu" },
};

static int write_script(const struct contestant *c, const char *path, int k, int ms)
{
	FILE *f = fopen(path, "w");

	if (!f)
		return -1;
	for (int i = 0; i < k; i++) {
		if (i % c->clause == 0)
			fprintf(f, "%s%s", i ? "}\n" : "", c->head);
		fputs(c->print, f);
	}
	fprintf(f, c->tail, k, ms);
	return fclose(f);
}

/* The number of lines that begin with a digit, and the total of produced lines. */
static void read_output(const struct contestant *c, int fd, unsigned long *lines, unsigned long *total)
{
	FILE *f = fdopen(fd, "r");
	char line[256];

	*lines = *total = 0;
	rewind(f);
	while (fgets(line, sizeof line, f)) {
		if (line[0] >= '0' && line[0] <= '9')
			++*lines;
		else
			sscanf(line, c->total, total);
	}
	fclose(f);
}

/* One run with k printf()s per firing: lines produced and printed. */
static int run(const struct contestant *c, int k, int ms, unsigned long *lines, unsigned long *total)
{
	char path[] = "/tmp/bench-records-XXXXXX", *argv[5] = { (char *)c->path };
	struct job j = { .argv = argv };
	int fd = mkstemp(path), out = memfd_create("output", MFD_CLOEXEC), status = 1, n = 1;
	pid_t pid;

	if (fd < 0 || out < 0 || write_script(c, path, k, ms))
		return -1;
	close(fd);
	if (!strcmp(c->name, "dtr")) {
		argv[n++] = "-q";
		argv[n++] = "-s";
	}
	argv[n] = path;
	pid = fork();
	if (pid == 0)
		job_exec(&j, out);
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		status = 1;
	unlink(path);
	read_output(c, out, lines, total);
	return status == 0 && *total ? 0 : -1;
}

static int trial(struct contestant *c, int ms, int counts)
{
	unsigned long lines, total, last;
	int k = (int)(c->k + 0.5), good;

	last = LAST_FIRINGS * (unsigned long)sysconf(_SC_NPROCESSORS_ONLN) * (unsigned long)k;
	if (run(c, k, ms, &lines, &total)) {
		fprintf(stderr, "records: %s failed with %d a firing\n", c->name, k);
		return -1;
	}
	if (getenv("BENCH_VERBOSE"))
		fprintf(stderr, "%s: %d a firing, %lu of %lu\n", c->name, k, lines, total);
	good = lines + last >= total;
	if (good && counts)
		c->rates.value[c->good++] = (double)lines * 1000 / ms;
	c->trials += counts;
	c->k *= good ? 1.25 : 0.8;
	if (c->k > K_MAX)
		c->k = K_MAX;
	if (c->k < 1)
		c->k = 1;
	return 0;
}

static double rate(struct contestant *c)
{
	return c->good ? job_quantile(&c->rates, c->good, 0.5) : 0;
}

static void print(struct contestant *c, double first)
{
	if (!c->good) {
		printf("%-34s %12s\n", c->name, "none lossless");
		return;
	}
	printf("%-34s %12.0f %12.0f %8.2f %7d of %d\n", c->name, rate(c), job_quantile(&c->rates, c->good, 1),
	       first / rate(c), c->good, c->trials);
}

int main(int argc, char **argv)
{
	int trials = argc > 3 ? atoi(argv[3]) : 0, ms = argc > 4 ? (int)(atof(argv[4]) * 1000) : 1000, failed = 0;
	struct spinners spinners;

	if (trials < 2 || trials > JOBS_ROUNDS || ms < 100) {
		fprintf(stderr, "usage: records DTR BPFTRACE TRIALS [SECONDS]\n");
		return 2;
	}
	spinners_start(&spinners, SPIN_IDLE);
	for (int i = 0; i < CONTESTANTS; i++)
		contestants[i].path = argv[1 + i];
	for (int t = 0; t < trials && !failed; t++)
		for (int i = 0; i < CONTESTANTS && !failed; i++)
			if (strcmp(contestants[i].path, "-"))
				failed = trial(&contestants[i], ms, t >= trials / 2);
	spinners_stop(&spinners);
	if (failed)
		return 1;
	printf("%-34s %12s %12s %8s %12s\n", "lines a second, none lost", "median", "most", "dtr's", "lossless");
	for (int i = 0; i < CONTESTANTS; i++)
		if (strcmp(contestants[i].path, "-"))
			print(&contestants[i], rate(&contestants[0]));
	return 0;
}
