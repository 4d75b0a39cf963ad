/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The procedures are found by their names, so they are exported (cmd/local.mk). Each loop calls one of them CALLS
 * times, and the fastest of ROUNDS loops counts: it was interrupted least. A firing costs the time until the next one.
 */
#include "cmd/dtr/prog/cost.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "cmd/dtr/say.h"

extern char **environ;

enum { CALLS = 64, ROUNDS = 24 };

/* ---- the procedures ---- */

/* _plain: the kernel emulates its first instruction. _copied: it does not. _jumps: the returns cannot be found, so that
 * the kernel replaces the return address. */
void prog_cost_plain(void);
void prog_cost_copied(void);
void prog_cost_jumps(void);
void prog_cost_loop_plain(void);
void prog_cost_loop_copied(void);
void prog_cost_loop_jumps(void);

#if defined(__x86_64__)
#define PROCEDURE(name, code) \
	__asm__(".text\n.globl " #name "\n.type " #name ", @function\n" \
		#name ":\n" code "\n.size " #name ", . - " #name)

PROCEDURE(prog_cost_plain, "push %rbp\n pop %rbp\n ret");
PROCEDURE(prog_cost_copied, "xor %eax, %eax\n ret");
PROCEDURE(prog_cost_jumps, "push %rbp\n xor %ecx, %ecx\n lea 1f(%rip), %rax\n push %rax\n jmp *(%rsp, %rcx, 8)\n"
	  "1: pop %rax\n pop %rbp\n ret");
#else
#define PROCEDURE(name) \
	__attribute__((noinline, noclone)) void name(void) { __asm__ volatile("" : : : "memory"); }

PROCEDURE(prog_cost_plain)
PROCEDURE(prog_cost_copied)
PROCEDURE(prog_cost_jumps)
#endif

#define LOOP(name) \
	__attribute__((noinline)) void prog_cost_loop_##name(void) \
	{ \
		for (unsigned i = 0; i < CALLS; i++) \
			prog_cost_##name(); \
		__asm__ volatile("" : : : "memory"); \
	}

LOOP(plain)
LOOP(copied)
LOOP(jumps)

void prog_cost_run(void)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		prog_cost_loop_plain();
		prog_cost_loop_copied();
		prog_cost_loop_jumps();
	}
}

/* ---- measuring ---- */

static int spawn_dtr(pid_t *pid, int script, int out, bool quiet)
{
	static char *argv[] = { "dtr", "-s", "/proc/self/fd/0", "-c", "/proc/self/exe prog --" PROG_COST_OPTION, NULL };
	posix_spawn_file_actions_t files;
	int err = posix_spawn_file_actions_init(&files);

	if (err)
		return -err;
	err = posix_spawn_file_actions_adddup2(&files, script, 0);
	if (!err)
		err = posix_spawn_file_actions_adddup2(&files, out, 1);
	if (!err && quiet)
		err = posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
	if (!err)
		err = posix_spawn(pid, "/proc/self/exe", &files, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	return -err;
}

/* dtr traces itself with the script. Returns its exit status, or -errno; its output is in `out`. */
static int run_script(int script, struct buf *out, bool quiet)
{
	int output = memfd_create("profile", MFD_CLOEXEC), status = -1, r;
	pid_t pid;

	if (output < 0)
		return -errno;
	r = spawn_dtr(&pid, script, output, quiet);
	while (!r && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!r)
		r = status ? 1 : lseek(output, 0, SEEK_SET) < 0 ? -errno : buf_read_fd(out, output);
	close(output);
	return r;
}

/* The shortest time of one call, from the table of procedures. Returns false if it is not there. */
static bool shortest_call(const char *table, const char *name, int64_t *ns)
{
	for (const char *s = table; s; s = strchr(s, '\n')) {
		char found[64];
		long long calls, least;

		s += *s == '\n';
		if (sscanf(s, "%*s %63s %lld %*d %*d %*d %lld", found, &calls, &least) == 3 && !strcmp(found, name)) {
			*ns = least;
			return true;
		}
	}
	return false;
}

static bool cost_from_table(struct prog_cost *out, const char *table)
{
	int64_t entry, plain, copied, jumps;

	if (!shortest_call(table, "prog_cost_plain", &entry) ||
	    !shortest_call(table, "prog_cost_loop_plain", &plain) ||
	    !shortest_call(table, "prog_cost_loop_copied", &copied) ||
	    !shortest_call(table, "prog_cost_loop_jumps", &jumps))
		return false;
	plain /= CALLS;
	copied /= CALLS;
	jumps /= CALLS;
	out->entry = entry;
	out->copied = copied > plain ? copied - plain : 0;
	out->returns = plain > entry + out->copied ? plain - entry - out->copied : 0;
	out->replaced = jumps > entry ? jumps - entry : 0;
	return true;
}

int prog_cost_measure(struct prog_cost *out, struct arena *a, const char *prog, const char *share, bool quiet)
{
	struct prog_want want = { .kind = PROG_PROCS };
	struct buf table = { 0 };
	const char *text;
	int script, r;

	*out = (struct prog_cost){ 0 };
	*VEC_ADD(a, &want.objects) = "prog_cost_*";
	text = prog_script(a, prog, share, &want);
	if (!text)
		return -1;
	script = memfd_create("cost.d", MFD_CLOEXEC);
	r = script < 0 ? -errno : buf_write_fd(script, text, strlen(text));
	if (r >= 0)
		r = run_script(script, &table, quiet);
	if (!r && !cost_from_table(out, buf_str(&table)))
		r = 1;
	if (script >= 0)
		close(script);
	buf_free(&table);
	if (r && !quiet)
		say("%s prog: failed to measure the cost of the probes%s%s\n", prog, r < 0 ? ": " : "",
		    r < 0 ? strerror(-r) : "");
	return r ? -1 : 0;
}
