/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The way up from a directory entry to the process's root, for d_path(). It is one function for the kernel's programs
 * and for the interpreter, because the kernel's verifier checks a loop once; as IR it would be unrolled.
 *
 * A concurrent rename can produce a name that never existed.
 * Ownership: the caller owns all memory. Errors: a failed read ends the way; the text is then incomplete.
 */
#ifndef RT_CLIMB_H
#define RT_CLIMB_H

#include <stdint.h>

enum {
	CLIMB_STEPS = 32,
	CLIMB_SPAN = 64,	/* bytes that one read covers */
	CLIMB_NAME = 255,	/* NAME_MAX of linux/limits.h */
	CLIMB_MORE = 1 + CLIMB_NAME + 8,	/* the text's place is so much larger than its capacity */
};

/* Offsets in the kernel's structures. */
struct climb_layout {
	uint64_t dentry;	/* where a read of a directory entry begins */
	uint64_t parent, name, length;	/* there, whole words: d_parent, d_name.name; any: d_name.len */
	uint64_t mount;		/* where a read of a mount begins */
	uint64_t above, point;	/* there: mnt_parent, mnt_mountpoint */
	uint64_t top;		/* of mnt.mnt_root in a mount */
};

struct climb {
	/* The caller sets these: where the way begins, the root of that mount, where it ends. */
	uint64_t dentry, mount, top;
	uint64_t root_dentry, root_mount;
	/* For the function itself: names and their number, bytes of the text, why the way ended (enum climb_end). */
	uint64_t n, off, ended;
	uint8_t at[CLIMB_SPAN];
	struct climb_name {
		uint64_t addr, len;
	} name[CLIMB_STEPS];
};

enum climb_end { CLIMB_LONG, CLIMB_ROOT, CLIMB_LOOSE, CLIMB_FAILED };

#ifndef __bpf__
/* Reads memory of the kernel; returns 0 or an error. */
struct climb_reader {
	int (*read)(void *arg, void *dst, uint32_t n, uint64_t addr);
	void *arg;
};
#define CLIMB_READER , const struct climb_reader *reader
#else
#define CLIMB_READER
#endif

/* text: zeroed, cap + CLIMB_MORE bytes; it ends at its first NUL or at cap. A file outside of any directory and without
 * a name (a pipe) is "<unknown>"; a way of more than CLIMB_STEPS begins with "...". Returns 0, or 1 if a read fails. */
uint64_t rt_climb(char *text, struct climb *c, const struct climb_layout *layout, uint64_t cap CLIMB_READER);

#endif
