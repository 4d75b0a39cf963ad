/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of perf events: the kernel's software events, its generic hardware events under the names of PAPI and of perf,
 * and the processor's own through libpfm4 (pmu.h).
 *
 * Ownership: keeps nothing; rows are constant. Errors: -errno with a sentence in reason[n].
 */
#ifndef PROVIDERS_EVENT_H
#define PROVIDERS_EVENT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum event_kind {
	EVENT_SOFTWARE,		/* counted by the kernel: exact, on every machine */
	EVENT_CLOCK,		/* time, ns: a timer of the kernel */
	EVENT_HARDWARE,		/* counted by the processor */
};

/* An event that needs no library. */
struct event_row {
	const char *name;	/* the name that is listed */
	const char *other[3];	/* other names, of perf or of PAPI */
	enum event_kind kind;
	uint32_t type;		/* of struct perf_event_attr */
	uint64_t config;
};

/* Row `i` of the table, or NULL if there are fewer. */
const struct event_row *event_row(size_t i);
/* The row with this name, or NULL. Upper and lower case are equal, and so are '-' and '_'. */
const struct event_row *event_find(const char *name);
/*
 * Fills in type and config of an event that the table or libpfm4 knows. umask: words or a hexadecimal number, separated
 * by '-', as libpfm4 names them; "": none. Does not check whether this machine can count it. Returns its kind (enum
 * event_kind) or -errno; the reason names the library if it is not installed.
 */
int event_attr(const char *name, const char *umask, struct perf_event_attr *attr, char *reason, size_t n);
/* Whether the event never happens in user mode: the kernel counts it where it has left the thread's user code. */
bool event_in_kernel(const struct perf_event_attr *attr);
/* Opens the event on a CPU for a moment. Returns 0, or -errno if this machine cannot count it (or sample by it, with a
 * period in *attr). */
int event_try(const struct perf_event_attr *attr);

#endif
