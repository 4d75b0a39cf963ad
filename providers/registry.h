/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the files of the registry share, and the providers it lists. Private to providers/. Nothing can fail. */
#ifndef PROVIDERS_REGISTRY_H
#define PROVIDERS_REGISTRY_H

#include <stddef.h>

#include "providers/provider.h"

extern const struct provider provider_dtrace, provider_proc, provider_profile, provider_rawtp, provider_sched, provider_sdt,
	provider_syscall;

/* Does the text have a character that makes it a pattern? */
bool probe_is_glob(const char *s);

/*
 * The description with the names of another system turned into the n-th of what they are here. func: room for it.
 * False: there are no more, or none at all.
 */
bool elsewhere_here(const struct probe_spec *spec, unsigned n, struct probe_spec *here, char *func, size_t size);

/* Why a description matches nothing, where no provider has said so; "" if nothing is known. */
void probe_hint(const struct probe_spec *spec, char *why, size_t n);

#endif
