/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/child.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct words {
	VEC(char *) list;
	const char *p;
	char *word;	/* room for all that is left */
	size_t len;
	bool open;	/* a word has begun, be it empty ("") */
};

/* Takes what stands inside quotes. False: the quote is not closed. */
static bool words_quoted(struct words *w, char quote)
{
	w->open = true;
	for (w->p++; *w->p != quote; w->p++) {
		if (!*w->p)
			return false;
		if (quote == '"' && *w->p == '\\' && (w->p[1] == '"' || w->p[1] == '\\'))
			w->p++;
		w->word[w->len++] = *w->p;
	}
	w->p++;
	return true;
}

static void words_end(struct words *w, struct arena *a)
{
	if (!w->open)
		return;
	*VEC_ADD(a, &w->list) = arena_strndup(a, w->word, w->len);
	w->len = 0;
	w->open = false;
}

char **child_words(struct arena *a, const char *command)
{
	struct words w = { .p = command, .word = arena_alloc(a, strlen(command) + 1) };

	while (*w.p) {
		if (strchr(" \t\n", *w.p)) {
			words_end(&w, a);
			w.p++;
		} else if (*w.p == '\'' || *w.p == '"') {
			if (!words_quoted(&w, *w.p))
				return NULL;
		} else {
			if (*w.p == '\\' && w.p[1])
				w.p++;
			w.word[w.len++] = *w.p++;
			w.open = true;
		}
	}
	words_end(&w, a);
	if (!w.list.n)
		return NULL;
	*VEC_ADD(a, &w.list) = NULL;
	return w.list.v;
}

static int file_runs(const char *path)
{
	struct stat st;

	if (faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) < 0 || stat(path, &st) < 0)
		return -errno;
	return S_ISREG(st.st_mode) ? 0 : -EACCES;
}

/* Would execvp() find it? Asked before anything has begun: a recording takes the place of an older one then. */
static int program_found(const char *name)
{
	const char *dirs = getenv("PATH");
	char path[PATH_MAX];
	int r = -ENOENT;

	if (strchr(name, '/'))
		return file_runs(name);
	if (!dirs)
		return 0;	/* the C library has a path of its own then */
	for (size_t len; r < 0 && dirs; dirs = dirs[len] ? dirs + len + 1 : NULL) {
		len = strcspn(dirs, ":");
		if (snprintf(path, sizeof path, "%.*s/%s", len ? (int)len : 1, len ? dirs : ".", name) >= (int)sizeof path)
			continue;
		r = file_runs(path) ? r : 0;
	}
	return r;
}

/* In the child: waits for its release and becomes the command. */
static _Noreturn void child_run(int go, int result, char **words, bool aside)
{
	sigset_t none;
	char byte;
	ssize_t n;
	int err;

	/* whoever dies before this has broken the pipe, too */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (aside && dup2(2, 1) < 0)
		_exit(126);
	do
		n = read(go, &byte, 1);
	while (n < 0 && errno == EINTR);
	if (n != 1)
		_exit(127);
	signal(SIGPIPE, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execvp(words[0], words);
	err = errno;
	if (write(result, &err, sizeof err) < 0)
		_exit(126);
	_exit(127);
}

int child_start(struct child *c, char **words, bool aside)
{
	int go[2], result[2], found = program_found(words[0]);

	*c = (struct child){ .go = -1, .result = -1 };
	if (found < 0)
		return found;
	if (pipe2(go, O_CLOEXEC) < 0)
		return -errno;
	if (pipe2(result, O_CLOEXEC) < 0) {
		int err = errno;

		close(go[0]);
		close(go[1]);
		return -err;
	}
	c->pid = fork();
	if (c->pid == 0) {
		close(go[1]);
		close(result[0]);
		child_run(go[0], result[1], words, aside);
	}
	close(go[0]);
	close(result[1]);
	c->go = go[1];
	c->result = result[0];
	if (c->pid < 0) {
		int err = errno;

		c->pid = 0;
		child_close(c);
		return -err;
	}
	return 0;
}

static void child_close_pipes(struct child *c)
{
	if (c->go >= 0)
		close(c->go);
	if (c->result >= 0)
		close(c->result);
	c->go = c->result = -1;
}

int child_release(struct child *c)
{
	int err = 0;
	ssize_t n;

	do
		n = write(c->go, "", 1);
	while (n < 0 && errno == EINTR);
	if (n != 1)
		err = ECHILD;
	else
		do
			n = read(c->result, &err, sizeof err);	/* end of file: the exec closed it */
		while (n < 0 && errno == EINTR);
	child_close_pipes(c);
	return -err;
}

bool child_ended(struct child *c)
{
	if (c->pid > 0 && !c->reaped && waitpid(c->pid, &c->status, WNOHANG) == c->pid)
		c->reaped = true;
	return c->reaped;
}

void child_close(struct child *c)
{
	child_close_pipes(c);
	if (c->pid > 0 && !c->reaped) {
		kill(c->pid, SIGKILL);
		waitpid(c->pid, &c->status, 0);
		c->reaped = true;
	}
}
