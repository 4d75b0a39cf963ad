/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Pictures: formats of output that show a run's aggregations as a whole, in the terms of other programs (-O folded,
 * pprof, speedscope) or as a page (-O html). docs/pictures.md says what is shown how.
 *
 * What is common to all: a row of an aggregation becomes a path, from the root: the keys that are no stack, as texts,
 * then the frames of ustack(), then those of stack(), the outermost first. Where that is nothing there is one frame
 * that says so. Rows whose paths look alike are one. clear() takes nothing out of a picture: what is cleared is kept
 * aside and added at the end.
 *
 * Who owns what: the session's arena owns a picture but for its tables, which picture_close frees.
 * What can fail: memory (the session fails, with a message).
 */
#ifndef ENGINE_OUTPUT_PICTURE_PICTURE_H
#define ENGINE_OUTPUT_PICTURE_PICTURE_H

#include "base/map.h"
#include "engine/output/printer.h"

struct picture_frame {
	const char *text;		/* "vmlinux`schedule", or the text of a key */
	const char *object, *name;	/* its parts; object NULL: it has none */
	bool key, user;			/* a key; a frame of a process */
};

struct picture_path {
	const uint32_t *frames;		/* numbers of frames, from the root */
	unsigned n, nkeys;		/* all of them; those that are keys, which come first */
	int64_t value;
};

struct picture_agg {
	const struct agg_table *table;
	bool stacked;			/* a key is a stack */
	bool counts;			/* values can be added up: count(), sum(), histograms by their number of events */
	VEC(struct picture_path) paths;
	struct map by_frames;		/* -> index + 1 */
	size_t left_out;		/* rows below 0 */
};

struct picture {
	struct arena *arena;
	bool failed;			/* no memory for a text */
	const char *page;		/* of -O html */
	VEC(struct picture_frame) frames;
	struct map numbers;		/* 'k' or 'f' and a text -> index + 1 */
	VEC(struct picture_agg) aggs;	/* those that have rows */
	struct agg_table *kept;		/* nkept of them, by agg_desc id: what was cleared */
	unsigned nkept;
};

/* Printers' functions that all pictures share. */
void picture_begin(struct dtr *t);
void picture_action(struct dtr *t, const struct rec_hdr *rec, const struct rec_act *a);
void picture_record_end(struct dtr *t);
void picture_note(struct dtr *t, const char *what, const struct buf *text);

/* Before the rows of an aggregation are cleared. No picture: does nothing. */
void picture_keep(struct dtr *t, const struct agg_table *table);
/* All that there is, kept rows included, as t->picture->aggs. False: no memory, which was told. */
bool picture_take(struct dtr *t, const struct agg_table *tables, unsigned n);
/* Tells which aggregations a format of counts does not show: min() and the like. */
void picture_tell(struct dtr *t);
/* The frames of a stack, from the root, as numbers of the picture's; their number. */
unsigned picture_stack(struct picture *p, const struct val_field *f, const uint8_t *key, const struct val_names *names,
		       uint32_t *frames);
/* Any other field as text. */
void picture_text(struct buf *out, const struct val_field *f, const uint8_t *key, const struct val_names *names);
/* The file name of the program that a picture is about: `wanted`, if it is in the picture; else the program that most of it is
 * in; else `wanted`, the kernel, or NULL: there are no objects. */
const char *picture_program(struct picture *p, const char *wanted);
/* Where an aggregation counts the samples of one profile-N: the ns between two of a CPU. 0: it does not. */
uint64_t picture_interval(const struct dtr *t, const struct agg_table *table);
void picture_close(struct dtr *t);

/* "@" and the name of an aggregation. */
const char *picture_name(const struct dtr *t, const struct picture_agg *a);

extern const struct printer printer_folded, printer_pprof, printer_speedscope, printer_html;

#endif
