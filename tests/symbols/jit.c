/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A program that generates code and describes it, as JIT compilers do. Usage: jit [apart|memfd] MILLISECONDS PHASE...,
 * of its own CPU time each, and longer where the CPU's timer is late: a virtual CPU that does not run has no samples.
 * apart: in mount and PID name spaces of its own, with a /tmp of its own. memfd: the code is in a file in memory. In
 * phase N its name is phaseN, which is how a sample can tell what ran. A phase runs code at one of three places (a, b,
 * c), after
 *
 *	map:NAME:PLACE		a line was added to perf-PID.map
 *	new:NAME:PLACE		perf-PID.map was replaced by one with that line
 *	cut:NAME:PLACE		perf-PID.map was truncated and has only that line
 *	load:NAME:PLACE		the code was loaded, by a record in jit-PID.dump
 *	move:PLACE:PLACE	code was moved, by such a record
 *	file:KIND:PLACE		a file that must not be used was made: foreign, fifo, link, folder, huge, noise
 *	none:-:PLACE		nothing
 *
 * It prints its ID in the name space in which it was started, and the names of the files that it made.
 */
#include <elf.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef unsigned long leaf_fn(unsigned long n);

enum { PAGE = 4096, CODE = 64, PLACES = 3, TICKS = 30 };

/* The records of jitdump that are written. */
struct dump_load {
	uint32_t id, size;
	uint64_t time;
	uint32_t pid, tid;
	uint64_t vma, addr, bytes, index;
	char name[32];
	uint8_t code[CODE];
};

struct dump_move {
	uint32_t id, size;
	uint64_t time;
	uint32_t pid, tid;
	uint64_t vma, from, to, bytes, index;
};

static double seconds;
static uint8_t *place[PLACES];
static char map[64], dump[64];
static int dump_fd = -1;
static uint64_t loads;
static volatile sig_atomic_t ticks;

static unsigned long leaf(unsigned long n)
{
	for (unsigned long i = 0; i < 1000000; i++)
		__asm__ volatile("" : "+r"(n), "+r"(i));
	return n + 1;
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static uint64_t read_clock(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Compilers make code writable while they write it. */
static void code_write(uint8_t *at, const void *from)
{
	if (mprotect(at, PAGE, PROT_READ | PROT_WRITE))
		die("mprotect");
	memcpy(at, from, CODE);
	if (mprotect(at, PAGE, PROT_READ | PROT_EXEC))
		die("mprotect");
}

static void on_tick(int signal)
{
	(void)signal;
	ticks++;
}

/* Until the CPU time is used and the CPU's timer has ticked in it; without ticks, 50 times as long. */
static void run(const char *phase, uint8_t *at)
{
	uint64_t start = read_clock(CLOCK_PROCESS_CPUTIME_ID), used = 0, wanted = (uint64_t)(seconds * 1e9);
	unsigned long n = 0;

	ticks = 0;
	prctl(PR_SET_NAME, phase);
	while (used < wanted || (ticks < TICKS && used < 50 * wanted)) {
		n = ((leaf_fn *)(uintptr_t)at)(n);
		used = read_clock(CLOCK_PROCESS_CPUTIME_ID) - start;
	}
	prctl(PR_SET_NAME, "between");
}

/* A signal at each tick of the CPU's timer while the program runs. */
static void start_ticks(void)
{
	const struct itimerval each = { { 0, 1000 }, { 0, 1000 } };
	struct sigaction act = { .sa_handler = on_tick, .sa_flags = SA_RESTART };

	if (sigaction(SIGPROF, &act, NULL) || setitimer(ITIMER_PROF, &each, NULL))
		die("setitimer");
}

/* ---- perf-PID.map ---- */
static void map_line(const char *name, const uint8_t *at, int flags)
{
	char line[128];
	int n = snprintf(line, sizeof line, "%lx %x jit %s /a.js:%lu\n", (unsigned long)at, PAGE, name, loads);
	int fd = open(map, O_WRONLY | O_CREAT | flags, 0644);

	if (fd < 0 || write(fd, line, (size_t)n) != n)
		die(map);
	close(fd);
}

static void map_replace(const char *name, const uint8_t *at)
{
	char old[64];

	memcpy(old, map, sizeof old);
	strcat(map, ".new");
	map_line(name, at, O_TRUNC);
	if (rename(map, old))
		die(map);
	memcpy(map, old, sizeof map);
}

/* ---- files that must not be used ---- */
static void file_foreign(const uint8_t *at)
{
	map_line("foreign", at, O_TRUNC);
	if (chown(map, 12345, 12345))
		die("chown");
}

static void file_fifo(const uint8_t *at)
{
	(void)at;
	if (mkfifo(map, 0644))
		die(map);
}

static void file_link(const uint8_t *at)
{
	char real[64], target[128];

	memcpy(real, map, sizeof real);
	strcat(map, ".real");
	map_line("link", at, O_TRUNC);
	snprintf(target, sizeof target, "%s", map);
	memcpy(map, real, sizeof map);
	if (symlink(target, map))
		die(map);
}

static void file_folder(const uint8_t *at)
{
	(void)at;
	if (mkdir(map, 0755))
		die(map);
}

/* A line, and then a file of a terabyte without any data. */
static void file_huge(const uint8_t *at)
{
	map_line("huge", at, O_TRUNC);
	if (truncate(map, 1ll << 40) && truncate(map, 1ll << 33))
		die(map);
}

/* Lines that make no sense around one that does. */
static void file_noise(const uint8_t *at)
{
	FILE *f = fopen(map, "w");
	char *long_name = malloc(100001);

	if (!f || !long_name)
		die(map);
	memset(long_name, 'x', 100000);
	long_name[100000] = '\0';
	fprintf(f, "\n \nffffffffffffffff ffffffffffffffff wraps\n%lx 0 empty\n%lx\n%lx zz y\n-1 10 minus\n",
		(unsigned long)at, (unsigned long)at, (unsigned long)at);
	fprintf(f, "11112222333344445 10 long\n0 ffffffffffffffff everything\n1000 10 %s\n", long_name);
	fprintf(f, "0x%lx 0x%x jit noise\n", (unsigned long)at, PAGE);
	fprintf(f, "%lx %x last line without an end", (unsigned long)at + PAGE, PAGE);
	fclose(f);
	free(long_name);
}

static void file_make(const char *kind, const uint8_t *at)
{
	static const struct { const char *name; void (*make)(const uint8_t *at); } kinds[] = {
		{ "foreign", file_foreign }, { "fifo", file_fifo }, { "link", file_link }, { "folder", file_folder },
		{ "huge", file_huge }, { "noise", file_noise },
	};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (!strcmp(kinds[i].name, kind))
			kinds[i].make(at);
}

/* ---- jitdump ---- */
static void dump_open(void)
{
	const struct { uint32_t magic, version, size, machine, pad, pid; uint64_t time, flags; } head = {
		0x4a695444, 1, 40, EM_X86_64, 0, (uint32_t)getpid(), read_clock(CLOCK_MONOTONIC), 0,
	};

	if (dump_fd >= 0)
		return;
	dump_fd = open(dump, O_RDWR | O_CREAT | O_TRUNC, 0644);
	if (dump_fd < 0 || write(dump_fd, &head, sizeof head) != sizeof head)
		die(dump);
	if (mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, dump_fd, 0) == MAP_FAILED)
		die("mmap");
}

static void dump_put(const void *p, size_t n)
{
	if (write(dump_fd, p, n) != (ssize_t)n)
		die(dump);
}

static void dump_load(const char *name, uint8_t *at)
{
	struct dump_load x = { 0, sizeof x, 0, (uint32_t)getpid(), (uint32_t)getpid(), (uintptr_t)at, (uintptr_t)at,
			       PAGE, loads, "", { 0 } };

	dump_open();
	code_write(at, (const void *)(uintptr_t)leaf);
	snprintf(x.name, sizeof x.name, "jit %s", name);
	x.time = read_clock(CLOCK_MONOTONIC);
	dump_put(&x, sizeof x);
}

static void dump_moved(uint8_t *from, uint8_t *to)
{
	struct dump_move x = { 1, sizeof x, 0, (uint32_t)getpid(), (uint32_t)getpid(), (uintptr_t)to, (uintptr_t)from,
			       (uintptr_t)to, PAGE, loads };

	dump_open();
	code_write(to, from);
	x.time = read_clock(CLOCK_MONOTONIC);
	dump_put(&x, sizeof x);
}

/* ---- phases ---- */
static void phase(const char *name, char *text)
{
	char *arg = strchr(text, ':'), *where = arg ? strchr(arg + 1, ':') : NULL;
	uint8_t *at;

	if (!where || where[1] < 'a' || where[1] >= 'a' + PLACES) {
		fprintf(stderr, "%s: no phase\n", text);
		exit(2);
	}
	*arg++ = *where++ = '\0';
	at = place[*where - 'a'];
	loads++;
	if (!strcmp(text, "load"))
		dump_load(arg, at);
	else if (!strcmp(text, "move"))
		dump_moved(place[*arg - 'a'], at);
	else
		code_write(at, (const void *)(uintptr_t)leaf);
	if (!strcmp(text, "map") || !strcmp(text, "cut"))
		map_line(arg, at, *text == 'm' ? O_APPEND : O_TRUNC);
	else if (!strcmp(text, "new"))
		map_replace(arg, at);
	else if (!strcmp(text, "file"))
		file_make(arg, at);
	run(name, at);
}

/* Continues in a child that is process 1 of a name space and has a /tmp of its own. */
static void go_apart(void)
{
	int status;
	pid_t child;

	if (unshare(CLONE_NEWNS | CLONE_NEWPID))
		die("unshare");
	child = fork();
	if (child < 0)
		die("fork");
	if (child) {
		waitpid(child, &status, 0);
		exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
	}
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) || mount("none", "/tmp", "tmpfs", 0, NULL))
		die("mount");
}

int main(int argc, char **argv)
{
	bool apart = argc > 1 && !strcmp(argv[1], "apart"), in_file = argc > 1 && !strcmp(argv[1], "memfd");
	int fd = in_file ? memfd_create("code", MFD_CLOEXEC) : -1;
	uint8_t *pages;

	prctl(PR_SET_NAME, "between");
	printf("pid %d\n", (int)getpid());
	fflush(stdout);
	if (apart)
		go_apart();
	snprintf(map, sizeof map, "/tmp/perf-%d.map", (int)getpid());
	snprintf(dump, sizeof dump, "/tmp/jit-%d.dump", (int)getpid());
	if (in_file && ftruncate(fd, 2 * PLACES * PAGE))
		die("memfd");
	pages = mmap(NULL, 2 * PLACES * PAGE, PROT_READ | PROT_EXEC, in_file ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS,
		     fd, 0);
	if (pages == MAP_FAILED)
		die("mmap");
	for (int i = 0; i < PLACES; i++)
		place[i] = pages + (2 * i + 1) * PAGE;
	argv += 1 + (apart || in_file);
	argc -= 1 + (apart || in_file);
	seconds = argc ? atof(argv[0]) / 1000 : 0;
	start_ticks();
	for (int i = 1; i < argc; i++) {
		char name[16];

		snprintf(name, sizeof name, "phase%d", i - 1);
		phase(name, argv[i]);
	}
	return 0;
}
