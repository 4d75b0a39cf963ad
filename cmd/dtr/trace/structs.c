/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Structures of files, times, limits, signals and processes. */
#include <fcntl.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <linux/openat2.h>
#include <linux/sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sem.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysinfo.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#include "cmd/dtr/trace/names.h"
#include "cmd/dtr/trace/value.h"

/* ---- files ---- */

static void put_file_mode(struct buf *b, mode_t mode)
{
	enum { SPECIAL = S_ISUID | S_ISGID | S_ISVTX };

	names_put(b, NAMES_filetype, mode & S_IFMT);
	buf_putc(b, '|');
	if (mode & SPECIAL) {
		names_put(b, NAMES_modebits, mode & SPECIAL);
		buf_putc(b, '|');
	}
	value_mode(b, mode & ~(mode_t)(S_IFMT | SPECIAL));
}

void show_stat(const struct decode_value *s)
{
	struct stat st;

	memcpy(&st, s->p, sizeof st);
	buf_puts(s->b, "{st_mode=");
	put_file_mode(s->b, st.st_mode);
	if (S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode))
		buf_printf(s->b, ", st_rdev=makedev(%#x, %#x), ...}", major(st.st_rdev), minor(st.st_rdev));
	else
		buf_printf(s->b, ", st_size=%lld, ...}", (long long)st.st_size);
}

void show_statx(const struct decode_value *s)
{
	struct statx st = { 0 };

	memcpy(&st, s->p, s->n < sizeof st ? s->n : sizeof st);
	buf_puts(s->b, "{stx_mask=");
	names_put(s->b, NAMES_statxmask, st.stx_mask);
	buf_puts(s->b, ", stx_attributes=");
	names_put(s->b, NAMES_statxattr, st.stx_attributes);
	buf_puts(s->b, ", stx_mode=");
	put_file_mode(s->b, st.stx_mode);
	buf_printf(s->b, ", stx_size=%" PRIu64 ", ...}", (uint64_t)st.stx_size);
}

void show_statfs(const struct decode_value *s)
{
	struct statfs st;

	memcpy(&st, s->p, sizeof st);
	buf_puts(s->b, "{f_type=");
	names_put(s->b, NAMES_fsmagic, (uint64_t)st.f_type);
	buf_printf(s->b, ", f_bsize=%ld, f_blocks=%lu, f_bfree=%lu, f_bavail=%lu, f_files=%lu, f_ffree=%lu, "
		   "f_fsid={val=[%#x, %#x]}, f_namelen=%ld, f_frsize=%ld, f_flags=", (long)st.f_bsize,
		   (unsigned long)st.f_blocks, (unsigned long)st.f_bfree, (unsigned long)st.f_bavail,
		   (unsigned long)st.f_files, (unsigned long)st.f_ffree, (unsigned)st.f_fsid.__val[0],
		   (unsigned)st.f_fsid.__val[1], (long)st.f_namelen, (long)st.f_frsize);
	names_put(s->b, NAMES_mountflags, (uint64_t)st.f_flags);
	buf_putc(s->b, '}');
}

void show_openhow(const struct decode_value *s)
{
	struct open_how h = { 0 };

	memcpy(&h, s->p, s->n < sizeof h ? s->n : sizeof h);
	buf_puts(s->b, "{flags=");
	names_put(s->b, NAMES_oflags, h.flags);
	if (h.flags & O_CREAT) {
		buf_puts(s->b, ", mode=");
		value_mode(s->b, h.mode);
	}
	buf_puts(s->b, ", resolve=");
	names_put(s->b, NAMES_resolve, h.resolve);
	buf_putc(s->b, '}');
}

static void put_lock(const struct decode_value *s)
{
	struct flock f;

	memcpy(&f, s->p, sizeof f);
	buf_puts(s->b, "{l_type=");
	names_put(s->b, NAMES_locktype, (uint16_t)f.l_type);
	buf_puts(s->b, ", l_whence=");
	names_put(s->b, NAMES_whence, (uint16_t)f.l_whence);
	buf_printf(s->b, ", l_start=%lld, l_len=%lld", (long long)f.l_start, (long long)f.l_len);
	if (s->d->arg[1] == F_GETLK || s->d->arg[1] == F_OFD_GETLK)
		buf_printf(s->b, ", l_pid=%d", f.l_pid);
	buf_putc(s->b, '}');
}

static void put_owner(const struct decode_value *s)
{
	uint32_t v[2];

	if (s->n < sizeof v) {
		value_address(s->b, s->v);
		return;
	}
	memcpy(v, s->p, sizeof v);
	buf_puts(s->b, "{type=");
	names_put(s->b, NAMES_ownertype, v[0]);
	buf_printf(s->b, ", pid=%d}", (int)v[1]);
}

/* The third argument of fcntl(). */
void show_flock(const struct decode_value *s)
{
	switch ((int)s->d->arg[1]) {
	case F_SETLK: case F_SETLKW: case F_OFD_SETLK: case F_OFD_SETLKW: case F_GETLK: case F_OFD_GETLK:
		if (s->n == sizeof(struct flock))
			put_lock(s);
		else
			value_address(s->b, s->v);
		return;
	case F_SETFD:
		names_put(s->b, NAMES_fdbits, (uint32_t)s->v);
		return;
	case F_SETFL:
		names_put(s->b, NAMES_oflags, (uint32_t)s->v);
		return;
	case F_ADD_SEALS:
		names_put(s->b, NAMES_seals, (uint32_t)s->v);
		return;
	case F_SETLEASE:
		names_put(s->b, NAMES_locktype, (uint32_t)s->v);
		return;
	case F_NOTIFY:
		names_put(s->b, NAMES_dnotify, (uint32_t)s->v);
		return;
	case F_SETSIG:
		names_put(s->b, NAMES_sig, (uint32_t)s->v);
		return;
	case F_GETOWN_EX: case F_SETOWN_EX:
		put_owner(s);
		return;
	case F_DUPFD: case F_DUPFD_CLOEXEC: case F_SETOWN: case F_SETPIPE_SZ:
		show_d(s);
		return;
	}
	show_x(s);
}

void show_sembufs(const struct decode_value *s)
{
	struct sembuf f;

	buf_putc(s->b, '[');
	for (size_t i = 0; i < s->n / sizeof f; i++) {
		memcpy(&f, (const char *)s->p + i * sizeof f, sizeof f);
		buf_printf(s->b, "%s{sem_num=%u, sem_op=%d, sem_flg=", i ? ", " : "", f.sem_num, f.sem_op);
		names_put(s->b, NAMES_semflags, (uint16_t)f.sem_flg);
		buf_putc(s->b, '}');
	}
	buf_puts(s->b, s->d->arg[s->d->call->arg[s->i].length] > s->n / sizeof f ? ", ...]" : "]");
}

/* A priority in the low bits, if the flag says so. */
void show_swapflags(const struct decode_value *s)
{
	enum { PREFER = 0x8000, PRIORITY = 0x7fff };

	if (!(s->v & PREFER)) {
		show_x(s);
		return;
	}
	buf_puts(s->b, "SWAP_FLAG_PREFER|");
	if (s->v & ~(uint64_t)(PREFER | PRIORITY))
		buf_printf(s->b, "0x%" PRIx64 "|", s->v & ~(uint64_t)(PREFER | PRIORITY));
	buf_printf(s->b, "%u", (unsigned)s->v & PRIORITY);
}

void show_quotacmd(const struct decode_value *s)
{
	buf_puts(s->b, "QCMD(");
	names_put(s->b, NAMES_quotacmd, (uint32_t)s->v >> 8);
	buf_puts(s->b, ", ");
	names_put(s->b, NAMES_quotatype, s->v & 0xff);
	buf_putc(s->b, ')');
}

/* What a request without a name is made of: direction, type, number and size of its data. */
void show_ioctl(const struct decode_value *s)
{
	static const char *const directions[] = { "_IOC_NONE", "_IOC_WRITE", "_IOC_READ", "_IOC_READ|_IOC_WRITE" };
	const uint32_t v = (uint32_t)s->v;

	if (names_has(NAMES_ioctl, v))
		names_put(s->b, NAMES_ioctl, v);
	else
		buf_printf(s->b, "_IOC(%s, %#x, %#x, %#x)", directions[_IOC_DIR(v)], _IOC_TYPE(v), _IOC_NR(v),
			   _IOC_SIZE(v));
}

/* The third argument of ioctl(). */
void show_ioctlarg(const struct decode_value *s)
{
	static const unsigned long ints[] = { FIONREAD, FIONBIO, FIOASYNC, TIOCGPGRP, TIOCSPGRP, TIOCGPTN, TIOCSPTLCK,
					      TIOCGSID, TIOCOUTQ };
	const unsigned long request = (uint32_t)s->d->arg[1];
	struct winsize w;

	for (size_t i = 0; s->n && i < sizeof ints / sizeof *ints; i++)
		if (ints[i] == request) {
			show_int(s);
			return;
		}
	if (s->n == sizeof w && (request == TIOCGWINSZ || request == TIOCSWINSZ)) {
		memcpy(&w, s->p, sizeof w);
		buf_printf(s->b, "{ws_row=%u, ws_col=%u, ws_xpixel=%u, ws_ypixel=%u}", w.ws_row, w.ws_col,
			   w.ws_xpixel, w.ws_ypixel);
	} else {
		show_x(s);
	}
}

/* ---- times and limits ---- */

static void put_two(struct buf *b, const void *p, const char *second)
{
	int64_t v[2];

	memcpy(v, p, sizeof v);
	buf_printf(b, "{tv_sec=%" PRId64 ", %s=%" PRId64 "}", v[0], second, v[1]);
}

void show_timespec(const struct decode_value *s)
{
	put_two(s->b, s->p, "tv_nsec");
}

void show_timeval(const struct decode_value *s)
{
	put_two(s->b, s->p, "tv_usec");
}

/* Access and modification, of utimensat(). */
void show_timespecs(const struct decode_value *s)
{
	enum { NOW = 0x3fffffff, OMIT };

	for (unsigned i = 0; i < 2; i++) {
		const char *p = (const char *)s->p + 16 * i;
		int64_t ns;

		memcpy(&ns, p + 8, sizeof ns);
		buf_puts(s->b, i ? ", " : "[");
		if (ns == NOW || ns == OMIT)
			buf_puts(s->b, ns == NOW ? "UTIME_NOW" : "UTIME_OMIT");
		else
			put_two(s->b, p, "tv_nsec");
	}
	buf_putc(s->b, ']');
}

/* Seconds of access and modification, of utime(). */
void show_utimbuf(const struct decode_value *s)
{
	int64_t v[2];

	memcpy(v, s->p, sizeof v);
	buf_printf(s->b, "{actime=%" PRId64 ", modtime=%" PRId64 "}", v[0], v[1]);
}

void show_timevals(const struct decode_value *s)
{
	buf_putc(s->b, '[');
	put_two(s->b, s->p, "tv_usec");
	buf_puts(s->b, ", ");
	put_two(s->b, (const char *)s->p + 16, "tv_usec");
	buf_putc(s->b, ']');
}

void show_timezone(const struct decode_value *s)
{
	int v[2];

	memcpy(v, s->p, sizeof v);
	buf_printf(s->b, "{tz_minuteswest=%d, tz_dsttime=%d}", v[0], v[1]);
}

/* The fourth argument of futex(): a time for operations that wait, else a number. */
void show_futexvalue(const struct decode_value *s)
{
	switch ((int)s->d->arg[1] & 127) {
	case FUTEX_WAIT: case FUTEX_WAIT_BITSET: case FUTEX_LOCK_PI: case FUTEX_WAIT_REQUEUE_PI:
		(s->n ? show_timespec : show_p)(s);
		return;
	}
	show_u(s);
}

static void put_interval(const struct decode_value *s, const char *second)
{
	buf_puts(s->b, "{it_interval=");
	put_two(s->b, s->p, second);
	buf_puts(s->b, ", it_value=");
	put_two(s->b, (const char *)s->p + 16, second);
	buf_putc(s->b, '}');
}

void show_itimerval(const struct decode_value *s)
{
	put_interval(s, "tv_usec");
}

void show_itimerspec(const struct decode_value *s)
{
	put_interval(s, "tv_nsec");
}

void show_rusage(const struct decode_value *s)
{
	buf_puts(s->b, "{ru_utime=");
	put_two(s->b, s->p, "tv_usec");
	buf_puts(s->b, ", ru_stime=");
	put_two(s->b, (const char *)s->p + 16, "tv_usec");
	buf_puts(s->b, ", ...}");
}

static void put_limit(struct buf *b, uint64_t v)
{
	if (v == UINT64_MAX)
		buf_puts(b, "RLIM64_INFINITY");
	else if (v > 1024 && v % 1024 == 0)
		buf_printf(b, "%" PRIu64 "*1024", v / 1024);
	else
		buf_printf(b, "%" PRIu64, v);
}

void show_rlimit(const struct decode_value *s)
{
	uint64_t v[2];

	memcpy(v, s->p, sizeof v);
	buf_puts(s->b, "{rlim_cur=");
	put_limit(s->b, v[0]);
	buf_puts(s->b, ", rlim_max=");
	put_limit(s->b, v[1]);
	buf_putc(s->b, '}');
}

void show_sysinfo(const struct decode_value *s)
{
	struct sysinfo i;

	memcpy(&i, s->p, sizeof i);
	buf_printf(s->b, "{uptime=%ld, loads=[%lu, %lu, %lu], totalram=%lu, freeram=%lu, sharedram=%lu, bufferram=%lu, "
		   "totalswap=%lu, freeswap=%lu, procs=%u, totalhigh=%lu, freehigh=%lu, mem_unit=%u}", i.uptime,
		   i.loads[0], i.loads[1], i.loads[2], i.totalram, i.freeram, i.sharedram, i.bufferram, i.totalswap,
		   i.freeswap, i.procs, i.totalhigh, i.freehigh, i.mem_unit);
}

void show_utsname(const struct decode_value *s)
{
	enum { NAME = sizeof ((struct utsname *)0)->sysname };
	const char *p = s->p;

	buf_puts(s->b, "{sysname=");
	value_quoted(s->b, p, strnlen(p, NAME), false);
	buf_puts(s->b, ", nodename=");
	value_quoted(s->b, p + NAME, strnlen(p + NAME, NAME), false);
	buf_puts(s->b, ", ...}");
}

/* ---- signals ---- */

/* Names without "SIG". More than half of them: the others, after '~'. */
static void put_signals(struct buf *b, uint64_t set)
{
	bool others = __builtin_popcountll(set) > 32;
	struct buf name = { 0 };
	const char *gap = others ? "~[" : "[";

	for (unsigned sig = 1; sig <= 64; sig++) {
		if ((set >> (sig - 1) & 1) == others)
			continue;
		buf_reset(&name);
		names_put(&name, NAMES_sig, sig);
		buf_puts(b, gap);
		if (!strncmp(buf_str(&name), "SIG", 3))
			buf_puts(b, buf_str(&name) + 3);
		else
			buf_printf(b, "RT_%u", sig - 32);
		gap = " ";
	}
	buf_puts(b, *gap == ' ' ? "]" : others ? "~[]" : "[]");
	buf_free(&name);
}

void show_sigset(const struct decode_value *s)
{
	uint64_t set;

	memcpy(&set, s->p, sizeof set);
	put_signals(s->b, set);
}

void show_sigaction(const struct decode_value *s)
{
	uint64_t v[4];

	memcpy(v, s->p, sizeof v);
	buf_puts(s->b, "{sa_handler=");
	if (v[0] < 2)
		buf_puts(s->b, v[0] ? "SIG_IGN" : "SIG_DFL");
	else
		value_address(s->b, v[0]);
	buf_puts(s->b, ", sa_mask=");
	put_signals(s->b, v[3]);
	buf_puts(s->b, ", sa_flags=");
	names_put(s->b, NAMES_saflags, (uint32_t)v[1]);
	if (v[2])
		buf_printf(s->b, ", sa_restorer=0x%" PRIx64, v[2]);
	buf_putc(s->b, '}');
}

/* What follows the process: a status and times of a child; the value of sigqueue(). */
static void put_siginfo_rest(const struct decode_value *s, const siginfo_t *i)
{
	if (i->si_signo == SIGCHLD && i->si_code > 0) {
		buf_puts(s->b, ", si_status=");
		if (i->si_code == CLD_EXITED)
			buf_printf(s->b, "%d", i->si_status);
		else
			names_put(s->b, NAMES_sig, (uint64_t)i->si_status);
		buf_printf(s->b, ", si_utime=%ld, si_stime=%ld", (long)i->si_utime, (long)i->si_stime);
	} else if (i->si_code == SI_QUEUE && i->si_ptr) {
		buf_printf(s->b, ", si_int=%d, si_ptr=%p", i->si_int, i->si_ptr);
	} else if (i->si_code > 0) {
		buf_puts(s->b, ", ...");
	}
}

void show_siginfo(const struct decode_value *s)
{
	siginfo_t i = { 0 };

	memcpy(&i, s->p, s->n < sizeof i ? s->n : sizeof i);
	if (!i.si_signo) {	/* waitid(WNOHANG) without a child to report */
		buf_puts(s->b, "{}");
		return;
	}
	buf_puts(s->b, "{si_signo=");
	names_put(s->b, NAMES_sig, (uint64_t)i.si_signo);
	buf_puts(s->b, ", si_code=");
	if (i.si_signo == SIGCHLD && i.si_code > 0)
		names_put(s->b, NAMES_chldcode, (uint64_t)i.si_code);
	else
		names_put(s->b, NAMES_sicode, (uint64_t)(int64_t)i.si_code);
	buf_printf(s->b, ", si_pid=%d, si_uid=%u", (int)i.si_pid, (unsigned)i.si_uid);
	put_siginfo_rest(s, &i);
	buf_putc(s->b, '}');
}

/* The beginning of struct sigevent. */
void show_sigevent(const struct decode_value *s)
{
	struct { uint64_t value; int sig, notify, tid; } e;

	memcpy(&e, s->p, sizeof e.value + 3 * sizeof(int));
	buf_printf(s->b, "{sigev_value={sival_int=%d, sival_ptr=", (int)e.value);
	value_address(s->b, e.value);
	buf_puts(s->b, "}, sigev_signo=");
	names_put(s->b, NAMES_sig, (uint64_t)e.sig);
	buf_puts(s->b, ", sigev_notify=");
	names_put(s->b, NAMES_sigevent, (uint32_t)e.notify);
	if (e.notify == SIGEV_THREAD_ID)
		buf_printf(s->b, ", sigev_notify_thread_id=%d", e.tid);
	buf_putc(s->b, '}');
}

/* The sixth argument of pselect6(). */
void show_sigmask(const struct decode_value *s)
{
	uint64_t v[2];

	memcpy(v, s->p, sizeof v);
	buf_puts(s->b, "{sigmask=");
	value_address(s->b, v[0]);
	buf_printf(s->b, ", sigsetsize=%" PRIu64 "}", v[1]);
}

void show_stack(const struct decode_value *s)
{
	stack_t st;

	memcpy(&st, s->p, sizeof st);
	buf_puts(s->b, "{ss_sp=");
	value_address(s->b, (uintptr_t)st.ss_sp);
	buf_puts(s->b, ", ss_flags=");
	names_put(s->b, NAMES_sigstack, (uint32_t)st.ss_flags);
	buf_printf(s->b, ", ss_size=%zu}", st.ss_size);
}

/* ---- processes ---- */

void show_status(const struct decode_value *s)
{
	int v;

	memcpy(&v, s->p, sizeof v);
	if (s->d->result <= 0) {
		value_address(s->b, s->v);
	} else if (WIFEXITED(v)) {
		buf_printf(s->b, "[{WIFEXITED(s) && WEXITSTATUS(s) == %d}]", WEXITSTATUS(v));
	} else if (WIFSIGNALED(v)) {
		buf_puts(s->b, "[{WIFSIGNALED(s) && WTERMSIG(s) == ");
		names_put(s->b, NAMES_sig, (uint64_t)WTERMSIG(v));
		buf_puts(s->b, WCOREDUMP(v) ? " && WCOREDUMP(s)}]" : "}]");
	} else if (WIFSTOPPED(v)) {
		buf_puts(s->b, "[{WIFSTOPPED(s) && WSTOPSIG(s) == ");
		names_put(s->b, NAMES_sig, (uint64_t)WSTOPSIG(v));
		buf_puts(s->b, "}]");
	} else if (WIFCONTINUED(v)) {
		buf_puts(s->b, "[{WIFCONTINUED(s)}]");
	} else {
		buf_printf(s->b, "[0x%x]", v);
	}
}

static void put_unless_0(struct buf *b, const char *name, uint64_t v)
{
	if (v)
		buf_printf(b, ", %s=0x%" PRIx64, name, v);
}

void show_cloneargs(const struct decode_value *s)
{
	struct clone_args a = { 0 };

	memcpy(&a, s->p, s->n < sizeof a ? s->n : sizeof a);
	buf_puts(s->b, "{flags=");
	names_put(s->b, NAMES_cloneflags, a.flags);
	put_unless_0(s->b, "pidfd", a.flags & CLONE_PIDFD ? a.pidfd : 0);
	put_unless_0(s->b, "child_tid", a.child_tid);
	put_unless_0(s->b, "parent_tid", a.parent_tid);
	buf_puts(s->b, ", exit_signal=");
	names_put(s->b, NAMES_sig, a.exit_signal);
	buf_puts(s->b, ", stack=");
	value_address(s->b, a.stack);
	buf_printf(s->b, a.stack_size ? ", stack_size=0x%" PRIx64 : ", stack_size=%" PRIx64, (uint64_t)a.stack_size);
	put_unless_0(s->b, "tls", a.tls);
	put_unless_0(s->b, "set_tid", a.set_tid);
	if (a.set_tid_size)
		buf_printf(s->b, ", set_tid_size=%" PRIu64, (uint64_t)a.set_tid_size);
	if (a.flags & CLONE_INTO_CGROUP)
		buf_printf(s->b, ", cgroup=%" PRIu64, (uint64_t)a.cgroup);
	buf_putc(s->b, '}');
}

/* ---- messages, asynchronous I/O ---- */

void show_mqattr(const struct decode_value *s)
{
	int64_t v[4];

	memcpy(v, s->p, sizeof v);
	buf_puts(s->b, "{mq_flags=");
	names_put(s->b, NAMES_mqflags, (uint64_t)v[0]);
	buf_printf(s->b, ", mq_maxmsg=%" PRId64 ", mq_msgsize=%" PRId64 ", mq_curmsgs=%" PRId64 "}", v[1], v[2], v[3]);
}

/* A message of msgsnd() or msgrcv(): its type, then the text, of which at most the kind's size is known. */
void show_message(const struct decode_value *s)
{
	const uint64_t n = s->d->returned && kind_of(s->d->call->arg[s->i].kind)->when == RETURN ?
		(uint64_t)s->d->result : s->d->arg[2];
	int64_t type;
	size_t have;

	memcpy(&type, s->p, sizeof type);
	have = s->n - sizeof type < s->d->strsize ? s->n - sizeof type : s->d->strsize;
	buf_printf(s->b, "{mtype=%" PRId64 ", mtext=", type);
	value_quoted(s->b, (const char *)s->p + sizeof type, n < have ? n : have, n > have);
	buf_putc(s->b, '}');
}

void show_ioevents(const struct decode_value *s)
{
	struct { uint64_t data, obj; int64_t res, res2; } e;
	const size_t n = s->n / sizeof e;

	buf_putc(s->b, '[');
	for (size_t i = 0; i < n; i++) {
		memcpy(&e, (const char *)s->p + i * sizeof e, sizeof e);
		buf_printf(s->b, "%s{data=%#" PRIx64 ", obj=%#" PRIx64 ", res=%" PRId64 ", res2=%" PRId64 "}",
			   i ? ", " : "", e.data, e.obj, e.res, e.res2);
	}
	buf_puts(s->b, s->d->result > (int64_t)n ? ", ...]" : "]");
}
