/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where everything lies. The image: objects that outlive a firing. The frame: the stack of one function and its
 * part of a scratch slot, where the objects of one firing share bytes if they are not needed at the same time.
 *
 * Who owns what: the arena owns everything. What can fail: layout_image (D_LIMIT).
 */
#ifndef ENGINE_BPF_LAYOUT_H
#define ENGINE_BPF_LAYOUT_H

#include "engine/bpf/bpf.h"
#include "engine/bpf/chain.h"
#include "engine/bpf/regalloc.h"

enum place_kind {
	AT_NOWHERE,
	AT_STACK,		/* FP + off, off < 0 */
	AT_SCRATCH,		/* scratch pointer + off */
	AT_OUTER_STACK,		/* in the frame of the function that faulted (the error function only) */
	AT_OUTER_SCRATCH,
};

struct frame_place {
	uint32_t first, last;	/* positions between which it is needed */
	int32_t off;
	uint32_t size;
	uint8_t at;		/* enum place_kind */
	bool far;		/* not on the stack: reached by an index, or needed across a cut of a chain */
	bool key;		/* the CPU number is written behind it: 8 bytes more */
};

/* Objects that the program does not know of. */
enum { XO_STACKBUF, XO_KEYBUF, XO_SAVE, XO_SPILL, XO_COUNT };

struct frame {
	struct frame_place *obj;	/* by IR object, then XO_* */
	uint32_t nobjs;
	bool claims;			/* part of it lies in a scratch slot */
	uint32_t scratch;		/* bytes of that, without the slot's header */
	uint32_t objects;		/* bytes of objects on the stack */
	uint32_t depth;			/* bytes of stack in all, a multiple of 8 */
};

/* Fixed places at the top of every frame. */
enum {
	HOME_CTX = -8,			/* context and scratch pointer, for the error function */
	HOME_SCRATCH = -16,
	HOME_TMP = -48,			/* 32 bytes for arguments of helpers */
	HOME_SIZE = 48,
};

enum { STACK_MAX = 512, STACK_FAULT = 64, STACK_ERROR = 192, STACK_ERROR_RT = 128 };

enum { CELL_HEAD = 8 };	/* in front of a numbered cell: was it used? */
/* Bytes of an aggregation's cell, where it has numbered ones or no key. */
uint32_t layout_cell_size(const struct ir_obj *o);

int layout_image(struct bpf_image *im, struct diags *d);
/* The map of the programs that a function is cut into; returns its number. */
uint32_t layout_add_chain(struct bpf_image *im, uint32_t parts);
/* data_size, once slot_size is known. */
int layout_finish(struct bpf_image *im, struct diags *d);

/* What a frame is for. */
struct frame_want {
	const struct ir_func *f;
	const bool *reached;
	uint32_t spill;			/* bytes of XO_SPILL: registers in memory */
	const struct frame *outer;	/* whose clause-local variables the error function shares, or NULL */
	const struct chain *chain;	/* how f is cut, or NULL */
};

/* Where the objects go if at most `budget` bytes of stack are for them. */
void layout_frame(struct frame *fr, const struct bpf_image *im, const struct frame_want *w, uint32_t budget);

#endif
