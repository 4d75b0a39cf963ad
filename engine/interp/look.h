/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What /proc tells now of a thread's directories, files and name space, taken apart as the kernel's structures have it.
 *
 * Who owns what: the caller owns the structures; nothing is kept open. What can fail: everything, -errno: the thread is gone
 * (-ENOENT, -ESRCH), is not ours to see (-EACCES, -EPERM).
 */
#ifndef ENGINE_INTERP_LOOK_H
#define ENGINE_INTERP_LOOK_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

enum { LOOK_NAMES = 120 };

/* The names of a path from the top on, each with its NUL; of a longer one the last ones. */
struct look_path {
	char text[PATH_MAX];
	uint16_t off[LOOK_NAMES], len[LOOK_NAMES];
	unsigned n;
};

/* A thread's directories. */
struct look_dirs {
	int err;
	struct look_path root;	/* n = 0: it is that of its name space */
	struct look_path cwd;	/* below root, if it is there */
	bool outside;		/* cwd is not below root */
};

/* A file descriptor. */
struct look_file {
	int err;
	uint64_t pos;
	uint32_t flags;
	char fs[64];		/* "" = not known */
	struct look_path name;	/* below its mount, or (loose) of no directory: n = 0: it has no name */
	struct look_path mount;	/* where that is, below the thread's root */
	bool loose;		/* pipes, sockets and the like */
	bool mounted;		/* mount is known and is not the root */
	bool outside;		/* it is not below the thread's root */
};

void look_dirs(uint64_t pid, uint64_t tid, struct look_dirs *out);
void look_file(uint64_t pid, uint64_t tid, uint32_t fd, struct look_file *out);
/* The number of its UTS name space. */
int look_uts(uint64_t pid, uint64_t tid, uint32_t *inum);

#endif
