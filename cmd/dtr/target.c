/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The process that is traced: a command that dtr starts, or a process that runs. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/dtr/cmd.h"
#include "cmd/dtr/program.h"
#include "cmd/dtr/say.h"

/* The process of -p is described by the file that it executes; several are only listed. */
static void cmd_describe_pids(struct cmd *c)
{
	const char *text = arena_printf(&c->arena, "%s %d", c->args.pids.n > 1 ? "processes" : "process",
					(int)c->args.pid);
	char path[4096];
	ssize_t n = readlink(arena_printf(&c->arena, "/proc/%d/exe", (int)c->args.pid), path, sizeof path);

	for (size_t i = 1; i < c->args.pids.n; i++)
		text = arena_printf(&c->arena, "%s, %d", text, (int)c->args.pids.v[i]);
	dtr_subject(c->t, text, n > 0 && c->args.pids.n == 1 ? base_name(arena_strndup(&c->arena, path, (size_t)n)) :
		    NULL);
}

/* The program exists, but its interpreter may not, or the kernel cannot load all of it and kills the process. */
void cmd_not_executed(const struct cmd *c, int err)
{
	int status = c->child.status;

	if (err == ENOENT)
		say("%s: failed to execute %s: its interpreter does not exist\n", c->args.prog, c->program);
	else if (err == ECHILD && WIFSIGNALED(status))
		say("%s: failed to execute %s: killed by signal %d (%s)\n", c->args.prog, c->program, WTERMSIG(status),
		    strsignal(WTERMSIG(status)));
	else
		cmd_error(c, "failed to execute", c->program, err);
}

bool cmd_words(struct cmd *c)
{
	c->words = child_words(&c->arena, c->args.command);
	if (!c->words)
		say("%s: invalid command '%s': empty, or unterminated quote\n", c->args.prog, c->args.command);
	return c->words;
}

/* The variable's place in the list, or NULL. name: up to a '=', or all of it. */
static char **variable_find(char **list, size_t n, const char *name)
{
	const size_t len = strcspn(name, "=");

	for (size_t i = 0; i < n; i++) {
		if (!strncmp(list[i], name, len) && list[i][len] == '=')
			return &list[i];
	}
	return NULL;
}

/* -x setenv and unsetenv, in their order: dtr's environment with these changes. */
static char **command_environment(struct cmd *c)
{
	VEC(char *) list = { 0 };

	for (char **e = environ; *e; e++)
		*VEC_ADD(&c->arena, &list) = *e;
	for (size_t i = 0; i < c->args.options.n; i++) {
		const struct arg_option *o = &c->args.options.v[i];
		const bool set = !strcmp(o->name, "setenv");
		char **at;

		if ((!set && strcmp(o->name, "unsetenv")) || !o->value)
			continue;
		at = variable_find(list.v, list.n, o->value);
		if (at)
			*at = list.v[--list.n];
		if (set)
			*VEC_ADD(&c->arena, &list) = arena_strdup(&c->arena, o->value);
	}
	*VEC_ADD(&c->arena, &list) = NULL;
	return list.v;
}

static int cmd_command(struct cmd *c)
{
	char **words = c->words, path[PATH_MAX];
	const struct child_command command = {
		.path = path, .words = words, .aside = c->args.record && c->args.record->stream, .stack = &c->stack,
		.environment = command_environment(c),
	};
	const struct front_ops *f = c->front.ops;
	int r;

	c->program = words[0];
	dtr_subject(c->t, arena_printf(&c->arena, "the command '%s'", c->args.command), base_name(c->program));
	r = program_find(words[0], path, sizeof path);
	if (r < 0) {
		cmd_error(c, "failed to execute", c->program, -r);
		return -1;
	}
	if (f && f->aside_begin && f->aside_begin(c->front.arg) < 0)
		return -1;
	r = child_start(&c->child, &command);
	if (f && f->aside_end)
		f->aside_end(c->front.arg);
	if (!r)
		r = watch_target(&c->watch, c->child.pid);
	if (r < 0) {
		cmd_not_executed(c, -r);
		return -1;
	}
	if (f && f->executed && c->child.traced)
		f->executed(c->front.arg, c->child.pid, path, words);
	dtr_target(c->t, c->child.pid, c->child.privileged ? DTR_TARGET_PRIVILEGED : DTR_TARGET_HELD);
	return 0;
}

/* The process of a thread, from /proc; 0: unknown. */
static pid_t process_of_thread(struct arena *a, pid_t tid)
{
	FILE *f = fopen(arena_printf(a, "/proc/%d/status", (int)tid), "re");
	char line[256];
	int pid = 0;

	while (f && !pid && fgets(line, sizeof line, f))
		if (sscanf(line, "Tgid: %d", &pid) != 1)
			pid = 0;
	if (f)
		fclose(f);
	return pid;
}

/* pidfd_open() fails with ENOENT (before 6.9: EINVAL) for a thread that is not the first of its process. */
static void cmd_not_watched(struct cmd *c, pid_t target, int err)
{
	pid_t pid = process_of_thread(&c->arena, target);

	if (pid && pid != target)
		say("%s: failed to watch process %d: it is a thread of process %d\n", c->args.prog, (int)target,
		    (int)pid);
	else
		cmd_error(c, "failed to watch process", arena_printf(&c->arena, "%d", (int)target), err);
}

int cmd_target(struct cmd *c)
{
	if (c->args.command)
		return cmd_command(c);
	if (c->args.pid && !c->args.query)
		cmd_describe_pids(c);
	for (size_t i = 0; i < c->args.pids.n; i++) {
		pid_t pid = c->args.pids.v[i];
		/* in a query the process may have ended long ago */
		int r = c->args.query ? 0 : watch_target(&c->watch, pid);

		if (r < 0) {
			cmd_not_watched(c, pid, -r);
			return -1;
		}
		dtr_target(c->t, pid, DTR_TARGET_RUNS);
	}
	return 0;
}
