/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/programs/start.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arch/arch.h"
#include "engine/symbols/maps.h"
#include "providers/breakpoint.h"

/*
 * Where the program counter is in the registers, the first argument, whether the last instruction was a jump or a call,
 * and an instruction that is undefined. An undefined instruction stops a process also where another tracer has a
 * uprobe: the kernel would take a trap instruction there for its own.
 */
enum { DEBUG_STATE = 24 };	/* offset of r_state in struct r_debug */

/* A process on its way. */
struct start {
	pid_t pid;
	int *status;
	bool breakpoints;		/* hardware breakpoints work */
	uint64_t entry, base;		/* of the program; where its interpreter is, 0 = none */
	struct maps maps;
	struct object *program, *interpreter;
	uint64_t code, code_end;	/* the program's executable mapping with the entry point */
};

/* ---- the process ---- */
static int get_regs(pid_t pid, struct user_regs_struct *r)
{
	struct iovec v = { r, sizeof *r };

	return ptrace(PTRACE_GETREGSET, pid, (void *)NT_PRSTATUS, &v) ? -errno : 0;
}

static int word_peek(pid_t pid, uint64_t at, long *word)
{
	errno = 0;
	*word = ptrace(PTRACE_PEEKDATA, pid, (void *)at, NULL);
	return -errno;
}

static int word_poke(pid_t pid, uint64_t at, long word)
{
	return ptrace(PTRACE_POKEDATA, pid, (void *)at, word) < 0 ? -errno : 0;
}

/* Lets it run until a trap stops it, or the undefined instruction at `undefined` (0 = none); other signals are
 * delivered. -ESRCH: it has ended. */
static int process_run(const struct start *s, int how, uint64_t undefined)
{
	struct user_regs_struct regs;
	long signal = 0;
	siginfo_t info;

	for (;;) {
		int status;

		if (ptrace(how, s->pid, NULL, signal) < 0)
			return -errno;
		while (waitpid(s->pid, &status, __WALL) < 0)
			if (errno != EINTR)
				return -errno;
		if (!WIFSTOPPED(status)) {
			*s->status = status;
			return -ESRCH;
		}
		if (WSTOPSIG(status) == SIGTRAP || (WSTOPSIG(status) == SIGILL && undefined &&
						    !get_regs(s->pid, &regs) && ARCH_REGS_PC(&regs) == undefined))
			return 0;
		signal = ptrace(PTRACE_GETSIGINFO, s->pid, NULL, &info) ? 0 : WSTOPSIG(status);
	}
}

/* A breakpoint in a debug register, which the process loses as soon as it is closed. The process gets a SIGTRAP before
 * the instruction. Returns its descriptor or -errno: no debug register is free, or the kernel cannot do this (before
 * 5.13), or the user may not. */
static int breakpoint_open(pid_t pid, uint64_t at)
{
	struct perf_event_attr a = breakpoint_attr(HW_BREAKPOINT_X, at, sizeof(long));
	int fd;

	a.disabled = 0;
	a.sigtrap = 1;
	fd = (int)syscall(SYS_perf_event_open, &a, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* Runs up to an instruction with a breakpoint, or without one by putting an undefined instruction in its place. That is
 * the second choice because another tracer may place or remove a uprobe there meanwhile.
 * -EINTR: it stopped elsewhere, because it has executed another program. */
static int run_to(const struct start *s, uint64_t at)
{
	struct user_regs_struct regs;
	int fd = s->breakpoints ? breakpoint_open(s->pid, at) : -1, r = 0;
	long word = 0;

	if (fd < 0)
		r = word_peek(s->pid, at, &word);
	if (fd < 0 && !r)
		r = word_poke(s->pid, at, (word & ~(long)ARCH_UNDEFINED_MASK) | (long)ARCH_UNDEFINED);
	if (!r)
		r = process_run(s, PTRACE_CONT, fd < 0 ? at : 0);
	if (!r)
		r = get_regs(s->pid, &regs);
	if (!r && ARCH_REGS_PC(&regs) != at)
		r = -EINTR;
	if (fd >= 0)
		close(fd);
	else if (!r)
		r = word_poke(s->pid, at, word);
	return r;
}

/* ---- symbols ---- */
struct wanted {
	const char *name, *names;
	uint64_t size, value;
	bool found;
};

static void symbol_compare(void *arg, uint32_t i, const struct elf_sym *s)
{
	struct wanted *w = arg;

	(void)i;
	if (w->found || s->name >= w->size)
		return;
	w->found = !strcmp(w->names + s->name, w->name);
	if (w->found)
		w->value = s->value;
}

/* Finds the address of a symbol in one of the tables of a file. */
static bool symbol_in(const struct elf *e, uint32_t type, const char *name, uint64_t *value)
{
	struct wanted w = { .name = name };
	struct symtab t;
	char *names;

	if (!symtab_open(&t, e, type))
		return false;
	names = calloc(1, t.strings_size + 1);
	w.names = names;
	w.size = t.strings_size;
	if (names && elf_read(e, t.strings, names, t.strings_size))
		symtab_each(&t, symbol_compare, &w);
	free(names);
	symtab_close(&t);
	*value = w.value;
	return w.found;
}

static bool symbol_find(struct object *o, const char *name, uint64_t *value)
{
	const struct elf *e = o ? object_image(o) : NULL;

	return e && (symbol_in(e, SHT_DYNSYM, name, value) || symbol_in(e, SHT_SYMTAB, name, value) ||
		     (object_debug(o) && symbol_in(object_debug(o), SHT_SYMTAB, name, value)));
}

/* ---- what is where ---- */
static int read_auxv(struct start *s)
{
	char path[32];
	Elf64_auxv_t a;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/auxv", (int)s->pid);
	f = fopen(path, "re");
	if (!f)
		return -errno;
	while (fread(&a, sizeof a, 1, f) == 1 && a.a_type != AT_NULL) {
		s->entry = a.a_type == AT_ENTRY ? a.a_un.a_val : s->entry;
		s->base = a.a_type == AT_BASE ? a.a_un.a_val : s->base;
	}
	fclose(f);
	return s->entry ? 0 : -ENOEXEC;
}

/* The program has the entry point, the interpreter is where the kernel says. A file may have several mappings. */
static void see_file(void *arg, const struct mapping *x)
{
	struct start *s = arg;
	struct object *o = x->file;
	uint64_t bias;

	if (*o->path != '/')
		return;
	if (s->entry >= x->start && s->entry < x->end) {
		s->program = o;
		s->code = x->start;
		s->code_end = x->end;
	} else if (s->base && object_image(o) && elf_bias(object_image(o), x->start, x->off, &bias) &&
		   bias == s->base) {
		s->interpreter = o;
	}
}

static int see_files(struct start *s)
{
	return maps_code(&s->maps, s->pid, see_file, s);
}

bool start_linker(pid_t pid, struct start_linker *out)
{
	struct start s = { .pid = pid };
	uint64_t function, debug, rest;
	bool ok;

	maps_init(&s.maps);
	ok = !read_auxv(&s) && s.base && !see_files(&s) &&
	     symbol_find(s.interpreter, "_dl_debug_state", &function) &&
	     symbol_find(s.interpreter, "_r_debug", &debug) &&
	     elf_code(object_image(s.interpreter), function, &out->off, &rest);
	out->state = ok ? (int64_t)(debug + DEBUG_STATE - function) : 0;
	out->fd = ok ? fcntl(object_image(s.interpreter)->fd, F_DUPFD_CLOEXEC, 0) : -1;
	maps_close(&s.maps);
	return ok && out->fd >= 0;
}

/* ---- points ---- */

/* The dynamic linker calls an empty function for debuggers: when it begins to load the libraries, and when they are
 * ready to run. */
static int to_preinit(struct start *s)
{
	enum { CONSISTENT = 0 };
	uint64_t function, debug;
	bool described;
	long state = CONSISTENT;
	int r;

	if (!s->base)
		return 0;	/* a static program: nothing is loaded */
	if (!symbol_find(s->interpreter, "_dl_debug_state", &function))
		return -ENOEXEC;
	described = symbol_find(s->interpreter, "_r_debug", &debug);
	for (;;) {
		r = run_to(s, s->base + function);
		if (!r && described)
			r = word_peek(s->pid, s->base + debug + DEBUG_STATE, &state);
		if (r || (int)state == CONSISTENT)
			return r;
		r = process_run(s, PTRACE_SINGLESTEP, 0);
		if (r)
			return r;
	}
}

/* The load bias of the program. */
static int program_bias(const struct start *s, uint64_t *bias)
{
	Elf64_Ehdr h;

	if (!s->program || !object_image(s->program) || !object_image(s->program)->is64 ||
	    !elf_read(object_image(s->program), 0, &h, sizeof h))
		return -ENOEXEC;
	*bias = s->entry - h.e_entry;
	return 0;
}

/* A program without symbols: what follows the entry point passes the address of main() to the C library, as the first
 * argument of a call (with musl: of a jump). Steps up to that call. */
static int find_main(const struct start *s, uint64_t *main_at)
{
	enum { STEPS = 200 };	/* glibc: 12, musl: 25 */
	struct user_regs_struct before, regs;
	int r = run_to(s, s->entry);

	for (unsigned i = 0; !r && i < STEPS; i++) {
		r = get_regs(s->pid, &before);
		if (!r)
			r = process_run(s, PTRACE_SINGLESTEP, 0);
		if (!r)
			r = get_regs(s->pid, &regs);
		*main_at = r ? 0 : ARCH_REGS_FIRST(&regs);
		if (!r && ARCH_REGS_JUMPED(&regs, &before) && *main_at >= s->code && *main_at < s->code_end)
			return 0;
	}
	return r ? r : -ENOEXEC;
}

static int to_main(struct start *s)
{
	uint64_t bias, at;
	int r = program_bias(s, &bias);

	if (r)
		return r;
	if (symbol_find(s->program, "main", &at))
		at += bias;
	else
		r = find_main(s, &at);
	return r ? r : run_to(s, at);
}

static const char *error_text(int err, enum dtr_point to)
{
	if (err == ESRCH)
		return "it has ended before";
	if (err == EINTR)
		return "it has executed another program before";
	if (err == ENOEXEC)
		return to == DTR_AT_PREINIT ? "its dynamic linker has no interface for debuggers" :
		       "its main() cannot be found";
	return strerror(err);
}

int start_advance(pid_t pid, enum dtr_point to, int *status, char *reason, size_t n)
{
	struct start s = { .pid = pid, .status = status };
	int r;

	*status = -1;
	if (to == DTR_AT_EXEC)
		return 0;
	maps_init(&s.maps);
	s.breakpoints = ARCH_STEPS_AT_BREAKPOINT && breakpoint_fires(HW_BREAKPOINT_X) > 0;
	r = read_auxv(&s);
	if (!r)
		r = see_files(&s);
	if (!r)
		r = to_preinit(&s);
	if (!r && to > DTR_AT_PREINIT)
		r = to_main(&s);
	maps_close(&s.maps);
	if (r)
		snprintf(reason, n, "%s", error_text(-r, to));
	return r;
}
