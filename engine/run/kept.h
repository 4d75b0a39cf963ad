/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Kept sessions: programs that go on after dtr has ended, because their maps and links are pinned in a folder of bpffs,
 * MOUNT/dtr/NAME. backend_kept starts one and reads one; the functions here do what needs no script.
 *
 * A session is made in this order: its folder, the map "about", the other maps, the programs, the links. Nothing is
 * counted before all are there and the state in the data map becomes "active", by one store. So whenever dtr is killed,
 * either nothing is counted or the session is complete; kept_state reports which, and kept_remove removes what exists.
 *
 * Ownership: a struct kept owns descriptors, locks and mappings until kept_close (idempotent; a zeroed one is closed).
 * The pinned objects belong to nobody: they exist until kept_remove.
 * Errors: int functions return 0 or -errno, with a sentence in reason[KEPT_REASON].
 */
#ifndef ENGINE_RUN_KEPT_H
#define ENGINE_RUN_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ir/ir.h"

struct backend_ops;

enum { KEPT_NAME = 40, KEPT_PATH = 256, KEPT_REASON = 512, KEPT_TEXT = 16384, KEPT_WHAT = 4096, KEPT_VERSION = 32 };

/* What is kept with a session. Strings end with NUL. */
struct kept_about {
	char version[KEPT_VERSION];	/* of the dtr that started it */
	char what[KEPT_WHAT];		/* is measured, for people */
	char object[KEPT_PATH];		/* path of the measured file; "": the kernel */
	uint64_t ino, size;		/* of that file */
	char text[KEPT_TEXT];		/* the script: compiled again, it finds its data in the maps */
	uint64_t interval;		/* of its probe profile-N, ns */
};

enum kept_condition {
	KEPT_FOREIGN,		/* a folder that is not a session */
	KEPT_BUSY,		/* another dtr is changing it */
	KEPT_PARTIAL,		/* its start or its removal was interrupted */
	KEPT_OTHER,		/* of a dtr that stores other things: it can only be removed */
	KEPT_INTERRUPTED,	/* a later start, stop or reset was interrupted: nothing is counted */
	KEPT_STOPPED,
	KEPT_RUNNING,
};

struct kept_state {
	enum kept_condition condition;
	unsigned links;			/* pinned */
	char foreign[KEPT_NAME];	/* a file in the folder that is not dtr's, or "" */
	/* Only if it is INTERRUPTED, STOPPED or RUNNING: */
	uint64_t created;		/* CLOCK_REALTIME, ns */
	uint64_t active;		/* how long it has been counting since the last reset, ns */
	unsigned cpus;			/* on which it counts */
	uint64_t fired;			/* firings of profile-N since the last reset */
	uint64_t drops[IR_NDROPS];
};

struct kept_record;

struct kept {
	char name[KEPT_NAME], root[KEPT_PATH], path[KEPT_PATH + KEPT_NAME];
	int dir;			/* locked; -1: not open */
	struct kept_record *record;	/* the map "about", mapped; NULL: there is none */
	uint8_t *data;			/* the data map, mapped */
	size_t data_len;
};

/* Stores MOUNT/dtr, the folder of all sessions, which may not exist. */
int kept_root(char root[KEPT_PATH], char *reason);
/* True if it can be the name of a session: letters, digits, "_" and "-". */
bool kept_name_valid(const char *name);

/* Opens a session; waits while another dtr changes it. -ENOENT: there is none. */
int kept_open(struct kept *k, const char *name, char *reason);
void kept_close(struct kept *k);
/* What an open session is; NULL if it is incomplete. Valid until kept_close. */
const struct kept_about *kept_about(const struct kept *k);
void kept_state(const struct kept *k, struct kept_state *out);
/* Stops counting; the data stay. Does nothing if it is stopped. */
int kept_stop(struct kept *k, char *reason);
/* Sets all counts to zero. A session that is running goes on. */
int kept_reset(struct kept *k, char *reason);
/* Removes the session, complete or not. */
int kept_remove(struct kept *k, char *reason);
/* Calls fn for each session, by name; waits for none. `about` is NULL if it cannot be read. */
int kept_each(void (*fn)(void *arg, const char *name, const struct kept_about *about, const struct kept_state *s),
	      void *arg, char *reason);

/* Input of backend_kept. */
enum kept_use {
	KEPT_START,		/* creates the session `name` */
	KEPT_RESUME,		/* starts the open session `kept` again, with its script */
	KEPT_READ,		/* shows the data of the open session `kept`, with its script */
};

struct kept_args {
	enum kept_use use;
	const char *name;		/* KEPT_START */
	const struct kept_about *about;	/* KEPT_START */
	struct kept *kept;		/* KEPT_RESUME, KEPT_READ: the caller closes it */
};

/* A session of dtr.h with it: dtr_go starts it, then dtr_close; or dtr_go and dtr_finish show its data. */
extern const struct backend_ops backend_kept;

#endif
