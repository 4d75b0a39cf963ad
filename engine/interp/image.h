/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An image of the kernel's memory for programs that this process runs: struct task_struct of the thread of a sample and what
 * it points to, laid out as this kernel has it (BTF), so that builtins, translators and scripts find members where they look
 * for them. A member's value is found when it is read: from the sample, or from /proc. Nothing is stored; what is not known
 * is not there.
 *
 * Who owns what: the arena owns everything. What can fail: reading: -EFAULT.
 */
#ifndef ENGINE_INTERP_IMAGE_H
#define ENGINE_INTERP_IMAGE_H

#include "base/arena.h"
#include "engine/sample/source.h"
#include "lang/types.h"

struct image;

/* What samples of another time do not tell. */
struct image_past {
	bool past;		/* they are of another time: /proc tells nothing of them */
	bool nouids, nocpu;	/* they do not tell these */
};

/* *past may change until the first question. */
struct image *image_open(struct arena *a, struct types *types, const struct image_past *past);
/* Where the thread's struct task_struct is. */
uint64_t image_task(uint64_t tid);
/* What was found in /proc is forgotten: the next question is about another firing. */
void image_forget(struct image *im);
int image_read(struct image *im, const struct sample *s, void *dst, uint32_t n, uint64_t addr);
/* What fits, up to a NUL. */
int image_string(struct image *im, const struct sample *s, char *dst, uint32_t n, uint64_t addr);
/* A structure that pointers lead to from the current thread's; IMAGE_TASK: that itself. */
enum { IMAGE_NOWHERE = -1, IMAGE_TASK };
/* A read from such a structure. */
struct image_ask {
	int part;
	uint64_t off, size;	/* bytes */
	const char *member;	/* the script's text from the member's name on, to tell members at one offset apart; or NULL */
};

/* Can the value be known? (Of structures other than the thread's: perhaps.) False: *name is the member's path from curthread. */
bool image_has(struct image *im, const struct image_ask *ask, char *name, size_t n);
/* Where the pointer there leads to, if that is always the same structure. */
int image_leads(struct image *im, int part, uint64_t off);

#endif
