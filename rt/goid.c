/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The number of a goroutine. Only for BPF. */
#include "rt/go_thread.h"
#include "rt/rt.h"

static inline __attribute__((always_inline)) bool is_status(uint64_t word)
{
	return word && word <= GO_STATUS_MOST;
}

/* fsbase: offset in the task of the address of the thread's own data. */
uint64_t rt_goid(uint64_t fsbase)
{
	struct go_thread t;
	uint64_t data = 0;

	read_kernel(&data, sizeof data, (void *)(task() + fsbase));
	t = go_thread(go_current(data));
	if (!t.g)
		return 0;
	if (is_status(go_word(t.g + GO_G_STATUS)))
		return go_word(t.g + GO_G_STATUS + 8);
	return is_status(go_word(t.g + GO_G_STATUS_NEW)) ? go_word(t.g + GO_G_STATUS_NEW + 8) : 0;
}
