/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "base/escape.h"
#include "base/interval.h"
#include "engine/output/picture/picture.h"
#include "engine/output/summary/summary.h"

enum { FIRST_ROWS = 20 };

void summary_date(struct buf *out, const struct summary *s)
{
	const time_t seconds = (time_t)(s->about.wall / 1000000000u);
	struct tm t;

	if (s->about.dated && gmtime_r(&seconds, &t))	/* strftime() would need memory for the time zone */
		buf_printf(out, "%d-%02d-%02d %02d:%02d:%02d UTC", t.tm_year + 1900, t.tm_mon + 1, t.tm_mday,
			   t.tm_hour, t.tm_min, t.tm_sec);
}

static void put_host(struct buf *out, const struct summary *s)
{
	buf_puts(out, *s->about.host ? s->about.host : "unknown");
	if (*s->release)
		buf_printf(out, ", Linux %s%s%s", s->release, *s->machine ? " " : "", s->machine);
	buf_printf(out, ", %u CPU%s", s->ncpus, s->ncpus == 1 ? "" : "s");
}

static void put_source(struct buf *out, const struct summary *s)
{
	buf_printf(out, "%s, made by %s record%s", s->path, s->reader, s->blind ? ", " PICTURE_CODELESS : "");
}

static void put_subject(struct buf *out, const struct summary *s)
{
	buf_puts(out, s->about.subject);
}

static void put_duration(struct buf *out, const struct summary *s)
{
	buf_printf(out, "%.3f s", (double)s->duration / 1e9);
}

static void put_rate(struct buf *out, const struct summary *s)
{
	buf_printf(out, "%s%s", s->probe, s->stacks ? ", with stacks" : "");
}

static void put_samples(struct buf *out, const struct summary *s)
{
	buf_printf(out, "%" PRIu64 ", %" PRIu64 " lost", s->samples, s->lost);
}

/* A line for each fact that is known. */
static void put_facts(struct buf *out, const struct summary *s)
{
	static const struct {
		const char *name;
		void (*put)(struct buf *out, const struct summary *s);
	} facts[] = {
		{ "Recording", put_source }, { "Host", put_host }, { "Of", put_subject }, { "Began", summary_date },
		{ "Duration", put_duration }, { "Rate", put_rate }, { "Samples", put_samples },
	};
	struct buf text = { 0 };

	for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
		buf_reset(&text);
		facts[i].put(&text, s);
		out->failed |= text.failed;
		if (!text.len)
			continue;
		buf_printf(out, "%-10s ", facts[i].name);
		escape_puts(out, buf_str(&text), ESCAPE_LINE);
		buf_putc(out, '\n');
	}
	buf_free(&text);
}

static void put_row(struct buf *out, const struct summary *s, uint64_t count, uint64_t of)
{
	const struct share_interval i = interval_wilson_lost(count, of, s->lost);

	buf_printf(out, "%10" PRIu64 " %7.2f %%   %6.2f .. %6.2f %%   ", count,
		   of ? 100 * (double)count / (double)of : 0, 100 * i.low, 100 * i.high);
}

static void put_head(struct buf *out, const char *what)
{
	buf_printf(out, "\n%10s %9s   %-18s   %s\n", "SAMPLES", "SHARE", "95 % INTERVAL", what);
}

static void put_modes(struct buf *out, const struct summary *s)
{
	put_head(out, "MODE");
	for (int i = 0; i < SUMMARY_MODES; i++) {
		if (i == SUMMARY_UNKNOWN && !s->mode[i])
			continue;
		put_row(out, s, s->mode[i], s->samples);
		buf_printf(out, "%s\n", summary_mode_name((enum summary_mode)i));
	}
}

static void put_list(struct buf *out, const struct summary *s, const char *what, const struct summary_list *list,
		     bool all)
{
	const size_t n = all || list->n < FIRST_ROWS ? list->n : FIRST_ROWS;

	put_head(out, what);
	for (size_t i = 0; i < n; i++) {
		put_row(out, s, list->v[i].count, s->busy);
		escape_puts(out, list->v[i].name, ESCAPE_LINE);
		if (list->v[i].processes > 1)
			buf_printf(out, " (%" PRIu64 " processes)", list->v[i].processes);
		buf_putc(out, '\n');
	}
	if (n < list->n)
		buf_printf(out, "%10s %zu more (-a shows all)\n", "", list->n - n);
}

void summary_text(struct buf *out, const struct summary *s, bool all)
{
	put_facts(out, s);
	if (!s->samples)
		return;
	put_modes(out, s);
	if (s->busy < s->samples)
		buf_printf(out, "\nShares of the %" PRIu64 " samples that are not idle:\n", s->busy);
	if (!s->busy)
		return;
	if (s->by_container)
		put_list(out, s, "CONTAINER", &s->containers, all);
	put_list(out, s, "PROCESS", &s->processes, all);
	put_list(out, s, "FUNCTION", &s->functions, all);
}
