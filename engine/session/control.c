/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/session/control.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/output/print.h"
#include "engine/output/printer.h"

extern char **environ;

/* "error on enabled probe ID 3 (ID 1: dtrace:::BEGIN): couldn't ..." */
static void control_failed(struct dtr *t, const struct rec_hdr *rec, const char *what)
{
	const struct epid_desc *e = &t->prog->epids.v[rec->epid - 1];

	output_message(&t->output, "error on enabled probe ID %u (ID %u: %s:%s:%s:%s): %s", rec->epid, e->probe->id,
			e->probe->provname, e->probe->mod, e->probe->func, e->probe->name, what);
}

static void control_couldnt(struct dtr *t, const struct rec_hdr *rec, const char *what, const char *name,
			    const char *reason)
{
	struct buf b = { 0 };

	buf_printf(&b, "couldn't %s \"%s\": %s", what, name, reason);
	control_failed(t, rec, b.failed ? "out of memory" : buf_str(&b));
	buf_free(&b);
}

/* ---- system() ---- */
/* Gives the command default signal handling, because dtr blocks or ignores some signals. to_stderr: what it prints must
 * not get into the output. */
static int shell_start(pid_t *pid, const char *command, bool to_stderr)
{
	char *argv[] = { "sh", "-c", (char *)command, NULL };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t none, all;
	int r = posix_spawnattr_init(&attr);

	if (r)
		return r;
	posix_spawn_file_actions_init(&files);
	if (to_stderr)
		r = posix_spawn_file_actions_adddup2(&files, 2, 1);
	sigemptyset(&none);
	sigemptyset(&all);
	for (int s = 1; s < SIGRTMIN; s++)
		if (s != SIGKILL && s != SIGSTOP)
			sigaddset(&all, s);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &all);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	if (!r)
		r = posix_spawn(pid, "/bin/sh", &files, &attr, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attr);
	return r;
}

static void control_system(struct dtr *t, const struct rec_hdr *rec, const struct rec_act *a)
{
	struct buf command = { 0 };
	pid_t pid;
	int r;

	print_format(&command, a, rec, &t->output.names, ESCAPE_NOTHING);
	r = command.failed ? ENOMEM : shell_start(&pid, buf_str(&command), output_printer(&t->output)->pure);
	if (r)
		control_couldnt(t, rec, "run", buf_str(&command), strerror(r));
	while (!r && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	buf_free(&command);
}

/* ---- freopen(), ftruncate() ---- */
static void control_freopen(struct dtr *t, const struct rec_hdr *rec, const struct rec_act *a)
{
	struct buf path = { 0 };
	int r;

	print_format(&path, a, rec, &t->output.names, ESCAPE_NOTHING);
	r = path.failed ? -ENOMEM : output_redirect(&t->output, buf_str(&path));
	if (r)
		control_couldnt(t, rec, "freopen()", buf_str(&path), strerror(-r));
	buf_free(&path);
}

/* As in DTrace, this has no effect on an output that is not a file. */
static void control_ftruncate(struct dtr *t, const struct rec_hdr *rec, const struct rec_act *a)
{
	(void)rec, (void)a;
	output_truncate(&t->output);
}

/* ---- setopt() ---- */
/* Options that only the consumer reads may change while probes fire. */
static bool may_change(const char *name)
{
	static const char *const names[] = {
		"aggrate", "aggsortkey", "aggsortkeypos", "aggsortonly", "aggsortpos", "aggsortrev", "cleanrate",
		"droptags", "flowindent", "printsize", "quiet", "rawbytes", "stackindent", "stackinline", "stacklines",
		"statusrate", "switchrate", "agghist", "aggpack", "aggzoom",
	};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static void control_setopt(struct dtr *t, const struct rec_hdr *rec, const struct rec_act *a)
{
	const char *name = (const char *)rec + a->fields[0].off;
	const char *value = a->nfields > 1 ? (const char *)rec + a->fields[1].off : NULL;
	struct options now = t->opts;
	char what[600], reason[256];
	int r = option_set(&now, name, value, reason, sizeof reason);

	/* records have room for the value with which the script was compiled */
	if (!r && may_change(name) && now.d.printsize <= t->comp.opts.printsize) {
		t->opts = now;
		session_options_changed(t);
		return;
	}
	snprintf(what, sizeof what, "couldn't set option \"%s\" to \"%s\": %s", name, value ? value : "1",
		 r ? reason : may_change(name) ? "cannot be raised while probes are active" :
		 "cannot be changed while probes are active");
	control_failed(t, rec, what);
}

typedef void (*control_fn)(struct dtr *t, const struct rec_hdr *rec, const struct rec_act *a);

static const struct {
	control_fn run;
	bool flush;		/* control_needs_flush */
} controls[ACT_COUNT] = {
	[ACT_SYSTEM] = { control_system, true },
	[ACT_FREOPEN] = { control_freopen, true },
	[ACT_FTRUNCATE] = { control_ftruncate, true },
	[ACT_SETOPT] = { control_setopt, false },
};

bool control_needs_flush(const struct rec_act *a)
{
	return controls[a->act].flush;
}

bool control_run(struct dtr *t, const struct rec_hdr *rec, const struct rec_act *a)
{
	if (!controls[a->act].run)
		return false;
	controls[a->act].run(t, rec, a);
	return true;
}
