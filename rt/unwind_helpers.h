/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the stack walker (unwind.c) needs from its surroundings: maps, and helper functions of the kernel, under names
 * of its own. Compiled for this machine, helpers are plain functions that a test provides.
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
#include "rt/helpers.h"

#define map_lookup bpf_map_lookup_elem
#define time_ns bpf_ktime_get_ns
#define pid_tgid bpf_get_current_pid_tgid
#define task() bpf_get_current_task()
#define read_user bpf_probe_read_user
#define read_kernel bpf_probe_read_kernel
#define ns_pid_tgid(dev, ino, out, size) bpf_get_ns_current_pid_tgid(dev, ino, (struct bpf_pidns_info *)(out), size)
#define ring_reserve bpf_ringbuf_reserve
#define ring_submit bpf_ringbuf_submit
#define ring_query bpf_ringbuf_query
#define task_btf bpf_get_current_task_btf
#define task_regs(task) ((struct task_regs *)bpf_task_pt_regs(task))
#define UNROLL _Pragma("unroll")
#else
void *map_lookup(void *map, const void *key);
uint64_t time_ns(void);
uint64_t pid_tgid(void);
uint64_t task(void);
long read_user(void *dst, uint32_t size, const void *from);
long read_kernel(void *dst, uint32_t size, const void *from);
long ns_pid_tgid(uint64_t dev, uint64_t ino, struct pidns_ids *out, uint32_t size);
void *ring_reserve(void *ring, uint64_t size, uint64_t flags);
void ring_submit(void *data, uint64_t flags);
uint64_t ring_query(void *ring, uint64_t what);
void *task_btf(void);
struct task_regs *task_regs(void *task);
#define UNROLL
#endif

#endif
