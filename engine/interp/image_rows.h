/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Internals of the image: its address layout and its members.
 *
 * Each process has an area with its structures and those of its thread at fixed places. A thread's struct task_struct
 * is at the start of the area with the thread's ID. Each file descriptor has an area too. Texts and directory entries
 * follow the structures, one for each name in a path.
 *
 * Ownership, errors: see engine/interp/image.h.
 */
#ifndef ENGINE_INTERP_IMAGE_ROWS_H
#define ENGINE_INTERP_IMAGE_ROWS_H

#include "engine/containers/hierarchy.h"
#include "engine/interp/groups.h"
#include "engine/interp/image_past.h"
#include "engine/interp/proc_paths.h"
#include "engine/sample/tasks.h"

struct arena;
struct sample;
struct types;

#define TASKS 0xffffc00000000000ull
#define FILES 0xffffa00000000000ull
#define TABLE 0xffff9ff000000000ull	/* array of pointers to files */

enum {
	AREA_BITS = 24, PLACE_BITS = 15, PLACE = 1 << PLACE_BITS,
	MOST_TASKS = 1 << 22, MOST_FILES = 1 << 20,
	TEXTS = 32, NAMES = 64, PATH_NAMES = 128,	/* numbers of the first place of each kind */
	GROUPS = NAMES + 2 * PATH_NAMES,		/* control groups, from the root on */
	NODES = GROUPS + HIERARCHY_DEPTH,
	KTHREAD = 0x00200000,				/* PF_KTHREAD */
};

/* Structures. LEADER, PARENT and OTHER are tasks other than the current one. */
enum image_part {
	TASK = IMAGE_TASK, LEADER, PARENT, OTHER, CRED, SIGNAL, TGID, PGRP, SESSION, MM, FS, FDS, FDT, NSPROXY, UTS,
	PIDNS, TTY,
	DRIVER, MOUNT, ROOT, CGROUPS, SUBSYS, CGROUP, NODE,
	FILE_PART, INODE, SUPER, FSTYPE, FILE_MOUNT, FILE_ROOT, PARTS, POINTERS = PARTS, TEXT,
};

enum image_path { CWD, JAIL, NAME, POINT };	/* the first two are of a thread, the others of a file */

/* The meaning of an address. */
struct image_spot {
	enum image_part part;
	uint64_t id;		/* ID of the area: thread, process or descriptor */
	uint64_t off;		/* offset in the structure */
	const struct proc_path *path;	/* path of a directory entry or text */
	enum image_path which;
	unsigned name;		/* number of the directory entry, or level of the control group */
};

struct image {
	struct arena *arena;
	struct types *types;
	const struct image_past *past;
	const struct sample *now;
	uint16_t *owner[PARTS];	/* by byte of a structure: row + 1 of its member, 0 = none; NULL: not read yet */
	uint32_t size[PARTS];
	uint64_t *place;	/* by row: offset and size of the member */
	uint32_t *bytes;
	/* read from /proc for this firing: */
	bool dirs_known, file_known, other_known;
	uint32_t fd;
	struct proc_dirs *dirs;
	struct proc_file *file;
	struct task other;
	bool other_exists;
	uint32_t uts, own_uts;
	int uts_err;
	bool uts_known;
	struct group_chain chain;
	bool chain_known;
	struct groups *groups;	/* NULL: not needed yet */
};

struct image_row;
/* Stores a member's value at the start of *out. Returns false if it is unknown. */
typedef bool row_fn(struct image *im, const struct image_row *r, const struct image_spot *at, void *out);

struct image_row {
	enum image_part in;
	const char *member;
	row_fn *get;
	size_t from, size;
	unsigned index;		/* for an array of pointers: index of the element */
};

enum { WIDEST = 128 };

/* The members. The first is mnt in struct mount. */
enum { ROW_MNT = 0 };
extern const struct image_row image_rows[];
extern const unsigned image_nrows;

/* True if the value is in recordings. */
bool image_row_past(const struct image_past *past, const struct image_row *r);
/* The structure to which the pointer always points, or IMAGE_NOWHERE. */
int image_row_leads(const struct image_row *r);

/* The address of a thread's struct task_struct in the image. */
uint64_t image_row_task(uint64_t tid);
uint64_t image_place(uint64_t base, uint64_t id, unsigned place);
/* Reads the member offsets of a structure from BTF. Returns false if this kernel has no such structure. */
bool image_part(struct image *im, enum image_part part);
struct proc_dirs *image_dirs(struct image *im);
struct proc_file *image_file(struct image *im, uint32_t fd);
/* True if the error means that the thread or file no longer exists. */
bool image_gone(int err);

#endif

