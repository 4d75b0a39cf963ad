/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/trace/decode.h"

#include <fcntl.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <linux/keyctl.h>
#include <linux/quota.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/reboot.h>
#include <sys/stat.h>

#include "cmd/dtr/trace/names.h"

static void (*const shows[KINDS])(const struct decode_value *s) = {
#define KIND(name, when, how, size, most, show) show_##show,
#include "cmd/dtr/trace/kinds.def"
#undef KIND
};

void decode_arg(struct buf *b, const struct decode *d, unsigned i)
{
	const unsigned kind = d->call->arg[i].kind;
	const struct call_kind *k = kind_of(kind);
	const struct capture *c = &d->mem[i];
	struct decode_value s = { b, d, i, d->arg[i], NULL, 0 };

	if (kind >= KIND_NAMES) {
		names_put(b, (enum names_table)(kind - KIND_NAMES), (uint32_t)s.v);
		return;
	}
	if (c->have && c->parts)
		s.p = capture_part(c, 0, &s.n);
	if (k->how == RESULT && d->returned && !d->result && s.v) {
		buf_puts(b, k->size > 1 ? "[]" : "\"\"");
		return;
	}
	/* a buffer of no bytes asks for a size, which is the result */
	if (kind == KIND_rbuf && i + 1 < CALL_ARGS && !d->arg[i + 1]) {
		value_address(b, s.v);
		return;
	}
	/* memory that could not be read is an address */
	if (k->how != NOTHING && k->how != MAYBE && (!c->have || (k->how == FIXED && s.n < k->size)))
		value_address(b, s.v);
	else
		shows[kind](&s);
}

/* Which arguments a call uses, as a mask, if the bits `mask` of argument `at`, which is of this kind, are `value`. */
enum { ARG0 = 1, ARG1 = 2, ARG2 = 4, ARG3 = 8, ARG4 = 16, ARG5 = 32, TO1 = 3, TO2 = 7, TO3 = 15, TO4 = 31 };
static const struct used_args {
	unsigned kind, at;
	uint64_t mask, value;
	unsigned used;
} used_args[] = {
#define COMMAND(table, at, command, used) { KIND_NAMES + NAMES_##table, at, ~0u, (uint32_t)(command), used },
#define FUTEX(operation, used) { KIND_NAMES + NAMES_futexop, 1, 127, operation, used },
	FUTEX(FUTEX_WAIT, TO3) FUTEX(FUTEX_WAKE, TO2) FUTEX(FUTEX_UNLOCK_PI, TO1) FUTEX(FUTEX_TRYLOCK_PI, TO1)
	FUTEX(FUTEX_LOCK_PI, TO1 | ARG3) FUTEX(FUTEX_WAIT_BITSET, TO3 | ARG5) FUTEX(FUTEX_WAKE_BITSET, TO2 | ARG5)
	FUTEX(FUTEX_REQUEUE, TO4) FUTEX(FUTEX_WAIT_REQUEUE_PI, TO4)
	COMMAND(fcntl, 1, F_GETFD, TO1) COMMAND(fcntl, 1, F_GETFL, TO1) COMMAND(fcntl, 1, F_GETOWN, TO1)
	COMMAND(fcntl, 1, F_GETSIG, TO1) COMMAND(fcntl, 1, F_GETPIPE_SZ, TO1) COMMAND(fcntl, 1, F_GET_SEALS, TO1)
	COMMAND(fcntl, 1, F_GETLEASE, TO1)
	{ KIND_ioctlreq, 1, ~0u, FIOCLEX, TO1 }, { KIND_ioctlreq, 1, ~0u, FIONCLEX, TO1 },
	{ KIND_ioctlreq, 1, ~0u, TIOCNOTTY, TO1 },
	{ KIND_nodmode, 1, S_IFMT, S_IFREG, TO1 }, { KIND_nodmode, 1, S_IFMT, S_IFIFO, TO1 },
	{ KIND_nodmode, 1, S_IFMT, S_IFSOCK, TO1 }, { KIND_nodmode, 2, S_IFMT, S_IFREG, TO2 },
	{ KIND_nodmode, 2, S_IFMT, S_IFIFO, TO2 }, { KIND_nodmode, 2, S_IFMT, S_IFSOCK, TO2 },
	{ KIND_NAMES + NAMES_mremapflags, 3, MREMAP_FIXED, 0, TO3 },
	COMMAND(prctl, 0, PR_SET_NAME, TO1) COMMAND(prctl, 0, PR_GET_NAME, TO1) COMMAND(prctl, 0, PR_GET_DUMPABLE, ARG0)
	COMMAND(prctl, 0, PR_SET_DUMPABLE, TO1) COMMAND(prctl, 0, PR_CAPBSET_READ, TO1)
	COMMAND(prctl, 0, PR_CAPBSET_DROP, TO1) COMMAND(prctl, 0, PR_SET_PDEATHSIG, TO1)
	COMMAND(prctl, 0, PR_GET_PDEATHSIG, TO1) COMMAND(prctl, 0, PR_GET_KEEPCAPS, ARG0)
	COMMAND(prctl, 0, PR_SET_KEEPCAPS, TO1) COMMAND(prctl, 0, PR_GET_SECCOMP, ARG0)
	COMMAND(prctl, 0, PR_GET_TIMERSLACK, ARG0) COMMAND(prctl, 0, PR_SET_TIMERSLACK, TO1)
	COMMAND(prctl, 0, PR_SET_CHILD_SUBREAPER, TO1) COMMAND(prctl, 0, PR_GET_CHILD_SUBREAPER, TO1)
	COMMAND(prctl, 0, PR_GET_SECUREBITS, ARG0) COMMAND(prctl, 0, PR_SET_SECUREBITS, TO1)
	COMMAND(keyctl, 0, KEYCTL_GET_KEYRING_ID, TO2) COMMAND(keyctl, 0, KEYCTL_JOIN_SESSION_KEYRING, TO1)
	COMMAND(keyctl, 0, KEYCTL_REVOKE, TO1) COMMAND(keyctl, 0, KEYCTL_CLEAR, TO1)
	COMMAND(keyctl, 0, KEYCTL_LINK, TO2) COMMAND(keyctl, 0, KEYCTL_UNLINK, TO2)
	COMMAND(keyctl, 0, KEYCTL_SETPERM, TO2) COMMAND(keyctl, 0, KEYCTL_SET_TIMEOUT, TO2)
	COMMAND(keyctl, 0, KEYCTL_INVALIDATE, TO1) COMMAND(keyctl, 0, KEYCTL_DESCRIBE, TO3)
	COMMAND(keyctl, 0, KEYCTL_READ, TO3) COMMAND(keyctl, 0, KEYCTL_UPDATE, TO3)
	COMMAND(keyctl, 0, KEYCTL_CHOWN, TO3)
	COMMAND(syslog, 0, 0, ARG0) COMMAND(syslog, 0, 1, ARG0) COMMAND(syslog, 0, 5, ARG0) COMMAND(syslog, 0, 6, ARG0)
	COMMAND(syslog, 0, 7, ARG0) COMMAND(syslog, 0, 9, ARG0) COMMAND(syslog, 0, 10, ARG0)
	{ KIND_quotacmd, 0, ~0xffu, (uint32_t)Q_SYNC << 8, TO1 },
	{ KIND_quotacmd, 1, ~0xffu, (uint32_t)Q_SYNC << 8, TO1 },
	{ KIND_quotacmd, 0, ~0xffu, (uint32_t)Q_GETFMT << 8, TO1 | ARG3 },
	{ KIND_quotacmd, 1, ~0xffu, (uint32_t)Q_GETFMT << 8, TO1 | ARG3 },
	{ KIND_quotacmd, 0, ~0xffu, (uint32_t)Q_GETINFO << 8, TO1 | ARG3 },
	{ KIND_quotacmd, 1, ~0xffu, (uint32_t)Q_GETINFO << 8, TO1 | ARG3 },
	COMMAND(rebootcmd, 2, RB_AUTOBOOT, TO2) COMMAND(rebootcmd, 2, RB_HALT_SYSTEM, TO2)
	COMMAND(rebootcmd, 2, RB_ENABLE_CAD, TO2) COMMAND(rebootcmd, 2, RB_DISABLE_CAD, TO2)
	COMMAND(rebootcmd, 2, RB_POWER_OFF, TO2)
	{ KIND_NAMES + NAMES_oflags, 1, O_CREAT | (O_TMPFILE & ~O_DIRECTORY), 0, TO1 },
	{ KIND_NAMES + NAMES_oflags, 2, O_CREAT | (O_TMPFILE & ~O_DIRECTORY), 0, TO2 },
#undef COMMAND
#undef FUTEX
};

bool decode_uses(const struct decode *d, unsigned i)
{
	const struct call *c = d->call;

	if (i >= c->nargs || c->arg[i].kind == KIND_none)
		return false;
	for (size_t k = 0; k < sizeof used_args / sizeof *used_args; k++) {
		const struct used_args *u = &used_args[k];

		if (u->at < c->nargs && c->arg[u->at].kind == u->kind && (d->arg[u->at] & u->mask) == u->value)
			return u->used >> i & 1;
	}
	return true;
}

unsigned decode_count(const struct decode *d)
{
	unsigned n = d->call->nargs;

	while (n && !decode_uses(d, n - 1))
		n--;
	return n;
}

/* ---- results ---- */

bool decode_failed(int64_t result)
{
	return result < 0 && result >= -4095;
}

const char *decode_error(int64_t e)
{
	static const char *const kernel[] = {
		[512 - 512] = "ERESTARTSYS", [513 - 512] = "ERESTARTNOINTR", [514 - 512] = "ERESTARTNOHAND",
		[515 - 512] = "ENOIOCTLCMD", [516 - 512] = "ERESTART_RESTARTBLOCK",
	};

	return e >= 512 && e < 517 ? kernel[e - 512] : strerrorname_np((int)e);
}

/* What poll() has found. */
static void put_polled(struct buf *b, const struct decode *d)
{
	const char *gap = " ([{fd=";
	struct pollfd f;
	size_t n = 0;
	const char *p = d->mem[0].have && d->mem[0].parts ? capture_part(&d->mem[0], 0, &n) : NULL;

	for (; n >= sizeof f; p += sizeof f, n -= sizeof f) {
		memcpy(&f, p, sizeof f);
		if (!f.revents)
			continue;
		buf_printf(b, "%s%d, revents=", gap, f.fd);
		names_put(b, NAMES_pollev, (uint16_t)f.revents);
		buf_putc(b, '}');
		gap = ", {fd=";
	}
	buf_puts(b, *gap == ',' ? "])" : "");
}

/* What select() has found. */
static void put_ready(struct buf *b, const struct decode *d)
{
	static const char *const names[] = { [1] = "in", "out", "except" };
	const char *gap = " (";

	for (unsigned i = 1; i < sizeof names / sizeof *names; i++) {
		const struct capture *c = &d->ready[i];
		struct buf set = { 0 };
		size_t n;
		const char *p = c->have && c->parts ? capture_part(c, 0, &n) : NULL;

		if (p)
			value_fdset(&set, p, n, d->arg[0]);
		if (set.len > 2) {
			buf_printf(b, "%s%s %s", gap, names[i], buf_str(&set));
			gap = ", ";
		}
		b->failed |= set.failed;
		buf_free(&set);
	}
	buf_puts(b, *gap == ',' ? ")" : "");
}

/* What fcntl() returns: names of constants, or NULL for a number. */
static const struct fcntl_result {
	int cmd;
	const char *label;
	enum names_table names;
	bool zero;		/* also for 0 */
} fcntl_results[] = {
	{ F_GETFD, "flags ", NAMES_fdbits, false }, { F_GETFL, "flags ", NAMES_oflags, true },
	{ F_GET_SEALS, "seals ", NAMES_seals, false }, { F_GETLEASE, "", NAMES_locktype, true },
};

static const struct fcntl_result *fcntl_result(const struct decode *d)
{
	if (d->call->nargs < 2 || d->call->arg[1].kind != KIND_NAMES + NAMES_fcntl)
		return NULL;
	for (size_t i = 0; i < sizeof fcntl_results / sizeof *fcntl_results; i++)
		if ((int)d->arg[1] == fcntl_results[i].cmd)
			return &fcntl_results[i];
	return NULL;
}

static void put_fcntl(struct buf *b, const struct decode *d, const struct fcntl_result *f)
{
	buf_printf(b, d->result ? "0x%" PRIx64 : "%" PRIx64, (uint64_t)d->result);
	if (!d->result && !f->zero)
		return;
	buf_printf(b, " (%s", f->label);
	names_put(b, f->names, (uint64_t)d->result);
	buf_putc(b, ')');
}

/* The number, and what it means. */
static void put_named(struct buf *b, const struct decode *d)
{
	const unsigned kind = d->call->result_kind;

	buf_printf(b, d->result > 9 ? "%#" PRIx64 " (" : "%" PRId64 " (", d->result);
	if (kind < KIND_NAMES)
		shows[kind](&(struct decode_value){ .b = b, .d = d, .v = (uint64_t)d->result });
	else
		names_put(b, (enum names_table)(kind - KIND_NAMES), (uint64_t)d->result);
	buf_putc(b, ')');
}

static void put_success(struct buf *b, const struct decode *d)
{
	const unsigned first = d->call->nargs ? d->call->arg[0].kind : KIND_x;
	const bool selects = d->call->nargs > 1 && d->call->arg[1].kind == KIND_fdset;

	if (d->call->result == 'p')
		buf_printf(b, "0x%" PRIx64, (uint64_t)d->result);
	else if (d->call->result == 'u')
		buf_printf(b, "%#03" PRIo64, (uint64_t)d->result);
	else if (d->call->result == 'f')
		value_fd(b, (int)d->result, &d->path[CALL_ARGS]);
	else if (d->call->result == 'n')
		put_named(b, d);
	else if (fcntl_result(d))
		put_fcntl(b, d, fcntl_result(d));
	else
		buf_printf(b, "%" PRId64, d->result);
	if (first == KIND_pollfd && d->result)
		put_polled(b, d);
	else if (selects && d->result)
		put_ready(b, d);
	else if (first == KIND_pollfd || selects)
		buf_puts(b, " (Timeout)");
}

void decode_result(struct buf *b, const struct decode *d)
{
	const int64_t e = -d->result;
	const char *name = decode_failed(d->result) ? decode_error(e) : NULL;

	if (name && e >= 512)
		buf_printf(b, "? %s (%s)", name, e == 515 ? "unknown command" : "interrupted by a signal");
	else if (name)
		buf_printf(b, "-1 %s (%s)", name, strerror((int)e));
	else
		put_success(b, d);
}
