/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "tests/faults/run.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "tests/faults/trace.h"

/* Only interrupts waitpid(). */
static void on_alarm(int sig)
{
	(void)sig;
}

int run_init(void)
{
	struct sigaction sa = { .sa_handler = on_alarm };

	if (prctl(PR_SET_CHILD_SUBREAPER, 1) < 0 || sigaction(SIGALRM, &sa, NULL) < 0)
		return -errno;
	/* a shell that starts these tests in the background, or nohup, has them ignored: so would the command until its
	 * exec */
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	return 0;
}

/* ---- terminal ---- */

static void *read_screen(void *arg)
{
	struct running *c = arg;
	char part[4096];

	while (read(c->terminal, part, sizeof part) > 0)
		;
	return NULL;
}

static int terminal_open(struct running *c, const char *keys)
{
	struct winsize size = { .ws_row = 24, .ws_col = 80 };
	char name[64];
	int r;

	c->terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (c->terminal < 0 || grantpt(c->terminal) < 0 || unlockpt(c->terminal) < 0)
		return -errno;
	r = ptsname_r(c->terminal, name, sizeof name);
	if (r)
		return -r;
	c->slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (c->slave < 0 || ioctl(c->slave, TIOCSWINSZ, &size) < 0 || write(c->terminal, keys, strlen(keys)) < 0)
		return -errno;
	return -pthread_create(&c->screen, NULL, read_screen, c);
}

/* Returns whether its keys are echoed again. */
static bool terminal_close(struct running *c)
{
	struct termios t;
	bool echo = tcgetattr(c->slave, &t) == 0 && (t.c_lflag & ECHO) && (t.c_lflag & ICANON);

	close(c->slave);	/* the last one: reading the screen ends */
	pthread_join(c->screen, NULL);
	close(c->terminal);
	return echo;
}

static _Noreturn void command(const struct run_plan *plan, const struct running *c)
{
	char number[16];
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (plan->keys) {
		setsid();
		ioctl(c->slave, TIOCSCTTY, 0);
	} else {
		setpgid(0, 0);
	}
	dup2(plan->keys ? c->slave : null, 0);
	dup2(plan->keys ? c->slave : c->out, 1);
	dup2(c->err, 2);
	if (plan->preload) {
		snprintf(number, sizeof number, "%d", plan->plan_fd);
		fcntl(plan->plan_fd, F_SETFD, 0);
		setenv("FAULT_PLAN", number, 1);
		setenv("LD_PRELOAD", plan->preload, 1);
		setenv("MALLOC_PERTURB_", "165", 1);	/* exposes uses after free() or before initialisation */
	}
	if (plan->keys)
		setenv("TERM", "vt100", 1);
	if (plan->trace)
		trace_me();
	execv(plan->argv[0], plan->argv);
	_exit(126);
}

int run_start(const struct run_plan *plan, struct running *c)
{
	c->out = memfd_create("out", MFD_CLOEXEC);
	c->err = memfd_create("err", MFD_CLOEXEC);
	c->terminal = c->slave = -1;
	if (c->out < 0 || c->err < 0)
		return -errno;
	if (plan->keys) {
		int err = terminal_open(c, plan->keys);

		if (err)
			return err;
	}
	c->pid = fork();
	if (c->pid == 0)
		command(plan, c);
	if (c->pid < 0)
		return -errno;
	if (!plan->keys)
		setpgid(c->pid, c->pid);	/* both processes do, so that it is never too late */
	return 0;
}

/* waitpid() for any child, until the alarm at most. */
static pid_t wait_any(int *status)
{
	pid_t pid = waitpid(-1, status, __WALL);

	return pid < 0 && errno == EINTR ? 0 : pid;
}

/* Waits for `pid`, or for everything if it is 0. False: time was up, and all were killed. */
static bool wait_end(const struct run_plan *plan, pid_t pid, pid_t group, int *result)
{
	bool in_time = true, first = pid != 0;
	int status;
	pid_t got;

	setitimer(ITIMER_REAL, &(struct itimerval){ { 1, 0 }, { plan->seconds, 0 } }, NULL);
	while ((got = wait_any(&status)) >= 0) {
		if (got == 0) {
			in_time = false;
			kill(-group, SIGKILL);
		} else if (WIFSTOPPED(status) && plan->trace) {
			if (first && got == pid)
				trace_begin(plan->trace, pid);
			else
				trace_stop(plan->trace, got, status);
			first = false;
		} else if (got == pid && !WIFSTOPPED(status)) {
			*result = status;
			break;
		}
	}
	setitimer(ITIMER_REAL, &(struct itimerval){ { 0, 0 }, { 0, 0 } }, NULL);
	return in_time;
}

static char *slurp(int fd, char *text, size_t *len)
{
	struct stat st;
	ssize_t n;

	if (fstat(fd, &st) < 0)
		return text;
	text = realloc(text, *len + st.st_size + 1);
	if (!text)
		abort();
	n = pread(fd, text + *len, st.st_size, 0);
	*len += n > 0 ? n : 0;
	text[*len] = 0;
	return text;
}

void run_end(const struct run_plan *plan, struct running *c, struct run_result *r)
{
	int fd, none;

	*r = (struct run_result){ 0 };
	r->hung = !wait_end(plan, c->pid, c->pid, &r->status);
	r->orphans = !wait_end(plan, 0, c->pid, &none);
	r->raw = c->slave >= 0 && !terminal_close(c);
	r->out = slurp(c->out, NULL, &r->out_len);
	r->err = slurp(c->err, NULL, &r->err_len);
	fd = plan->output ? open(plan->output, O_RDONLY | O_CLOEXEC) : -1;
	if (fd >= 0) {
		r->out = slurp(fd, r->out, &r->out_len);
		close(fd);
		unlink(plan->output);
	}
	close(c->out);
	close(c->err);
}

int run(const struct run_plan *plan, struct run_result *r)
{
	struct running c;
	int err = run_start(plan, &c);

	if (err)
		return err;
	run_end(plan, &c, r);
	return 0;
}

void run_free(struct run_result *r)
{
	free(r->out);
	free(r->err);
	r->out = r->err = NULL;
}
