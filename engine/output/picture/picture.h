/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Pictures: output formats that show all aggregations of a run, for other programs (-O folded, pprof, speedscope) or as
 * a page (-O html). See docs/pictures.md.
 *
 * In all of them a row of an aggregation becomes a path from the root: the keys that are not stacks, as texts, then the
 * frames of ustack(), then those of stack(), outermost first. An empty path gets one frame that says so. Rows with
 * equal paths are merged. clear() removes nothing from a picture: cleared rows are saved and added at the end.
 *
 * Ownership: the output's arena owns a picture except its tables, which picture_close frees.
 * Errors: no memory (the session fails, with a message).
 */
#ifndef ENGINE_OUTPUT_PICTURE_PICTURE_H
#define ENGINE_OUTPUT_PICTURE_PICTURE_H

#include "base/map.h"
#include "engine/output/output.h"
#include "engine/output/printer.h"

/* In the title of a picture that should show code (output.h, `codeless`). */
#define PICTURE_CODELESS "without program counters and stacks"

struct picture_frame {
	const char *text;		/* "vmlinux`schedule", or the text of a key */
	const char *object, *name;	/* its parts; object NULL: no parts */
	bool key, user;			/* it is a key; it is a frame of a process */
	const char *function;		/* the name without the source line */
	const char *file;		/* path of the source; NULL: unknown */
	uint32_t line;			/* 0: unknown */
};

struct picture_path {
	const uint32_t *frames;		/* numbers of frames, from the root */
	unsigned n, nkeys;		/* all frames; those that are keys, which come first */
	int64_t value;
};

struct picture_agg {
	const struct agg_table *table;
	bool stacked;			/* a key is a stack */
	bool counts;			/* values can be added: count(), sum(), histograms (their number of events) */
	VEC(struct picture_path) paths;
	struct map by_frames;		/* -> index + 1 */
	size_t left_out;		/* rows below 0 */
	struct agg_row **rows;		/* of the table, the largest first */
	size_t nrows;
};

struct picture {
	struct arena *arena;
	bool failed;			/* no memory */
	const char *page;		/* the page of -O html */
	VEC(struct picture_frame) frames;
	struct map numbers;		/* 'k' or 'f' and a text -> index + 1 */
	struct map known;		/* struct picture_place -> struct picture_known: what has been named before */
	bool taken;			/* picture_take has named, and counted, where the samples are */
	struct buf key;			/* of `numbers` */
	VEC(struct picture_agg) aggs;	/* aggregations that have rows */
};

/* Functions of struct printer that all pictures share. */
void picture_begin(struct output *o);
void picture_action(struct output *o, const struct rec_hdr *rec, const struct rec_act *a);
void picture_record_end(struct output *o);
void picture_note(struct output *o, const char *what, const struct buf *text);

void picture_clear(struct output *o, const struct agg_table *table);
void picture_close(struct output *o);

/* The picture of an output, after picture_begin. */
struct picture *picture_of(const struct output *o);
/* Builds picture->aggs from all rows, cleared ones included, and describes them in o->drawn. Returns false without
 * memory, after a message. */
bool picture_take(struct output *o, const struct agg_table *tables, unsigned n);
/* Reports which aggregations a format of counts cannot show: min() and the like. */
void picture_report_omitted(struct output *o);
/* How many frames a stack can have, with inlined functions. */
uint32_t picture_stack_max(const struct val_field *f, const struct val_names *names);
/* Stores the frames of a stack, from the root, as frame numbers of the picture. Returns how many. */
unsigned picture_stack(struct picture *p, const struct val_field *f, const uint8_t *key, const struct val_names *names,
		       uint32_t *frames);
/* Appends any other field as text. */
void picture_text(struct buf *out, const struct val_field *f, const uint8_t *key, const struct val_names *names);
/* The file name of the program that a picture is about: `wanted` if the picture contains it; else the program with the
 * largest share; else `wanted`, the kernel, or NULL if there are no objects. */
const char *picture_program(struct picture *p, const char *wanted);
/* The unit of the values. name: "samples", "nanoseconds", "microseconds", "milliseconds", "seconds"; NULL: unknown.
 * interval: ns between the samples of a CPU if the samples of one profile-N are counted, else 0. */
struct picture_unit {
	const char *name;
	uint64_t interval;
};
struct picture_unit picture_unit(const struct output *o, const struct agg_table *table);
/* After picture_begin: reads the template of -O html (share/picture.html); a missing one is reported. */
void picture_page_open(struct output *o);
/* Appends the page with this data to o->buf. */
void picture_page_write(struct output *o, const struct buf *json);
/* "@" and the name of the aggregation. */
const char *picture_name(const struct output *o, const struct picture_agg *a);

#endif
