/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * DTrace's structures for processes, threads and CPUs, translated from the kernel's own. This file is read if a script
 * names one of them. A member's expression is checked only if the script uses the member, so kernels may differ in
 * the others. Members that do not exist on Linux are in the structure but not in the translator.
 */

typedef struct timestruc {
	long tv_sec;
	long tv_nsec;
} timestruc_t;

typedef int chipid_t;
typedef int lgrp_id_t;

typedef struct psinfo {
	int pr_nlwp;			/* number of threads */
	pid_t pr_pid;
	pid_t pr_ppid;
	pid_t pr_pgid;
	pid_t pr_sid;
	uid_t pr_uid;			/* real user ID */
	uid_t pr_euid;
	gid_t pr_gid;			/* real group ID */
	gid_t pr_egid;
	uintptr_t pr_addr;		/* address of the first thread's struct task_struct */
	dev_t pr_ttydev;
	timestruc_t pr_start;
	string pr_fname;		/* name of the first thread; exec sets it */
	string pr_psargs;
	int pr_wstat;			/* wait() status of a process that has ended */
	int pr_argc;			/* of the current process */
	uintptr_t pr_argv;		/* in its memory; 32 or 64 bits each: see pr_dmodel */
	uintptr_t pr_envp;
	char pr_dmodel;			/* PR_MODEL_ILP32, PR_MODEL_LP64 */
	taskid_t pr_taskid;
	projid_t pr_projid;
	int pr_nzomb;			/* Linux keeps no ended threads */
	poolid_t pr_poolid;
	zoneid_t pr_zoneid;
	id_t pr_contract;
} psinfo_t;

typedef struct lwpsinfo {
	int pr_flag;			/* PR_ISSYS: a kernel thread; PR_IDLE: a CPU's idle thread */
	id_t pr_lwpid;			/* thread ID */
	uintptr_t pr_addr;		/* address of the struct task_struct */
	uintptr_t pr_wchan;
	char pr_stype;			/* SOBJ_NONE ... SOBJ_USER_PI: what it sleeps on */
	char pr_state;			/* SSLEEP ... SONPROC */
	char pr_sname;			/* the letter that ps shows */
	char pr_nice;			/* -20 to 19 */
	short pr_syscall;
	char pr_oldpri;
	char pr_cpu;
	int pr_pri;			/* what ps -o pri shows: larger is better */
	ushort_t pr_pctcpu;
	string pr_clname;		/* TS FIFO RR BATCH IDLE DL EXT */
	processorid_t pr_onpro;		/* CPU that runs it or ran it last */
	processorid_t pr_bindpro;	/* the only CPU it may run on, or -1 */
	psetid_t pr_bindpset;
	char pr_name[16];		/* name of the thread */
} lwpsinfo_t;

typedef struct processor_info {
	int pi_state;
	char pi_processor_type[16];
	char pi_fputypes[32];
	int pi_clock;
} processor_info_t;

typedef struct cpuinfo {
	processorid_t cpu_id;
	psetid_t cpu_pset;
	chipid_t cpu_chip;
	lgrp_id_t cpu_lgrp;
	processor_info_t cpu_info;
} cpuinfo_t;

typedef struct fileinfo {
	string fi_name;			/* last component of the path */
	string fi_dirname;		/* the path without it */
	string fi_pathname;		/* the path, as the process sees it */
	loff_t fi_offset;
	string fi_fs;			/* type of the file system */
	string fi_mount;		/* where it is mounted */
	int fi_oflags;			/* O_RDONLY ... */
} fileinfo_t;

/* Values of pr_dmodel, pr_flag, pr_state and pr_stype. The translators use the numbers: scripts may redefine these. */
inline int PR_MODEL_ILP32 = 1;
inline int PR_MODEL_LP64 = 2;
inline int PR_ISSYS = 0x1000;
inline int PR_IDLE = 0x10000000;
inline int SSLEEP = 1;
inline int SRUN = 2;
inline int SZOMB = 3;
inline int SSTOP = 4;
inline int SIDL = 5;
inline int SONPROC = 6;
inline int SOBJ_NONE = 0;
inline int SOBJ_MUTEX = 1;
inline int SOBJ_RWLOCK = 2;
inline int SOBJ_CV = 3;
inline int SOBJ_SEMA = 4;
inline int SOBJ_USER = 5;
inline int SOBJ_USER_PI = 6;
inline int SOBJ_SHUTTLE = 7;

/* A process that is exiting no longer has directories. */
inline string cwd = curthread->fs == 0 ? "" : d_path(&curthread->fs->pwd);
inline string root = curthread->fs == 0 ? "" : d_path(&curthread->fs->root, 1);

/* The name of the container: the host name that the process sees, or "global" in the initial UTS name space, whose
 * inode is 0xEFFFFFFE. */
inline string zonename = curthread->nsproxy == 0 || curthread->nsproxy->uts_ns->ns.inum == 0xEFFFFFFE ? "global" :
    stringof (curthread->nsproxy->uts_ns->name.nodename);

/* Variables of the Solaris kernel that scripts name with a ` and print in headings. The load averages have 16
 * fractional bits there, 11 here; lbolt counts hundredths of seconds. */
inline pid_t _kernel_mpid = curthread->signal->pids[1]->numbers[0].ns->idr.idr_next - 1;
inline struct new_utsname *_kernel_utsname = &curthread->nsproxy->uts_ns->name;
inline long _kernel_lbolt = timestamp / 10000000;
inline int64_t _kernel_lbolt64 = timestamp / 10000000;
inline long _kernel_hp_avenrun[int i] = ((long *)&`avenrun)[i] << 5;

/* The start time of a task. */
translator timestruc_t < struct task_struct *T > {
	tv_sec = (_wall + T->start_time) / 1000000000;
	tv_nsec = (_wall + T->start_time) % 1000000000;
};

/* _id(T, n): the ID, as dtr sees it, of the thread (n = 0), its process (1), process group (2) or session (3). */
translator psinfo_t < struct task_struct *T > {
	pr_nlwp = T->signal->nr_threads;
	pr_pid = _id(T, 1);
	pr_ppid = _id(T->real_parent, 1);
	pr_pgid = _id(T, 2);
	pr_sid = _id(T, 3);
	pr_uid = T->cred->uid.val;
	pr_euid = T->cred->euid.val;
	pr_gid = T->cred->gid.val;
	pr_egid = T->cred->egid.val;
	pr_addr = T == NULL ? 0 : (uintptr_t)T->group_leader;
	pr_fname = stringof (T->group_leader->comm);
	pr_ttydev = T->signal->tty == 0 ? -1 :
	    T->signal->tty->driver->major << 20 | (T->signal->tty->driver->minor_start + T->signal->tty->index);
	pr_start = xlate <timestruc_t> (T);
	pr_psargs = T->mm == curthread->mm ? execargs : stringof (T->group_leader->comm);
	pr_wstat = T->exit_state & 0x30 ? T->exit_code : 0;
	pr_argc = T->mm == 0 || T->mm != curthread->mm ? 0 : *(int *)copyin(T->mm->start_stack, 4);
	pr_argv = T->mm == 0 ? 0 : T->mm->start_stack + (T->mm->task_size > 0x100000000 ? 8 : 4);
	pr_envp = T->mm == 0 || T->mm != curthread->mm ? 0 : T->mm->start_stack +
	    (T->mm->task_size > 0x100000000 ? 8 : 4) * (2 + *(int *)copyin(T->mm->start_stack, 4));
	pr_dmodel = T->mm == 0 || T->mm->task_size > 0x100000000 ? 2 : 1;
	pr_taskid = 0;
	pr_projid = 0;
	pr_nzomb = 0;
	pr_poolid = 0;
	pr_zoneid = 0;
	pr_contract = 0;
};

/* __state: 1 interruptible, 2 uninterruptible, 4 stopped, 8 traced, 0x402 idle; exit_state: 0x20 zombie, 0x10 dead. */
translator lwpsinfo_t < struct task_struct *T > {
	pr_flag = (T->flags & 0x00200000 ? 0x1000 : 0) | (T->pid == 0 ? 0x10000000 : 0);
	pr_lwpid = _id(T, 0);
	pr_addr = (uintptr_t)T;
	pr_state = T->exit_state ? 3 :
	    T->__state == 0 ? (T->on_cpu ? 6 : 2) :
	    T->__state & 0xc ? 4 : 1;
	pr_stype = T->__state & 3 ? (T->pi_blocked_on != 0 ? 6 : 3) : 0;
	pr_sname = T->exit_state & 0x20 ? 'Z' : T->exit_state & 0x10 ? 'X' :
	    T->__state == 0 ? 'R' :
	    (T->__state & 0x402) == 0x402 ? 'I' :
	    T->__state & 1 ? 'S' : T->__state & 2 ? 'D' :
	    T->__state & 4 ? 'T' : T->__state & 8 ? 't' : '?';
	pr_nice = T->static_prio - 120;
	pr_pri = 139 - T->prio;
	pr_clname = T->policy == 0 ? "TS" : T->policy == 1 ? "FIFO" : T->policy == 2 ? "RR" :
	    T->policy == 3 ? "BATCH" : T->policy == 5 ? "IDLE" : T->policy == 6 ? "DL" :
	    T->policy == 7 ? "EXT" : "?";
	pr_onpro = T->thread_info.cpu;
	pr_bindpro = T->nr_cpus_allowed == 1 ? T->thread_info.cpu : -1;
	pr_bindpset = -1;
	pr_name = T->comm;
};

translator cpuinfo_t < processorid_t N > {
	cpu_id = N;
};

translator cpuinfo_t < struct task_struct *T > {
	cpu_id = cpu;
	cpu_pset = 0;			/* the only set is that of all CPUs */
	cpu_chip = _chip;
	cpu_lgrp = _node;
};

/* Details of a signal. A pointer of 0 or 1 (sent by the kernel) means that there are none. */
typedef struct siginfo {
	int si_signo;
	int si_errno;
	int si_code;
	pid_t si_pid;			/* the sender */
	uid_t si_uid;
	int si_status;			/* SIGCHLD: exit status or signal */
	uintptr_t si_addr;		/* the address of a fault */
} siginfo_t;

translator siginfo_t < struct kernel_siginfo *S > {
	si_signo = (uintptr_t)S > 1 ? S->si_signo : 0;
	si_errno = (uintptr_t)S > 1 ? S->si_errno : 0;
	si_code = (uintptr_t)S > 1 ? S->si_code : 0;
	si_pid = (uintptr_t)S > 1 ? S->_sifields._kill._pid : 0;
	si_uid = (uintptr_t)S > 1 ? S->_sifields._kill._uid : 0;
	si_status = (uintptr_t)S > 1 ? S->_sifields._sigchld._status : 0;
	si_addr = (uintptr_t)S > 1 ? (uintptr_t)S->_sifields._sigfault._addr : 0;
};

/* A file that is not open has the name "<none>". */
translator fileinfo_t < struct file *F > {
	fi_name = F == 0 ? "<none>" : basename(d_path(&F->f_path));
	fi_dirname = F == 0 ? "<none>" : dirname(d_path(&F->f_path));
	fi_pathname = F == 0 ? "<none>" : d_path(&F->f_path);
	fi_offset = F == 0 ? 0 : F->f_pos;
	fi_fs = F == 0 ? "<none>" : stringof (F->f_inode->i_sb->s_type->name);
	fi_mount = F == 0 ? "<none>" : d_path(F->f_path.mnt);
	fi_oflags = F == 0 ? 0 : F->f_flags;
};

/* fds[]. -100 is AT_FDCWD, the working directory. */
translator fileinfo_t < int FD > {
	fi_name = FD == -100 ? basename(cwd) : xlate <fileinfo_t> ((curthread->files == 0 ||
		(uint_t)FD >= curthread->files->fdt->max_fds ?
	    (struct file *)0 :
	    curthread->files->fdt->fd[FD])
	    ).fi_name;
	fi_dirname = FD == -100 ? dirname(cwd) : xlate <fileinfo_t> ((curthread->files == 0 ||
		(uint_t)FD >= curthread->files->fdt->max_fds ?
	    (struct file *)0 :
	    curthread->files->fdt->fd[FD])
	    ).fi_dirname;
	fi_pathname = FD == -100 ? cwd : xlate <fileinfo_t> ((curthread->files == 0 ||
		(uint_t)FD >= curthread->files->fdt->max_fds ?
	    (struct file *)0 :
	    curthread->files->fdt->fd[FD])
	    ).fi_pathname;
	fi_offset = xlate <fileinfo_t> ((curthread->files == 0 || (uint_t)FD >= curthread->files->fdt->max_fds ?
	    (struct file *)0 :
	    curthread->files->fdt->fd[FD])
	    ).fi_offset;
	fi_fs = xlate <fileinfo_t> ((curthread->files == 0 || (uint_t)FD >= curthread->files->fdt->max_fds ?
	    (struct file *)0 :
	    curthread->files->fdt->fd[FD])
	    ).fi_fs;
	fi_mount = xlate <fileinfo_t> ((curthread->files == 0 || (uint_t)FD >= curthread->files->fdt->max_fds ?
	    (struct file *)0 :
	    curthread->files->fdt->fd[FD])
	    ).fi_mount;
	fi_oflags = xlate <fileinfo_t> ((curthread->files == 0 || (uint_t)FD >= curthread->files->fdt->max_fds ?
	    (struct file *)0 :
	    curthread->files->fdt->fd[FD])
	    ).fi_oflags;
};

/* ---- io ---- */
typedef struct bufinfo {
	int b_flags;			/* B_READ ... */
	size_t b_bcount;		/* bytes */
	caddr_t b_addr;			/* the request or bio: it has pages, not addresses */
	uint64_t b_blkno;		/* the first sector of 512 bytes on the device */
	uint64_t b_lblkno;
	size_t b_resid;			/* bytes that have not been transferred */
	size_t b_bufsize;
	caddr_t b_iodone;		/* the function that is called at the end */
	int b_error;			/* an errno, or 0 */
	dev_t b_edev;			/* the device: major << 20 | minor */
} bufinfo_t;

typedef struct devinfo {
	int dev_major;
	int dev_minor;
	int dev_instance;		/* of the driver: 1 for sdb */
	string dev_name;		/* the driver, as in /proc/devices */
	string dev_statname;		/* as in /proc/diskstats */
	string dev_pathname;
} devinfo_t;

inline int B_BUSY = 0x0001;
inline int B_DONE = 0x0002;
inline int B_ERROR = 0x0004;
inline int B_PAGEIO = 0x0010;
inline int B_PHYS = 0x0020;
inline int B_READ = 0x0040;
inline int B_WRITE = 0x0100;
inline int B_ASYNC = 0x0400;

/* What args[0] of the io provider is translated from. 0: unknown. Otherwise the address of a request or a bio, with
 * bits of another meaning. 1: a bio; 2: done; bits 57 to 61: how it ended (BLK_STS_OK ...). In the address these bits
 * are 0, 0 and 1. */
struct io_event;
/* By the address of a request: 1: it has started, and the driver does not have it. */
uint8_t _io_queued[uint64_t];
/* By thread: the registers of its fault, if it wrote to a protected page (vminfo:::cow_fault). */
uint64_t _vm_written[uint64_t];

inline uint64_t _io_address[struct io_event *E] = (uint64_t)E & ~3ull | 31ull << 57;
inline struct request *_io_request[struct io_event *E] = (struct request *)_io_address[E];
inline uint8_t _io_status[struct io_event *E] = (uint64_t)E & 2 ? (uint64_t)E >> 57 & 31 : 0;

inline struct bio *_io_bio[struct io_event *E] = (struct bio *)_io_address[E];

inline uint32_t _io_bytes[struct io_event *E] =
    E == 0 ? 0 : (uint64_t)E & 1 ? _io_bio[E]->bi_iter.bi_size : _io_request[E]->__data_len;
inline uint32_t _io_opf[struct io_event *E] =
    E == 0 ? 0 : (uint64_t)E & 1 ? _io_bio[E]->bi_opf : _io_request[E]->cmd_flags;
/* 2: flushes the device's cache */
inline uint64_t _io_sector[struct io_event *E] =
    E == 0 || (_io_opf[E] & 0xff) == 2 ? 0 :
    (uint64_t)E & 1 ? _io_bio[E]->bi_iter.bi_sector : _io_request[E]->__sector;
inline uint64_t _io_mapping[struct io_event *E] = (uint64_t)_mapping((struct page *)arg5);

translator bufinfo_t < struct io_event *E > {
	b_flags = E == 0 ? 0 : 0x1 | (_io_opf[E] & 0xff ? 0x100 : 0x40) | ((uint64_t)E & 2 ? 0x2 : 0) |
	    (_io_status[E] ? 0x4 : 0) |
	    (_io_mapping[E] == 0 ? 0 : _io_mapping[E] & 3 ? 0x20 : 0x10) |
	    ((_io_opf[E] & 0x8ff) == 1 ? 0x400 : 0);	/* REQ_SYNC 0x800: somebody waits for it */
	b_addr = E == 0 ? 0 : (caddr_t)_io_address[E];
	b_bcount = _io_bytes[E];
	b_bufsize = _io_bytes[E];
	b_blkno = _io_sector[E];
	b_lblkno = _io_sector[E];
	b_resid = _io_status[E] ? _io_bytes[E] : 0;
	b_iodone = E == 0 ? 0 : (uint64_t)E & 1 ? (caddr_t)_io_bio[E]->bi_end_io : (caddr_t)_io_request[E]->end_io;
	/* EOPNOTSUPP, ETIMEDOUT, ENOSPC, ENOLINK, EREMOTEIO, EBADE, ENODATA, EILSEQ, ENOMEM, EIO, EREMCHG, EAGAIN,
	 * EBUSY; EIO */
	b_error = _io_status[E] == 0 ? 0 : _io_status[E] == 1 ? 95 : _io_status[E] == 2 ? 110 :
	    _io_status[E] == 3 ? 28 : _io_status[E] == 4 ? 67 : _io_status[E] == 5 ? 121 : _io_status[E] == 6 ? 52 :
	    _io_status[E] == 7 ? 61 : _io_status[E] == 8 ? 84 : _io_status[E] == 9 ? 12 : _io_status[E] == 11 ? 78 :
	    _io_status[E] == 12 ? 11 : _io_status[E] == 13 ? 16 : 5;
	b_edev = (struct block_device *)arg4 ? ((struct block_device *)arg4)->bd_dev : 0;
};

/* dev_name: the driver of the device that the disk belongs to, or the disk's name up to its number (loop0: loop). */
translator devinfo_t < struct block_device *B > {
	dev_major = B ? B->bd_dev >> 20 : 0;
	dev_minor = B ? B->bd_dev & 0xfffff : 0;
	dev_instance = B == 0 ? 0 : B->bd_disk->first_minor / (B->bd_disk->minors ? B->bd_disk->minors : 1);
	dev_name = B == 0 ? "<none>" :
	    B->bd_disk->part0->bd_device.parent && B->bd_disk->part0->bd_device.parent->driver ?
	    stringof (B->bd_disk->part0->bd_device.parent->driver->name) :
	    strtok(stringof (B->bd_disk->disk_name), "-0123456789");
	dev_statname = B ? stringof (B->bd_device.kobj.name) : "<none>";
	dev_pathname = B ? strjoin("/dev/", stringof (B->bd_device.kobj.name)) : "<none>";
};

/* Data that are not a file's (memory of a process, the file system's own data) have the name "<none>". */
translator fileinfo_t < struct page *P > {
	fi_name = _dentry(_mapping(P)) ? stringof (_dentry(_mapping(P))->d_name.name) : "<none>";
	fi_dirname = _dentry(_mapping(P)) ? dirname(d_path(_dentry(_mapping(P)), 1)) : "<none>";
	fi_pathname = _dentry(_mapping(P)) ? d_path(_dentry(_mapping(P)), 1) : "<none>";
	fi_offset = _dentry(_mapping(P)) == 0 ? 0 : 4096 *
	    (P->compound_head & 1 ? ((struct folio *)(P->compound_head - 1))->index +
	    ((uint64_t)P - (P->compound_head - 1)) / sizeof (struct page) : ((struct folio *)P)->index);
	fi_fs = _dentry(_mapping(P)) ? stringof (_dentry(_mapping(P))->d_sb->s_type->name) : "<none>";
	fi_mount = _dentry(_mapping(P)) ? d_path(_dentry(_mapping(P))->d_sb->s_root, 1) : "<none>";
};

/* ---- lockstat ---- */
/* The state of waits, by probe, lock and thread, and its results, by probe and CPU (providers/lockstat). */
uint64_t _lock_since[int, uint64_t, uint64_t], _lock_before[int, uint64_t, uint64_t];
uint8_t _lock_inner[int, uint64_t, uint64_t];
uint64_t _lock_took[int, int], _lock_how[int, int];

/* ---- plockstat ---- */
/* The lock that a thread wants, for each probe, and from where (providers/plockstat/table.c). */
self uint64_t _plock_from, _plock_ma, _plock_mb, _plock_md, _plock_me, _plock_ra, _plock_rb, _plock_rd, _plock_re;
