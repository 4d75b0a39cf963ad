/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the stack walker (unwind.c) needs from its surroundings: maps, and helper functions of the kernel. Compiled for
 * this machine, helpers are plain functions that a test provides.
 *
 * Ownership: none. Errors: as the kernel's; a read that fails zeroes its destination.
 */
#ifndef RT_UNWIND_HELPERS_H
#define RT_UNWIND_HELPERS_H

#include <stdint.h>

struct unwind_shared;			/* rt/unwind.h */
extern struct unwind_shared map_unwind;
extern uint64_t map_owners[];
extern uint8_t map_unwind_first[];
extern char map_unwind_slots, map_unwind_chunks, map_unwind_ring;

/* The kernel's struct pt_regs. */
struct task_regs {
	uint64_t r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax, ip, cs, flags, sp, ss;
};
struct pidns_ids {
	uint32_t pid, tgid;
};

#ifdef __bpf__
#define UNWIND_HELPER(type, name, number, ...) static type (*const name)(__VA_ARGS__) = (void *)(number)
#define UNROLL _Pragma("unroll")
#else
#define UNWIND_HELPER(type, name, number, ...) type name(__VA_ARGS__)
#define UNROLL
#endif

UNWIND_HELPER(void *, map_lookup, 1, void *map, const void *key);
UNWIND_HELPER(uint64_t, time_ns, 5, void);
UNWIND_HELPER(uint64_t, pid_tgid, 14, void);
UNWIND_HELPER(uint64_t, task, 35, void);
UNWIND_HELPER(long, read_user, 112, void *dst, uint32_t size, const void *from);
UNWIND_HELPER(long, read_kernel, 113, void *dst, uint32_t size, const void *from);
UNWIND_HELPER(long, ns_pid_tgid, 120, uint64_t dev, uint64_t ino, struct pidns_ids *out, uint32_t size);
UNWIND_HELPER(void *, ring_reserve, 131, void *ring, uint64_t size, uint64_t flags);
UNWIND_HELPER(void, ring_submit, 132, void *data, uint64_t flags);
UNWIND_HELPER(uint64_t, ring_query, 134, void *ring, uint64_t what);
UNWIND_HELPER(void *, task_btf, 158, void);
UNWIND_HELPER(struct task_regs *, task_regs, 175, void *task);

#endif
