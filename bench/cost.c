/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * cost ROUNDS NAME COMMAND... [-- NAME COMMAND...]...: what one event costs in the kernel. Each command arms its own
 * perf_event program and ends by itself after some seconds; while it runs, BPF statistics are on and the program
 * that is new and has run most is read (run_time_ns / run_cnt). One spinner per CPU keeps the machine from idling.
 * Prints medians over the rounds, net of the first command, which should be an empty program.
 */
#include <bpf/bpf.h>
#include <linux/bpf.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/jobs.h"

enum { MAX_SPIN = 256 };

/* The perf_event program above `last` that has run most often. */
static int busiest(__u32 last, struct bpf_prog_info *best)
{
	__u32 id = last;
	int found = 0;

	while (bpf_prog_get_next_id(id, &id) == 0) {
		struct bpf_prog_info info = { 0 };
		__u32 len = sizeof info;
		int fd = bpf_prog_get_fd_by_id(id);

		if (fd < 0)
			continue;
		if (bpf_obj_get_info_by_fd(fd, &info, &len) == 0 && info.type == BPF_PROG_TYPE_PERF_EVENT &&
		    (!found || info.run_cnt > best->run_cnt)) {
			*best = info;
			found = 1;
		}
		close(fd);
	}
	return found;
}

static __u32 last_id(void)
{
	__u32 id = 0;

	while (bpf_prog_get_next_id(id, &id) == 0)
		;
	return id;
}

static void measure(struct job *j, int round)
{
	__u32 last = last_id();
	struct bpf_prog_info best = { 0 };
	pid_t pid = fork();

	if (pid == 0)
		job_exec(j);
	/* Look every 100 ms; the last look before the end is the one that counts. */
	while (waitpid(pid, NULL, WNOHANG) == 0) {
		struct bpf_prog_info now = { 0 };

		usleep(100000);
		if (busiest(last, &now) && now.run_cnt >= best.run_cnt)
			best = now;
	}
	j->value[round] = best.run_cnt ? (double)best.run_time_ns / (double)best.run_cnt : -1;
	j->extra = best.run_cnt / 1e3;
}

static pid_t spin(int cpu)
{
	cpu_set_t set;
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof set, &set);
	for (volatile unsigned long i = 0;; i++)
		;
}

int main(int argc, char **argv)
{
	static struct job jobs[JOBS_MAX];
	pid_t spinners[MAX_SPIN];
	int rounds = argc > 3 ? atoi(argv[1]) : 0;
	int ncpu = (int)sysconf(_SC_NPROCESSORS_ONLN);
	int n;

	if (rounds < 1 || rounds > JOBS_ROUNDS || ncpu > MAX_SPIN) {
		fprintf(stderr, "usage: cost ROUNDS NAME COMMAND... [-- NAME COMMAND...]...\n");
		return 2;
	}
	if (bpf_enable_stats(BPF_STATS_RUN_TIME) < 0) {
		perror("cost: BPF statistics");
		return 1;
	}
	n = jobs_split(argc - 2, argv + 2, jobs);
	for (int c = 0; c < ncpu; c++)
		spinners[c] = spin(c);
	for (int r = 0; r < rounds; r++)
		for (int i = 0; i < n; i++)
			measure(&jobs[i], r);
	for (int c = 0; c < ncpu; c++) {
		kill(spinners[c], SIGKILL);
		waitpid(spinners[c], NULL, 0);
	}
	printf("%-34s %10s %10s %12s\n", "cost of one event", "median ns", "net ns", "k events");
	for (int i = 0; i < n; i++) {
		double median = job_median(&jobs[i], rounds);

		printf("%-34s %10.1f %10.1f %12.1f\n", jobs[i].name, median, median - job_median(&jobs[0], rounds), jobs[i].extra);
	}
	return 0;
}
