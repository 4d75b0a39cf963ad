/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * For programs that run in the kernel by themselves (engine/bpf/load/program.h), which only clang -target bpf compiles.
 * The helper functions are those of libbpf, described in bpf-helpers(7).
 *
 * What is known only when a program is loaded are *numbers* (offsets in the kernel's structures, switches): the loader
 * puts each into the instruction that takes its address, so the verifier knows it, and removes branches that it rules
 * out. Maps are external symbols, too.
 *
 * Ownership: none. Errors: as the kernel's; a read that fails zeroes its destination.
 */
#ifndef RT_PROGRAMS_KERNEL_H
#define RT_PROGRAMS_KERNEL_H

#include <stdbool.h>

#include "rt/helpers.h"

/* Without `weak` the compiler would assume that the address is not 0. */
#define NUMBER(name) extern const char k_##name[] __attribute__((weak))
#define K(name) ((uint64_t)k_##name)

enum { FORCE_WAKEUP = 2 };	/* BPF_RB_FORCE_WAKEUP: the reader of a ring wakes up at once */

/* struct bpf_pidns_info */
struct thread_ids {
	uint32_t pid, tgid;
};

/* The name space of dtr's process IDs: device and inode number. 0: the machine's own. */
NUMBER(pidns_dev);
NUMBER(pidns_ino);

/* The current thread and its process, as dtr sees them. Returns false if they are not in dtr's name space. */
static inline bool current_ids(struct thread_ids *out)
{
	uint64_t ids;

	if (K(pidns_ino))
		return !bpf_get_ns_current_pid_tgid(K(pidns_dev), K(pidns_ino), (void *)out, sizeof *out);
	ids = bpf_get_current_pid_tgid();
	*out = (struct thread_ids){ (uint32_t)ids, (uint32_t)(ids >> 32) };
	return true;
}

/* Numbers in the kernel's memory; 0 if they cannot be read. */
static inline uint64_t kernel_u64(uint64_t addr)
{
	uint64_t v = 0;

	bpf_probe_read_kernel(&v, sizeof v, (const void *)addr);
	return v;
}

static inline uint32_t kernel_u32(uint64_t addr)
{
	uint32_t v = 0;

	bpf_probe_read_kernel(&v, sizeof v, (const void *)addr);
	return v;
}

/* Offsets in struct pid, upid and pid_namespace, and the level of dtr's name space; only with pidns_ino. */
NUMBER(pid_level);
NUMBER(pid_numbers);
NUMBER(upid_ns);
NUMBER(ns_inum);
NUMBER(pidns_level);

enum { UPID_SIZE = 16 };	/* of a struct upid: the number at one level */

/* The ID in dtr's name space that a struct pid has (as in lang/lower/pids.c). Returns false if it is not in that. */
static inline bool id_in_name_space(uint64_t pid, uint32_t *id)
{
	uint64_t upid = pid + K(pid_numbers) + K(pidns_level) * UPID_SIZE;

	if (kernel_u32(pid + K(pid_level)) < K(pidns_level) ||
	    kernel_u32(kernel_u64(upid + K(upid_ns)) + K(ns_inum)) != K(pidns_ino))
		return false;
	*id = kernel_u32(upid);
	return true;
}

#endif
