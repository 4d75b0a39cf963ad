/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * cost ROUNDS NAME COMMAND... [-- NAME COMMAND...]...: the cost of one event in the kernel. Each command attaches its
 * own program and ends by itself after some seconds. While it runs, BPF statistics are enabled, and those of its most
 * frequently run program are read (run_time_ns / run_cnt), except auxiliary programs (dtr_owner_...). One busy process
 * per CPU keeps the machine from idling.
 * Prints medians over the rounds with their quartiles, net of the first command, which should be an empty program.
 */
#include <bpf/bpf.h>
#include <dirent.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
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
	__u32 len = sizeof *info;
	int fd = id ? bpf_prog_get_fd_by_id(id) : -1, err;

	if (fd < 0)
		return -1;
	*info = (struct bpf_prog_info){ 0 };
	err = bpf_obj_get_info_by_fd(fd, info, &len);
	close(fd);
	return err || !strncmp(info->name, "dtr_owner", 9) || (info->type != BPF_PROG_TYPE_PERF_EVENT &&
		       info->type != BPF_PROG_TYPE_RAW_TRACEPOINT && info->type != BPF_PROG_TYPE_TRACING) ? -1 : 0;
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

static void measure(struct job *j, int round)
{
	struct bpf_prog_info best = { 0 };
	pid_t pid = fork();

	if (pid == 0)
		job_exec(j, -1);
	/* Read every 20 ms; the last reading before the end counts. */
	while (waitpid(pid, NULL, WNOHANG) == 0) {
		usleep(20000);
		busiest(pid, &best);
	}
	j->value[round] = best.run_cnt ? (double)best.run_time_ns / (double)best.run_cnt : -1;
	j->extra = best.run_cnt / 1e3;
}

static void print(struct job *jobs, int n, int rounds)
{
	double floor = job_quantile(&jobs[0], rounds, 0.5);

	printf("%-44s %10s %17s %8s %10s\n", "cost of one event", "median ns", "quartiles", "net ns", "k events");
	for (int i = 0; i < n; i++) {
		double median = job_quantile(&jobs[i], rounds, 0.5);

		printf("%-44s %10.1f %8.1f-%8.1f %8.1f %10.1f\n", jobs[i].name, median,
		       job_quantile(&jobs[i], rounds, 0.25), job_quantile(&jobs[i], rounds, 0.75), median - floor,
		       jobs[i].extra);
	}
}

int main(int argc, char **argv)
{
	static struct job jobs[JOBS_MAX];
	struct spinners spinners;
	int rounds = argc > 3 ? atoi(argv[1]) : 0;
	int n;

	if (rounds < 1 || rounds > JOBS_ROUNDS) {
		fprintf(stderr, "usage: cost ROUNDS NAME COMMAND... [-- NAME COMMAND...]...\n");
		return 2;
	}
	if (bpf_enable_stats(BPF_STATS_RUN_TIME) < 0) {
		perror("cost: BPF statistics");
		return 1;
	}
	n = jobs_split(argc - 2, argv + 2, jobs);
	spinners_start(&spinners, 0);
	for (int r = 0; r < rounds; r++)
		for (int i = 0; i < n; i++)
			measure(&jobs[i], r);
	spinners_stop(&spinners);
	print(jobs, n, rounds);
	return 0;
}
