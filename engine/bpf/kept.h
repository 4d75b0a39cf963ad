/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the two halves of kept sessions share: kept.c (folders, state) and kept_backend.c (programs). See run/kept.h.
 * Ownership and errors: as there.
 */
#ifndef ENGINE_BPF_KEPT_H
#define ENGINE_BPF_KEPT_H

#include <stdatomic.h>

#include "engine/run/kept.h"

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
