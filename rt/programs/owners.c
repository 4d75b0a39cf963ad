/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The programs that maintain the table of owners (engine/bpf/owners.h). */
#include "rt/programs/kernel.h"
#include "rt/programs/owners.h"

enum { TRIES = 4, MAP_ANONYMOUS = 0x20, EXECUTABLE = 4 };

extern struct owners_memory map_owners_memory;
extern uint64_t map_owners[];
extern char map_changes;

NUMBER(begun);			/* start of the session: CLOCK_MONOTONIC, ns */
NUMBER(target);			/* the process whose changes are reported; 0: none */

/* Offsets in struct pt_regs, and numbers of calls. The 32-bit processes are those with register & mode_mask == mode. */
NUMBER(mode_reg);
NUMBER(mode_mask);
NUMBER(mode);
#define CALLS(set) NUMBER(set##_number); NUMBER(set##_addr); NUMBER(set##_length); NUMBER(set##_prot); \
	NUMBER(set##_flags); NUMBER(set##_mmap); NUMBER(set##_mprotect); NUMBER(set##_pkey_mprotect)
CALLS(wide);
CALLS(narrow);

struct call_layout {
	uint64_t number, addr, length, prot, flags;	/* offsets */
	uint64_t mmap, mprotect, pkey_mprotect;		/* numbers */
};
#define LAYOUT(set) { K(set##_number), K(set##_addr), K(set##_length), K(set##_prot), K(set##_flags), \
	K(set##_mmap), K(set##_mprotect), K(set##_pkey_mprotect) }

/* A call that maps memory. */
struct map_call {
	bool mmap;
	uint64_t addr, length, prot, flags;
};

/* Returns false for other calls: most releases of the lock are not from one of these. */
static inline bool read_call(uint64_t regs, const struct call_layout *l, struct map_call *out)
{
	uint64_t number = kernel_u64(regs + l->number);

	if (number != l->mmap && number != l->mprotect && number != l->pkey_mprotect)
		return false;
	out->mmap = number == l->mmap;
	out->addr = kernel_u64(regs + l->addr);
	out->length = kernel_u64(regs + l->length);
	out->prot = kernel_u64(regs + l->prot);
	out->flags = kernel_u64(regs + l->flags);
	return true;
}

/* The owner from now on. */
static inline uint64_t owner_now(uint32_t pid)
{
	const uint64_t most = (1ull << OWNER_TIME_BITS) - 1;
	uint64_t time = (bpf_ktime_get_ns() - K(begun)) >> OWNER_TIME_UNIT;

	if (time > most)
		time = most;
	return time << (OWNER_PID_BITS + 1) | (pid & (OWNER_NEXT - 1));
}

/* Sets the process's word, unless it is larger already. */
static inline void store_owner(uint32_t pid, uint64_t owner)
{
	volatile uint64_t *word = &map_owners[pid & (OWNERS - 1)];

#pragma unroll
	for (int i = 0; i < TRIES; i++) {
		uint64_t old = *word;

		if (old >= owner || __sync_val_compare_and_swap(word, old, owner) == old)
			return;
	}
	*word = owner;
}

/* Records also that the process has mapped a file executable, or that its mappings are gone. */
static inline void owner_changed(uint32_t pid, uint64_t owner)
{
	map_owners_memory.files[pid & (OWNERS_FILES - 1)] = owner;
	store_owner(pid, owner);
}

/* Reports a change of the session's process, so that its new mappings are known before its first stack needs them. */
static inline void report_change(uint32_t pid)
{
	uint64_t notice = pid;

	if (K(target) && pid == K(target))
		bpf_ringbuf_output(&map_changes, &notice, sizeof notice, 0);
}

int program_owner_exec(void *ctx)
{
	struct thread_ids ids;

	(void)ctx;
	if (!current_ids(&ids))
		return 0;
	owner_changed(ids.tgid, owner_now(ids.tgid));
	report_change(ids.tgid);
	return 0;
}

/* A hash of the range and the process, never 0. */
static inline uint64_t range_of(uint32_t pid, const struct map_call *c)
{
	const uint64_t mix = 0x9e3779b97f4a7c15;

	return (((c->addr * mix + c->length) * mix) + pid) * mix | 1;
}

/* Returns false if this range is known already and the process has mapped no file since then. */
static inline bool anonymous_is_new(uint32_t pid, const struct map_call *c)
{
	uint64_t range = range_of(pid, c), files = map_owners_memory.files[pid & (OWNERS_FILES - 1)];
	struct owners_range *known = &map_owners_memory.ranges[range >> 40 & (OWNERS_RANGES - 1)];

	if (known->range == range && known->files == files)
		return false;
	known->files = files;
	known->range = range;
	return true;
}

/* At mmap_lock_released: a system call may have made memory executable. */
int program_owner_map(void *ctx)
{
	uint64_t regs = (uint64_t)bpf_task_pt_regs((struct task_struct *)bpf_get_current_task_btf());
	const struct call_layout wide = LAYOUT(wide), narrow = LAYOUT(narrow);
	struct thread_ids ids;
	struct map_call c;

	(void)ctx;
	if ((kernel_u64(regs + K(mode_reg)) & K(mode_mask)) == K(mode) ? !read_call(regs, &narrow, &c) :
									 !read_call(regs, &wide, &c))
		return 0;
	if (!(c.prot & EXECUTABLE) || !current_ids(&ids))
		return 0;
	if (c.mmap && !(c.flags & MAP_ANONYMOUS)) {
		owner_changed(ids.tgid, owner_now(ids.tgid));
		report_change(ids.tgid);
	} else if (anonymous_is_new(ids.tgid, &c)) {
		store_owner(ids.tgid, owner_now(ids.tgid));
	}
	return 0;
}

/* The second argument of the tracepoint says whether this is the last thread. */
int program_owner_exit(uint64_t *ctx)
{
	struct thread_ids ids;

	if ((ctx[1] & 0xff) && current_ids(&ids))
		owner_changed(ids.tgid, owner_now(ids.tgid) | OWNER_NEXT);
	return 0;
}

/* For kernels without that argument. */
int program_owner_leader(void *ctx)
{
	struct thread_ids ids;

	(void)ctx;
	if (current_ids(&ids) && ids.pid == ids.tgid)
		owner_changed(ids.tgid, owner_now(ids.tgid) | OWNER_NEXT);
	return 0;
}
