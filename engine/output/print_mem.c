/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* tracemem(): memory as it is, sixteen bytes a line. */
#include "engine/output/printer.h"

void print_tracemem(struct dtr *t, const void *rec, const struct rec_act *a)
{
	const struct val_field *bytes = &a->fields[0];
	uint64_t n = bytes->size, count = a->nfields > 1 ? (uint64_t)val_int(&a->fields[1], rec) : n;

	buf_dump(&t->out, (const char *)rec + bytes->off, count < n ? count : n);
}
