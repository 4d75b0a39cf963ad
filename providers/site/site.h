/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Providers defined by tables of raw tracepoints, of attach points for packets (providers/cgroup.h) and of the kernel's
 * perf events. A row has the sites and arguments of a probe; the functions here implement the callbacks of struct
 * provider. The sites of a row are of one kind.
 *
 * Ownership: the set's arena owns the probes' data; site_detach (idempotent) closes descriptors. Errors: site_attach
 * fails if the kernel does not have the tracepoint.
 */
#ifndef PROVIDERS_SITE_SITE_H
#define PROVIDERS_SITE_SITE_H

#include "providers/provider.h"

enum { SITE_MAX = 5, SITE_ARGS = 6 };

struct site_row {
	const char *name;
	const struct probe_site *site;	/* at most SITE_MAX; ends with the first without `at`; NULL: none */
	const struct arg_desc *arg;	/* at most SITE_ARGS; ends with the first without `native`; NULL: none */
	const char *never;			/* reason why Linux cannot have this probe, or NULL */
	/* enum kernel_fact: what kernels must have for this row (0: nothing), and what they must not have. A probe may
	 * have several rows, one after the other; the first that fits is used. */
	uint8_t has, lacks;
};

/* The sites and the arguments of a row. */
#define SITES(...) .site = (const struct probe_site[]){ __VA_ARGS__, { .at = NULL } }
#define ARGUMENTS(...) .arg = (const struct arg_desc[]){ __VA_ARGS__, { .native = NULL } }

/* A context word as a struct task_struct *, in D. */
#define SITE_TASK(word) "((struct task_struct *)_raw" #word ")"

/* Most of these providers have the same stability. */
extern const struct provider_attr site_attr;
/* The table is self->sites->rows. */
void site_enumerate(const struct provider *self, struct probe_set *s);
bool site_exists(const struct probe *p);
int site_provide(const struct provider *self, struct probe_set *s, const struct probe_spec *spec, char *reason,
		 size_t n);
bool site_late(const struct provider *self, const struct probe_spec *spec);
unsigned site_args(const struct probe *p, struct arg_desc *out, unsigned max);
const struct probe_site *site_list(const struct probe *p, unsigned *n);
/* For tables with perf events: follows CPUs that come and go. */
extern const struct provider_clock site_clock;
enum ir_ctx site_ctx(const struct probe *p);
int site_attach(struct probe *p, struct attach_env *env);
void site_detach(struct probe *p);

#endif
