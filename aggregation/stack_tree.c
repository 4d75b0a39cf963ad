/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "aggregation/stack_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FEWEST = 64 };			/* initial nodes */

static uint32_t node_hash(uint64_t frame, uint32_t caller)
{
	return (uint32_t)((frame ^ (uint64_t)caller << 32 ^ caller) * 0x9e3779b97f4a7c15u >> 32);
}

/* Makes room for one more node. There are as many chains as nodes. */
static int tree_grow(struct stack_tree *t)
{
	uint32_t cap = t->cap ? 2 * t->cap : FEWEST, *chains;
	struct stack_node *nodes;

	if (t->n + 1 < t->cap)
		return 0;
	if (t->cap > UINT32_MAX / 4)
		return -ENOMEM;
	nodes = reallocarray(t->nodes, cap, sizeof *nodes);
	if (!nodes)
		return -ENOMEM;
	t->nodes = nodes;
	chains = calloc(cap, sizeof *chains);
	if (!chains)
		return -ENOMEM;
	free(t->chains);
	t->chains = chains;
	t->nchains = t->cap = cap;
	for (uint32_t i = 1; i <= t->n; i++) {
		uint32_t *chain = &chains[node_hash(nodes[i].frame, nodes[i].caller) & (cap - 1)];

		nodes[i].next = *chain;
		*chain = i;
	}
	return 0;
}

/* Returns the node of a frame with this caller, which is added if there is none; 0: out of memory. */
static uint32_t node_of(struct stack_tree *t, uint64_t frame, uint32_t caller)
{
	uint32_t hash = node_hash(frame, caller), i = t->nchains ? t->chains[hash & (t->nchains - 1)] : 0;

	while (i && (t->nodes[i].frame != frame || t->nodes[i].caller != caller))
		i = t->nodes[i].next;
	if (i)
		return i;
	if (tree_grow(t) < 0)
		return 0;
	i = ++t->n;
	t->nodes[i] = (struct stack_node){ frame, caller, t->chains[hash & (t->nchains - 1)] };
	return t->chains[hash & (t->nchains - 1)] = i;
}

int stack_tree_put(struct stack_tree *t, const uint8_t *frames, uint32_t n, uint32_t *stack)
{
	uint32_t node = 0;

	while (n-- > 0) {
		uint64_t frame;

		memcpy(&frame, frames + 8 * (size_t)n, sizeof frame);
		node = node_of(t, frame, node);
		if (!node)
			return -ENOMEM;
	}
	*stack = node;
	return 0;
}

void stack_tree_free(struct stack_tree *t)
{
	free(t->nodes);
	free(t->chains);
	*t = (struct stack_tree){ 0 };
}
