/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* libpfm4 is loaded only when a counter is named: linked in, its tables would add half a millisecond to every start. */
#include "providers/pmu.h"

#include <dlfcn.h>
#include <errno.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stdio.h>
#include <string.h>

#include "base/shlib.h"

#define LIBRARY "libpfm.so.4"

struct pfm {
	void *handle;
	__typeof__(pfm_initialize) *initialize;
	__typeof__(pfm_terminate) *terminate;
	__typeof__(pfm_get_os_event_encoding) *encode;
	__typeof__(pfm_strerror) *strerror;
	__typeof__(pfm_get_pmu_info) *pmu;
	__typeof__(pfm_get_event_info) *event;
	__typeof__(pfm_get_event_next) *next;
};

static int pfm_open(struct pfm *pfm)
{
	const struct shlib_symbol want[] = {
		{ "pfm_initialize", (void **)&pfm->initialize }, { "pfm_terminate", (void **)&pfm->terminate },
		{ "pfm_get_os_event_encoding", (void **)&pfm->encode }, { "pfm_strerror", (void **)&pfm->strerror },
		{ "pfm_get_pmu_info", (void **)&pfm->pmu }, { "pfm_get_event_info", (void **)&pfm->event },
		{ "pfm_get_event_next", (void **)&pfm->next },
	};
	const char *lacks;

	pfm->handle = shlib_open(LIBRARY, want, sizeof want / sizeof want[0], &lacks);
	return pfm->handle ? 0 : -ENOENT;
}

int pmu_encode(const char *name, struct pmu_event *e, char *reason, size_t n)
{
	struct perf_event_attr attr;
	pfm_perf_encode_arg_t arg = { .attr = &attr, .size = sizeof arg };
	struct pfm pfm;
	int err = pfm_open(&pfm);

	if (err) {
		snprintf(reason, n, "%s: %s, which provides counter names, is not installed (Debian: libpfm4)", name,
			 LIBRARY);
		return err;
	}
	memset(&attr, 0, sizeof attr);
	err = pfm.initialize();
	if (!err)
		err = pfm.encode(name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &arg);
	if (err)
		snprintf(reason, n, "%s: %s", name, pfm.strerror(err));
	else
		*e = (struct pmu_event){
			.type = attr.type, .config = attr.config, .config1 = attr.config1, .config2 = attr.config2,
		};
	pfm.terminate();
	dlclose(pfm.handle);
	return err ? -EINVAL : 0;
}

static void pmu_events(const struct pfm *pfm, const pfm_pmu_info_t *info, void (*fn)(void *arg, const char *name),
		       void *arg)
{
	for (int i = info->first_event; i != -1; i = pfm->next(i)) {
		pfm_event_info_t event = { .size = sizeof event };

		if (pfm->event(i, PFM_OS_NONE, &event) == PFM_SUCCESS && event.name)
			fn(arg, event.name);
	}
}

int pmu_each(void (*fn)(void *arg, const char *name), void *arg)
{
	struct pfm pfm;
	int err = pfm_open(&pfm);

	if (err)
		return err;
	err = pfm.initialize() ? -EINVAL : 0;
	for (int i = PFM_PMU_NONE; i < PFM_PMU_MAX && !err; i++) {
		pfm_pmu_info_t info = { .size = sizeof info };

		if (pfm.pmu((pfm_pmu_t)i, &info) == PFM_SUCCESS && info.is_present && info.type == PFM_PMU_TYPE_CORE)
			pmu_events(&pfm, &info, fn, arg);
	}
	pfm.terminate();
	dlclose(pfm.handle);
	return err;
}
