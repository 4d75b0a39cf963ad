/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * jstack() in the kernel engine. Programs read the interpreted frames (rt/jstack.c). This says which processes have an
 * interpreter, loads the programs that read its frames, collects the names of functions that programs send, and reads
 * the frames of stacks that user space unwinds.
 *
 * Ownership: jstacks_close releases everything (idempotent; zeroed is closed). Errors: jstacks_open returns -errno.
 */
#ifndef ENGINE_BPF_UNWIND_JSTACKS_H
#define ENGINE_BPF_UNWIND_JSTACKS_H

#include "base/buf.h"
#include "engine/bpf/code/link.h"
#include "engine/runtimes/jstack.h"
#include "rt/jstack.h"
#include "rt/unwind.h"

struct bpf_loaded;
struct mapping;
struct task_layout;

enum { JSTACKS_SENT = 64 };

struct jstacks {
	struct jstack_shared *shared;	/* NULL: not in use */
	struct codes *codes;
	struct jstack *jstack;		/* finds interpreters */
	uint32_t nlayouts, nv8;
	struct bpf_loaded *loaded;
	int walker[LINK_WALKERS];	/* 0: not needed yet; 1: loaded; -errno: refused */
	struct jstack_frames *sent;	/* the latest, by number % JSTACKS_SENT */
	bool nomem;
};

/* Appends a sentence about functions without names, if any. */
void jstacks_lacks(const struct jstacks *j, struct buf *out);
int jstacks_open(struct jstacks *j, struct bpf_loaded *l);
void jstacks_close(struct jstacks *j);
/* Sets the symbols to use. Functions are resolved by them from then on. Returns 0 or -ENOMEM. */
int jstacks_begin(struct jstacks *j, struct symbols *s);
/* If a process has mapped an interpreter there, stores its address and the number of its layout in *out. */
void jstacks_mapped(struct jstacks *j, int64_t pid, const struct mapping *x, struct unwind_space *out);
/* A function that got a number. */
void jstacks_function(struct jstacks *j, const struct jstack_function *f, size_t size);
/* Code and a function of V8 that got a number. */
void jstacks_code_v8(struct jstacks *j, const struct v8stack_code *c, size_t size);
void jstacks_function_v8(struct jstacks *j, const struct v8stack_function *f, size_t size);
/* The frames of a stack that will be handed over. */
void jstacks_frames(struct jstacks *j, const struct jstack_frames *f, size_t size);
/* Replaces frames of an interpreter in a stack that was handed over: `n` frames in pc, their stack pointers in sp.
 * Returns the number of words; *cut: there would be more. */
uint32_t jstacks_merge(struct jstacks *j, const struct unwind_handover *h, uint64_t *pc, const uint64_t *sp, uint32_t n,
		       bool *cut);
/* The same where no program has read such frames: reads V8's from the process. */
uint32_t jstacks_read(struct jstacks *j, const struct unwind_handover *h, uint64_t *pc, const uint64_t *sp, uint32_t n,
		      bool *cut);

#endif
