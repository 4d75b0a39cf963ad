/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/picture_file.h"

#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "cmd/dtr/say.h"

/* The first ending of a format is that of its default file. */
static const struct {
	const char *ending, *format;
} endings[] = {
	{ ".html", "html" }, { ".folded", "folded" }, { ".txt", "folded" }, { ".pb.gz", "pprof" },
	{ ".json", "speedscope" },
};
enum { NENDINGS = sizeof endings / sizeof endings[0] };

const char *picture_file_format(const char *path)
{
	size_t n = strlen(path), m;

	for (int i = 0; i < NENDINGS; i++) {
		m = strlen(endings[i].ending);
		if (n > m && !strcmp(path + n - m, endings[i].ending))
			return endings[i].format;
	}
	return NULL;
}

const char *picture_file_name(struct arena *a, const char *name, const char *format)
{
	for (int i = 0; i < NENDINGS; i++)
		if (!strcmp(endings[i].format, format))
			return arena_printf(a, "%s%s", name, endings[i].ending);
	return NULL;
}

const char *picture_file_endings(struct arena *a)
{
	const char *list = endings[0].ending;

	for (int i = 1; i < NENDINGS; i++)
		list = arena_printf(a, "%s, %s", list, endings[i].ending);
	return list;
}

/* Times in seconds. Other values than samples and times have no unit. */
static void put_value(struct buf *b, const struct dtr_picture *p)
{
	static const struct {
		const char *unit;
		double seconds;
	} times[] = { { "nanoseconds", 1e-9 }, { "microseconds", 1e-6 }, { "milliseconds", 1e-3 }, { "seconds", 1 } };

	for (size_t i = 0; p->unit && i < sizeof times / sizeof times[0]; i++)
		if (!strcmp(p->unit, times[i].unit)) {
			buf_printf(b, "%.3f seconds", (double)p->value * times[i].seconds);
			return;
		}
	if (p->unit && !strcmp(p->unit, "samples"))
		buf_printf(b, "%" PRIu64 " sample%s", p->value, p->value == 1 ? "" : "s");
	else
		buf_printf(b, "%" PRIu64 " in all", p->value);
}

/* Rounded down: a share of 100 % means all. */
static double percent_of(uint64_t part, uint64_t all)
{
	return all ? (double)(uint64_t)(1000.0 * (double)part / (double)all) / 10 : 100;
}

void picture_file_report(const char *prog, const char *path, const struct dtr_picture *p)
{
	struct buf b = { 0 };

	put_value(&b, p);
	if (p->marked)
		buf_printf(&b, ", %.1f %% with complete stacks", percent_of(p->value - p->truncated, p->value));
	if (p->accounted)
		buf_printf(&b, ", %.1f %% of firings lost", p->due ? 100.0 * (double)p->lost / (double)p->due : 0);
	say("%s: %s: %s\n", prog, path, buf_str(&b));
	buf_free(&b);
}
