/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A program that runs different code at one address, one after the other. In phase N its name is phaseN, which is how a
 * sample can tell what ran. Usage: remap MILLISECONDS PHASE..., of its own CPU time each. A phase is
 *
 *	lib:PATH:SYMBOL		a plugin (plugin.c), loaded with dlopen(); unloaded with dlclose() when the phase ends
 *	map:PATH:SYMBOL		the plugin's code, mapped with MAP_FIXED over what the phase before has left there
 *	anon			a copy of the code in memory without a file, mapped to be executed
 *	jit			the same, mapped to be written first and made executable then
 *	fork:PHASE		that phase in a child; it has the ID of the child of the last such phase, which has
 * ended
 *	exec:PROGRAM:ARGUMENT	fork's rule, but the child executes another program
 *
 * It says "at ADDRESS" for each phase but those of exec.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef unsigned long leaf_fn(unsigned long n);

enum { PAGE = 4096, CODE = 64 };

struct remap_place {
	uint64_t start, end, off;
	char path[512];
};

static double seconds;
static leaf_fn *first;		/* the address of the first phase's function, which all others share */
static uint8_t code[CODE];	/* of a leaf */
static pid_t last_child;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void run(leaf_fn *leaf)
{
	double until = now() + seconds;
	unsigned long n = 0;

	printf("at %p\n", (void *)leaf);
	fflush(stdout);
	while (now() < until)
		n = leaf(n);
	memcpy(code, leaf, CODE);
}

static void *symbol_of(const char *arg, void **lib)
{
	char path[512], *name;
	void *fn;

	snprintf(path, sizeof path, "%s", arg);
	name = strrchr(path, ':');
	*name++ = '\0';
	*lib = dlopen(path, RTLD_NOW);
	fn = *lib ? dlsym(*lib, name) : NULL;
	if (!fn) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	return fn;
}

static void place_of(const void *fn, struct remap_place *p)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[1024];

	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %511s", &p->start, &p->end, &p->off, p->path) == 4 &&
		    p->start <= (uintptr_t)fn && (uintptr_t)fn < p->end)
			break;
	if (!f || feof(f))
		die("/proc/self/maps");
	fclose(f);
}

static void phase_lib(const char *arg)
{
	void *lib, *fn = symbol_of(arg, &lib);

	if (first && fn != (void *)first) {
		fprintf(stderr, "%s was loaded elsewhere: %p, not %p\n", arg, fn, (void *)first);
		exit(1);
	}
	first = (leaf_fn *)fn;
	run(first);
	dlclose(lib);
}

static void phase_map(const char *arg)
{
	void *lib, *fn = symbol_of(arg, &lib), *at;
	struct remap_place p;
	int fd;

	place_of(fn, &p);
	fd = open(p.path, O_RDONLY);
	at = first ? (void *)((uintptr_t)first - ((uintptr_t)fn - p.start)) : (void *)0x610000000000;
	if (mmap(at, p.end - p.start, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd, (off_t)p.off) != at)
		die("mmap");
	close(fd);
	dlclose(lib);
	first = (leaf_fn *)((uintptr_t)at + ((uintptr_t)fn - p.start));
	run(first);
}

static void phase_anon(int prot)
{
	void *page = (void *)((uintptr_t)first & ~(uintptr_t)(PAGE - 1));

	if (mmap(page, PAGE, prot, MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS, -1, 0) != page)
		die("mmap");
	memcpy((void *)first, code, CODE);
	if (!(prot & PROT_EXEC) && mprotect(page, PAGE, PROT_READ | PROT_EXEC))
		die("mprotect");
	run(first);
	munmap(page, PAGE);
}

/* A child with the ID of the previous one. */
static pid_t fork_again(void)
{
	pid_t ids[1] = { last_child };
	struct clone_args a = {
		.exit_signal = SIGCHLD, .set_tid = last_child ? (uintptr_t)ids : 0, .set_tid_size = !!last_child,
	};

	return (pid_t)syscall(SYS_clone3, &a, sizeof a);
}

static void phase(const char *what);

static void phase_child(const char *what, int executes)
{
	pid_t pid = fork_again();
	char program[512], *arg;
	int status;

	if (pid < 0)
		die("clone3");
	if (!pid && executes) {
		snprintf(program, sizeof program, "%s", what);
		arg = strchr(program, ':');
		*arg++ = '\0';
		execl(program, program, arg, (char *)NULL);
		die(program);
	}
	if (!pid) {
		phase(what);
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || status)
		exit(1);
	last_child = pid;
}

static void phase(const char *what)
{
	if (!strncmp(what, "lib:", 4))
		phase_lib(what + 4);
	else if (!strncmp(what, "map:", 4))
		phase_map(what + 4);
	else if (!strncmp(what, "fork:", 5))
		phase_child(what + 5, 0);
	else if (!strncmp(what, "exec:", 5))
		phase_child(what + 5, 1);
	else
		phase_anon(*what == 'a' ? PROT_READ | PROT_WRITE | PROT_EXEC : PROT_READ | PROT_WRITE);
}

int main(int argc, char **argv)
{
	char name[16];

	if (argc < 3)
		return 2;
	seconds = atof(argv[1]) / 1000;
	for (int i = 2; i < argc; i++) {
		snprintf(name, sizeof name, "phase%d", i - 2);
		prctl(PR_SET_NAME, name);
		phase(argv[i]);
	}
	return 0;
}
