/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Stacks of processes as the programs of this engine see them: those that a sample has, or those that its registers
 * and the copy of its stack are unwound to. That is done when a clause asks, once for a sample.
 *
 * Who owns what: chains_close gives everything back (idempotent), before the symbols. What can fail: chains_open, with
 * the reason; a stack that cannot be unwound to its end is counted.
 */
#ifndef ENGINE_INTERP_CHAINS_H
#define ENGINE_INTERP_CHAINS_H

#include "base/buf.h"
#include "engine/sample/source.h"
#include "engine/unwind/unwind.h"

struct chains {
	struct unwinder *unwinder;
	const struct symbol_ops *ops;	/* who knows the code of processes */
	void *arg;
	bool failed, nomem;		/* there is none, whoever asks: for want of memory */
	const struct options *opts;
	char why[160];
	uint32_t max;			/* frames that a clause asks for at most */
	bool done;			/* for the current sample: */
	struct frames frames;
	uint64_t *pc;
};

/*
 * What the source is to be asked for, so that the script's stacks can be unwound: *w. 0, or -1 and `why`: it must be,
 * says the option, and cannot.
 */
int chains_want(struct chains *c, struct source_want *w, const struct symbol_ops *ops, void *arg);
/* Opens a source; if it cannot give that, without. */
int chains_source(struct chains *c, const struct source_ops *ops, struct sample_source **out, struct source_want *w,
		  char *why, size_t n);
/* max: frames. */
void chains_init(struct chains *c, struct arena *a, const struct options *o, uint32_t max);
/* From now on samples may be unwound. 0, or -1 and `why`. */
int chains_open(struct chains *c, const struct symbol_ops *ops, void *arg);
void chains_close(struct chains *c);
/* The next question is about another sample. */
void chains_forget(struct chains *c);
const struct frames *chains_of(void *chains, const struct sample *s);
/* How stacks are made, for a line that describes the session; nothing if none are asked for. */
void chains_describe(const struct chains *c, const struct source_want *w, struct buf *out);
/* What stacks lack that were asked for: a sentence, or nothing. False: there was no memory. */
bool chains_lacks(const struct chains *c, struct buf *out);

#endif
