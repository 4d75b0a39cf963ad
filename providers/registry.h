/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The providers, and declarations that the registry's files share. Private to providers/. Errors: none. */
#ifndef PROVIDERS_REGISTRY_H
#define PROVIDERS_REGISTRY_H

#include <stddef.h>

#include "providers/provider.h"

extern const struct provider provider_dtrace, provider_proc, provider_profile, provider_rawtp, provider_sched, provider_sdt,
	provider_syscall;

/* True if the text has a glob character. */
bool probe_is_glob(const char *s);

/*
 * Translates a description from another system's names to the n-th equivalent here. func[size]: memory for a function
 * name. Returns false if there is no n-th one.
 */
bool elsewhere_here(const struct probe_spec *spec, unsigned n, struct probe_spec *here, char *func, size_t size);

/* Explains why a description matches nothing if no provider did; "" if unknown. */
void probe_hint(const struct probe_spec *spec, char *why, size_t n);

#endif
