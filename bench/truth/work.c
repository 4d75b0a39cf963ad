/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "bench/truth/work.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { BYTES = 65536, FEW_BYTES = 4096, SLICE_MIN = 25000, SLICE_SPAN = 50000, STEER = 50000000, WARM_UP = 20000000 };
enum { HELD = 2000000 };	/* ns; a longer slice means that a hypervisor took the CPU away without reporting it */

/* The arguments of the system calls. */
struct tools {
	int zero, file;
	char *buf;
};

typedef void part_fn(const struct tools *t, uint64_t n);

struct work_part {
	const char *name;
	double share;
	part_fn *run[WORK_MODES];
	const char *start, *end;
};

/* A section each, so that the linker provides its bounds; the constant prevents that the loops are merged. */
#define SPIN(name, number)                                                                            \
	extern char __start_in_##name[], __stop_in_##name[];                                                \
	__attribute__((noinline, section("in_" #name))) static void name(const struct tools *t, uint64_t n) \
	{                                                                                             \
		(void)t;                                                                              \
		while (n--)                                                                           \
			__asm__ volatile("" : : "i"(number));                                         \
	}

SPIN(work_f, 1)
SPIN(work_g, 2)
SPIN(work_h, 3)

static void zeroes(const struct tools *t, uint64_t n)
{
	while (n-- && pread(t->zero, t->buf, BYTES, 0) >= 0)
		;
}

static void randoms(const struct tools *t, uint64_t n)
{
	while (n-- && getrandom(t->buf, FEW_BYTES, 0) >= 0)
		;
}

static void file(const struct tools *t, uint64_t n)
{
	while (n-- && pread(t->file, t->buf, BYTES, 0) >= 0)
		;
}

static const struct work_part parts[WORK_PARTS] = {
	{ "work_f", 0.5, { work_f, zeroes }, __start_in_work_f, __stop_in_work_f },
	{ "work_g", 0.3, { work_g, randoms }, __start_in_work_g, __stop_in_work_g },
	{ "work_h", 0.2, { work_h, file }, __start_in_work_h, __stop_in_work_h },
};

const char *work_name(unsigned part)
{
	return parts[part].name;
}

double work_share(unsigned part)
{
	return parts[part].share;
}

struct work_range work_range(unsigned part)
{
	return (struct work_range){ (uintptr_t)parts[part].start, (uintptr_t)parts[part].end };
}

static uint64_t cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* xorshift64*: in [0, 1). */
static double draw(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return (double)((*state * 0x2545f4914f6cdd1dull) >> 11) / 9007199254740992.0;
}

/* The more a part is below its share of the time up to 50 ms from now, the more likely it is next. */
static unsigned choose(const volatile struct work_page *page, uint64_t *state)
{
	double sum = 0, lacks[WORK_PARTS], at, total = STEER;

	for (unsigned i = 0; i < WORK_PARTS; i++)
		total += (double)page->ns[i];
	for (unsigned i = 0; i < WORK_PARTS; i++) {
		lacks[i] = parts[i].share * total - (double)page->ns[i];
		if (lacks[i] < 0)
			lacks[i] = 0;
		sum += lacks[i];
	}
	at = draw(state) * sum;
	for (unsigned i = 0; i < WORK_PARTS - 1; i++) {
		if (at < lacks[i])
			return i;
		at -= lacks[i];
	}
	return WORK_PARTS - 1;
}

/* A working thread: its speed in each part (units of work per ns), the clock after the last slice, the random state. */
struct worker {
	enum work_mode mode;
	struct tools tools;
	double speed[WORK_PARTS];
	uint64_t last, state;
	volatile struct work_page *page;
};

/* One slice. The speed is adapted to the measured one, except for outliers. */
static void worker_slice(struct worker *w)
{
	double ns = SLICE_MIN + SLICE_SPAN * draw(&w->state), *speed;
	unsigned part = choose(w->page, &w->state);
	uint64_t n, now, took;

	speed = &w->speed[part];
	n = (uint64_t)(ns * *speed + 0.5);
	n += n == 0;
	if (w->mode == WORK_SYSTEM)
		prctl(PR_SET_NAME, parts[part].name);
	parts[part].run[w->mode](&w->tools, n);
	now = cpu_ns();
	took = now - w->last;
	if (took && (double)took < 4 * ns)
		*speed += 0.1 * ((double)n / (double)took - *speed);
	else
		*speed *= 0.9;
	w->page->ns[part] += took < HELD ? took : (uint64_t)ns;
	w->last = now;
}

/* Makes adjacent seeds give different sequences; never 0. */
static uint64_t scramble(uint64_t seed)
{
	seed = (seed + 0x9e3779b97f4a7c15ull) * 0xbf58476d1ce4e5b9ull;
	return (seed ^ seed >> 31) | 1;
}

static bool worker_open(struct worker *w, volatile struct work_page *page, enum work_mode mode, uint64_t seed)
{
	*w = (struct worker){ .mode = mode, .tools = { -1, -1, NULL }, .page = page, .state = scramble(seed),
		.last = cpu_ns() };
	for (unsigned i = 0; i < WORK_PARTS; i++)
		w->speed[i] = 1e-4;
	if (mode == WORK_USER)
		return true;
	w->tools.zero = open("/dev/zero", O_RDONLY);
	w->tools.file = memfd_create("work", 0);
	w->tools.buf = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	return w->tools.zero >= 0 && w->tools.file >= 0 && w->tools.buf != MAP_FAILED &&
	       write(w->tools.file, w->tools.buf, BYTES) == BYTES;
}

void work_here(volatile struct work_page *page, uint64_t seed, uint64_t until)
{
	struct worker w;

	worker_open(&w, page, WORK_USER, seed);
	while (w.last < until)
		worker_slice(&w);
}

static void work(volatile struct work_page *page, enum work_mode mode, uint64_t seed, int ready)
{
	struct worker w;
	uint64_t warm;

	if (!worker_open(&w, page, mode, seed))
		_exit(1);
	for (warm = w.last + WARM_UP; w.last <= warm;)
		worker_slice(&w);
	if (write(ready, "", 1) != 1)
		_exit(1);
	for (;;)
		worker_slice(&w);
}

bool work_start(struct work *w, enum work_mode mode, uint64_t seed)
{
	pid_t parent = getpid();
	int ready[2];
	char c;
	bool ok;

	w->page = mmap(NULL, sizeof *w->page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (w->page == MAP_FAILED || pipe(ready))
		return false;
	w->pid = fork();
	if (w->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(ready[0]);
		if (getppid() == parent)
			work(w->page, mode, seed, ready[1]);
		_exit(1);
	}
	close(ready[1]);
	ok = w->pid > 0 && read(ready[0], &c, 1) == 1;
	close(ready[0]);
	return ok;
}

void work_stop(struct work *w)
{
	if (w->pid > 0) {
		kill(w->pid, SIGKILL);
		waitpid(w->pid, NULL, 0);
	}
	if (w->page && w->page != MAP_FAILED)
		munmap((void *)w->page, sizeof *w->page);
	*w = (struct work){ 0 };
}
