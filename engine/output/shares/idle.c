/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The routines of the idle loop. An interrupt of an idle CPU is in other routines, and so is what the idle thread does
 * to prepare (choosing a state, stopping the tick): they are shown as what they are.
 */
#include <string.h>

#include "engine/output/shares/shares.h"

/* Names, and beginnings of names that end in `*`. */
static const char *const routines[] = {
	"arch_cpu_idle", "call_cpuidle", "cpu_idle_poll", "cpu_startup_entry", "cpuidle_enter", "cpuidle_enter_s2idle",
	"cpuidle_enter_state", "cpuidle_idle_call", "cpuidle_poll_time", "default_enter_idle", "default_idle",
	"default_idle_call", "do_idle", "io_idle", "poll_idle",
	/* x86 */
	"__halt", "acpi_idle_*", "acpi_processor_ffh_cstate_enter", "acpi_processor_ffh_lpi_enter", "acpi_safe_halt",
	"amd_e400_idle", "intel_idle*", "mwait_idle", "mwait_idle_with_hints", "native_halt", "native_safe_halt",
	"pv_native_safe_halt", "tdx_halt", "tdx_safe_halt", "xen_safe_halt",
	/* arm64, riscv, s390, powerpc */
	"__psci_enter_domain_idle_state", "cpu_do_idle", "psci_enter_idle_state", "sbi_cpuidle_enter_state",
	"enabled_wait", "psw_idle", "power*_idle", "pseries_*_idle", "snooze_loop", "stop_loop",
};

static bool pattern_matches(const char *pattern, const char *name, size_t n)
{
	const char *star = strchr(pattern, '*');
	size_t before = star ? (size_t)(star - pattern) : strlen(pattern), after = star ? strlen(star + 1) : 0;

	if (!star)
		return n == before && !strncmp(pattern, name, n);
	return n >= before + after && !strncmp(pattern, name, before) && !strncmp(star + 1, name + n - after, after);
}

bool shares_idle(const char *name)
{
	const char *mark = strchr(name, '`'), *s = mark ? mark + 1 : name;

	for (size_t i = 0; i < sizeof routines / sizeof *routines; i++)
		if (pattern_matches(routines[i], s, strcspn(s, ".+")))
			return true;
	return false;
}
