/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/child.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "cmd/dtr/stack.h"

struct command_words {
	VEC(char *) list;
	const char *p;
	char *word;	/* as long as the rest of the command */
	size_t len;
	bool open;	/* a word has begun; it may be empty ("") */
};

/* Reads a quoted part. Returns false if the quote is not closed. */
static bool words_quoted(struct command_words *w, char quote)
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

static void words_end(struct command_words *w, struct arena *a)
{
	if (!w->open)
		return;
	*VEC_ADD(a, &w->list) = arena_strndup(a, w->word, w->len);
	w->len = 0;
	w->open = false;
}

char **child_words(struct arena *a, const char *command)
{
	struct command_words w = { .p = command, .word = arena_alloc(a, strlen(command) + 1) };

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

enum child_holding {
	HELD_BEFORE_EXEC,	/* it waits */
	HELD_BY_PTRACE,		/* after its exec, if ptrace(2) is allowed */
};

/* What the child needs to know. */
struct child_plan {
	const struct child_command *command;
	enum child_holding holding;
	pid_t parent;
	int go, result;		/* the child's ends of the pipes */
};

static bool child_report(const struct child_plan *s, int word)
{
	return write(s->result, &word, sizeof word) == sizeof word;
}

static void child_wait(const struct child_plan *s)
{
	char byte;
	ssize_t n;

	do
		n = read(s->go, &byte, 1);
	while (n < 0 && errno == EINTR);
	if (n != 1)
		_exit(127);
}

/* Runs in the child. Everything is prepared before it waits, so that exec directly follows its release. */
static _Noreturn void child_run(const struct child_plan *s)
{
	const struct child_command *c = s->command;
	int traced = 0;
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != s->parent || (c->aside && dup2(2, 1) < 0))
		_exit(126);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	stack_restore(c->stack);
	if (s->holding == HELD_BY_PTRACE)
		traced = ptrace(PTRACE_TRACEME, 0, NULL, NULL) ? -errno : 1;
	if (!child_report(s, traced))
		_exit(126);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (traced <= 0)
		child_wait(s);
	execvpe(c->path, c->words, c->environment ? c->environment : environ);
	_exit(child_report(s, errno) ? 127 : 126);
}

/* Reads what the child reports. Returns 0 if it has closed the pipe by exec or exit. */
static int child_read(const struct child *c)
{
	int word = 0;
	ssize_t n;

	do
		n = read(c->result, &word, sizeof word);
	while (n < 0 && errno == EINTR);
	return n == sizeof word ? word : n < 0 ? errno : 0;
}

static void close_both(const int fd[2])
{
	close(fd[0]);
	close(fd[1]);
}

/* Signals are blocked until the child has reported how it is held: a child that a signal stopped earlier would never
 * be continued. */
static pid_t child_fork(const struct child_plan *s)
{
	sigset_t all, old;
	pid_t pid;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	pid = fork();
	if (pid == 0)
		child_run(s);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return pid;
}

static int child_begin(struct child *c, const struct child_command *command, enum child_holding holding)
{
	struct child_plan plan = { .command = command, .holding = holding, .parent = getpid() };
	int go[2], result[2], err;

	*c = (struct child){ .go = -1, .result = -1 };
	if (pipe2(go, O_CLOEXEC) < 0)
		return -errno;
	if (pipe2(result, O_CLOEXEC) < 0) {
		err = errno;
		close_both(go);
		return -err;
	}
	plan.go = go[0];
	plan.result = result[1];
	c->pid = child_fork(&plan);
	err = c->pid < 0 ? errno : 0;
	close(go[0]);
	close(result[1]);
	c->go = go[1];
	c->result = result[0];
	if (err) {
		c->pid = 0;
		return -err;
	}
	if (read(c->result, &err, sizeof err) != sizeof err)
		return -ECHILD;
	c->traced = err > 0;
	c->untraced = err < 0 ? -err : 0;
	return 0;
}

/* A traced child stops after exec, before its first instruction. Returns 0, or -errno of the exec. */
static int child_executed(struct child *c)
{
	int status = 0;

	for (;;) {
		if (waitpid(c->pid, &status, 0) < 0) {
			if (errno != EINTR)
				return -errno;
			continue;
		}
		if (!WIFSTOPPED(status))
			break;
		if (WSTOPSIG(status) == SIGTRAP)
			return ptrace(PTRACE_SETOPTIONS, c->pid, NULL, PTRACE_O_EXITKILL) < 0 ? -errno : 0;
		ptrace(PTRACE_CONT, c->pid, NULL, (long)WSTOPSIG(status));
	}
	c->reaped = true;
	c->status = status;
	status = child_read(c);
	return status ? -status : -ECHILD;
}

static bool may_trace_all(void)
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct caps[_LINUX_CAPABILITY_U32S_3] = { { 0 } };

	return !syscall(SYS_capget, &head, caps) && caps[0].effective & 1u << CAP_SYS_PTRACE;
}

/* A program with file privileges does not get them while a less privileged process traces it. (Root has them without
 * the file.) */
static bool child_altered(const struct child *c)
{
	char path[32];
	struct stat st;

	if (may_trace_all())
		return false;
	snprintf(path, sizeof path, "/proc/%d/exe", (int)c->pid);
	return stat(path, &st) < 0 || (st.st_mode & S_ISUID && st.st_uid != geteuid()) ||
	       (st.st_mode & S_ISGID && st.st_gid != getegid()) ||
	       (geteuid() && getxattr(path, "security.capability", NULL, 0) > 0);
}

/* Ends what was started of it, after an error. */
static int child_abandon(struct child *c, int err)
{
	child_close(c);
	c->pid = 0;
	return err;
}

int child_start(struct child *c, const struct child_command *command)
{
	int r = child_begin(c, command, HELD_BY_PTRACE);

	if (!r && c->traced)
		r = child_executed(c);
	if (c->traced && (r ? r == -EPERM || r == -EACCES : child_altered(c))) {
		child_close(c);
		r = child_begin(c, command, HELD_BEFORE_EXEC);
		c->privileged = !r;
	}
	return r ? child_abandon(c, r) : 0;
}

int child_hold(struct child *c, const struct child_command *command)
{
	int r = child_begin(c, command, HELD_BEFORE_EXEC);

	return r ? child_abandon(c, r) : 0;
}

static void child_close_pipes(struct child *c)
{
	if (c->go >= 0)
		close(c->go);
	if (c->result >= 0)
		close(c->result);
	c->go = c->result = -1;
}

/* signal: what a traced child gets first; 0: nothing. */
static int child_go(const struct child *c, int signal)
{
	ssize_t n;

	if (c->traced)
		return ptrace(PTRACE_DETACH, c->pid, NULL, (long)signal) < 0 ? -ECHILD : 0;
	do
		n = write(c->go, "", 1);
	while (n < 0 && errno == EINTR);
	return n == 1 ? -child_read(c) : -ECHILD;
}

int child_advance(struct child *c, enum dtr_point to, char *reason, size_t n)
{
	int status, r;

	if (c->untraced) {
		snprintf(reason, n, "ptrace(2), which would hold it, fails: %s (kernel.yama.ptrace_scope, a seccomp "
			 "filter, or a tracer of dtr)", strerror(c->untraced));
		return -c->untraced;
	}
	if (!c->traced) {
		snprintf(reason, n, "it has privileges that it loses if another process holds it after its exec");
		return -EPERM;
	}
	r = dtr_advance(c->pid, to, &status, reason, n);
	if (status >= 0) {
		c->reaped = true;
		c->status = status;
	}
	return r;
}

static int child_end_hold(struct child *c, int signal)
{
	int r = child_go(c, signal);

	child_close_pipes(c);
	return r;
}

int child_release(struct child *c)
{
	return child_end_hold(c, 0);
}

int child_hand_over(struct child *c)
{
	return child_end_hold(c, SIGSTOP);
}

/* Only its end is of interest: a thread of this process that traces it waits for its stops. */
bool child_ended(struct child *c)
{
	siginfo_t si = { 0 };

	if (c->pid <= 0 || c->reaped || waitid(P_PID, (id_t)c->pid, &si, WEXITED | WNOHANG | WNOWAIT) < 0 || !si.si_pid)
		return c->reaped;
	if (si.si_code == CLD_EXITED || si.si_code == CLD_KILLED || si.si_code == CLD_DUMPED)
		c->reaped = waitpid(c->pid, &c->status, 0) == c->pid;
	return c->reaped;
}

void child_close(struct child *c)
{
	child_close_pipes(c);
	if (c->pid > 0 && !c->reaped) {
		kill(c->pid, SIGKILL);
		while (waitpid(c->pid, &c->status, 0) == c->pid && WIFSTOPPED(c->status))
			;
		c->reaped = true;
	}
}
