/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Members of kernel structures for built-in variables. */
#include "lang/lower/kfield.h"

#include "lang/lower/expr.h"
#include "lang/lower/lower.h"
#include "lang/lower/mem.h"
#include "lang/types/type_find.h"

static const struct {
	const char *type, *member;
} kfields[KF_COUNT] = {
	[KF_REAL_PARENT] = { "struct task_struct", "real_parent" },
	[KF_PID] = { "struct task_struct", "pid" },
	[KF_COMM] = { "struct task_struct", "comm" },
	[KF_CRED] = { "struct task_struct", "cred" },
	[KF_CRED_UID] = { "struct cred", "uid" },
	[KF_CRED_GID] = { "struct cred", "gid" },
	[KF_TGID] = { "struct task_struct", "tgid" },
	[KF_FS] = { "struct task_struct", "fs" },
	[KF_MM] = { "struct task_struct", "mm" },
	[KF_FS_ROOT] = { "struct fs_struct", "root" },
	[KF_PATH_MNT] = { "struct path", "mnt" },
	[KF_PATH_DENTRY] = { "struct path", "dentry" },
	[KF_DENTRY_PARENT] = { "struct dentry", "d_parent" },
	[KF_DENTRY_NAME] = { "struct dentry", "d_name" },
	[KF_DENTRY_SB] = { "struct dentry", "d_sb" },
	[KF_SB_MOUNTS] = { "struct super_block", "s_mounts" },
	[KF_SB_MAGIC] = { "struct super_block", "s_magic" },
	[KF_DENTRY_ALIAS] = { "struct dentry", "d_u" },
	[KF_INODE_SB] = { "struct inode", "i_sb" },
	[KF_INODE_NAMES] = { "struct inode", "i_dentry" },
	[KF_MAPPING_HOST] = { "struct address_space", "host" },
	[KF_PAGE_MAPPING] = { "struct page", "mapping" },
	[KF_PAGE_HEAD] = { "struct page", "compound_head" },
	[KF_QSTR_LEN] = { "struct qstr", "len" },
	[KF_QSTR_NAME] = { "struct qstr", "name" },
	[KF_MOUNT_PARENT] = { "struct mount", "mnt_parent" },
	[KF_MOUNT_POINT] = { "struct mount", "mnt_mountpoint" },
	[KF_MOUNT_MNT] = { "struct mount", "mnt" },
	[KF_MOUNT_INSTANCE] = { "struct mount", "mnt_instance" },
	[KF_MNT_ROOT] = { "struct vfsmount", "mnt_root" },
	[KF_ARG_START] = { "struct mm_struct", "arg_start" },
	[KF_ARG_END] = { "struct mm_struct", "arg_end" },
	[KF_SE] = { "struct task_struct", "se" },
	[KF_SUM_EXEC] = { "struct sched_entity", "sum_exec_runtime" },
	[KF_MUTEX_OWNER] = { "struct mutex", "owner" },
	[KF_RWSEM_COUNT] = { "struct rw_semaphore", "count" },
	[KF_THREAD_PID] = { "struct task_struct", "thread_pid" },
	[KF_LEADER] = { "struct task_struct", "group_leader" },
	[KF_SIGNAL] = { "struct task_struct", "signal" },
	[KF_SIGNAL_PIDS] = { "struct signal_struct", "pids" },
	[KF_PID_LEVEL] = { "struct pid", "level" },
	[KF_PID_NUMBERS] = { "struct pid", "numbers" },
	[KF_UPID_NR] = { "struct upid", "nr" },
	[KF_UPID_NS] = { "struct upid", "ns" },
	[KF_PIDNS_NS] = { "struct pid_namespace", "ns" },
	[KF_NS_INUM] = { "struct ns_common", "inum" },
	[KF_CGROUPS] = { "struct task_struct", "cgroups" },
	[KF_CGROUPS_DFL] = { "struct css_set", "dfl_cgrp" },
	[KF_CGROUPS_SUBSYS] = { "struct css_set", "subsys" },
	[KF_SUBSYS_CGROUP] = { "struct cgroup_subsys_state", "cgroup" },
	[KF_CGROUP_KN] = { "struct cgroup", "kn" },
	[KF_CGROUP_LEVEL] = { "struct cgroup", "level" },
	[KF_CGROUP_ANCESTORS] = { "struct cgroup", "ancestors" },
	[KF_KN_ID] = { "struct kernfs_node", "id" },
};

const struct kfield *lower_kfield_find(struct lower *l, unsigned which)
{
	struct kfield *f = &l->kfield[which];
	struct types *types = &l->c->types;
	const struct member *m = NULL;
	uint64_t bitoff = 0;
	struct type *t;

	if (f->known)
		return f;
	t = type_lookup(types, kfields[which].type);
	if (t)
		m = type_member(types, t, kfields[which].member, &bitoff);
	f->known = true;
	f->missing = !m || (type_is_scalar(m->type) && m->type->size != 8 && m->type->size != 4);
	f->ours = t && !(t->kernel && t->btf);
	f->flexible = m && m->type->kind == T_ARRAY && !m->type->nelems;
	f->off = bitoff / 8;
	f->size = m ? (uint32_t)m->type->size : 0;
	return f;
}

/* Reports it once, and of what one construct lacks only the first. */
static void kfield_need(struct lower *l, const struct node *n, unsigned which)
{
	const struct kfield *f = lower_kfield_find(l, which);
	const char *lack = l->c->types.error ? l->c->types.error : types_lack(&l->c->types);
	bool first = n->loc.src != l->lacks.src || n->loc.line != l->lacks.line || n->loc.col != l->lacks.col;

	if (f->missing)
		l->lacks = n->loc;
	if (f->missing && !f->reported && first)
		diag(l->diags, n->loc, D_KTYPE, "%s needs the kernel's %s.%s: %s", n->var ? n->var->name : n->str,
		     kfields[which].type, kfields[which].member, lack ? lack : "this kernel has no such member");
	l->kfield[which].reported = true;
}

struct ir_arg lower_kfield_addr(struct lower *l, const struct node *n, struct ir_arg base, unsigned which)
{
	kfield_need(l, n, which);
	return lower_op(l, IR_ADD, base, ir_i((int64_t)l->kfield[which].off));
}

struct ir_arg lower_kfield(struct lower *l, const struct node *n, struct ir_arg base, unsigned which)
{
	struct ir_arg addr = lower_kfield_addr(l, n, base, which);

	return l->kfield[which].missing ? ir_i(0) : lower_kread(l, addr, l->kfield[which].size);
}

struct ir_arg lower_kfield_at(struct lower *l, const struct node *n, const struct node *ptr, unsigned which)
{
	struct mem m = lower_pointee(l, ptr);

	kfield_need(l, n, which);
	m.bitoff += 8 * l->kfield[which].off;
	return l->kfield[which].missing ? ir_i(0) : lower_read_int(l, &m, l->kfield[which].size);
}
