/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The elements of ended threads in arrays with `threads` (struct ir_obj). A program that runs when the kernel frees a
 * thread (d_prog.thread_end) notes its number. When so many elements have been created that they fill a sixteenth of an
 * array, the program looks at every element of that array, and removes those whose thread is noted; after many threads
 * it looks at all arrays. So a removed element costs the same, however many threads and elements there are.
 *
 * The notes are in the data map at im->off_ended (layout.c):
 *
 *	a cache line	`turn`: sweeps of all arrays so far; `ended`: threads since then; `full`: an array is full
 *	a cache line for each array	elements that were created since its last sweep
 *	ENDED_SLOTS	words: number of a thread << ENDED_TURN_BITS | the low bits of `turn` when it ended
 *
 * A number is in one of ENDED_PROBES slots. It is replaced when its turn is over: then its elements have been removed.
 * Numbers are never reused, so an old note does no harm. If two CPUs use a slot at the same moment, or all slots of a
 * number are in use, the elements of a thread stay.
 *
 * Ownership: none. Errors: none.
 */
#ifndef ENGINE_BPF_CODE_ENDED_H
#define ENGINE_BPF_CODE_ENDED_H

#include <stdbool.h>
#include <stdint.h>

struct bpf_gen;
struct ir_func;

enum { ENDED_PROBES = 4, ENDED_TURN_BITS = 8, ENDED_SHARE = 16 };

/* True unless the kernel cannot run a function that sweeps: Linux before 5.13, or without type information. */
bool ended_possible(const struct ir_func *f);
/* True if the function sweeps: ended_sweeper must follow it, with the label g->sweeper. */
bool ended_sweeps(const struct ir_func *f);
void ended_sweeper(struct bpf_gen *g);
/* Counts an element that was created, of an array that frees those of ended threads. R1 and R2 are lost. */
void ended_created(struct bpf_gen *g, uint32_t obj);

#endif
