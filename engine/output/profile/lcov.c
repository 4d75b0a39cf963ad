/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* -O lcov: how often lines were executed, in the trace file format of lcov (geninfo(1)). */
#include <inttypes.h>
#include <string.h>

#include "base/escape.h"
#include "engine/output/printer.h"
#include "engine/output/profile/profile.h"

/* Functions are known by their lines. Profiles without calls: the first line says how often a function was called. */
static void put_functions(struct buf *out, const struct program_profile *p, const struct profile_row *v, size_t n)
{
	size_t found = 0, hit = 0;

	for (size_t i = 0; i < n; i++) {
		int64_t calls;
		size_t k = 0;

		while (k < i && strcmp(v[k].part[1], v[i].part[1]))
			k++;
		if (k < i || !*v[i].part[1])
			continue;
		calls = profile_calls(p, &v[i], v[i].value[LINE_COUNT]);
		found++;
		hit += calls > 0;
		buf_printf(out, "FN:%" PRId64 ",", v[i].line);
		escape_puts(out, v[i].part[1], ESCAPE_LINE);
		buf_printf(out, "\nFNDA:%" PRId64 ",", calls);
		escape_puts(out, v[i].part[1], ESCAPE_LINE);
		buf_putc(out, '\n');
	}
	buf_printf(out, "FNF:%zu\nFNH:%zu\n", found, hit);
}

/* A line that is in several functions has one record. */
static void put_lines(struct buf *out, const struct profile_row *v, size_t n)
{
	size_t found = 0, hit = 0;

	for (size_t i = 0, k; i < n; i = k) {
		int64_t sum = 0;

		for (k = i; k < n && v[k].line == v[i].line; k++)
			sum += v[k].value[LINE_COUNT];
		buf_printf(out, "DA:%" PRId64 ",%" PRId64 "\n", v[i].line, sum);
		found++;
		hit += sum > 0;
	}
	buf_printf(out, "LF:%zu\nLH:%zu\n", found, hit);
}

static void lcov_draw(struct output *o, const struct program_profile *p)
{
	const struct profile_row *v = p->rows[PROFILE_LINE].v;

	for (size_t i = 0, k, n = p->rows[PROFILE_LINE].n; i < n; i = k) {
		for (k = i; k < n && !strcmp(v[k].part[0], v[i].part[0]); k++)
			;
		buf_puts(&o->buf, "TN:\nSF:");
		escape_puts(&o->buf, v[i].part[0], ESCAPE_LINE);
		buf_putc(&o->buf, '\n');
		put_functions(&o->buf, p, v + i, k - i);
		put_lines(&o->buf, v + i, k - i);
		buf_puts(&o->buf, "end_of_record\n");
	}
}

static void lcov_begin(struct output *o)
{
	static const struct profile_format format = { lcov_draw };

	profile_begin(o, &format);
}

const struct printer printer_lcov = {
	.begin = lcov_begin,
	PROFILE_FILE,
};
