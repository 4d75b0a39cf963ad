/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The values of members: one function per kind of value, one row per member. */
#include "engine/interp/image_rows.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/arena.h"

uint64_t image_place(uint64_t base, uint64_t id, unsigned place)
{
	return base + (id << AREA_BITS) + ((uint64_t)place << PLACE_BITS);
}

uint64_t image_row_task(uint64_t tid)
{
	return image_place(TASKS, tid % MOST_TASKS, TASK);
}

/* The address of a task's structure; the address in the sample if there is one. */
static uint64_t task_at(const struct image *im, uint64_t id)
{
	return id == im->now->tid && im->now->addr ? im->now->addr : image_row_task(id);
}

static uint64_t row_put64(void *out, uint64_t v)
{
	memcpy(out, &v, sizeof v);
	return v;
}

/* ---- values of the sample ---- */
static bool get_sample(struct image *im, const struct image_row *r, const struct image_spot *at, void *out)
{
	(void)at;
	if ((im->past->nouids && r->in == CRED) || (im->past->nocpu && r->from == offsetof(struct sample, cpu)))
		return false;
	memcpy(out, (const char *)im->now + r->from, r->size);
	return true;
}

static bool get_more(struct image *im, const struct image_row *r, const struct image_spot *at, void *out)
{
	(void)at;
	if (im->now->task)
		memcpy(out, (const char *)im->now->task + r->from, r->size);
	return im->now->task;
}

/* A value that is 0 if it is unknown. */
static bool get_some(struct image *im, const struct image_row *r, const struct image_spot *at, void *out)
{
	uint64_t v = 0;

	return get_more(im, r, at, &v) && row_put64(out, v);
}

static bool get_number(struct image *im, const struct image_row *r, const struct image_spot *at, void *out)
{
	(void)im, (void)at;
	row_put64(out, r->from);
	return true;
}

static bool get_ran(struct image *im, const struct image_row *r, const struct image_spot *at, void *out)
{
	(void)r, (void)at;
	row_put64(out, im->now->ran);
	return im->now->ran || !im->now->tid;	/* idle threads have no run time */
}

static bool get_comm(struct image *im, const struct image_row *r, const struct image_spot *at, void *out)
{
	bool own = at->part == TASK || im->now->tid == im->now->pid;

	(void)r;
	if (own || im->now->task)
		memcpy(out, own ? im->now->comm : im->now->task->leader_comm, sizeof im->now->comm);
	return own || im->now->task;
}

/* A pointer to a structure in the area of the process. */
static bool get_part(struct image *im, const struct image_row *r, const struct image_spot *at, void *out)
{
	(void)at;
	return row_put64(out, image_place(TASKS, im->now->pid % MOST_TASKS, (unsigned)r->from));
}

static bool get_leader(struct image *im, const struct image_row *r, const struct image_spot *at, void *out)
{
	(void)r, (void)at;
	return row_put64(out, task_at(im, im->now->pid));
}

static bool get_parent(struct image *im, const struct image_row *r, const struct image_spot *at, void *out)
{
	(void)r, (void)at;
	return im->now->task && row_put64(out, task_at(im, im->now->task->ppid));
}

static bool get_mm(struct image *im, const struct image_row *r, const struct image_spot *at, void *out)
{
	if (!im->now->task)
		return false;
	if (!(im->now->task->flags & KTHREAD))
		return get_part(im, r, at, out);
	row_put64(out, 0);
	return true;
}

/* Terminal numbers in /proc/PID/stat: the bits of the minor number are on both sides of the major number. */
static bool get_tty(struct image *im, const struct image_row *r, const struct image_spot *at, void *out)
{
	const struct sample_task *t = im->now->task;
	uint32_t nr = t ? t->tty - 1 : 0;

	if (!t || !t->tty)
		return false;
	if (r->in == SIGNAL && nr)
		return get_part(im, r, at, out);
	row_put64(out, r->in == SIGNAL ? 0 : r->in == DRIVER ? nr >> 8 & 0xfff : (nr & 0xff) | (nr >> 12 & 0xfff00));
	return true;
}

/* ---- other tasks ---- */
static bool other_read(struct image *im, uint64_t id)
{
	if (im->past->past || (im->other_known && im->other.tid == id))
		return im->other_exists && !im->past->past;
	im->other = (struct task){ .pid = (uint32_t)id, .tid = (uint32_t)id };
	im->other_known = true;
	return im->other_exists = task_more(&im->other, true);
}

static bool get_other(struct image *im, const struct image_row *r, const struct image_spot *at, void *out)
{
	if (!other_read(im, at->id))
		return false;
	memcpy(out, (const char *)&im->other + r->from, r->size);
	return true;
}

static bool get_other_parent(struct image *im, const struct image_row *r, const struct image_spot *at, void *out)
{
	(void)r;
	if (!at->id) {	/* the first task is its own parent */
		row_put64(out, task_at(im, 0));
		return true;
	}
	return other_read(im, at->id) && row_put64(out, task_at(im, im->other.ppid));
}

static bool get_id(struct image *im, const struct image_row *r, const struct image_spot *at, void *out)
{
	(void)im, (void)r;
	row_put64(out, at->id);
	return true;
}

/* ---- directories ---- */
struct proc_dirs *image_dirs(struct image *im)
{
	if (!im->dirs)
		im->dirs = arena_alloc(im->arena, sizeof *im->dirs);
	if (!im->dirs_known)
		proc_dirs_read(im->now->pid, im->now->tid, im->dirs);
	im->dirs_known = true;
	return im->dirs;
}

bool image_gone(int err)
{
	return err == -ENOENT || err == -ESRCH;
}

/* The fs member of a task that is exiting is NULL. */
static bool get_fs(struct image *im, const struct image_row *r, const struct image_spot *at, void *out)
{
	if (im->past->past)
		return false;
	if (!image_gone(image_dirs(im)->err))
		return get_part(im, r, at, out);
	row_put64(out, 0);
	return true;
}

static uint64_t name_at(uint64_t base, uint64_t id, enum image_path which, unsigned n)
{
	return image_place(base, id, NAMES + (which & 1) * PATH_NAMES + n);
}

static uint64_t root_at(const struct image *im)
{
	return image_place(TASKS, im->now->pid % MOST_TASKS, ROOT);
}

/* The thread's root directory. */
static uint64_t jail_at(struct image *im)
{
	const struct proc_path *p = &image_dirs(im)->root;

	return p->n ? name_at(TASKS, im->now->pid % MOST_TASKS, JAIL, p->n - 1) : root_at(im);
}

/* The parent of the first entry of a path. */
static uint64_t parent_entry(struct image *im, const struct image_spot *at)
{
	if (at->which == CWD)
		return im->dirs->outside ? root_at(im) : jail_at(im);
	if (at->which == JAIL)
		return root_at(im);
	if (at->which == POINT)
		return jail_at(im);
	if (im->file->loose)	/* the entry itself */
		return name_at(FILES, at->id, NAME, 0);
	return im->file->mounted ? image_place(FILES, at->id, FILE_ROOT) : im->file->outside ? root_at(im) :
		jail_at(im);
}

static uint64_t cwd_at(struct image *im)
{
	const struct proc_dirs *d = image_dirs(im);

	if (d->cwd.n)
		return name_at(TASKS, im->now->pid % MOST_TASKS, CWD, d->cwd.n - 1);
	return d->outside ? root_at(im) : jail_at(im);
}

static bool get_dir(struct image *im, const struct image_row *r, const struct image_spot *at, void *out)
{
	(void)at;
	return !im->past->past && !image_dirs(im)->err && row_put64(out, r->from == CWD ? cwd_at(im) : jail_at(im));
}

/* Pointers to mounts point to struct vfsmount, which is a member of struct mount. */

static bool get_mnt(struct image *im, const struct image_row *r, const struct image_spot *at, void *out)
{
	(void)r, (void)at;
	if (im->past->past || image_dirs(im)->err || !image_part(im, MOUNT))
		return false;
	return row_put64(out, image_place(TASKS, im->now->pid % MOST_TASKS, MOUNT) + im->place[ROW_MNT]);
}

static bool get_root(struct image *im, const struct image_row *r, const struct image_spot *at, void *out)
{
	(void)r, (void)at;
	return row_put64(out, root_at(im));
}

/* The parent of an entry. The root is its own parent. */
static bool get_up(struct image *im, const struct image_row *r, const struct image_spot *at, void *out)
{
	(void)r;
	if (!at->path)
		return row_put64(out, at->part == ROOT ? root_at(im) : image_place(FILES, at->id, FILE_ROOT));
	if (!at->name)
		return row_put64(out, parent_entry(im, at));
	return row_put64(out, name_at(at->which < NAME ? TASKS : FILES, at->id, at->which, at->name - 1));
}

static bool get_len(struct image *im, const struct image_row *r, const struct image_spot *at, void *out)
{
	(void)im, (void)r;
	row_put64(out, !at->path ? 1 : at->name < at->path->n ? at->path->len[at->name] : 0);
	return true;
}

static bool get_name(struct image *im, const struct image_row *r, const struct image_spot *at, void *out)
{
	uint64_t text = image_place(at->which < NAME ? TASKS : FILES, at->id, TEXTS + (at->which & 1));

	(void)im, (void)r;
	return at->path && row_put64(out, text + (at->name < at->path->n ? at->path->off[at->name] : 0));
}

/* ---- files ---- */
struct proc_file *image_file(struct image *im, uint32_t fd)
{
	if (!im->file)
		im->file = arena_alloc(im->arena, sizeof *im->file);
	if (!im->file_known || im->fd != fd)
		proc_file_read(im->now->pid, im->now->tid, fd, im->file);
	im->file_known = true;
	im->fd = fd;
	image_dirs(im);
	return im->file;
}

static bool get_table(struct image *im, const struct image_row *r, const struct image_spot *at, void *out)
{
	(void)im, (void)r, (void)at;
	return row_put64(out, TABLE);
}

static bool get_flags(struct image *im, const struct image_row *r, const struct image_spot *at, void *out)
{
	(void)r;
	memcpy(out, &im->file->flags, sizeof im->file->flags);
	return !image_file(im, (uint32_t)at->id)->err;
}

static bool get_pos(struct image *im, const struct image_row *r, const struct image_spot *at, void *out)
{
	(void)r;
	row_put64(out, im->file->pos);
	return !image_file(im, (uint32_t)at->id)->err;
}

static bool get_file_part(struct image *im, const struct image_row *r, const struct image_spot *at, void *out)
{
	if (r->from == FSTYPE && !*im->file->fs)
		return false;
	return row_put64(out, image_place(FILES, at->id, (unsigned)r->from));
}

static bool get_file_entry(struct image *im, const struct image_row *r, const struct image_spot *at, void *out)
{
	const struct proc_file *f = im->file;
	struct image_spot first = { .part = ROOT, .id = at->id, .path = &f->name, .which = NAME };

	(void)r;
	return row_put64(out, f->name.n ? name_at(FILES, at->id, NAME, f->name.n - 1) : parent_entry(im, &first));
}

/* The mount of a file; the root's mount if the file has no other. */
static bool get_file_mnt(struct image *im, const struct image_row *r, const struct image_spot *at, void *out)
{
	const struct proc_file *f = im->file;

	if (!f->loose && !f->mounted)
		return get_mnt(im, r, at, out);
	return image_part(im, MOUNT) && row_put64(out, image_place(FILES, at->id, FILE_MOUNT) + im->place[ROW_MNT]);
}

/* The parent of a mount; the mount itself for files without a directory. */
static bool get_over(struct image *im, const struct image_row *r, const struct image_spot *at, void *out)
{
	(void)r;
	return row_put64(out, im->file->loose ? image_place(FILES, at->id, FILE_MOUNT) :
		     image_place(TASKS, im->now->pid % MOST_TASKS, MOUNT));
}

static bool get_point(struct image *im, const struct image_row *r, const struct image_spot *at, void *out)
{
	const struct proc_path *p = &im->file->mount;

	(void)r;
	return row_put64(out, p->n ? name_at(FILES, at->id, POINT, p->n - 1) : root_at(im));
}

static bool get_file_root(struct image *im, const struct image_row *r, const struct image_spot *at, void *out)
{
	(void)im, (void)r;
	return row_put64(out, image_place(FILES, at->id, FILE_ROOT));
}

static bool get_fsname(struct image *im, const struct image_row *r, const struct image_spot *at, void *out)
{
	(void)im, (void)r;
	return row_put64(out, image_place(FILES, at->id, TEXTS + 2));
}

/* ---- namespaces ---- */
static int uts_read(struct image *im)
{
	if (!im->own_uts && proc_uts_read((uint64_t)getpid(), (uint64_t)getpid(), &im->own_uts))
		im->own_uts = UINT32_MAX;
	if (!im->uts_known)
		im->uts_err = proc_uts_read(im->now->pid, im->now->tid, &im->uts);
	im->uts_known = true;
	return im->uts_err;
}

static bool get_nsproxy(struct image *im, const struct image_row *r, const struct image_spot *at, void *out)
{
	if (im->past->past || (uts_read(im) && !image_gone(im->uts_err)))
		return false;
	if (!im->uts_err)
		return get_part(im, r, at, out);
	row_put64(out, 0);
	return true;
}

static bool get_uts(struct image *im, const struct image_row *r, const struct image_spot *at, void *out)
{
	(void)r, (void)at;
	return !im->past->past && !uts_read(im) && row_put64(out, im->uts);
}

/* One more than the ID of the newest process. */
static bool get_newest(struct image *im, const struct image_row *r, const struct image_spot *at, void *out)
{
	FILE *f = im->past->past ? NULL : fopen("/proc/loadavg", "re");
	unsigned newest;
	bool known = f && fscanf(f, "%*s %*s %*s %*s %u", &newest) == 1;

	(void)r, (void)at;
	if (f)
		fclose(f);
	if (known)
		row_put64(out, newest + 1);
	return known;
}

/* Known only if this process is in the same UTS namespace. */
static bool get_uname(struct image *im, const struct image_row *r, const struct image_spot *at, void *out)
{
	struct utsname u;

	(void)at;
	if (im->past->past || uts_read(im) || im->uts != im->own_uts || uname(&u))
		return false;
	memcpy(out, (const char *)&u + r->from, r->size);
	return true;
}

/* ---- control groups ---- */
static struct group_chain chain_read(struct image *im)
{
	if (im->past->past)
		return (struct group_chain){ im->now->groups.n, im->now->groups.id };
	if (!im->groups)
		im->groups = groups_open(im->arena, im->past->hierarchy);
	if (!im->chain_known)
		im->chain = groups_read(im->groups, im->now->pid, im->now->tid);
	im->chain_known = true;
	return im->chain;
}

static uint64_t group_at(const struct image *im, unsigned first, unsigned level)
{
	return image_place(TASKS, im->now->pid % MOST_TASKS, first + level);
}

/* The group of the thread. One that has ended, or whose group cannot be read, is in a root with the number 0. */
static bool get_group(struct image *im, const struct image_row *r, const struct image_spot *at, void *out)
{
	const struct group_chain chain = chain_read(im);

	(void)r, (void)at;
	return row_put64(out, group_at(im, GROUPS, chain.n ? chain.n - 1 : 0));
}

static bool get_ancestor(struct image *im, const struct image_row *r, const struct image_spot *at, void *out)
{
	(void)at;
	return row_put64(out, group_at(im, GROUPS, r->index));
}

static bool get_group_level(struct image *im, const struct image_row *r, const struct image_spot *at, void *out)
{
	(void)im, (void)r;
	memcpy(out, &at->name, sizeof at->name);
	return true;
}

static bool get_node(struct image *im, const struct image_row *r, const struct image_spot *at, void *out)
{
	(void)r;
	return row_put64(out, group_at(im, NODES, at->name));
}

static bool get_group_id(struct image *im, const struct image_row *r, const struct image_spot *at, void *out)
{
	const struct group_chain chain = chain_read(im);

	(void)r;
	row_put64(out, at->name < chain.n ? chain.id[at->name] : 0);
	return true;
}

/* ---- members ---- */
const struct image_row image_rows[] = {
#define FIELD(type, field) offsetof(type, field), sizeof((type *)0)->field
#define SAMPLE(in, member, field) { in, member, get_sample, FIELD(struct sample, field), 0 }
#define MORE(in, member, get, field) { in, member, get, FIELD(struct sample_task, field), 0 }
#define OTHERS(in, member, field) { in, member, get_other, FIELD(struct task, field), 0 }
#define POINTER(in, member, index, get, to) { in, member, get, to, sizeof(uint64_t), index }
#define NUMBER(in, member, get, n) { in, member, get, n, 0, 0 }
#define EACH(in, member, get, to) \
	POINTER(in, member, 0, get, to), POINTER(in, member, 1, get, to), POINTER(in, member, 2, get, to), \
	POINTER(in, member, 3, get, to), POINTER(in, member, 4, get, to), POINTER(in, member, 5, get, to), \
	POINTER(in, member, 6, get, to), POINTER(in, member, 7, get, to), POINTER(in, member, 8, get, to), \
	POINTER(in, member, 9, get, to), POINTER(in, member, 10, get, to), POINTER(in, member, 11, get, to), \
	POINTER(in, member, 12, get, to), POINTER(in, member, 13, get, to), POINTER(in, member, 14, get, to), \
	POINTER(in, member, 15, get, to)
#define HOST(member, field) { UTS, member, get_uname, FIELD(struct utsname, field), 0 }
	[ROW_MNT] = POINTER(MOUNT, "mnt.mnt_root", 0, get_root, 0),
	SAMPLE(TASK, "pid", tid), SAMPLE(TASK, "tgid", pid), SAMPLE(TASK, "thread_info.cpu", cpu),
	NUMBER(TASK, "comm", get_comm, 0), NUMBER(TASK, "__state", get_number, 0),
	NUMBER(TASK, "exit_state", get_number, 0),
	NUMBER(TASK, "on_cpu", get_number, 1), NUMBER(TASK, "pi_blocked_on", get_number, 0),
	NUMBER(TASK, "se.sum_exec_runtime", get_ran, 0),
	MORE(TASK, "prio", get_more, prio), MORE(TASK, "static_prio", get_more, static_prio),
	MORE(TASK, "normal_prio", get_more, normal_prio), MORE(TASK, "rt_priority", get_more, rt_priority),
	MORE(TASK, "policy", get_more, policy), MORE(TASK, "flags", get_more, flags),
	MORE(TASK, "start_time", get_more, start_time), MORE(TASK, "nr_cpus_allowed", get_some, cpus_allowed),
	POINTER(TASK, "cred", 0, get_part, CRED), POINTER(TASK, "real_cred", 0, get_part, CRED),
	POINTER(TASK, "signal", 0, get_part, SIGNAL), POINTER(TASK, "real_parent", 0, get_parent, 0),
	POINTER(TASK, "parent", 0, get_parent, 0), POINTER(TASK, "group_leader", 0, get_leader, 0),
	POINTER(TASK, "mm", 0, get_mm, MM), POINTER(TASK, "fs", 0, get_fs, FS), POINTER(TASK, "files", 0, get_fs, FDS),
	POINTER(TASK, "nsproxy", 0, get_nsproxy, NSPROXY),
	SAMPLE(LEADER, "pid", pid), SAMPLE(LEADER, "tgid", pid), NUMBER(LEADER, "comm", get_comm, 0),
	POINTER(LEADER, "group_leader", 0, get_leader, 0), POINTER(LEADER, "real_parent", 0, get_parent, 0),
	NUMBER(OTHER, "pid", get_id, 0), NUMBER(OTHER, "tgid", get_id, 0), OTHERS(OTHER, "comm", comm),
	POINTER(OTHER, "real_parent", 0, get_other_parent, 0), OTHERS(OTHER, "start_time", more.start_time),
	NUMBER(PARENT, "pid", get_id, 0), NUMBER(PARENT, "tgid", get_id, 0), OTHERS(PARENT, "comm", comm),
	POINTER(PARENT, "real_parent", 0, get_other_parent, 0),
	SAMPLE(CRED, "uid.val", uid), SAMPLE(CRED, "gid.val", gid), MORE(CRED, "euid.val", get_more, euid),
	MORE(CRED, "egid.val", get_more, egid), MORE(SIGNAL, "nr_threads", get_more, nthreads),
	POINTER(SIGNAL, "pids", 2, get_part, PGRP), POINTER(SIGNAL, "pids", 3, get_part, SESSION),
	POINTER(SIGNAL, "pids", 1, get_part, TGID), SAMPLE(TGID, "numbers.nr", pid),
	POINTER(TGID, "numbers.ns", 0, get_part, PIDNS),
	NUMBER(PIDNS, "idr.idr_next", get_newest, 0),
	POINTER(SIGNAL, "tty", 0, get_tty, TTY), POINTER(TTY, "driver", 0, get_part, DRIVER),
	NUMBER(TTY, "index", get_tty, 0),
	NUMBER(DRIVER, "major", get_tty, 0), NUMBER(DRIVER, "minor_start", get_number, 0),
	MORE(PGRP, "numbers.nr", get_more, pgid), MORE(SESSION, "numbers.nr", get_more, sid),
	MORE(MM, "arg_start", get_some, arg_start), MORE(MM, "arg_end", get_some, arg_end),
	MORE(MM, "start_stack", get_some, start_stack), MORE(MM, "total_vm", get_some, total_vm),
	POINTER(FS, "pwd.mnt", 0, get_mnt, 0), POINTER(FS, "pwd.dentry", 0, get_dir, CWD),
	POINTER(FS, "root.mnt", 0, get_mnt, 0), POINTER(FS, "root.dentry", 0, get_dir, JAIL),
	POINTER(MOUNT, "mnt_parent", 0, get_part, MOUNT), POINTER(MOUNT, "mnt_mountpoint", 0, get_root, 0),
	POINTER(ROOT, "d_parent", 0, get_up, 0), POINTER(ROOT, "d_name.name", 0, get_name, 0),
	NUMBER(ROOT, "d_name.len", get_len, 0), NUMBER(ROOT, "d_name.hash", get_number, 0),
	POINTER(FILE_ROOT, "d_parent", 0, get_up, 0), NUMBER(FILE_ROOT, "d_name.len", get_len, 0),
	NUMBER(FILE_ROOT, "d_name.hash", get_number, 0), POINTER(FILE_ROOT, "d_name.name", 0, get_name, 0),
	POINTER(FDS, "fdt", 0, get_part, FDT), NUMBER(FDT, "max_fds", get_number, MOST_FILES),
	POINTER(FDT, "fd", 0, get_table, 0),
	POINTER(FILE_PART, "f_path.mnt", 0, get_file_mnt, 0), POINTER(FILE_PART, "f_path.dentry", 0, get_file_entry, 0),
	NUMBER(FILE_PART, "f_flags", get_flags, 0), NUMBER(FILE_PART, "f_pos", get_pos, 0),
	POINTER(FILE_PART, "f_inode", 0, get_file_part, INODE), POINTER(INODE, "i_sb", 0, get_file_part, SUPER),
	POINTER(SUPER, "s_type", 0, get_file_part, FSTYPE), POINTER(FSTYPE, "name", 0, get_fsname, 0),
	POINTER(FILE_MOUNT, "mnt.mnt_root", 0, get_file_root, 0), POINTER(FILE_MOUNT, "mnt_parent", 0, get_over, 0),
	POINTER(FILE_MOUNT, "mnt_mountpoint", 0, get_point, 0),
	POINTER(NSPROXY, "uts_ns", 0, get_part, UTS), NUMBER(UTS, "ns.inum", get_uts, 0),
	POINTER(TASK, "cgroups", 0, get_part, CGROUPS), EACH(CGROUPS, "subsys", get_part, SUBSYS),
	POINTER(CGROUPS, "dfl_cgrp", 0, get_group, 0), POINTER(SUBSYS, "cgroup", 0, get_group, 0),
	NUMBER(CGROUP, "level", get_group_level, 0), POINTER(CGROUP, "kn", 0, get_node, 0),
	EACH(CGROUP, "ancestors", get_ancestor, 0), NUMBER(NODE, "id", get_group_id, 0),
	HOST("name.sysname", sysname), HOST("name.nodename", nodename), HOST("name.release", release),
	HOST("name.version", version), HOST("name.machine", machine), HOST("name.domainname", domainname),
#undef FIELD
#undef SAMPLE
#undef MORE
#undef OTHERS
#undef POINTER
#undef NUMBER
#undef HOST
#undef EACH
};

const unsigned image_nrows = sizeof image_rows / sizeof image_rows[0];

bool image_row_past(const struct image_past *past, const struct image_row *r)
{
	static row_fn *const now[] = {
		get_fs, get_nsproxy, get_mm, get_ran, get_some, get_tty, get_other, get_other_parent, get_newest,
	};

	if (r->get == get_group)
		return past->groups;
	for (unsigned i = 0; i < sizeof now / sizeof now[0]; i++)
		if (r->get == now[i])
			return false;
	return true;
}

int image_row_leads(const struct image_row *r)
{
	static row_fn *const parts[] = { get_part, get_fs, get_mm, get_nsproxy, get_tty };	/* or 0 */

	if (r->get == get_parent)
		return PARENT;
	if (r->get == get_group || r->get == get_ancestor || r->get == get_node)
		return r->get == get_node ? NODE : CGROUP;
	for (unsigned i = 0; r->size == sizeof(uint64_t) && i < sizeof parts / sizeof parts[0]; i++)
		if (r->get == parts[i])
			return (int)r->from;
	return IMAGE_NOWHERE;
}
