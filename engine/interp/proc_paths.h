/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads a thread's directories, files and UTS namespace from /proc, in the parts that the kernel's structures contain.
 *
 * Ownership: the caller owns the structures; nothing stays open. Errors: -errno in `err` or as the result: the thread
 * has ended (-ENOENT, -ESRCH) or may not be inspected (-EACCES, -EPERM).
 */
#ifndef ENGINE_INTERP_PROC_PATHS_H
#define ENGINE_INTERP_PROC_PATHS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

enum { PROC_PATH_NAMES = 120 };

/* The names in a path from the root, each with a NUL. For a longer path, only the last PROC_PATH_NAMES names. */
struct proc_path {
	char text[PATH_MAX];
	uint16_t off[PROC_PATH_NAMES], len[PROC_PATH_NAMES];
	unsigned n;
};

/* A thread's directories. */
struct proc_dirs {
	int err;
	struct proc_path root;	/* n = 0: the root of its mount namespace */
	struct proc_path cwd;	/* relative to `root` if below it */
	bool outside;		/* cwd is not below root */
};

/* A file descriptor. */
struct proc_file {
	int err;
	uint64_t pos;
	uint32_t flags;
	char fs[64];		/* file system type; "" = unknown */
	struct proc_path name;	/* relative to its mount; if `loose`, a single name; n = 0: no name */
	struct proc_path mount;	/* the mount point, relative to the thread's root */
	bool loose;		/* not in a directory: pipes, sockets and the like */
	bool mounted;		/* `mount` is known and is not the root */
	bool outside;		/* the file is not below the thread's root */
};

void proc_dirs_read(uint64_t pid, uint64_t tid, struct proc_dirs *out);
void proc_file_read(uint64_t pid, uint64_t tid, uint32_t fd, struct proc_file *out);
/* Stores the inode number of the thread's UTS namespace. Returns 0 or -errno. */
int proc_uts_read(uint64_t pid, uint64_t tid, uint32_t *inum);

#endif
