/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Inside of the image: addresses, and what members there are.
 *
 * Addresses. Each process has an area: structures of it and of its thread, at fixed places in it; each thread's struct
 * task_struct is the first of the area of its own number. Each file descriptor has an area, too. Behind the structures are
 * texts and the entries of directories, one for each name of a path.
 *
 * Who owns what, what can fail: as engine/interp/image.h says.
 */
#ifndef ENGINE_INTERP_IMAGE_ROWS_H
#define ENGINE_INTERP_IMAGE_ROWS_H

#include "engine/interp/image.h"
#include "engine/interp/look.h"
#include "engine/sample/tasks.h"

#define TASKS 0xffffc00000000000ull
#define FILES 0xffffa00000000000ull
#define TABLE 0xffff9ff000000000ull	/* pointers to files */

enum {
	AREA_BITS = 24, PLACE_BITS = 15, PLACE = 1 << PLACE_BITS,
	MOST_TASKS = 1 << 22, MOST_FILES = 1 << 20,
	TEXTS = 32, NAMES = 64, PATH_NAMES = 128,	/* places where these begin */
	KTHREAD = 0x00200000,				/* PF_KTHREAD */
};

/* Structures. LEADER, PARENT and OTHER are tasks that are not the current one. */
enum part {
	TASK = IMAGE_TASK, LEADER, PARENT, OTHER, CRED, SIGNAL, TGID, PGRP, SESSION, MM, FS, FDS, FDT, NSPROXY, UTS, PIDNS, TTY,
	DRIVER, MOUNT, ROOT, FILE_PART, INODE, SUPER, FSTYPE, FILE_MOUNT, FILE_ROOT, PARTS, POINTERS = PARTS, TEXT,
};

enum path { CWD, JAIL, NAME, POINT };	/* the first two of a thread, the others of a file */

/* What an address means. */
struct spot {
	enum part part;
	uint64_t id;		/* of the area: thread, process, descriptor */
	uint64_t off;		/* in the structure */
	const struct look_path *path;	/* names of directories, texts */
	enum path which;
	unsigned name;
};

struct image {
	struct arena *arena;
	struct types *types;
	const struct image_past *past;
	const struct sample *now;
	uint16_t *owner[PARTS];	/* of each byte of a structure: the row that has it, and 1; NULL: not looked at yet */
	uint32_t size[PARTS];
	uint64_t *place;	/* of each row's member */
	uint32_t *bytes;
	/* what /proc said for this firing */
	bool dirs_known, file_known, other_known;
	uint32_t fd;
	struct look_dirs *dirs;
	struct look_file *file;
	struct task other;
	bool other_there;
	uint32_t uts, own_uts;
	int uts_err;
	bool uts_known;
};

struct row;
/* False: it is not known. The value's first bytes are the member's. */
typedef bool row_fn(struct image *im, const struct row *r, const struct spot *at, void *out);

struct row {
	enum part in;
	const char *member;
	row_fn *get;
	size_t from, size;
	unsigned index;		/* of an array of pointers: the element */
};

enum { WIDEST = 128 };

/* The members; the first one is struct mount's struct vfsmount. */
enum { ROW_MNT = 0 };
extern const struct row image_rows[];
extern const unsigned image_nrows;

/* Do recordings have it? */
bool image_row_past(const struct row *r);
/* The structure that the pointer always leads to, or IMAGE_NOWHERE. */
int image_row_leads(const struct row *r);

uint64_t image_place(uint64_t base, uint64_t id, unsigned place);
/* Finds where this kernel has the members of a structure. False: it has no such structure. */
bool image_part(struct image *im, enum part part);
struct look_dirs *image_dirs(struct image *im);
struct look_file *image_file(struct image *im, uint32_t fd);
/* The thread or file is not there any more. */
bool image_gone(int err);

#endif

