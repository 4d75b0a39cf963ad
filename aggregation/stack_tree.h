/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Stacks with common callers, stored once: a tree whose nodes are frames and whose root is the outermost caller. A
 * stack is the number of the node of its innermost frame; 0: it has no frames.
 *
 * Ownership: stack_tree_free frees everything (idempotent; a zeroed struct is empty).
 * Errors: stack_tree_put returns -ENOMEM.
 */
#ifndef AGGREGATION_STACK_TREE_H
#define AGGREGATION_STACK_TREE_H

#include <stdbool.h>
#include <stdint.h>

struct stack_node {
	uint64_t frame;
	uint32_t caller;		/* its node, or 0 */
	uint32_t next;			/* in the chain of its hash, or 0 */
};

struct stack_tree {
	struct stack_node *nodes;	/* n of them, from 1 */
	uint32_t n, cap;
	uint32_t *chains, nchains;	/* by hash: the first node, or 0; a power of two */
};

/* Finds or adds the stack of n frames, innermost first, 8 bytes each without alignment. Returns 0 or -ENOMEM. */
int stack_tree_put(struct stack_tree *t, const uint8_t *frames, uint32_t n, uint32_t *stack);
/* The frame of a node; 0 for number 0. */
static inline uint64_t stack_tree_frame(const struct stack_tree *t, uint32_t node)
{
	return node ? t->nodes[node].frame : 0;
}
/* The node of a frame's caller, or 0. */
static inline uint32_t stack_tree_caller(const struct stack_tree *t, uint32_t node)
{
	return node ? t->nodes[node].caller : 0;
}
void stack_tree_free(struct stack_tree *t);

#endif
