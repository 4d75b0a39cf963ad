/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A thread that decodes the unwinding tables of files, because large files take a tenth of a second or more. The caller
 * reads the sections; the thread has its own copy of them and nothing else of the file.
 *
 * Ownership: the loader owns the jobs until frame_loader_take or frame_loader_close (idempotent; zeroed is closed).
 * Errors: without a thread, frame_loader_put decodes the tables itself.
 */
#ifndef ENGINE_UNWIND_FRAME_LOADER_H
#define ENGINE_UNWIND_FRAME_LOADER_H

#include <pthread.h>

#include "engine/unwind/pack.h"

struct frame_loader {
	struct rules *rules;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;		/* a job was added or is done */
	struct frame_job *first, *done;
	uint32_t jobs;			/* added and not done */
	int fd;				/* see frame_loader_fd */
	bool open, running, nomem;
	_Atomic bool ready;		/* `done` may have jobs */
	pid_t owner;			/* the process that has the thread */
	_Atomic bool stop;
};

/* r: used by the loader alone from now on. Returns 0 or -errno. */
int frame_loader_open(struct frame_loader *l, struct rules *r);
void frame_loader_close(struct frame_loader *l);
/* The descriptor that is readable when frame_loader_take may return a file; -1: closed. */
int frame_loader_fd(const struct frame_loader *l);
/* Begins to decode the tables of a file; frame_loader_take returns `arg` when that is done. Returns false if memory
 * runs out (nomem). */
bool frame_loader_put(struct frame_loader *l, struct object *o, void *arg);
/* Returns false if no file is done, without a system call. */
bool frame_loader_ready(const struct frame_loader *l);
/* Returns the argument of frame_loader_put for a file that is done, with its rows in *out, which the caller closes.
 * NULL: none is done. */
void *frame_loader_take(struct frame_loader *l, struct pack *out);
/* Waits until all files are done. */
void frame_loader_wait(struct frame_loader *l);

#endif
