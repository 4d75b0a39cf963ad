/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/watch.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* timeout(1), sudo(8) and others send a signal to a process and to its group: one request arrives twice. A signal that
 * arrives later than this is a second request. Only time spent waiting counts: if this process was stopped, both
 * signals are pending when it continues. */
#define SAME_REQUEST_NS 250000000ull
/* Time for output that was being printed when the signal arrived. */
#define LATE_NS 5000000000ull

/* An ignored SIGHUP (nohup) stays ignored. An ignored SIGINT does not: shells ignore it for background commands, and
 * scripts end a tracer in the background with kill -INT. */
static void watch_signals(sigset_t *set)
{
	struct sigaction sa;

	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	if (sigaction(SIGHUP, NULL, &sa) < 0 || sa.sa_handler != SIG_IGN)
		sigaddset(set, SIGHUP);
}

int watch_target(struct watch *w, pid_t pid)
{
	int fd = w->ntargets < DTR_TARGETS ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;

	if (fd < 0)
		return w->ntargets < DTR_TARGETS ? -errno : -E2BIG;
	w->target[w->ntargets++] = fd;
	return 0;
}

static uint64_t watch_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

void watch_remove_created(const struct watch *w)
{
	struct stat st;

	if (w->created && stat(w->created, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == 0)
		unlink(w->created);
}

/* As if the signal had not been blocked. */
static void watch_die(const struct watch *w, int sig)
{
	sigset_t set;

	watch_remove_created(w);
	signal(sig, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, sig);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	raise(sig);
}

static void watch_leave(const struct watch *w)
{
	if (w->leave)
		w->leave(w->leave_arg);
}

static void watch_too_long(const struct watch *w)
{
	watch_leave(w);
	dprintf(2, "%s: interrupted while %s: the output is incomplete\n", program_invocation_short_name,
		w->late ? "printing the final output" : "the output was blocked");
	_exit(1);
}

static void watch_wait(struct watch *w)
{
	w->since = watch_now();
	w->writes = dtr_writes(w->session);
}

/* The time is over. A write that has lasted all the time waits for a reader. */
static void watch_expired(struct watch *w)
{
	bool blocked = w->writes & 1 && w->writes == dtr_writes(w->session);

	if (!w->waited)
		w->waited = true;
	else if (w->late || blocked)
		watch_too_long(w);
	else
		watch_wait(w);
}

static void watch_signal(struct watch *w)
{
	struct signalfd_siginfo si;

	if (read(w->signals, &si, sizeof si) != sizeof si)
		return;
	if (w->interrupted) {
		if (!w->waited)
			return;
		watch_leave(w);
		_exit(1);
	}
	if (dtr_cancel(w->session)) {
		dprintf(2, "%s: interrupted before tracing began\n", program_invocation_short_name);
		watch_die(w, (int)si.ssi_signo);
	}
	watch_wait(w);
	w->late = dtr_is_ending(w->session);
	w->interrupted = true;
	dtr_stop(w->session);
}

/* A timeout for poll(), ms. Events that are pending take precedence over the end of the time. */
static int watch_patience(const struct watch *w)
{
	uint64_t passed, most = w->waited ? LATE_NS : SAME_REQUEST_NS;

	if (!w->interrupted)
		return -1;
	passed = watch_now() - w->since;
	return passed < most ? (int)((most - passed) / 1000000 + 1) : 0;
}

/* Forgets the targets that have ended. */
static void watch_targets(struct watch *w, struct pollfd *targets)
{
	unsigned left = 0;

	for (unsigned i = 0; i < w->ntargets; i++) {
		if (targets[i].revents)
			targets[i].fd = -1;
		left += targets[i].fd >= 0;
	}
	if (left || !w->ntargets || w->target_gone)
		return;
	w->target_gone = true;
	dtr_target_gone(w->session);
}

static void *watch_main(void *arg)
{
	enum { OTHERS = 2 };
	struct watch *w = arg;
	struct pollfd p[OTHERS + DTR_TARGETS] = {
		{ .fd = w->signals, .events = POLLIN }, { .fd = w->quit, .events = POLLIN },
	};

	for (unsigned i = 0; i < w->ntargets; i++)
		p[OTHERS + i] = (struct pollfd){ .fd = w->target[i], .events = POLLIN };
	for (;;) {
		int n = poll(p, OTHERS + w->ntargets, watch_patience(w));

		if (n < 0) {
			if (errno == EINTR)
				continue;
			w->failed = -errno;	/* without signals nothing could end the session */
			dtr_stop(w->session);
			return NULL;
		}
		if (n == 0)
			watch_expired(w);
		if (p[1].revents)
			return NULL;
		if (p[0].revents)
			watch_signal(w);
		watch_targets(w, p + OTHERS);
	}
}

int watch_open(struct watch *w, struct dtr *session)
{
	sigset_t set;
	int r;

	w->session = session;
	watch_signals(&set);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	w->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	w->quit = eventfd(0, EFD_CLOEXEC);
	if (w->signals < 0 || w->quit < 0)
		return -errno;
	r = pthread_create(&w->thread, NULL, watch_main, w);
	w->running = !r;
	return -r;
}

void watch_close(struct watch *w)
{
	if (w->running) {
		if (eventfd_write(w->quit, 1) < 0)
			pthread_cancel(w->thread);	/* it waits in poll() */
		pthread_join(w->thread, NULL);
	}
	w->running = false;
	if (w->signals >= 0)
		close(w->signals);
	if (w->quit >= 0)
		close(w->quit);
	while (w->ntargets)
		close(w->target[--w->ntargets]);
	w->signals = w->quit = -1;
}
