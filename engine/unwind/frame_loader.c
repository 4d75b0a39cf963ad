/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/unwind/frame_loader.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct frame_job {
	struct frame_job *next;
	void *arg;
	struct pack_input in;
	struct pack pack;
};

int frame_loader_open(struct frame_loader *l, struct rules *r)
{
	*l = (struct frame_loader){ .rules = r, .owner = getpid(), .fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) };
	if (l->fd < 0)
		return -errno;
	pthread_mutex_init(&l->lock, NULL);
	pthread_cond_init(&l->changed, NULL);
	l->open = true;
	return 0;
}

int frame_loader_fd(const struct frame_loader *l)
{
	return l->open ? l->fd : -1;
}

static void job_append(struct frame_job **list, struct frame_job *j)
{
	while (*list)
		list = &(*list)->next;
	j->next = NULL;
	*list = j;
}

static struct frame_job *job_first(struct frame_job **list)
{
	struct frame_job *j = *list;

	if (j)
		*list = j->next;
	return j;
}

/* Without the lock. */
static void job_decode(struct frame_loader *l, struct frame_job *j)
{
	pack_rows(&j->pack, &j->in, l->rules, &l->stop);
}

/* With the lock. */
static void job_done(struct frame_loader *l, struct frame_job *j)
{
	uint64_t one = 1;

	job_append(&l->done, j);
	l->ready = true;
	l->jobs--;
	pthread_cond_broadcast(&l->changed);
	while (write(l->fd, &one, sizeof one) < 0 && errno == EINTR)
		;
}

static void *frame_loader_run(void *arg)
{
	struct frame_loader *l = arg;

	pthread_mutex_lock(&l->lock);
	while (!l->stop) {
		struct frame_job *j = job_first(&l->first);

		if (!j) {
			pthread_cond_wait(&l->changed, &l->lock);
			continue;
		}
		pthread_mutex_unlock(&l->lock);
		job_decode(l, j);
		pthread_mutex_lock(&l->lock);
		job_done(l, j);
	}
	pthread_mutex_unlock(&l->lock);
	return NULL;
}

/* The thread handles no signals. */
static void frame_loader_start(struct frame_loader *l)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	l->running = !pthread_create(&l->thread, NULL, frame_loader_run, l);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

bool frame_loader_put(struct frame_loader *l, struct object *o, void *arg)
{
	struct frame_job *j = calloc(1, sizeof *j);

	l->nomem |= !j;
	if (!j)
		return false;
	j->arg = arg;
	pack_read(&j->in, o);
	if (!l->running)
		frame_loader_start(l);
	if (!l->running)
		job_decode(l, j);
	pthread_mutex_lock(&l->lock);
	l->jobs++;
	if (l->running) {
		job_append(&l->first, j);
		pthread_cond_broadcast(&l->changed);
	} else {
		job_done(l, j);
	}
	pthread_mutex_unlock(&l->lock);
	return true;
}

bool frame_loader_ready(const struct frame_loader *l)
{
	return l->ready;
}

void *frame_loader_take(struct frame_loader *l, struct pack *out)
{
	struct frame_job *j;
	uint64_t n;
	void *arg;

	if (read(l->fd, &n, sizeof n) < 0 && errno != EAGAIN && errno != EINTR)
		return NULL;
	pthread_mutex_lock(&l->lock);
	j = job_first(&l->done);
	l->ready = l->done;
	pthread_mutex_unlock(&l->lock);
	if (!j)
		return NULL;
	*out = j->pack;
	arg = j->arg;
	free(j);
	return arg;
}

void frame_loader_wait(struct frame_loader *l)
{
	pthread_mutex_lock(&l->lock);
	while (l->jobs)
		pthread_cond_wait(&l->changed, &l->lock);
	pthread_mutex_unlock(&l->lock);
}

static void jobs_free(struct frame_job **list)
{
	struct frame_job *j;

	while ((j = job_first(list))) {
		cfi_close(&j->in.eh);
		cfi_close(&j->in.debug);
		pack_close(&j->pack);
		free(j);
	}
}

void frame_loader_close(struct frame_loader *l)
{
	if (!l->open)
		return;
	if (l->owner != getpid()) {	/* a fork: the thread may have been anywhere */
		close(l->fd);
		l->open = l->running = false;
		return;
	}
	if (l->running) {
		pthread_mutex_lock(&l->lock);
		l->stop = true;
		pthread_cond_broadcast(&l->changed);
		pthread_mutex_unlock(&l->lock);
		pthread_join(l->thread, NULL);
	}
	jobs_free(&l->first);
	jobs_free(&l->done);
	pthread_cond_destroy(&l->changed);
	pthread_mutex_destroy(&l->lock);
	close(l->fd);
	l->open = l->running = false;
}
