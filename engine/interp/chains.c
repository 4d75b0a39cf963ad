/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/interp/chains.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include "base/arena.h"
#include "engine/run/options.h"

void chains_init(struct chains *c, struct arena *a, const struct options *o, uint32_t max, bool interpreted)
{
	*c = (struct chains){ .opts = o, .max = max > SAMPLE_MAXFRAMES ? SAMPLE_MAXFRAMES : max };
	c->pc = arena_calloc(a, c->max + 1, sizeof *c->pc);
	if (!interpreted)
		return;
	c->sp = arena_calloc(a, c->max + 1, sizeof *c->sp);
	c->word = arena_calloc(a, c->max + 1, sizeof *c->word);
}

int chains_want(struct chains *c, struct source_want *w, struct symbols *s)
{
	if (!w->ustacks || w->opts->unwind == UNWIND_FP)
		return 0;
	c->live = s;
	if (chains_open(c, &symbols_ops, s) < 0)
		return w->opts->unwind == UNWIND_TABLES ? -1 : 0;
	w->unwind = ((uint32_t)w->opts->unwindsize + 7) & ~7u;
	w->maps = true;
	return 0;
}

int chains_source(struct chains *c, const struct source_ops *ops, struct sample_source **out, struct source_want *w,
		  char *reason, size_t n)
{
	const bool given = options_given(w->opts, offsetof(struct options, unwindsize));
	uint32_t copied = w->unwind;
	int err;

	c->copied = ops->copies && !given ? ops->copies : (uint32_t)w->opts->unwindsize;
	w->unwind = copied ? (c->copied + 7) & ~7u : 0;
	err = ops->open(out, w, reason, n);
	if (!err || !copied || w->opts->unwind == UNWIND_TABLES)
		return err;
	ops->close(*out);
	w->unwind = 0;
	err = ops->open(out, w, reason, n);
	if (err)
		w->unwind = copied;	/* another source may have it */
	else
		snprintf(c->reason, sizeof c->reason, "%s", reason);
	return err;
}

int chains_open(struct chains *c, const struct symbol_ops *ops, void *arg)
{
	if (c->unwinder || c->failed)
		return c->failed ? -1 : 0;
	errno = 0;
	if (unwind_mask())
		c->unwinder = unwinder_open(ops, arg, c->reason, sizeof c->reason);
	else
		snprintf(c->reason, sizeof c->reason, "not on this machine");
	c->nomem = !c->unwinder && errno == ENOMEM;
	c->failed = !c->unwinder;
	return c->failed ? -1 : 0;
}

void chains_close(struct chains *c)
{
	unwinder_close(c->unwinder);
	jstack_close(c->jstack);
	codes_close(c->codes);
	c->unwinder = NULL;
	c->jstack = NULL;
	c->codes = NULL;
}

void chains_forget(struct chains *c)
{
	c->done = c->jstack_done = false;
}

/* For recordings, and sources whose samples have stacks but no call chains: opens an unwinder at the first sample that
 * can be unwound. If unwinding tables are not available, uses frame pointers. */
static bool chains_late(struct chains *c)
{
	if (!c->ops || c->opts->unwind == UNWIND_FP || chains_open(c, c->ops, c->arg) < 0)
		c->unwinder = unwinder_pointers();
	return c->unwinder;
}

/* Opens what reads interpreted frames: of samples taken by this process, for clauses that want them. */
static bool chains_jstack(struct chains *c)
{
	if (c->jstack || !c->sp || !c->live)
		return c->jstack;
	c->codes = codes_open();
	c->jstack = c->codes ? jstack_open(&symbols_ops, c->live, c->codes) : NULL;
	symbols_interpreted(c->live, c->codes);
	c->nomem |= !c->jstack;
	return c->jstack;
}

static const struct frames *joined_frames(struct chains *c, const struct sample *s, enum rt_py_keep keep)
{
	struct jstack_native native = {
		.pc = c->pc, .sp = c->sp, .n = c->frames.n,
		.end = c->frames.cut && c->frames.n ? c->sp[0] + s->start.size : UINT64_MAX,
		.keep = keep,
	};
	struct jstack_thread thread = {
		.pid = (int64_t)s->pid, .tid = (int64_t)s->tid, .at = s->time, .stack = s->start.stack,
		.size = s->start.size,
	};
	struct jstack_words words = { .v = c->word, .max = c->max };

	if (!c->jstack_done) {
		jstack_read(c->jstack, &thread, &native, &words);
		c->joined = (struct frames){ .pc = c->word, .n = words.n, .cut = words.cut || c->frames.cut };
	}
	c->jstack_done = true;
	return &c->joined;
}

const struct frames *chains_of(void *chains, const struct sample *s, unsigned kind)
{
	struct chains *c = chains;

	if (!s->start.bits || (!c->unwinder && !chains_late(c)))
		return kind & IR_STACK_INTERPRETED && s->jstack.n ? &s->jstack : &s->ustack;
	if (!c->done) {
		struct unwind_stack stack = { .pc = c->pc, .sp = c->sp, .max = c->max };

		c->frames = (struct frames){ .pc = c->pc };
		c->frames.n = unwinder_run(c->unwinder, (int64_t)s->pid, s->time, &s->start, &stack);
		c->frames.cut = stack.cut;
	}
	c->done = true;
	if (kind & IR_STACK_INTERPRETED && chains_jstack(c))
		return joined_frames(c, s, kind & IR_STACK_REPLACED ? RT_PY_MARK :
				     kind & IR_STACK_RUNTIME ? RT_PY_SHOW : RT_PY_OMIT);
	return &c->frames;
}

void chains_describe(const struct chains *c, const struct source_want *w, struct buf *out)
{
	if (w->ustacks && w->unwind)
		buf_puts(out, ", stacks from unwinding tables");
	else if (w->ustacks && *c->reason)
		buf_printf(out, ", stacks from frame pointers only: %s", c->reason);
}

/* Reports truncated stacks only if more than 1 % are truncated, because a few may always be too deep. */
static void truncated_lacks(const struct chains *c, const struct unwind_counts *n, struct buf *out)
{
	uint64_t size = 2 * (uint64_t)c->copied;

	if (n->cut > n->all / 100)
		buf_printf(out, "%" PRIu64 " of %" PRIu64 " user stacks exceed the copied part: "
			   "use -x unwindsize=%" PRIu64 "k", n->cut, n->all,
			   (size < UNWIND_LARGEST ? size : UNWIND_LARGEST) / 1024);
	else if (n->elsewhere > n->all / 100)
		buf_printf(out, "%" PRIu64 " of %" PRIu64 " user stacks need memory that the kernel does not copy: "
			   "below the stack pointer, on another stack, or more than %d KB away", n->elsewhere, n->all,
			   UNWIND_LARGEST / 1024);
}

bool chains_counts(const struct chains *c, struct dtr_stacks *out)
{
	const struct unwind_counts *n = c->unwinder ? unwinder_counts(c->unwinder) : NULL;

	*out = (struct dtr_stacks){ 0 };
	if (!n)
		return false;
	out->all = out->unwound = n->all;
	out->lacking[DTR_STACK_BROKEN] = n->lost;
	out->lacking[DTR_STACK_INVALID] = n->invalid;
	out->lacking[DTR_STACK_LONG] = n->cut;
	out->lacking[DTR_STACK_ELSEWHERE] = n->elsewhere;
	return true;
}

bool chains_lacks(const struct chains *c, struct buf *out)
{
	const struct unwind_counts *n = c->unwinder ? unwinder_counts(c->unwinder) : NULL;

	if (c->nomem || (n && n->nomem)) {
		buf_puts(out, "out of memory: user stacks lack frames");
		return false;
	}
	if (c->failed && c->ops)
		buf_printf(out, "warning: user stacks are unwound by frame pointers only: %s", c->reason);
	else if (n && n->unread)
		buf_printf(out, "warning: %" PRIu64 " of %" PRIu64 " stacks may lack frames: %s cannot be read, "
			   "or was replaced", n->unread, n->all, unwinder_unread(c->unwinder));
	else if (n && !c->ops)
		truncated_lacks(c, n, out);
	if (c->jstack)
		jstack_lacks(c->jstack, out);
	return true;
}
