/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Kept sessions: programs that go on after dtr has ended, because their maps and links are pinned in a folder of bpffs,
 * MOUNT/dtr/NAME. backend_kept starts one and reads one; the functions here do what needs no script. engine/dtr.h has
 * them for users of the library.
 *
 * A session is made in this order: its folder, the map "about", the other maps, the programs, the links. Nothing is
 * counted before all are there and the state in the data map becomes "active", by one store. So whenever dtr is killed,
 * either nothing is counted or the session is complete; kept_state reports which, and kept_remove removes what exists.
 *
 * Ownership: a struct dtr_kept owns descriptors, locks and mappings until kept_close (idempotent; a zeroed one is
 * closed).
 * The pinned objects belong to nobody: they exist until kept_remove.
 * Errors: int functions return 0 or -errno, with a sentence in reason[DTR_KEPT_REASON].
 */
#ifndef ENGINE_RUN_KEPT_H
#define ENGINE_RUN_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/dtr.h"

struct backend_ops;

struct kept_record;

struct dtr_kept {
	char name[DTR_KEPT_NAME], root[DTR_KEPT_PATH], path[DTR_KEPT_PATH + DTR_KEPT_NAME];
	int dir;			/* locked; -1: not open */
	struct kept_record *record;	/* the map "about", mapped; NULL: there is none */
	uint8_t *data;			/* the data map, mapped */
	size_t data_len;
};

/* Stores MOUNT/dtr, the folder of all sessions, which may not exist. */
int kept_root(char root[DTR_KEPT_PATH], char *reason);
/* True if it can be the name of a session: letters, digits, "_" and "-". */
bool kept_name_valid(const char *name);

/* Opens a session; waits while another dtr changes it. -ENOENT: there is none. */
int kept_open(struct dtr_kept *k, const char *name, char *reason);
void kept_close(struct dtr_kept *k);
/* What an open session is; NULL if it is incomplete. Valid until kept_close. */
const struct dtr_kept_about *kept_about(const struct dtr_kept *k);
void kept_state(const struct dtr_kept *k, struct dtr_kept_state *out);
/* Stops counting; the data stay. Does nothing if it is stopped. */
int kept_stop(struct dtr_kept *k, char *reason);
/* Sets all counts to zero. A session that is running goes on. */
int kept_reset(struct dtr_kept *k, char *reason);
/* Removes the session, complete or not. */
int kept_remove(struct dtr_kept *k, char *reason);
/* Calls fn for each session, by name; waits for none. `about` is NULL if it cannot be read. */
int kept_each(void (*fn)(void *arg, const char *name, const struct dtr_kept_about *about,
			 const struct dtr_kept_state *s), void *arg, char *reason);

/* Input of backend_kept. */
/* The engine of a session with dtr_keep. Its input is a struct dtr_kept_args. */
extern const struct backend_ops backend_kept;

#endif
