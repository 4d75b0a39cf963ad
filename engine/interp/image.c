/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/interp/image.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "engine/interp/image_rows.h"
#include "lang/types/type_find.h"

static const char *const part_types[PARTS] = {
	[TASK] = "struct task_struct", [LEADER] = "struct task_struct", [PARENT] = "struct task_struct",
	[OTHER] = "struct task_struct", [CRED] = "struct cred", [SIGNAL] = "struct signal_struct",
	[TGID] = "struct pid", [PGRP] = "struct pid",
	[SESSION] = "struct pid", [MM] = "struct mm_struct", [FS] = "struct fs_struct", [FDS] = "struct files_struct",
	[FDT] = "struct fdtable", [NSPROXY] = "struct nsproxy", [UTS] = "struct uts_namespace",
	[PIDNS] = "struct pid_namespace", [TTY] = "struct tty_struct",
	[DRIVER] = "struct tty_driver", [MOUNT] = "struct mount", [ROOT] = "struct dentry", [FILE_PART] = "struct file",
	[INODE] = "struct inode", [SUPER] = "struct super_block", [FSTYPE] = "struct file_system_type",
	[CGROUPS] = "struct css_set", [SUBSYS] = "struct cgroup_subsys_state", [CGROUP] = "struct cgroup",
	[NODE] = "struct kernfs_node",
	[FILE_MOUNT] = "struct mount", [FILE_ROOT] = "struct dentry",
};

/* Finds a member by its path, such as "a.b"; the path of an array stands for its first element. */
static const struct member *member_find(struct types *types, struct type *t, const char *path, uint64_t *off)
{
	const struct member *m = NULL;
	char name[32];

	for (*off = 0; t; t = m->type->kind == T_ARRAY ? m->type->ref : m->type) {
		size_t n = strcspn(path, ".");
		uint64_t bits = 0;

		snprintf(name, sizeof name, "%.*s", (int)n, path);
		m = type_member(types, t, name, &bits);
		if (!m)
			return NULL;
		*off += bits / 8;
		if (!path[n])
			return m;
		path += n + 1;
	}
	return NULL;
}

static void row_place(struct image *im, unsigned i, struct type *t)
{
	const struct image_row *r = &image_rows[i];
	uint64_t off;
	const struct member *m = member_find(im->types, t, r->member, &off);
	uint64_t size = m ? m->type->size : 0;

	if (m && m->type->kind == T_ARRAY && m->type->ref->kind == T_PTR) {	/* array of pointers */
		if (m->type->nelems && r->index >= m->type->nelems)
			return;
		off += r->index * sizeof(uint64_t);
		size = sizeof(uint64_t);
	}
	if (!m || size > WIDEST || off + size > im->size[r->in])
		return;
	im->place[i] = off;
	im->bytes[i] = (uint32_t)size;
	for (uint64_t b = off; b < off + size; b++)
		im->owner[r->in][b] = (uint16_t)(i + 1);
}

/* Computes the offsets of a structure's members in this kernel. */
bool image_part(struct image *im, enum image_part part)
{
	struct type *t;

	if (im->owner[part])
		return im->size[part];
	t = type_lookup(im->types, part_types[part]);
	/* room for flexible arrays at the end */
	im->size[part] = t && type_is_defined(im->types, t) && t->size <= PLACE - WIDEST ?
		(uint32_t)t->size + WIDEST : 0;
	im->owner[part] = arena_calloc(im->arena, im->size[part] + 1, sizeof *im->owner[part]);
	for (unsigned i = 0; i < image_nrows; i++)
		if (image_rows[i].in == part && im->size[part])
			row_place(im, i, t);
	return im->size[part];
}

/* ---- addresses ---- */
static enum image_part which_task(const struct image *im, uint64_t id)
{
	const struct sample *s = im->now;

	return id == s->tid ? TASK : id == s->pid ? LEADER : s->task && id == s->task->ppid ? PARENT : OTHER;
}

static const struct proc_path *path_of(struct image *im, enum image_path which)
{
	if (which >= NAME)
		return which == NAME ? &im->file->name : &im->file->mount;
	return which == CWD ? &image_dirs(im)->cwd : &image_dirs(im)->root;
}

/* Finds what is at a place in the area of a process or (file) of a descriptor. */
static bool place_find(struct image *im, unsigned place, bool file, struct image_spot *at)
{
	if (place >= NAMES && place < NAMES + 2 * PATH_NAMES) {
		at->part = ROOT;
		at->which = (place - NAMES) / PATH_NAMES + (file ? NAME : CWD);
		at->name = (place - NAMES) % PATH_NAMES;
		at->path = path_of(im, at->which);
		return true;
	}
	if (place >= TEXTS && place < TEXTS + 3) {
		at->part = TEXT;
		at->which = place - TEXTS + (file ? NAME : CWD);
		at->path = place < TEXTS + 2 ? path_of(im, at->which) : NULL;
		return at->path || file;
	}
	if (place >= GROUPS && place < GROUPS + 2 * HIERARCHY_DEPTH) {
		at->part = place < NODES ? CGROUP : NODE;
		at->name = (place - GROUPS) % HIERARCHY_DEPTH;
		return !file;
	}
	at->part = place;
	return place > OTHER && place < PARTS && (place >= FILE_PART) == file;
}

static bool spot_find(struct image *im, uint64_t addr, struct image_spot *at)
{
	const struct sample *s = im->now;
	uint64_t place;

	*at = (struct image_spot){ 0 };
	if (s->addr && image_part(im, TASK) && addr - s->addr < im->size[TASK]) {
		*at = (struct image_spot){ .part = TASK, .id = s->tid, .off = addr - s->addr };
		return true;
	}
	if (!im->past->past && addr - TABLE < 8ull * MOST_FILES) {
		*at = (struct image_spot){ .part = POINTERS, .off = addr - TABLE };
		return true;
	}
	place = (addr & ((1ull << AREA_BITS) - 1)) >> PLACE_BITS;
	at->off = addr % PLACE;
	if (!im->past->past && addr - FILES < (uint64_t)MOST_FILES << AREA_BITS) {
		at->id = (addr - FILES) >> AREA_BITS;
		return !image_file(im, (uint32_t)at->id)->err && place_find(im, (unsigned)place, true, at);
	}
	if (addr - TASKS >= (uint64_t)MOST_TASKS << AREA_BITS)
		return false;
	at->id = (addr - TASKS) >> AREA_BITS;
	if (place)
		return at->id == s->pid % MOST_TASKS && place_find(im, (unsigned)place, false, at);
	at->part = which_task(im, at->id);
	return true;
}

/* ---- reading ---- */
static bool member_covers(const struct member *m, uint64_t off)
{
	uint64_t first = m->bitoff / 8, bytes = m->bits ? (m->bitoff % 8 + m->bits + 7) / 8 : m->type->size;
	bool flexible = m->type->kind == T_ARRAY && !m->type->nelems;

	return off >= first && (flexible || off - first < bytes);
}

/* True if the byte belongs to no member: it reads as 0. */
static bool is_padding(struct types *types, struct type *t, uint64_t off)
{
	bool within;

	if (t->kind == T_ARRAY && t->ref->size)
		return is_padding(types, t->ref, off % t->ref->size);
	within = off < t->size;
	if (t->kind != T_STRUCT && t->kind != T_UNION)
		return false;
	for (unsigned i = 0; type_members(types, t) && i < t->nmembers; i++) {
		const struct member *m = &t->members[i];

		if (!member_covers(m, off))
			continue;
		if (!is_padding(types, m->type, off - m->bitoff / 8))
			return false;
		within = true;
	}
	return within;
}

static bool part_padding(struct image *im, int part, uint64_t off)
{
	return off < im->size[part] && is_padding(im->types, type_lookup(im->types, part_types[part]), off);
}

static size_t read_text(struct image *im, const struct image_spot *at, char *dst, size_t n)
{
	const char *text = at->path ? at->path->text : im->file->fs;
	size_t size = at->path ? sizeof at->path->text : sizeof im->file->fs;

	if (at->off >= size)
		return 0;
	n = n < size - at->off ? n : size - at->off;
	memcpy(dst, text + at->off, n);
	return n;
}

static size_t read_pointer(struct image *im, const struct image_spot *at, char *dst, size_t n)
{
	uint32_t fd = (uint32_t)(at->off / 8);
	int err = image_file(im, fd)->err;
	uint64_t v = err ? 0 : image_place(FILES, fd, FILE_PART);
	size_t from = at->off % 8;

	if (err && !image_gone(err))
		return 0;
	n = n < 8 - from ? n : 8 - from;
	memcpy(dst, (const char *)&v + from, n);
	return n;
}

/* Reads at most n bytes, up to the end of a member. Returns how many were read; 0 if the value is unknown. */
static size_t read_some(struct image *im, char *dst, size_t n, uint64_t addr)
{
	char value[WIDEST] = "";
	struct image_spot at;
	size_t from;
	unsigned i;

	if (!spot_find(im, addr, &at))
		return 0;
	if (at.part == TEXT)
		return read_text(im, &at, dst, n);
	if (at.part == POINTERS)
		return read_pointer(im, &at, dst, n);
	if (!image_part(im, at.part) || at.off >= im->size[at.part])
		return 0;
	if (!im->owner[at.part][at.off]) {
		*dst = 0;
		return part_padding(im, at.part, at.off);
	}
	i = im->owner[at.part][at.off] - 1u;
	if (!image_rows[i].get(im, &image_rows[i], &at, value))
		return 0;
	from = at.off - im->place[i];
	n = n < im->bytes[i] - from ? n : im->bytes[i] - from;
	memcpy(dst, value + from, n);
	return n;
}

int image_read(struct image *im, const struct sample *s, void *dst, uint32_t n, uint64_t addr)
{
	size_t some;

	im->now = s;
	for (uint32_t at = 0; at < n; at += (uint32_t)some) {
		some = read_some(im, (char *)dst + at, n - at, addr + at);
		if (!some)
			return -EFAULT;
	}
	return 0;
}

int image_string(struct image *im, const struct sample *s, char *dst, uint32_t n, uint64_t addr)
{
	size_t some;

	im->now = s;
	for (uint32_t at = 0; at + 1 < n; at += (uint32_t)some) {
		some = read_some(im, dst + at, n - 1 - at, addr + at);
		if (!some)
			return -EFAULT;
		if (memchr(dst + at, 0, some))
			return 0;
	}
	return 0;
}

static bool is_called(const struct member *m, const char *text)
{
	size_t n = m->name ? strlen(m->name) : 0;

	return n && !strncmp(text, m->name, n) && text[n] != '_' && !isalnum((unsigned char)text[n]);
}

/* Appends the path of the member that is read: the one that the script names or, if `member` is NULL, the first one.
 * Returns false if there is none. */
static bool member_path(struct types *types, struct type *t, const struct image_ask *ask, struct buf *name)
{
	size_t before = name->len;

	for (unsigned i = 0; type_members(types, t) && i < t->nmembers; i++) {
		const struct member *m = &t->members[i];
		struct image_ask within = { ask->part, ask->off - m->bitoff / 8, ask->size, ask->member };
		bool named = m->name && *m->name, whole = ask->size >= m->type->size;

		if (!member_covers(m, ask->off))
			continue;
		if (named)
			buf_printf(name, "%s%s", before && buf_str(name)[before - 1] != '>' ? "." : "", m->name);
		if ((m->type->kind == T_STRUCT || m->type->kind == T_UNION) && !(named && whole && !ask->member) &&
		    member_path(types, m->type, &within, name))
			return true;
		if (named && (!ask->member || is_called(m, ask->member)))
			return true;
		buf_cut(name, before);
	}
	return false;
}

/* The row of the member at an offset; NULL if there is none. */
static const struct image_row *member_row(struct image *im, int part, uint64_t off)
{
	unsigned row = image_part(im, (enum image_part)part) && off < im->size[part] ? im->owner[part][off] : 0;

	return row ? &image_rows[row - 1] : NULL;
}

/* The first byte of the read that no member of the image has. The end of the read if there is none, or if the structure
 * can be another one: a process that is its own leader has all that is known of the current thread. */
static uint64_t first_unknown(struct image *im, const struct image_ask *ask)
{
	uint64_t at = ask->off, end = ask->off + ask->size;

	if ((ask->part != TASK && ask->part <= OTHER) || !image_part(im, (enum image_part)ask->part))
		return end;
	while (at < end && (member_row(im, ask->part, at) || part_padding(im, ask->part, at)))
		at++;
	return at;
}

bool image_has(struct image *im, const struct image_ask *ask, char *name, size_t n)
{
	static const char *const paths[PARTS] = { [PARENT] = "real_parent->", [CRED] = "cred->", [SIGNAL] = "signal->",
		[TGID] = "signal->pids[1]->", [PGRP] = "signal->pids[2]->", [SESSION] = "signal->pids[3]->",
		[MM] = "mm->", [FS] = "fs->", [FDS] = "files->", [FDT] = "files->fdt->", [NSPROXY] = "nsproxy->",
		[UTS] = "nsproxy->uts_ns->", [TTY] = "signal->tty->", [DRIVER] = "signal->tty->driver->",
		[CGROUPS] = "cgroups->", [SUBSYS] = "cgroups->subsys[]->", [CGROUP] = "cgroups->dfl_cgrp->",
		[NODE] = "cgroups->dfl_cgrp->kn->",
		[PIDNS] = "(name space)->" };
	const struct image_row *row = member_row(im, ask->part, ask->off);
	uint64_t unknown = first_unknown(im, ask);
	struct image_ask any = { ask->part, unknown, unknown == ask->off ? ask->size : 1, NULL };
	struct buf path = { 0 };
	struct type *t;

	if (row && im->past->past && !image_row_past(im->past, row))
		any = (struct image_ask){ ask->part, ask->off, ask->size, NULL };
	else if (unknown == ask->off + ask->size)
		return true;
	t = type_lookup(im->types, part_types[ask->part]);
	buf_puts(&path, paths[ask->part] ? paths[ask->part] : "");
	if (!ask->member || any.off != ask->off || !member_path(im->types, t, ask, &path))
		member_path(im->types, t, &any, &path);
	snprintf(name, n, "%s", buf_str(&path));
	buf_free(&path);
	return false;
}

int image_leads(struct image *im, int part, uint64_t off)
{
	const struct image_row *row = member_row(im, part, off);

	return row ? image_row_leads(row) : IMAGE_NOWHERE;
}

uint64_t image_task(uint64_t tid)
{
	return image_row_task(tid);
}

void image_forget(struct image *im)
{
	im->dirs_known = im->file_known = im->other_known = im->uts_known = im->chain_known = false;
}

void image_thread(struct image *im, enum image_event what, uint64_t pid, uint64_t tid)
{
	if (!im->groups)
		return;
	if (what == IMAGE_CREATED)
		groups_forget(im->groups, tid);
	else
		groups_read(im->groups, pid, tid);
}

bool image_group_created(struct image *im, struct backend_cgroup *out)
{
	return im->groups && groups_created(im->groups, out);
}

struct image *image_open(struct arena *a, struct types *types, const struct image_past *past)
{
	struct image *im = arena_alloc(a, sizeof *im);

	*im = (struct image){ .arena = a, .types = types, .past = past };
	im->place = arena_calloc(a, image_nrows, sizeof *im->place);
	im->bytes = arena_calloc(a, image_nrows, sizeof *im->bytes);
	return im;
}
