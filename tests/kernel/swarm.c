/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Makes more threads, processes and files with code than a tracer expects.
 *
 *	swarm threads N DEPTH		N threads, all alive at the same time; each calls getppid() once, DEPTH calls
 *					below start(). The last BITS calls are zero() or one(): the thread's number
 *	swarm ended N KINDS		N processes, one after the other, that end at once. KINDS: "plain", "code" (it
 *					generates code), "map" (and describes it), "thread"; all: one after the other
 *	swarm spawn N PROGRAM		executes a program N times, one after the other
 *	swarm programs N FILE DIR	executes N copies of a program, one after the other
 *	swarm gone N FILE DIR		the same, and each copy is removed while it runs
 *	swarm plugins N FILE DIR	loads and unloads N copies of a library, one after the other, and calls
 *					plugin_call() in each
 *	swarm removed N FILE DIR	the same, and each copy is removed before it is called
 *
 * With "wait" before all that, it first prints its process ID and waits for a line.
 *
 * Exit status 0; 1 with a message if something failed; 77 if the system does not allow that many threads.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __clang__
#define KEEP __attribute__((noinline))
#else
#define KEEP __attribute__((noinline, noipa))
#endif

enum { BITS = 14, STACK = 64 << 10 };

static pthread_barrier_t ready;
static int depth;

static int fail(const char *what)
{
	perror(what);
	return 1;
}

/* ---- threads ---- */
struct way {
	int left, number;
};

KEEP static void go(struct way w);

KEEP static void zero(struct way w)
{
	go(w);
	__asm__ volatile("");
}

KEEP static void one(struct way w)
{
	go(w);
	__asm__ volatile("");
}

/* The calls of zero() and one() are the bits of the number, the highest first, after as many of zero() as are left. */
static void go(struct way w)
{
	struct way next = { w.left - 1, w.number };

	if (!w.left)
		getppid();
	else if (w.left <= BITS && w.number >> (w.left - 1) & 1)
		one(next);
	else
		zero(next);
	__asm__ volatile("");
}

static void *start(void *arg)
{
	pthread_barrier_wait(&ready);
	go((struct way){ depth, (int)(intptr_t)arg });
	pthread_barrier_wait(&ready);
	return NULL;
}

/* Threads that wait for others that cannot be created end with the process. */
static int threads(int n)
{
	pthread_attr_t attr;
	pthread_t t;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	pthread_barrier_init(&ready, NULL, (unsigned)n);
	for (intptr_t i = 1; i < n; i++)
		if (pthread_create(&t, &attr, start, (void *)i))
			return 77;
	start(NULL);
	return 0;
}

/* ---- processes ---- */
/* remove: the program is removed while it runs. */
static int execute(const char *path, bool remove)
{
	char *argv[] = { (char *)path, NULL };
	int status;
	pid_t pid;

	if (posix_spawn(&pid, path, NULL, NULL, argv, NULL))
		return fail(path);
	if (remove)
		unlink(path);
	return waitpid(pid, &status, 0) < 0 ? fail("waitpid") : 0;
}

static int copy(const char *from, const char *to)
{
	int in = open(from, O_RDONLY | O_CLOEXEC), out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
	struct stat st;
	int err = in < 0 || out < 0 || fstat(in, &st) || sendfile(out, in, NULL, (size_t)st.st_size) != st.st_size;

	close(in);
	close(out);
	return err ? fail(to) : 0;
}

/* ---- processes that end at once ---- */
static int end_plain(void)
{
	return getppid() < 0;
}

static int end_code(void)
{
	return mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED;
}

static int end_map(void)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof path, "/tmp/perf-%d.map", getpid());
	f = end_code() ? NULL : fopen(path, "we");
	if (!f)
		return 1;
	fputs("1000 10 generated\n", f);
	fclose(f);
	return unlink(path);
}

static void *thread_ends(void *arg)
{
	return arg;
}

static int end_thread(void)
{
	pthread_t t;

	return pthread_create(&t, NULL, thread_ends, NULL) || pthread_join(t, NULL);
}

static int ended(int n, const char *kind)
{
	static const struct { const char *name; int (*run)(void); } kinds[] = {
		{ "plain", end_plain }, { "code", end_code }, { "map", end_map }, { "thread", end_thread },
	};
	enum { KINDS = sizeof kinds / sizeof kinds[0] };
	int status = 0, which = 0;
	pid_t pid;

	while (which < KINDS && strcmp(kind, kinds[which].name))
		which++;
	for (int i = 0; i < n && !status; i++) {
		pid = fork();
		if (!pid)
			_exit(kinds[which < KINDS ? which : i % KINDS].run());
		if (waitpid(pid, &status, 0) < 0)
			return fail("fork");
	}
	return status ? fail("a process") : 0;
}

/* ---- libraries ---- */
static unsigned long callback(unsigned long v)
{
	return v + (unsigned long)getppid();
}

/* remove: the library is removed before it is called. */
static int load(const char *path, bool remove)
{
	void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	unsigned long (*call)(unsigned long (*next)(unsigned long v), unsigned long v);

	*(void **)&call = lib ? dlsym(lib, "plugin_call") : NULL;
	if (remove)
		unlink(path);
	if (!call) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	call(callback, 0);
	return dlclose(lib);
}

static int run_plugin(const char *path) { return load(path, false); }
static int run_removed(const char *path) { return load(path, true); }
static int run_program(const char *path) { return execute(path, false); }
static int run_gone(const char *path) { return execute(path, true); }

/* All copies are made before the first one runs. */
static int copies(int n, const char *file, const char *dir, int (*run)(const char *path))
{
	char path[4096];
	int err = 0;

	for (int i = 0; i < n && !err; i++) {
		snprintf(path, sizeof path, "%s/copy%d", dir, i);
		err = copy(file, path);
	}
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof path, "%s/copy%d", dir, i);
		err = err || run(path);
	}
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof path, "%s/copy%d", dir, i);
		unlink(path);
	}
	return err;
}

/* Returns false if there is no line. */
static bool go_ahead(void)
{
	char line[8];

	printf("%d\n", getpid());
	fflush(stdout);
	return fgets(line, sizeof line, stdin) != NULL;
}

static int run(int argc, char **argv)
{
	static const struct {
		const char *what;
		int (*run)(const char *path);
	} modes[] = { { "programs", run_program }, { "gone", run_gone },
		    { "plugins", run_plugin }, { "removed", run_removed } };
	const char *what = argc > 3 ? argv[1] : "";
	int n = argc > 3 ? atoi(argv[2]) : 0, err = 0;

	if (!strcmp(what, "threads")) {
		depth = atoi(argv[3]);
		return threads(n);
	}
	if (!strcmp(what, "ended"))
		return ended(n, argv[3]);
	for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++)
		if (argc > 4 && !strcmp(what, modes[i].what))
			return copies(n, argv[3], argv[4], modes[i].run);
	if (strcmp(what, "spawn"))
		return fail("usage: swarm threads N DEPTH | ended N KINDS | spawn N PROGRAM | "
			    "programs|gone|plugins|removed N FILE DIR");
	for (int i = 0; i < n && !err; i++)
		err = execute(argv[3], false);
	return err;
}

int main(int argc, char **argv)
{
	if (argc < 2 || strcmp(argv[1], "wait"))
		return run(argc, argv);
	return go_ahead() ? run(argc - 1, argv + 1) : 1;
}
