/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The machine of a set as the first key of its aggregations. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "aggregation/set.h"

/* All sizes of key fields are rounded up to 8, as this one is, so the other fields move by it and keep their order. */
static void add_key(struct agg_desc *d)
{
	memmove(d->key + 1, d->key, d->nkeys * sizeof *d->key);
	memmove(d->keyname + 1, d->keyname, d->nkeys * sizeof *d->keyname);
	d->key[0] = (struct val_field){ .kind = VAL_STR, .size = AGG_HOST };
	d->keyname[0] = "host";
	d->nkeys++;
}

/* Moves the rows to a table with the new key. Returns 0 or -ENOMEM. */
static int move_rows(struct agg_table *to, struct agg_table *from, const char *host)
{
	uint8_t *key = calloc(1, to->desc->keysize);
	int r = key ? 0 : -ENOMEM;

	if (key)
		memcpy(key, host, strnlen(host, AGG_HOST - 1));
	for (size_t i = 0; !r && i < from->n; i++) {
		agg_key_copy(from->desc, key + AGG_HOST, agg_row_key(from, &from->rows[i]));
		r = agg_table_put(to, key, from->rows[i].value);
	}
	free(key);
	agg_table_free(from);
	return r;
}

int agg_set_by_host(struct agg_set *s)
{
	struct agg_table *old = s->tables;
	struct agg_desc *descs = s->descs;
	int r = 0;

	for (unsigned i = 0; i < s->n; i++)
		if (descs[i].nkeys == AGG_MAXKEYS)
			return -E2BIG;
	s->descs = arena_calloc(s->arena, s->n, sizeof *s->descs);
	for (unsigned i = 0; i < s->n; i++) {
		s->descs[i] = descs[i];
		add_key(&s->descs[i]);
	}
	agg_set_tables(s);
	for (unsigned i = 0; i < s->n; i++) {
		int e = move_rows(&s->tables[i], &old[i], s->host);

		s->tables[i].normal = old[i].normal;
		r = r ? r : e;
	}
	s->host = NULL;
	return r;
}
