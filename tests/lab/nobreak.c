/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Preloaded: a machine whose hardware breakpoints open but never fire. A breakpoint becomes an event that counts
 * nothing.
 */
#include <dlfcn.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <sys/syscall.h>

__attribute__((visibility("default"))) long syscall(long number, ...);

long syscall(long number, ...)
{
	static long (*real)(long, ...);
	struct perf_event_attr dummy;
	long a[6];
	va_list list;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	if (!real)
		real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	if (number == SYS_perf_event_open && a[0] && ((struct perf_event_attr *)a[0])->type == PERF_TYPE_BREAKPOINT) {
		dummy = *(struct perf_event_attr *)a[0];
		dummy.type = PERF_TYPE_SOFTWARE;
		dummy.config = PERF_COUNT_SW_DUMMY;
		dummy.sigtrap = 0;
		dummy.bp_type = 0;
		dummy.bp_addr = 0;
		dummy.bp_len = 0;
		a[0] = (long)&dummy;
	}
	return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
