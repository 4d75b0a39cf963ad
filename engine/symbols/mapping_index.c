/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/symbols/mapping_index.h"

#include <stdlib.h>

enum { BLOCK = 8 };	/* mappings of a leaf */

/* The mappings of a subtree are within these bounds. Without any, start is greater than end. */
struct mapping_hull {
	uint64_t start, end, from, to;
	bool over;		/* any of them covers an earlier one */
};

static struct mapping_hull hull_empty(void)
{
	return (struct mapping_hull){ .start = UINT64_MAX, .from = UINT64_MAX };
}

bool mapping_index_room(struct mapping_index *x, uint32_t cap)
{
	uint32_t leaves = 1;
	struct mapping_hull *v;

	while ((uint64_t)leaves * BLOCK < cap)
		leaves *= 2;
	v = reallocarray(x->v, 2 * (size_t)leaves, sizeof *v);
	if (!v)
		return false;
	for (uint32_t i = 0; i < 2 * leaves; i++)
		v[i] = hull_empty();
	*x = (struct mapping_index){ .v = v, .leaves = leaves };
	return true;
}

void mapping_index_free(struct mapping_index *x)
{
	free(x->v);
	*x = (struct mapping_index){ 0 };
}

static void hull_add(struct mapping_hull *h, const struct mapping_hull *x)
{
	h->start = x->start < h->start ? x->start : h->start;
	h->end = x->end > h->end ? x->end : h->end;
	h->from = x->from < h->from ? x->from : h->from;
	h->to = x->to > h->to ? x->to : h->to;
	h->over |= x->over;
}

static struct mapping_hull leaf_hull(const struct mapping *v, uint32_t n, uint32_t leaf)
{
	uint32_t at = leaf * BLOCK, end = n - at < BLOCK ? n : at + BLOCK;
	struct mapping_hull h = hull_empty();

	for (uint32_t i = at; at < n && i < end; i++)
		hull_add(&h, &(struct mapping_hull){ v[i].start, v[i].end, v[i].since, v[i].since, v[i].over });
	return h;
}

void mapping_index_renew(struct mapping_index *x, const struct mapping *v, uint32_t n, uint32_t first)
{
	uint32_t most = x->n > n ? x->n : n, low, high;

	x->n = n;
	if (first >= most)
		return;
	low = x->leaves + first / BLOCK;
	high = x->leaves + (most - 1) / BLOCK;
	for (uint32_t i = low; i <= high; i++)
		x->v[i] = leaf_hull(v, n, i - x->leaves);
	while (low > 1) {
		low /= 2;
		high /= 2;
		for (uint32_t i = low; i <= high; i++) {
			x->v[i] = x->v[2 * i];
			hull_add(&x->v[i], &x->v[2 * i + 1]);
		}
	}
}

/* The position after the last one below a node. */
static uint32_t node_end(const struct mapping_index *x, uint32_t node)
{
	while (node < x->leaves)
		node = 2 * node + 1;
	return (node - x->leaves + 1) * BLOCK;
}

static bool may_have(const struct mapping_index *x, uint32_t node, const struct mapping_query *q)
{
	const struct mapping_hull *h = &x->v[node];

	if (q->first && node_end(x, node) <= q->first)
		return false;
	return h->start < q->end && q->start < h->end && h->from <= q->to && q->from <= h->to && (h->over || !q->over);
}

static bool query_matches(const struct mapping *x, const struct mapping_query *q)
{
	return x->start < q->end && q->start < x->end && x->since <= q->to && q->from <= x->since &&
	       (x->over || !q->over);
}

/* From which end the mappings are visited. */
enum search_from { FROM_FIRST, FROM_LAST };

static uint32_t leaf_search(const struct mapping_index *x, const struct mapping *v, uint32_t leaf,
			    const struct mapping_query *q, enum search_from from)
{
	uint32_t at = leaf * BLOCK, n = x->n - at < BLOCK ? x->n - at : BLOCK;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t k = at + (from == FROM_LAST ? n - 1 - i : i);

		if (k >= q->first && query_matches(&v[k], q))
			return k;
	}
	return NO_MAPPING;
}

/* Visits the nodes that may have such a mapping in order. */
static uint32_t tree_search(const struct mapping_index *x, const struct mapping *v, const struct mapping_query *q,
			    enum search_from from)
{
	const uint32_t begin = from == FROM_LAST;	/* of two subtrees, the one that is visited first */
	uint32_t node = x->n ? 1 : 0, found;

	while (node) {
		if (may_have(x, node, q)) {
			if (node < x->leaves) {
				node = 2 * node + begin;
				continue;
			}
			found = leaf_search(x, v, node - x->leaves, q, from);
			if (found != NO_MAPPING)
				return found;
		}
		while ((node & 1) != begin)	/* its subtree was the second one */
			node /= 2;
		node = node > 1 ? node ^ 1 : 0;
	}
	return NO_MAPPING;
}

uint32_t mapping_index_last(const struct mapping_index *x, const struct mapping *v, const struct mapping_query *q)
{
	return tree_search(x, v, q, FROM_LAST);
}

uint32_t mapping_index_first(const struct mapping_index *x, const struct mapping *v, const struct mapping_query *q)
{
	return tree_search(x, v, q, FROM_FIRST);
}
