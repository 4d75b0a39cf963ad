/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The event sources of profile-N: the kernel's timers, or a performance counter. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/fill.h"
#include "providers/event.h"
#include "providers/profile/profile.h"
#include "providers/profile/timer.h"

#define SECOND 1000000000ull

static int clock_attr(uint64_t interval, struct perf_event_attr *attr, char *reason, size_t n)
{
	(void)reason, (void)n;
	*attr = perf_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, interval);
	return 0;
}

/* The kernel adjusts the number of cycles to the rate, because the speed of a CPU changes continually. */
static int cycles_attr(uint64_t interval, struct perf_event_attr *attr, char *reason, size_t n)
{
	int kind;

	if (interval > SECOND) {
		snprintf(reason, n, "profsrc=cycles: the longest interval is one second");
		return -EINVAL;
	}
	kind = event_attr("cycles", "", attr, reason, n);
	if (kind < 0)
		return kind;
	*attr = perf_attr(attr->type, attr->config, 0);
	attr->freq = 1;
	attr->sample_freq = SECOND / interval;
	return 0;
}

static const struct drive {
	const char *name;
	const char *doc;
	int (*attr)(uint64_t interval, struct perf_event_attr *attr, char *reason, size_t n);
} drives[] = {
	{ "cpu-clock", "a timer on each CPU (the default)", clock_attr },
	{ "cycles", "cycle counter interrupts; they also see code that runs with interrupts off", cycles_attr },
};

static const struct drive *source_find(const char *name)
{
	if (!name)
		return &drives[0];
	for (size_t i = 0; i < sizeof drives / sizeof *drives; i++) {
		if (!strcmp(drives[i].name, name))
			return &drives[i];
	}
	return NULL;
}

bool source_is_clock(const char *name)
{
	return source_find(name) == &drives[0];
}

int source_attr(const char *name, uint64_t interval, struct perf_event_attr *attr, char *reason, size_t n)
{
	const struct drive *s = source_find(name);

	if (s)
		return s->attr(interval, attr, reason, n);
	snprintf(reason, n, "profsrc=%.32s: must be cpu-clock or cycles", name);
	return -EINVAL;
}

void profile_source_help(struct buf *out)
{
	struct perf_event_attr attr;
	char reason[160], no[200];

	for (size_t i = 0; i < sizeof drives / sizeof *drives; i++) {
		const struct drive *s = &drives[i];
		int err = s->attr(SECOND / 97, &attr, reason, sizeof reason);

		fill_row(out, s->name, 13, s->doc);
		if (!err) {
			err = event_try(&attr);
			snprintf(reason, sizeof reason, "%s", err ? perf_reason(err) : "");
		}
		if (!err)
			continue;
		snprintf(no, sizeof no, "not available: %s", reason);
		fill_row(out, "", 13, no);
	}
}
