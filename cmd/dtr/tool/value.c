/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/tool/value.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cmd/dtr/args.h"
#include "cmd/dtr/tool/probe.h"
#include "engine/dtr.h"

static const char *value_period(struct arena *a, const char *text, char *reason, size_t n)
{
	const char *end = text + strspn(text, "0123456789");
	uint64_t ns;

	if (*text && !*end)
		text = arena_printf(a, "%ss", text);
	if (!strcasecmp(end, "hz")) {
		snprintf(reason, n, "expected a time such as 2 (seconds), 500ms, 1h");
		return NULL;
	}
	return dtr_interval(text, &ns, reason, n) < 0 ? NULL : text;
}

static const char *value_rate(struct arena *a, const char *text, char *reason, size_t n)
{
	uint64_t ns;

	(void)a;
	return dtr_interval(text, &ns, reason, n) < 0 ? NULL : text;
}

/* Scripts calculate with it. Times are unsigned, so a negative value would exceed them all. */
static const char *value_us(struct arena *a, const char *text, char *reason, size_t n)
{
	size_t digits = strspn(text, "0123456789");

	(void)a;
	snprintf(reason, n, "expected a number of microseconds");
	return digits && digits <= 15 && !text[digits] ? text : NULL;
}

static const char *value_pid(struct arena *a, const char *text, char *reason, size_t n)
{
	(void)a;
	snprintf(reason, n, "expected a process ID");
	return args_number(text, INT_MAX) > 0 ? text : NULL;
}

static const char *value_ns(struct arena *a, const char *text, char *reason, size_t n)
{
	const char *value = value_us(a, text, reason, n);

	snprintf(reason, n, "expected a number of nanoseconds");
	return value;
}

static const char *value_ms(struct arena *a, const char *text, char *reason, size_t n)
{
	const char *value = value_us(a, text, reason, n);

	snprintf(reason, n, "expected a number of milliseconds");
	return value;
}

static const char *value_port(struct arena *a, const char *text, char *reason, size_t n)
{
	(void)a;
	snprintf(reason, n, "expected a number from 1 to 65535");
	return args_number(text, 65535) > 0 ? text : NULL;
}

/* Of rows, stacks, frames, anything. trunc() takes 0 for all rows, and a negative number for the smallest ones. */
static const char *value_number(struct arena *a, const char *text, char *reason, size_t n)
{
	(void)a;
	snprintf(reason, n, "expected a number from 1 to %d", INT_MAX);
	return args_number(text, INT_MAX) > 0 ? text : NULL;
}

/* A number, or a name with or without SIG. */
static const char *value_signal(struct arena *a, const char *text, char *reason, size_t n)
{
	const char *name = strncasecmp(text, "SIG", 3) ? text : text + 3;

	for (int i = 1; i < NSIG; i++)
		if (sigabbrev_np(i) && !strcasecmp(name, sigabbrev_np(i)))
			return arena_printf(a, "%d", i);
	snprintf(reason, n, "expected a name such as TERM, or a number from 0 to %d", NSIG - 1);
	return args_number(text, NSIG - 1) >= 0 ? text : NULL;
}

static const char *value_function(struct arena *a, const char *text, char *reason, size_t n)
{
	snprintf(reason, n, "expected a function such as c:malloc, /bin/bash:readline, vfs_read");
	return probe_function(a, text);
}

static const char *value_probe(struct arena *a, const char *text, char *reason, size_t n)
{
	snprintf(reason, n, "expected a function such as c:malloc, /bin/bash:readline, vfs_read, a tracepoint such as "
		 "t:sched:sched_switch, or a probe description");
	return probe_described(a, text);
}

static const struct tool_kind kinds[] = {
	{ "period", "PERIOD", "period", value_period, VALUE_OTHER },
	{ "rate", "RATE", "rate", value_rate, VALUE_OTHER },
	{ "us", "US", "time", value_us, VALUE_OTHER }, { "ns", "NS", "time", value_ns, VALUE_OTHER },
	{ "ms", "MS", "time", value_ms, VALUE_OTHER }, { "count", "COUNT", "number", value_number, VALUE_OTHER },
	{ "pid", "PID", "process", value_pid, VALUE_PID }, { "port", "PORT", "port", value_port, VALUE_OTHER },
	{ "rows", "ROWS", "number of rows", value_number, VALUE_OTHER },
	{ "stacks", "STACKS", "number of stacks", value_number, VALUE_OTHER },
	{ "depth", "DEPTH", "number of frames", value_number, VALUE_OTHER },
	{ "function", "FUNCTION", "function", value_function, VALUE_OTHER },
	{ "probe", "PROBE", "probe", value_probe, VALUE_OTHER },
	{ "signal", "SIGNAL", "signal", value_signal, VALUE_OTHER }, { "file", "FILE", NULL, NULL, VALUE_FILE },
	{ "command", "COMMAND", NULL, NULL, VALUE_COMMAND }, { "text", "TEXT", NULL, NULL, VALUE_OTHER },
};
enum { NKINDS = sizeof kinds / sizeof *kinds };

static const struct tool_kind listed = { .completed = VALUE_WORDS };

const struct tool_kind *tool_kind_find(const char *name)
{
	for (size_t i = 0; i < NKINDS; i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	return strchr(name, '|') ? &listed : NULL;
}

void tool_kind_offer(struct word_near *near)
{
	for (size_t i = 0; i < NKINDS; i++)
		word_offer(near, kinds[i].name);
}

bool tool_word_listed(const char *words, const char *text)
{
	size_t n = strlen(text);

	for (const char *s = words, *end; s; s = *end ? end + 1 : NULL) {
		end = s + strcspn(s, "|");
		if ((size_t)(end - s) == n && !strncmp(s, text, n))
			return true;
	}
	return false;
}
