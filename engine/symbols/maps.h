/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What processes have mapped, and had (struct spaces), and the files in it: from notes of the kernel and from /proc.
 *
 * Ownership: maps_close frees everything. Errors: memory; a mapping is then not noted (maps_failed).
 */
#ifndef ENGINE_SYMBOLS_MAPS_H
#define ENGINE_SYMBOLS_MAPS_H

#include "engine/symbols/object.h"
#include "engine/symbols/spaces.h"

struct maps {
	struct spaces spaces;			/* the files of mappings are struct object */
	struct object *object[SPACES_HASH];
	uint64_t turn;				/* /proc is read at most once a turn for each process */
	bool nomem;
	int unread;				/* errno: why the mappings of a process were not read that were asked for; 0: none */
	int64_t unread_pid;			/* that process */
	unsigned open;				/* descriptors of objects that are not read yet */
};

void maps_init(struct maps *m);
void maps_close(struct maps *m);
/* Was memory missing for some of it? */
bool maps_failed(const struct maps *m);

/* A file; `pid` has it mapped at start..end. NULL: no memory. */
struct object *maps_object(struct maps *m, const char *path, uint64_t dev, uint64_t ino, int64_t pid, uint64_t start,
			   uint64_t end);
/* A file (or "[vdso]"; another name: memory without a file) from `time` on. True: see spaces_add. */
bool maps_note(struct maps *m, int64_t pid, uint64_t time, const char *path, uint64_t dev, uint64_t ino,
	       const struct mapping *where);
/* Reads /proc/PID/maps. code_only: only what can be executed. */
void maps_read(struct maps *m, struct space *p, bool code_only);
/* Reads those of all processes. */
void maps_read_all(struct maps *m);
/* Where an address lies, at a time (0: now, the newest). NULL: in no file. */
const struct mapping *maps_find(struct maps *m, int64_t pid, uint64_t addr, uint64_t at);

#endif
