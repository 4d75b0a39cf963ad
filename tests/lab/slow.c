/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * slow COMMAND...	runs a command while another process uses each CPU as much as it can, and about every five
 *			seconds takes them all for half a second (SCHED_FIFO, with the privilege)
 */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Spins on one CPU until its parent ends. */
static _Noreturn void disturb(int cpu)
{
	const struct sched_param none = { 0 }, first = { .sched_priority = 1 };
	cpu_set_t set;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof set, &set);
	srand((unsigned)getpid());
	for (;;) {
		double until = now() + 3 + rand() % 40 / 10.0;

		while (now() < until)
			;
		until = now() + 0.5;
		sched_setscheduler(0, SCHED_FIFO, &first);
		while (now() < until)
			;
		sched_setscheduler(0, SCHED_OTHER, &none);
	}
}

int main(int argc, char **argv)
{
	cpu_set_t set;
	pid_t command;
	int status;

	if (argc < 2)
		return 2;
	command = fork();
	if (command == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	sched_getaffinity(0, sizeof set, &set);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set) && fork() == 0)
			disturb(cpu);
	while (waitpid(command, &status, 0) < 0)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
