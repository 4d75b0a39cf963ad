/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Places of objects. The image holds the objects that outlive a firing. A frame is the stack of one function and its
 * part of a scratch slot; objects in a frame share bytes if they are not needed at the same time.
 *
 * Ownership: the arena owns everything. Errors: layout_image (D_LIMIT).
 */
#ifndef ENGINE_BPF_CODE_LAYOUT_H
#define ENGINE_BPF_CODE_LAYOUT_H

#include "engine/bpf/code/bpf.h"
#include "engine/bpf/code/chain.h"
#include "engine/bpf/code/regalloc.h"

enum place_kind {
	AT_NOWHERE,
	AT_STACK,		/* FP + off, off < 0 */
	AT_SCRATCH,		/* scratch pointer + off */
	AT_OUTER_STACK,		/* in the frame of the function that faulted (only in the error function) */
	AT_OUTER_SCRATCH,
};

struct frame_place {
	uint32_t first, last;	/* positions of its first and last use */
	int32_t off;
	uint32_t size;
	uint8_t at;		/* enum place_kind */
	bool far;		/* not on the stack: accessed with an index, or needed across a cut of a chain */
	bool key;		/* a CPU number follows it: 8 more bytes */
};

/* Objects that the code generator adds to those of the program. */
enum { XO_STACKBUF, XO_KEYBUF, XO_SAVE, XO_SPILL, XO_COUNT };

struct bpf_frame {
	struct frame_place *obj;	/* by IR object, then XO_* */
	uint32_t nobjs;
	bool claims;			/* part of it is in a scratch slot */
	uint32_t scratch;		/* bytes of that part, without the slot's header */
	uint32_t objects;		/* bytes of objects on the stack */
	uint32_t depth;			/* total bytes of stack, a multiple of 8 */
};

/* Fixed places at the top of every frame. */
enum {
	HOME_CTX = -8,			/* context and scratch pointer, also for the error function */
	HOME_SCRATCH = -16,
	HOME_TMP = -48,			/* 32 bytes for arguments of helpers */
	HOME_TASK = -56,		/* the current thread's structure, a pointer that the kernel trusts */
	HOME_HOP = -64,			/* a structure to which a path from it leads */
	HOME_SIZE = 64,
};

enum { STACK_MAX = 512, STACK_FAULT = 64, STACK_ERROR = 192, STACK_ERROR_RT = 128 };

enum { CELL_HEAD = 8 };	/* bytes before a numbered cell: a word that says whether the cell was used */
/* Bytes of a cell of an aggregation without a key or with numbered cells. */
uint32_t layout_cell_size(const struct ir_obj *o);

/* Sets what the external symbols of the run-time library stand for. */
struct rt_link;
void layout_externals(const struct bpf_image *im, struct rt_link *l);
int layout_image(struct bpf_image *im, struct diags *d);
/* Adds a map of walkers. Returns its number. */
uint32_t layout_add_walkers(struct bpf_image *im);
/* The number of the map of walkers for programs with this context, which is added if it is the first one. */
uint32_t layout_walkers(struct bpf_image *im, enum ir_ctx ctx);
/* Adds the map of a chain's programs. Returns its number. */
uint32_t layout_add_chain(struct bpf_image *im, uint32_t parts);
/* Computes data_size; slot_size must be known. Returns 0, or -1 with diagnostics. */
int layout_finish(struct bpf_image *im, struct diags *d);

/* The input of layout_frame. */
struct frame_want {
	const struct ir_func *f;
	const bool *reached;
	uint32_t spill;			/* bytes of XO_SPILL (registers kept in memory) */
	const struct bpf_frame *outer;	/* frame whose clause-local variables the error function uses, or NULL */
	const struct chain *chain;	/* how f is split, or NULL */
};

/* Functions with many branches: what is compared when two paths meet should be little (layout_frame), and so should the
 * code, because the kernel's verifier takes more time for an instruction in a longer program. */
bool layout_is_long(const struct ir_func *f);

/* Places the objects, using at most `budget` bytes of stack. */
void layout_frame(struct bpf_frame *fr, const struct bpf_image *im, const struct frame_want *w, uint32_t budget);

#endif
