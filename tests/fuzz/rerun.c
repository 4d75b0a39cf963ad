/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Runs a fuzz target on kept inputs, without libFuzzer and clang. Produces TAP, one test per set.
 *
 *	rerun_TARGET FILE|FOLDER...
 *
 * The inputs of a set run in a child, which stores its position in shared memory: an input that crashes, or needs more
 * than LIMIT seconds of CPU time (a hang; hundreds of times what the slowest needs), is named, and the rest are run.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/inputs.h"

enum { LIMIT = 300, MAXSHOWN = 5 };

static void run(const struct inputs *in, volatile size_t *at)
{
	struct itimerval limit = { .it_value = { .tv_sec = LIMIT } };

	for (; *at < in->list.n; ++*at) {
		setitimer(ITIMER_PROF, &limit, NULL);
		LLVMFuzzerTestOneInput(in->list.v[*at].data, in->list.v[*at].size);
	}
	exit(0);
}

/* Runs the inputs from *at. True if all succeed. */
static bool run_apart(const struct inputs *in, volatile size_t *at, int *status)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0)
		run(in, at);
	if (pid < 0 || waitpid(pid, status, 0) < 0)
		return false;
	return *status == 0;
}

static void show(const struct input *in, int status)
{
	struct buf b = { 0 };

	input_print(&b, in);
	printf("# %s: %s %d: %.*s\n", in->name, WIFSIGNALED(status) ? "signal" : "status",
	       WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), 400, strtok(b.data, "\n"));
	buf_free(&b);
}

static bool run_set(const struct inputs *in)
{
	size_t *at = mmap(NULL, sizeof *at, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	size_t bad = 0;
	int status = 0;

	if (at == MAP_FAILED)
		return false;
	for (*at = 0; !run_apart(in, at, &status) && bad++ < MAXSHOWN; ++*at) {
		if (*at >= in->list.n) {
			printf("# something is wrong after the last input: status %d\n", status);
			break;
		}
		show(&in->list.v[*at], status);
	}
	munmap(at, sizeof *at);
	return !bad;
}

int main(int argc, char **argv)
{
	const char *target = strrchr(argv[0], '_');
	int failed = 0;

	printf("1..%d\n", argc - 1);
	for (int i = 1; i < argc; i++) {
		const char *base = strrchr(argv[i], '/');
		struct inputs in = { 0 };
		struct arena a;
		bool ok;

		arena_init(&a, NULL, NULL);
		ok = inputs_read(&in, &a, argv[i]) == 0 && in.list.n && run_set(&in);
		failed += !ok;
		printf("%s %d - %s: %s, %zu inputs\n", ok ? "ok" : "not ok", i, target ? target + 1 : "",
		       base ? base + 1 : argv[i], in.list.n);
		arena_free(&a);
	}
	return failed != 0;
}
