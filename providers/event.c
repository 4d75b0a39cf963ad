/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "providers/event.h"

#include <ctype.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "providers/pmu.h"

#define SOFT(name, id, ...) { name, { __VA_ARGS__ }, EVENT_SOFTWARE, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##id }
#define CLOCK(name, id, ...) { name, { __VA_ARGS__ }, EVENT_CLOCK, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##id }
#define HARD(name, id, ...) { name, { __VA_ARGS__ }, EVENT_HARDWARE, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##id }
#define CACHE(name, what, op, result, ...) { name, { __VA_ARGS__ }, EVENT_HARDWARE, PERF_TYPE_HW_CACHE, \
	PERF_COUNT_HW_CACHE_##what | PERF_COUNT_HW_CACHE_OP_##op << 8 | PERF_COUNT_HW_CACHE_RESULT_##result << 16 }

static const struct event_row rows[] = {
	SOFT("page_faults", PAGE_FAULTS, "faults"),
	SOFT("minor_faults", PAGE_FAULTS_MIN, NULL),
	SOFT("major_faults", PAGE_FAULTS_MAJ, NULL),
	SOFT("context_switches", CONTEXT_SWITCHES, "cs"),
	SOFT("cpu_migrations", CPU_MIGRATIONS, "migrations"),
	SOFT("alignment_faults", ALIGNMENT_FAULTS, NULL),
	SOFT("emulation_faults", EMULATION_FAULTS, NULL),
	CLOCK("cpu_clock", CPU_CLOCK, NULL),
	CLOCK("task_clock", TASK_CLOCK, NULL),
	HARD("PAPI_tot_cyc", CPU_CYCLES, "cycles", "cpu_cycles"),
	HARD("PAPI_tot_ins", INSTRUCTIONS, "instructions"),
	HARD("PAPI_ref_cyc", REF_CPU_CYCLES, "ref_cycles"),
	HARD("PAPI_br_ins", BRANCH_INSTRUCTIONS, "branches", "branch_instructions"),
	HARD("PAPI_br_msp", BRANCH_MISSES, "branch_misses"),
	HARD("PAPI_l3_tca", CACHE_REFERENCES, "cache_references"),
	HARD("PAPI_l3_tcm", CACHE_MISSES, "cache_misses"),
	HARD("PAPI_stl_icy", STALLED_CYCLES_FRONTEND, "stalled_cycles_frontend", "idle_cycles_frontend"),
	HARD("PAPI_res_stl", STALLED_CYCLES_BACKEND, "stalled_cycles_backend", "idle_cycles_backend"),
	HARD("bus_cycles", BUS_CYCLES, NULL),
	CACHE("PAPI_l1_dca", L1D, READ, ACCESS, "L1_dcache_loads"),
	CACHE("PAPI_l1_dcm", L1D, READ, MISS, "L1_dcache_load_misses", "PAPI_l1_ldm"),
	CACHE("PAPI_l1_stm", L1D, WRITE, MISS, "L1_dcache_store_misses"),
	CACHE("PAPI_l1_ica", L1I, READ, ACCESS, "L1_icache_loads"),
	CACHE("PAPI_l1_icm", L1I, READ, MISS, "L1_icache_load_misses"),
	CACHE("PAPI_l3_ldm", LL, READ, MISS, "LLC_load_misses"),
	CACHE("PAPI_l3_dcr", LL, READ, ACCESS, "LLC_loads"),
	CACHE("PAPI_tlb_dm", DTLB, READ, MISS, "dTLB_load_misses"),
	CACHE("PAPI_tlb_im", ITLB, READ, MISS, "iTLB_load_misses"),
};

enum { NROWS = sizeof rows / sizeof *rows };

static bool same_name(const char *a, const char *b)
{
	for (; *a && *b; a++, b++) {
		char x = *a == '-' ? '_' : (char)tolower((unsigned char)*a);
		char y = *b == '-' ? '_' : (char)tolower((unsigned char)*b);

		if (x != y)
			return false;
	}
	return *a == *b;
}

const struct event_row *event_row(size_t i)
{
	return i < NROWS ? &rows[i] : NULL;
}

const struct event_row *event_find(const char *name)
{
	for (size_t i = 0; i < NROWS; i++) {
		if (same_name(rows[i].name, name))
			return &rows[i];
		for (unsigned k = 0; k < sizeof rows->other / sizeof *rows->other && rows[i].other[k]; k++)
			if (same_name(rows[i].other[k], name))
				return &rows[i];
	}
	return NULL;
}

int event_attr(const char *name, const char *umask, struct perf_event_attr *attr, char *reason, size_t n)
{
	const struct event_row *row = event_find(name);
	struct pmu_event event;
	char text[256];
	int err;

	if (row && *umask) {
		snprintf(reason, n, "%s has no umask", row->name);
		return -EINVAL;
	}
	memset(attr, 0, sizeof *attr);
	attr->size = sizeof *attr;
	if (row) {
		attr->type = row->type;
		attr->config = row->config;
		return (int)row->kind;
	}
	if (snprintf(text, sizeof text, "%s%s%s", name, *umask ? ":" : "", umask) >= (int)sizeof text) {
		snprintf(reason, n, "the name of the event is too long");
		return -EINVAL;
	}
	for (char *p = text + strlen(name); *p; p++)
		if (*p == '-')
			*p = ':';
	err = pmu_encode(text, &event, reason, n);
	if (err)
		return err;
	attr->type = event.type;
	attr->config = event.config;
	attr->config1 = event.config1;
	attr->config2 = event.config2;
	return EVENT_HARDWARE;
}

bool event_in_kernel(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE &&
	       (attr->config == PERF_COUNT_SW_CONTEXT_SWITCHES || attr->config == PERF_COUNT_SW_CPU_MIGRATIONS);
}

int event_try(const struct perf_event_attr *attr)
{
	int cpu = sched_getcpu();
	int fd = (int)syscall(SYS_perf_event_open, attr, -1, cpu < 0 ? 0 : cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}
