/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Chooses the engine of a session. No other place does.
 *
 * Ownership: nothing is kept. Errors: none; an engine that is not available reports it when it is opened.
 */
#ifndef ENGINE_SESSION_ENGINE_H
#define ENGINE_SESSION_ENGINE_H

#include <stdbool.h>
#include <stddef.h>

struct backend_ops;
struct options;

struct engine_wish {
	bool query;			/* the script is a query of a recording */
	bool rather_user;		/* it names the kernel's structures, and the rootless engine has its probes */
	bool by_timers;			/* it has profile or tick probes, and the rootless engine has all its probes */
};

/*
 * Returns the engine that runs a script with these options: that of recordings, if the script is a query; otherwise
 * the one that -x engine names; otherwise the kernel engine, or the rootless engine if the kernel refuses BPF, or if
 * the script needs types or perf events that this kernel does not offer and can run there. Stores in reason[n] why the
 * kernel engine is not used, or what would allow it; "" if it is used, or for a recording.
 */
const struct backend_ops *engine_choose(const struct options *o, const struct engine_wish *wish, char *reason,
					size_t n);
/* True if this kernel offers the types of its structures. */
bool engine_kernel_types(void);
/* True if the engine lays out the kernel's structures itself instead of reading the kernel's memory. */
bool engine_lays_out(const struct backend_ops *chosen);
/* Returns the engine whose code -d B and -S show: the kernel engine instead of the rootless engine. */
const struct backend_ops *engine_generator(const struct backend_ops *chosen);

#endif
