/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The profile of a program, from aggregations that the scripts of `dtr prog` make. Their names say what they hold:
 *
 *	@calls @total @self @mean @minimum @maximum	[usym()]: procedures; times in ns
 *	@arcs @within			[usym(), usym()]: calls of the second by the first, and the time in them
 *	@count @time			[file, function, line]: source lines; there may be no times
 *	@called				[file, function]: calls of the functions that have lines
 *	@entered @spent			[name]: blocks of lines
 *	@accesses @changes @smallest @largest	[module, function, name]: variables
 *	@cost @subtracted		the cost of the probes of a call in ns: it is in the times, or it is not
 *	@deepest			the largest number of procedures that have called each other
 *
 * Others are ignored. So live sessions and saved aggregations give the same profile.
 *
 * Ownership: the caller's arena. Errors: profile_take returns -ENOMEM.
 */
#ifndef ENGINE_OUTPUT_PROFILE_PROFILE_H
#define ENGINE_OUTPUT_PROFILE_PROFILE_H

#include "engine/output/list.h"
#include "engine/output/output.h"
#include "lang/prog.h"

enum profile_kind {
	PROFILE_PROCEDURE,		/* part: module, function */
	PROFILE_ARC,			/* part: module and function of the caller, of the callee */
	PROFILE_LINE,			/* part: file, function, line */
	PROFILE_CALLED,			/* part: file, function */
	PROFILE_BLOCK,			/* part: name */
	PROFILE_VARIABLE,		/* part: module, function, name */
	PROFILE_DEPTH,
	PROFILE_COST,
	PROFILE_KINDS
};

enum { PROFILE_PARTS = 4, PROFILE_COLUMNS = 6 };
/* Columns of the kinds. */
enum { PROC_CALLS, PROC_TOTAL, PROC_SELF, PROC_MEAN, PROC_MINIMUM, PROC_MAXIMUM };
enum { ARC_CALLS, ARC_TIME };
enum { LINE_COUNT, LINE_TIME };
enum { BLOCK_COUNT, BLOCK_TIME };
enum { COST_WITHIN, COST_SUBTRACTED };
enum { VAR_ACCESSES, VAR_CHANGES, VAR_SMALLEST, VAR_LARGEST };

struct profile_row {
	const char *part[PROFILE_PARTS];	/* "" for those that the kind does not have */
	int64_t line;			/* PROFILE_LINE: part[2] as a number */
	const char *file;		/* PROFILE_LINE: the shortest end of part[0] that is unique; else NULL */
	int64_t value[PROFILE_COLUMNS];	/* 0 if an aggregation does not have the row */
	unsigned has;			/* bit N: the aggregation of column N has the row */
};

struct program_profile {
	VEC(struct profile_row) rows[PROFILE_KINDS];
	bool timed;			/* lines have times */
};

/* Joins the tables. Rows are sorted by module; then procedures by their own time, the largest first, lines by file and
 * number, variables by name. */
int profile_take(struct program_profile *p, struct arena *a, const struct agg_table *tables, unsigned n);
/* The calls of the function that a row of PROFILE_LINE is in; `otherwise` if the profile has no calls. */
int64_t profile_calls(const struct program_profile *p, const struct profile_row *line, int64_t otherwise);
/* Sum of a column. */
int64_t profile_sum(const struct program_profile *p, enum profile_kind kind, unsigned column);

/* Describes the cost of the probes, after `before`, and ends the line; if it is known. */
void profile_cost(struct buf *out, const struct program_profile *p, const char *before);

/* Functions of the printers of profiles. With profile_action, printa() draws the profile so far, and other actions
 * print as usual. With profile_message, printa() does nothing, and what other actions print is a message. */
struct profile_format {
	void (*draw)(struct output *o, const struct program_profile *p);
};
void profile_begin(struct output *o, const struct profile_format *f);
void profile_action(struct output *o, const struct rec_hdr *rec, const struct rec_act *a);
void profile_record_end(struct output *o);
void profile_message(struct output *o, const struct rec_hdr *rec, const struct rec_act *a);
void profile_message_end(struct output *o);
void profile_draw(struct output *o, const struct agg_table *tables, unsigned n);
void profile_note(struct output *o, const char *what, const struct buf *text);

/* What the formats of files share: the output has one profile, that of the end, and nothing else. */
#define PROFILE_FILE .pure = true, .action = profile_message, .record_end = profile_message_end, \
	.aggregations = profile_draw, .probes = list_text_head, .probe = list_text_probe, .note = profile_note

#endif
