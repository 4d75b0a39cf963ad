/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Kept sessions: programs that go on after dtr has ended, because their maps and links are pinned in a folder of bpffs,
 * MOUNT/dtr/NAME. kept_backend.c starts one and reads one, as a mode of the kernel engine; kept.c does what needs no
 * script, and has the functions of engine/dtr.h.
 *
 * A session is made in this order: its folder, the map "about", the other maps, the programs, the links. Nothing is
 * counted before all are there and the state in the data map becomes "active", by one store. So whenever dtr is killed,
 * either nothing is counted or the session is complete; dtr_kept_state reports which, and dtr_kept_remove removes what
 * exists.
 *
 * Ownership: a struct dtr_kept owns descriptors, locks and mappings until kept_close (idempotent; a zeroed one is
 * closed). The pinned objects belong to nobody: they exist until dtr_kept_remove.
 * Errors: int functions return 0 or -errno, with a sentence in reason[DTR_KEPT_REASON].
 */
#ifndef ENGINE_BPF_KEPT_H
#define ENGINE_BPF_KEPT_H

#include <stdatomic.h>
#include <stdint.h>

#include "engine/dtr.h"

struct arena;
struct bpf_image;
struct bpf_words;

enum { KEPT_ZEROS = 32 };

/* Names of files in the folder of a session; all but the first are followed by a number. */
#define KEPT_ABOUT "about"
#define KEPT_MAP "map"
#define KEPT_PROG "prog"
#define KEPT_LINK "link"

/* The value of the map "about". The last member can grow without harm to dtr of other versions. */
struct kept_record {
	char magic[8];
	_Atomic uint64_t complete;	/* 1: all maps and programs are pinned; 0 again when they are removed */
	uint64_t created;		/* CLOCK_REALTIME, ns */
	/* The time that it has counted: of earlier runs, and when the last one began, or 0. The next pair is written
	 * where `turn` does not point, so killing dtr cannot mix two. */
	struct kept_span {
		uint64_t done, begun;	/* ns; CLOCK_MONOTONIC, ns */
	} span[2];
	_Atomic uint64_t turn;
	uint64_t shape;			/* of the maps and what is where in them */
	uint32_t cpus, cpuslots, data_map;
	/* Places in the data map. */
	uint64_t off_drops, off_cells, cell_stride;
	uint64_t fired;			/* in the cells of a CPU; UINT64_MAX: nothing counts firings */
	struct {
		uint64_t off, len;
	} zero[KEPT_ZEROS];		/* what a reset sets to zero */
	uint32_t nzeros;
	struct dtr_kept_about about;
};

struct dtr_kept {
	char name[DTR_KEPT_NAME], root[DTR_KEPT_PATH], path[DTR_KEPT_PATH + DTR_KEPT_NAME];
	int dir;			/* locked; -1: not open */
	struct kept_record *record;	/* the map "about", mapped; NULL: there is none */
	uint8_t *data;			/* the data map, mapped */
	size_t data_len;
};

void kept_close(struct dtr_kept *k);
/* Creates the folder and the map "about". */
int kept_create(struct dtr_kept *k, const char *name, const struct dtr_kept_about *about, char *reason);
/* Maps the data map, which is pinned. */
int kept_map(struct dtr_kept *k, char *reason);
struct bpf_words *kept_words(const struct dtr_kept *k);
/* Counting begins now. */
void kept_begin(struct dtr_kept *k);
/* "what: text of err" in reason. Returns err. */
int kept_failed(char *reason, int err, const char *what, const char *name);

#endif
