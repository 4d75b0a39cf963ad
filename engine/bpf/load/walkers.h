/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Loads walkers of run-time systems' frames (rt/jstack.h) into a session that runs. Programs call them by tail calls
 * (engine/bpf/code/link.h), so a session pays for the verification of a walker only if it meets such a process.
 *
 * Ownership: the loaded image owns the descriptors. Errors: -errno.
 */
#ifndef ENGINE_BPF_LOAD_WALKERS_H
#define ENGINE_BPF_LOAD_WALKERS_H

#include "engine/bpf/code/link.h"
#include "engine/bpf/load/loaded.h"

/* Loads a walker for each type of programs that call it. Returns 0 or -errno. */
int walker_load(struct bpf_loaded *l, enum link_walker w);

#endif
