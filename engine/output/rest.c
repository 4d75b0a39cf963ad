/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/output/rest.h"

#include "engine/output/printer.h"
#include "engine/output/shares/shares.h"

static void put_shares(struct output *o, const struct agg_table *tables, unsigned n)
{
	struct shares_list list;
	struct arena a;

	arena_init(&a, o->oom, o->arg);
	if (shares_take(&list, &a, o, tables, n) == 0)
		output_printer(o)->shares(o, &list);
	else
		o->buf.failed = true;
	arena_free(&a);
}

int rest_check(struct output *o)
{
	if (!o->opts->shares || output_printer(o)->shares)
		return 0;
	output_message(o, "shares (-x shares) cannot be shown in this format (-O): use text, json or html");
	return -1;
}

void rest_print(struct output *o, const struct agg_table *tables, unsigned n, const bool *printed)
{
	const struct printer *p = output_printer(o);
	const bool shares = o->opts->shares && p->shares;
	bool any = false;

	if (shares && (!p->aggregations || shares_all(tables, n)))
		put_shares(o, tables, n);
	else if (p->aggregations)
		p->aggregations(o, tables, n);
	if (p->aggregations)
		return;
	for (unsigned i = 0; i < n; i++) {
		if ((printed && printed[i]) || !tables[i].n || (shares && shares_all(&tables[i], 1)))
			continue;
		p->rest(o, &tables[i], !any);
		any = true;
	}
	if (p->rest_end)
		p->rest_end(o, any || shares);
}
