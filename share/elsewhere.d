/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Members of kernel structures of Solaris, illumos and FreeBSD that scripts use, translated from Linux's. This file is
 * read if a script names such a member, or one of these types. _member_TAG_NAME[T]: the member NAME of struct TAG,
 * where T is a pointer to the structure. The structures here have no members of their own: a pointer to one of them is
 * the address of the structure of Linux that the comment names.
 */
struct proc;			/* struct task_struct: the first thread of the process */
struct _user {			/* the same */
	char _none;
};
struct _pid;			/* the same */
struct _pgid;			/* the same */
struct _session;		/* the same */
struct _task;			/* the same */
struct _project;		/* the same */
struct _klwp;			/* struct task_struct */
struct _cpu;			/* struct task_struct: the thread on this CPU */
struct _disp;			/* the same */
struct _zone;			/* struct task_struct */
struct _fileinfo {		/* struct fdtable */
	char _none;
};
struct vnode;			/* struct file */

typedef struct proc proc_t;
typedef struct _user user_t;
typedef struct task_struct kthread_t;
typedef struct _klwp klwp_t;
typedef struct _cpu cpu_t;
typedef struct _disp disp_t;
typedef struct _zone zone_t;
typedef struct vnode vnode_t;
typedef struct file file_t;
typedef struct cred cred_t;
typedef struct uf_entry {
	struct file *uf_file;
} uf_entry_t;

inline struct proc *curproc = (struct proc *)curthread->group_leader;

/* ---- threads ---- */
inline struct proc *_member_task_struct_t_procp[struct task_struct *T] = (struct proc *)T->group_leader;
inline struct _klwp *_member_task_struct_t_lwp[struct task_struct *T] =
    (struct _klwp *)(T->flags & 0x00200000 ? (struct task_struct *)0 : T);
inline struct _cpu *_member_task_struct_t_cpu[struct task_struct *T] = (struct _cpu *)T;
inline struct cred *_member_task_struct_t_cred[struct task_struct *T] = (struct cred *)T->cred;
inline int _member_task_struct_t_pri[struct task_struct *T] = T->pid == 0 ? -1 : 139 - T->prio;
inline int _member_task_struct_t_epri[struct task_struct *T] = 139 - T->prio;
inline id_t _member_task_struct_t_cid[struct task_struct *T] = T->policy;
inline id_t _member_task_struct_t_tid[struct task_struct *T] = _id(T, 0);
inline uint64_t _member_task_struct_t_did[struct task_struct *T] = _id(T, 0);
inline uint_t _member_task_struct_t_state[struct task_struct *T] = T->exit_state ? 8 :
    T->__state == 0 ? (T->on_cpu ? 4 : 2) : T->__state & 0xc ? 0x10 : 1;
inline long _member_task_struct_t_start[struct task_struct *T] = (_wall + T->start_time) / 1000000000;
inline string _member_task_struct_t_name[struct task_struct *T] = stringof (T->comm);
inline processorid_t _member_task_struct_t_bind_cpu[struct task_struct *T] =
    T->nr_cpus_allowed == 1 ? T->thread_info.cpu : -1;
inline caddr_t _member_task_struct_t_stk[struct task_struct *T] = (caddr_t)T->stack;
/* FreeBSD */
inline struct proc *_member_task_struct_td_proc[struct task_struct *T] = (struct proc *)T->group_leader;
inline struct cred *_member_task_struct_td_ucred[struct task_struct *T] = (struct cred *)T->cred;
inline id_t _member_task_struct_td_tid[struct task_struct *T] = _id(T, 0);
inline string _member_task_struct_td_name[struct task_struct *T] = stringof (T->comm);
inline int _member_task_struct_td_oncpu[struct task_struct *T] = T->thread_info.cpu;
inline int _member_task_struct_td_priority[struct task_struct *T] = T->prio;

inline struct task_struct *_member__klwp_lwp_thread[struct _klwp *L] = (struct task_struct *)L;
inline struct proc *_member__klwp_lwp_procp[struct _klwp *L] = (struct proc *)((struct task_struct *)L)->group_leader;

/* ---- CPUs: of the current thread ---- */
inline processorid_t _member__cpu_cpu_id[struct _cpu *C] = ((struct task_struct *)C)->thread_info.cpu;
inline processorid_t _member__cpu_cpu_seqid[struct _cpu *C] = ((struct task_struct *)C)->thread_info.cpu;
inline struct task_struct *_member__cpu_cpu_thread[struct _cpu *C] = (struct task_struct *)C;
inline struct task_struct *_member__cpu_cpu_dispthread[struct _cpu *C] = (struct task_struct *)C;
inline struct task_struct *_member__cpu_cpu_idle_thread[struct _cpu *C] = ((struct task_struct *)C)->pid ?
    (struct task_struct *)0 : (struct task_struct *)C;
inline int _member__cpu_cpu_dispatch_pri[struct _cpu *C] = 139 - ((struct task_struct *)C)->prio;
inline struct _disp *_member__cpu_cpu_disp[struct _cpu *C] = (struct _disp *)C;
/* Threads that wait for the CPU, without the running one. */
inline int _member__disp_disp_nrunnable[struct _disp *D] =
    ((struct task_struct *)D)->se.cfs_rq->rq->nr_running -
    (((struct task_struct *)D)->se.cfs_rq->rq->nr_running > 0 ? 1 : 0);

/* ---- processes ---- */
inline struct _pid *_member_proc_p_pidp[struct proc *P] = (struct _pid *)P;
inline struct _pgid *_member_proc_p_pgidp[struct proc *P] = (struct _pgid *)P;
inline pid_t _member__pgid_pid_id[struct _pgid *P] = _id((struct task_struct *)P, 2);
inline pid_t _member__pid_pid_id[struct _pid *P] = _id((struct task_struct *)P, 1);
inline pid_t _member_proc_p_pid[struct proc *P] = _id((struct task_struct *)P, 1);
inline pid_t _member_proc_p_pgrp[struct proc *P] = _id((struct task_struct *)P, 2);
inline pid_t _member_proc_p_ppid[struct proc *P] = _id(((struct task_struct *)P)->real_parent, 1);
inline struct proc *_member_proc_p_parent[struct proc *P] =
    (struct proc *)((struct task_struct *)P)->real_parent->group_leader;
inline struct proc *_member_proc_p_pptr[struct proc *P] =
    (struct proc *)((struct task_struct *)P)->real_parent->group_leader;
inline struct task_struct *_member_proc_p_tlist[struct proc *P] = (struct task_struct *)P;
inline int _member_proc_p_lwpcnt[struct proc *P] = ((struct task_struct *)P)->signal->nr_threads;
inline int _member_proc_p_numthreads[struct proc *P] = ((struct task_struct *)P)->signal->nr_threads;
inline uint_t _member_proc_p_flag[struct proc *P] = (((struct task_struct *)P)->flags & 0x00200000 ? 0x1 : 0) |
    (((struct task_struct *)P)->flags & 0x4 ? 0x20000 : 0);
inline char _member_proc_p_stat[struct proc *P] = ((struct task_struct *)P)->exit_state ? 3 :
    ((struct task_struct *)P)->__state == 0 ? (((struct task_struct *)P)->on_cpu ? 6 : 2) :
    ((struct task_struct *)P)->__state & 0xc ? 4 : 1;
inline struct cred *_member_proc_p_cred[struct proc *P] = (struct cred *)((struct task_struct *)P)->cred;
inline struct cred *_member_proc_p_ucred[struct proc *P] = (struct cred *)((struct task_struct *)P)->cred;
inline struct _zone *_member_proc_p_zone[struct proc *P] = (struct _zone *)P;
inline struct _session *_member_proc_p_sessp[struct proc *P] = (struct _session *)P;
inline pid_t _member__session_s_sid[struct _session *S] = _id((struct task_struct *)S, 3);
inline struct _task *_member_proc_p_task[struct proc *P] = (struct _task *)P;
inline int _member__task_tk_tkid[struct _task *T] = 0;
inline struct _project *_member__task_tk_proj[struct _task *T] = (struct _project *)T;
inline int _member__project_kpj_id[struct _project *J] = 0;
inline struct vnode *_member_proc_p_exec[struct proc *P] = ((struct task_struct *)P)->mm == 0 ? (struct vnode *)0 :
    (struct vnode *)((struct task_struct *)P)->mm->exe_file;
inline struct vnode *_member_proc_p_textvp[struct proc *P] = ((struct task_struct *)P)->mm == 0 ? (struct vnode *)0 :
    (struct vnode *)((struct task_struct *)P)->mm->exe_file;
inline struct mm_struct *_member_proc_p_as[struct proc *P] = ((struct task_struct *)P)->mm;
inline size_t _member_proc_p_stksize[struct proc *P] = ((struct task_struct *)P)->mm == 0 ? 0 :
    ((struct task_struct *)P)->mm->stack_vm << 12;
inline caddr_t _member_proc_p_usrstack[struct proc *P] = ((struct task_struct *)P)->mm == 0 ? (caddr_t)0 :
    (caddr_t)((struct task_struct *)P)->mm->start_stack;
inline caddr_t _member_proc_p_brkbase[struct proc *P] = ((struct task_struct *)P)->mm == 0 ? (caddr_t)0 :
    (caddr_t)((struct task_struct *)P)->mm->start_brk;
inline size_t _member_proc_p_brksize[struct proc *P] = ((struct task_struct *)P)->mm == 0 ? 0 :
    ((struct task_struct *)P)->mm->brk - ((struct task_struct *)P)->mm->start_brk;
inline string _member_proc_p_comm[struct proc *P] = stringof (((struct task_struct *)P)->comm);
inline struct _user _member_proc_p_user[struct proc *P] = *(struct _user *)P;

inline string _member__user_u_comm[struct _user *U] = stringof (((struct task_struct *)U)->comm);
inline string _member__user_u_psargs[struct _user *U] = ((struct task_struct *)U)->mm == curthread->mm ? execargs :
    stringof (((struct task_struct *)U)->comm);
inline struct _fileinfo _member__user_u_finfo[struct _user *U] =
    *(struct _fileinfo *)((struct task_struct *)U)->files->fdt;
inline int _member__fileinfo_fi_nfiles[struct _fileinfo *F] = ((struct fdtable *)F)->max_fds;
inline struct uf_entry *_member__fileinfo_fi_list[struct _fileinfo *F] = (struct uf_entry *)((struct fdtable *)F)->fd;

inline string _member__zone_zone_name[struct _zone *Z] = ((struct task_struct *)Z)->nsproxy == 0 ||
    ((struct task_struct *)Z)->nsproxy->uts_ns->ns.inum == 0xEFFFFFFE ? "global" :
    stringof (((struct task_struct *)Z)->nsproxy->uts_ns->name.nodename);
inline zoneid_t _member__zone_zone_id[struct _zone *Z] = 0;

inline uid_t _member_cred_cr_uid[struct cred *C] = C->euid.val;
inline uid_t _member_cred_cr_ruid[struct cred *C] = C->uid.val;
inline uid_t _member_cred_cr_suid[struct cred *C] = C->suid.val;
inline gid_t _member_cred_cr_gid[struct cred *C] = C->egid.val;
inline gid_t _member_cred_cr_rgid[struct cred *C] = C->gid.val;
inline gid_t _member_cred_cr_sgid[struct cred *C] = C->sgid.val;

/* ---- files ---- */
inline struct vnode *_member_file_f_vnode[struct file *F] = (struct vnode *)F;
inline loff_t _member_file_f_offset[struct file *F] = F->f_pos;
inline uint_t _member_file_f_flag[struct file *F] = F->f_flags;
inline string _member_vnode_v_path[struct vnode *V] = V == 0 ? "<unknown>" : d_path(&((struct file *)V)->f_path);
