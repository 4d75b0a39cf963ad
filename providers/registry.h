/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The table of providers, and declarations that the registry's files share. Private to providers/. Errors: none. */
#ifndef PROVIDERS_REGISTRY_H
#define PROVIDERS_REGISTRY_H

#include <stddef.h>

#include "providers/provider.h"

/* provider_dtrace and the others, listed in local.mk. */
#define PROVIDER(name) extern const struct provider provider_##name;
#include "providers/providers.def"

/* True if the text has a glob character. */
bool probe_is_glob(const char *s);

/*
 * Translates a description with another system's names to the n-th equivalent on Linux. func[size]: buffer for a
 * function name. Returns false if there are only n equivalents or fewer.
 */
bool foreign_to_local(const struct probe_spec *spec, unsigned n, struct probe_spec *here, char *func, size_t size);

/* Explains why a description matches nothing, if no provider did; "" if unknown. */
void probe_hint(const struct probe_spec *spec, char *reason, size_t n);

#endif
