/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's structures as the rootless engine lays them out if this kernel offers no type information. Only their
 * description (.BTF) is used. They have the members that the engine knows (engine/interp/image_rows.c), and those that
 * translators and functions name on the way to them, with the kernel's names and types; offsets are dtr's own.
 * tests/unit/test_task_types compares them with the engine's members and with the running kernel.
 */
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32, __u32;
typedef unsigned long long u64;
typedef int pid_t;
typedef long long loff_t;
typedef struct { u32 val; } kuid_t;
typedef struct { u32 val; } kgid_t;

struct list_head { struct list_head *next, *prev; };
struct hlist_node { struct hlist_node *next, **pprev; };
struct hlist_head { struct hlist_node *first; };
struct ns_common { unsigned int inum; };
struct new_utsname { char sysname[65], nodename[65], release[65], version[65], machine[65], domainname[65]; };

/* ---- file systems ---- */
struct qstr {
	union {
		struct { u32 hash, len; };
		u64 hash_len;
	};
	const unsigned char *name;
};
struct dentry {
	struct dentry *d_parent;
	struct qstr d_name;
	struct inode *d_inode;
	struct super_block *d_sb;
	union { struct hlist_node d_alias; } d_u;
};
struct vfsmount { struct dentry *mnt_root; struct super_block *mnt_sb; };
struct mount {
	struct mount *mnt_parent;
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
	struct list_head mnt_instance;
};
struct path { struct vfsmount *mnt; struct dentry *dentry; };
struct file_system_type { const char *name; };
struct super_block {
	unsigned long s_magic;
	struct file_system_type *s_type;
	struct dentry *s_root;
	struct list_head s_mounts;
};
struct inode {
	struct super_block *i_sb;
	union { struct hlist_head i_dentry; };
};
struct file {
	struct path f_path;
	struct inode *f_inode;
	unsigned int f_flags;
	loff_t f_pos;
};
struct fdtable { unsigned int max_fds; struct file **fd; };
struct files_struct { struct fdtable *fdt; };
struct fs_struct { struct path root, pwd; };

/* ---- name spaces, IDs, terminals ---- */
struct idr { unsigned int idr_next; };
struct pid_namespace { struct idr idr; unsigned int level; struct ns_common ns; };
struct upid { int nr; struct pid_namespace *ns; };
struct pid { unsigned int level; struct upid numbers[]; };
struct uts_namespace { struct new_utsname name; struct ns_common ns; };
struct nsproxy { struct uts_namespace *uts_ns; };
struct tty_driver { int major, minor_start; };
struct tty_struct { struct tty_driver *driver; int index; };

/* ---- control groups: of whichever version ---- */
struct kernfs_node { u64 id; };
struct cgroup { struct kernfs_node *kn; int level; struct cgroup *ancestors[]; };
struct cgroup_subsys_state { struct cgroup *cgroup; };
struct css_set { struct cgroup_subsys_state *subsys[16]; struct cgroup *dfl_cgrp; };

/* ---- processes and threads ---- */
struct cred { kuid_t uid; kgid_t gid; kuid_t euid; kgid_t egid; };
struct signal_struct { int nr_threads; struct pid *pids[4]; struct tty_struct *tty; };
struct mm_struct {
	unsigned long task_size, total_vm, start_stack, arg_start, arg_end;
};
struct sched_entity { u64 sum_exec_runtime; };
struct thread_info { u32 cpu; };
struct rt_mutex_waiter;
struct task_struct {
	struct thread_info thread_info;
	unsigned int __state, flags;
	int on_cpu, prio, static_prio, normal_prio;
	unsigned int rt_priority;
	struct sched_entity se;
	unsigned int policy;
	int nr_cpus_allowed;
	struct mm_struct *mm;
	int exit_state, exit_code;
	pid_t pid, tgid;
	struct task_struct *real_parent, *parent, *group_leader;
	u64 start_time;
	const struct cred *real_cred, *cred;
	char comm[16];
	struct fs_struct *fs;
	struct files_struct *files;
	struct nsproxy *nsproxy;
	struct signal_struct *signal;
	struct css_set *cgroups;
	struct rt_mutex_waiter *pi_blocked_on;
};

/* Structures that the prelude and elsewhere.d name; nothing in them is known, so they have no size. */
#define UNKNOWN \
	X(address_space) X(bio) X(block_device) X(folio) X(in6_addr) X(inet_sock) X(iphdr) X(ipv6hdr) \
	X(kernel_siginfo) X(net_device) X(page) X(request) X(sk_buff) X(sock) X(sock_common) X(tcp_sock) \
	X(tcphdr) X(udphdr) X(rt_mutex_waiter)
#define X(tag) struct tag {};
UNKNOWN
#undef X

/* The compiler describes the types of variables. */
struct dtr_types {
	struct task_struct task;
	struct cred cred;
	struct css_set css_set;
	struct cgroup_subsys_state cgroup_subsys_state;
	struct kernfs_node kernfs_node;
	struct mm_struct mm;
	struct fs_struct fs;
	struct files_struct files;
	struct fdtable fdt;
	struct file file;
	struct inode inode;
	struct super_block super;
	struct file_system_type fstype;
	struct dentry dentry;
	struct mount mount;
	struct nsproxy nsproxy;
	struct uts_namespace uts;
	struct signal_struct signal;
	struct tty_struct tty;
	struct tty_driver driver;
	struct pid_namespace pid_namespace;
	struct upid upid;
#define X(tag) struct tag tag;
	UNKNOWN
#undef X
	struct pid pid;
} dtr_types;
struct cgroup dtr_cgroup;
