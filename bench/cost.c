/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * cost [-d | -i | -w FILE] [-t] ROUNDS NAME COMMAND... [-- NAME COMMAND...]...: the cost of one event in the kernel.
 * Each command attaches its own program and ends by itself after some seconds. While it runs, BPF statistics are
 * enabled, and those of its most frequently run program are read (run_time_ns / run_cnt), except auxiliary programs
 * (dtr_owner_...). One busy process per CPU keeps the machine from idling.
 * Prints medians over the rounds with their quartiles, net of the first command, which should be an empty program.
 *	-d		the busy processes have deep stacks, in user code and in the kernel
 *	-i		no busy processes: the commands start their own
 *	-w FILE		no busy processes: the commands run bench/calls, which writes to FILE. Prints also the
 *			wall-clock time of a call (without BPF statistics), and the time from the last call to the end.
 *	-t		values separated by "|", without quartiles: for scripts
 */
#include <bpf/bpf.h>
#include <dirent.h>
#include <linux/bpf.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench/jobs.h"

/* The ID of the program that a descriptor of another process refers to, or 0. */
static __u32 program_of(const char *fdinfo)
{
	FILE *f = fopen(fdinfo, "r");
	char line[256];
	__u32 id = 0;

	while (f && !id && fgets(line, sizeof line, f))
		if (sscanf(line, "prog_id: %u", &id) != 1)
			id = 0;
	if (f)
		fclose(f);
	return id;
}

/* The kernel's information on a program, if it is of a type that runs on kernel events. */
static int program_info(__u32 id, struct bpf_prog_info *info)
{
	static const __u32 types[] = { BPF_PROG_TYPE_PERF_EVENT, BPF_PROG_TYPE_TRACEPOINT, BPF_PROG_TYPE_RAW_TRACEPOINT,
				       BPF_PROG_TYPE_TRACING, BPF_PROG_TYPE_CGROUP_SKB };
	__u32 len = sizeof *info;
	int fd = id ? bpf_prog_get_fd_by_id(id) : -1, err;

	if (fd < 0)
		return -1;
	*info = (struct bpf_prog_info){ 0 };
	err = bpf_obj_get_info_by_fd(fd, info, &len);
	close(fd);
	if (err || strncmp(info->name, "dtr_owner", 9) == 0)
		return -1;
	for (unsigned i = 0; i < sizeof types / sizeof *types; i++)
		if (info->type == types[i])
			return 0;
	return -1;
}

/* The program of this process that has run most often. */
static void busiest(pid_t pid, struct bpf_prog_info *best)
{
	struct bpf_prog_info info;
	struct dirent *e;
	char path[512];
	DIR *dir;

	snprintf(path, sizeof path, "/proc/%d/fdinfo", pid);
	dir = opendir(path);
	while (dir && (e = readdir(dir))) {
		snprintf(path, sizeof path, "/proc/%d/fdinfo/%s", pid, e->d_name);
		if (program_info(program_of(path), &info) == 0 && info.run_cnt >= best->run_cnt)
			*best = info;
	}
	if (dir)
		closedir(dir);
}

struct cost_options {
	bool deep, idle, plain;
	const char *calls;		/* the file that bench/calls writes to; NULL: none */
};

static struct results {
	struct job program[JOBS_MAX];	/* ns of an event by BPF statistics; extra: thousands of events */
	struct job call[JOBS_MAX];	/* ns of a call by the wall clock */
	struct job end[JOBS_MAX];	/* ms from the last call to the command's end */
} results;

static double now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

/* Runs a command. Every 20 ms its statistics are read; the last ones before its end are returned. */
static struct bpf_prog_info run(const struct job *j)
{
	struct bpf_prog_info best = { 0 };
	pid_t pid = fork();
	struct pollfd ended;

	if (pid == 0)
		job_exec(j, -1);
	ended = (struct pollfd){ .fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN };
	while (poll(&ended, 1, 20) == 0)
		busiest(pid, &best);
	waitpid(pid, NULL, 0);
	close(ended.fd);
	return best;
}

static int measure_program(struct job *j, int round)
{
	int stats = bpf_enable_stats(BPF_STATS_RUN_TIME);
	struct bpf_prog_info best;

	if (stats < 0) {
		perror("cost: BPF statistics");
		return -1;
	}
	best = run(j);
	close(stats);
	j->value[round] = best.run_cnt ? (double)best.run_time_ns / (double)best.run_cnt : -1;
	j->extra = (double)best.run_cnt / 1e3;
	return 0;
}

/* The same command again, without statistics. */
static void measure_calls(struct results *r, int i, int round, const char *path)
{
	FILE *f = fopen(path, "w");
	double ended, last;

	if (f)
		fclose(f);
	run(&r->program[i]);
	ended = now_ns();
	f = fopen(path, "r");
	r->call[i].value[round] = -1;
	if (f && fscanf(f, "%lf %lf", &r->call[i].value[round], &last) == 2)
		r->end[i].value[round] = (ended - last) / 1e6;
	if (f)
		fclose(f);
}

static void print_plain(struct results *r, int n, int rounds)
{
	double floor = job_quantile(&r->program[0], rounds, 0.5), wall_floor = job_quantile(&r->call[0], rounds, 0.5);

	for (int i = 0; i < n; i++)
		printf("%s|%.1f|%.1f|%.1f\n", r->program[i].name, job_quantile(&r->program[i], rounds, 0.5) - floor,
		       job_quantile(&r->call[i], rounds, 0.5) - wall_floor, job_quantile(&r->end[i], rounds, 0.5));
}

static void print(struct results *r, int n, int rounds, bool calls)
{
	double floor = job_quantile(&r->program[0], rounds, 0.5), wall_floor = job_quantile(&r->call[0], rounds, 0.5);

	printf("%-44s %10s %17s %8s %10s%s\n", "cost of one event", "median ns", "quartiles", "net ns", "k events",
	       calls ? "  net wall ns     end ms" : "");
	for (int i = 0; i < n; i++) {
		struct job *j = &r->program[i];
		double median = job_quantile(j, rounds, 0.5);

		printf("%-44s %10.1f %8.1f-%8.1f %8.1f %10.1f", j->name, median, job_quantile(j, rounds, 0.25),
		       job_quantile(j, rounds, 0.75), median - floor, j->extra);
		if (calls)
			printf("  %11.1f %10.1f", job_quantile(&r->call[i], rounds, 0.5) - wall_floor,
			       job_quantile(&r->end[i], rounds, 0.5));
		putchar('\n');
	}
}

static int options(int argc, char **argv, struct cost_options *how)
{
	int c;

	while ((c = getopt(argc, argv, "+diw:t")) != -1) {
		if (c == 'd')
			how->deep = true;
		else if (c == 'i')
			how->idle = true;
		else if (c == 'w')
			how->calls = optarg;
		else if (c == 't')
			how->plain = true;
		else
			return -1;
	}
	return 0;
}

static int measure_all(int n, int rounds, const struct cost_options *how)
{
	struct spinners spinners = { 0 };
	int err = 0;

	if (!how->calls && !how->idle)
		spinners_start(&spinners, how->deep ? SPIN_DEEP : SPIN_USER);
	for (int r = 0; !err && r < rounds; r++) {
		for (int i = 0; !err && i < n; i++) {
			err = measure_program(&results.program[i], r);
			if (how->calls)
				measure_calls(&results, i, r, how->calls);
		}
	}
	spinners_stop(&spinners);
	return err;
}

int main(int argc, char **argv)
{
	struct cost_options how = { 0 };
	int rounds = 0, n;

	if (options(argc, argv, &how) == 0 && argc - optind >= 3)
		rounds = atoi(argv[optind]);
	if (rounds < 1 || rounds > JOBS_ROUNDS) {
		fprintf(stderr, "usage: cost [-d | -i | -w FILE] [-t] ROUNDS NAME COMMAND... "
			"[-- NAME COMMAND...]...\n");
		return 2;
	}
	n = jobs_split(argc - optind - 1, argv + optind + 1, results.program);
	if (measure_all(n, rounds, &how))
		return 1;
	if (how.plain)
		print_plain(&results, n, rounds);
	else
		print(&results, n, rounds, how.calls);
	return 0;
}
