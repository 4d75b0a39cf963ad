/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A thread that decodes the unwinding tables of files, because large files take a tenth of a second or more. The caller
 * reads the sections; the thread has its own copy of them and nothing else of the file.
 *
 * Ownership: the loader owns the jobs until loader_take or loader_close (idempotent; zeroed is closed).
 * Errors: without a thread, loader_put decodes the tables itself.
 */
#ifndef ENGINE_UNWIND_LOADER_H
#define ENGINE_UNWIND_LOADER_H

#include <pthread.h>

#include "engine/unwind/pack.h"

struct loader {
	struct rules *rules;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;		/* a job was added or is done */
	struct loader_job *first, *done;
	uint32_t jobs;			/* added and not done */
	int fd;				/* see loader_fd */
	bool open, running, nomem;
	_Atomic bool stop;
};

/* r: used by the loader alone from now on. Returns 0 or -errno. */
int loader_open(struct loader *l, struct rules *r);
void loader_close(struct loader *l);
/* The descriptor that is readable when loader_take may return a file; -1: closed. */
int loader_fd(const struct loader *l);
/* Decodes the tables of a file. Returns false if memory runs out (nomem). arg: for loader_take. */
bool loader_put(struct loader *l, struct object *o, void *arg);
/* Returns the `arg` of a file that is done, with its rows in *out, which the caller closes; NULL: none is done. */
void *loader_take(struct loader *l, struct pack *out);
/* Waits until all files are done. */
void loader_wait(struct loader *l);

#endif
