/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is probably wrong with a description that matches nothing. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "providers/registry.h"

/* Providers that DTrace has on other systems, or that are planned: a script that names one is not simply misspelt. */
static const char *const elsewhere[] = {
	"cpc", "fbt", "fc", "io", "ip", "iscsi", "kinst", "lockstat", "mib", "nfsv3", "nfsv4", "pid", "plockstat",
	"rawfbt", "smb", "srp",
	"sysinfo", "tcp", "udp", "vfs", "vminfo", "watch",
};

static bool provider_exists(const char *pattern)
{
	for (const struct provider *const *p = providers; *p; p++) {
		if (probe_glob(pattern, (*p)->name))
			return true;
	}
	return false;
}

/* Its known name if it is one of the others; a trailing process id (pid1234) does not count. */
static const char *provider_elsewhere(const char *name)
{
	size_t len = strlen(name);

	while (len > 0 && name[len - 1] >= '0' && name[len - 1] <= '9')
		len--;
	for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++) {
		const char *e = elsewhere[i];

		if (!strcmp(e, name) || (!strcmp(e, "pid") && len == strlen(e) && !strncmp(e, name, len)))
			return e;
	}
	return NULL;
}

/* True if it is the provider that cannot be. */
static bool hint_provider(const struct probe_spec *spec, char *why, size_t n)
{
	const char *other;

	if (provider_exists(spec->prov))
		return false;
	other = provider_elsewhere(spec->prov);
	if (other)
		snprintf(why, n, "the %s provider is not part of this version", other);
	else if (probe_is_glob(spec->prov))
		snprintf(why, n, "no such provider");
	else
		snprintf(why, n, "no such provider: %.64s", spec->prov);
	return true;
}

/* begin for BEGIN */
static bool hint_case(const struct probe_set *s, const struct probe_spec *spec, char *why, size_t n)
{
	for (size_t i = 0; *spec->name && i < s->list.n; i++) {
		const struct probe *p = s->list.v[i];

		if (strcasecmp(p->name, spec->name) || !strcmp(p->name, spec->name))
			continue;
		if (!probe_glob(spec->prov, p->provname))
			continue;
		snprintf(why, n, "names are case-sensitive: is %s meant?", p->name);
		return true;
	}
	return false;
}

/* profile-1?? while no such probe has been named yet */
static bool hint_glob(const struct probe_spec *spec, char *why, size_t n)
{
	if (!probe_is_glob(spec->name))
		return false;
	for (const struct provider *const *p = providers; *p; p++) {
		if (!(*p)->provide || !probe_glob(spec->prov, (*p)->name))
			continue;
		snprintf(why, n,
			 "a pattern matches only what exists; probes of the %s provider come to be by being named",
			 (*p)->name);
		return true;
	}
	return false;
}

void probe_hint(const struct probe_set *s, const struct probe_spec *spec, char *why, size_t n)
{
	if (hint_provider(spec, why, n) || hint_case(s, spec, why, n) || hint_glob(spec, why, n))
		return;
	if (*spec->prov && !probe_is_glob(spec->prov) && *spec->name && !probe_is_glob(spec->name))
		snprintf(why, n, "the %s provider has no such probe", spec->prov);
}
