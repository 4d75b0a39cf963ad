/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads a thread's directories, files and name space from /proc, split as the kernel's structures hold them.
 *
 * Ownership: the caller owns the structures; nothing stays open. Errors: -errno in `err` or as the result: the thread
 * has ended (-ENOENT, -ESRCH) or may not be inspected (-EACCES, -EPERM).
 */
#ifndef ENGINE_INTERP_LOOK_H
#define ENGINE_INTERP_LOOK_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

enum { LOOK_NAMES = 120 };

/* The names of a path from the root, each with its NUL; of a longer path only the last LOOK_NAMES. */
struct look_path {
	char text[PATH_MAX];
	uint16_t off[LOOK_NAMES], len[LOOK_NAMES];
	unsigned n;
};

/* A thread's directories. */
struct look_dirs {
	int err;
	struct look_path root;	/* n = 0: the root of its name space */
	struct look_path cwd;	/* relative to root, if below it */
	bool outside;		/* cwd is not below root */
};

/* A file descriptor. */
struct look_file {
	int err;
	uint64_t pos;
	uint32_t flags;
	char fs[64];		/* type of file system; "" = unknown */
	struct look_path name;	/* relative to its mount, or (loose) in no directory; n = 0: no name */
	struct look_path mount;	/* the mount point, relative to the thread's root */
	bool loose;		/* pipes, sockets and the like */
	bool mounted;		/* `mount` is known and is not the root */
	bool outside;		/* the file is not below the thread's root */
};

void look_dirs(uint64_t pid, uint64_t tid, struct look_dirs *out);
void look_file(uint64_t pid, uint64_t tid, uint32_t fd, struct look_file *out);
/* Stores the inode number of its UTS name space. Returns 0 or -errno. */
int look_uts(uint64_t pid, uint64_t tid, uint32_t *inum);

#endif
