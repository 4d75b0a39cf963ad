/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * User stacks for programs in the interpreter: either the sample's own stack, or the result of unwinding its registers
 * and stack copy. Unwinding happens on demand, once per sample.
 *
 * Ownership: chains_close releases everything (idempotent); call it before closing the symbols.
 * Errors: chains_open, with the reason; a stack that cannot be unwound completely is counted.
 */
#ifndef ENGINE_INTERP_CHAINS_H
#define ENGINE_INTERP_CHAINS_H

#include "base/buf.h"
#include "engine/sample/source.h"
#include "engine/runtimes/jstack.h"
#include "engine/run/account.h"
#include "engine/unwind/unwind.h"

struct chains {
	struct unwinder *unwinder;
	const struct symbol_ops *ops;	/* source of mappings and symbols */
	void *arg;
	struct symbols *live;		/* symbols of this machine, now; NULL: the samples are from another time */
	bool failed, nomem;		/* no unwinder is available; nomem: because memory ran out */
	const struct options *opts;
	char reason[160];
	uint32_t copied;		/* bytes of a stack that the source copies */
	uint32_t max;			/* maximum number of frames that a clause requests */
	bool done;			/* `frames` is valid for the current sample */
	struct frames frames;
	uint64_t *pc;
	uint64_t *sp;			/* stack pointers of `frames`; NULL: no clause wants interpreted frames */
	struct jstack *jstack;
	struct codes *codes;		/* interpreted functions; NULL: none is wanted */
	bool jstack_done;		/* `joined` is valid for the current sample */
	struct frames joined;		/* with interpreted frames */
	uint64_t *word;
};

/*
 * Stores in *w what the source must provide for unwinding the script's stacks. Returns 0, or -1 and `reason` if -x
 * unwind requires unwinding and it is not available.
 */
int chains_want(struct chains *c, struct source_want *w, struct symbols *s);
/* Opens a source with the data for unwinding. If that fails, opens it without them. Returns the result of
 * source_ops.open. */
int chains_source(struct chains *c, const struct source_ops *ops, struct sample_source **out, struct source_want *w,
		  char *reason, size_t n);
/* max: maximum number of frames in a stack. interpreted: a clause wants interpreted frames. */
void chains_init(struct chains *c, struct arena *a, const struct options *o, uint32_t max, bool interpreted);
/* Opens the unwinder. Returns 0, or -1 and `reason`. */
int chains_open(struct chains *c, const struct symbol_ops *ops, void *arg);
void chains_close(struct chains *c);
/* Discards the cached stack; call it before each sample. */
void chains_forget(struct chains *c);
/* The user stack of a sample. kind: IR_STACK_INTERPRETED, with IR_STACK_REPLACED or
 * IR_STACK_RUNTIME, if the frames can be read now or were
 * recorded. */
const struct frames *chains_of(void *chains, const struct sample *s, unsigned kind);
/* Appends how stacks are obtained, for the line that describes the session. Appends nothing if no clause uses
 * stacks. */
void chains_describe(const struct chains *c, const struct source_want *w, struct buf *out);
/* Returns false if no stacks are unwound by tables. */
bool chains_counts(const struct chains *c, struct dtr_stacks *out);
/* Appends a sentence about stacks that could not be obtained, if any. Returns false if memory ran out. */
bool chains_lacks(const struct chains *c, struct buf *out);

#endif
