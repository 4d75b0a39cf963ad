/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/trace/decode.h"

#include <fcntl.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
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
	/* memory that could not be read is an address */
	if (k->how != NOTHING && k->how != MAYBE && (!c->have || (k->how == FIXED && s.n < k->size)))
		value_address(b, s.v);
	else
		shows[kind](&s);
}

unsigned decode_count(const struct decode *d)
{
	static const struct {
		unsigned kind, at;	/* of the argument that decides, and its number */
		uint64_t mask, value;
		unsigned count;
	} rows[] = {
		{ KIND_NAMES + NAMES_futexop, 1, 127, FUTEX_WAIT, 4 },
		{ KIND_NAMES + NAMES_futexop, 1, 127, FUTEX_WAKE, 3 },
		{ KIND_NAMES + NAMES_futexop, 1, 127, FUTEX_UNLOCK_PI, 2 },
		{ KIND_NAMES + NAMES_fcntl, 1, ~0u, F_GETFD, 2 }, { KIND_NAMES + NAMES_fcntl, 1, ~0u, F_GETFL, 2 },
		{ KIND_NAMES + NAMES_fcntl, 1, ~0u, F_GETOWN, 2 }, { KIND_NAMES + NAMES_fcntl, 1, ~0u, F_GETSIG, 2 },
		{ KIND_NAMES + NAMES_fcntl, 1, ~0u, F_GETPIPE_SZ, 2 },
		{ KIND_NAMES + NAMES_fcntl, 1, ~0u, F_GET_SEALS, 2 },
		{ KIND_NAMES + NAMES_fcntl, 1, ~0u, F_GETLEASE, 2 },
		{ KIND_nodmode, 1, S_IFMT, S_IFREG, 2 }, { KIND_nodmode, 1, S_IFMT, S_IFIFO, 2 },
		{ KIND_nodmode, 1, S_IFMT, S_IFSOCK, 2 }, { KIND_nodmode, 2, S_IFMT, S_IFREG, 3 },
		{ KIND_nodmode, 2, S_IFMT, S_IFIFO, 3 }, { KIND_nodmode, 2, S_IFMT, S_IFSOCK, 3 },
		{ KIND_NAMES + NAMES_mremapflags, 3, MREMAP_FIXED, 0, 4 },
		{ KIND_NAMES + NAMES_prctl, 0, ~0u, PR_SET_NAME, 2 },
		{ KIND_NAMES + NAMES_prctl, 0, ~0u, PR_GET_NAME, 2 },
		{ KIND_NAMES + NAMES_prctl, 0, ~0u, PR_GET_DUMPABLE, 1 },
		{ KIND_NAMES + NAMES_prctl, 0, ~0u, PR_SET_DUMPABLE, 2 },
		{ KIND_NAMES + NAMES_prctl, 0, ~0u, PR_CAPBSET_READ, 2 },
		{ KIND_NAMES + NAMES_prctl, 0, ~0u, PR_CAPBSET_DROP, 2 },
		{ KIND_NAMES + NAMES_prctl, 0, ~0u, PR_SET_PDEATHSIG, 2 },
		{ KIND_NAMES + NAMES_oflags, 1, O_CREAT, 0, 2 }, { KIND_NAMES + NAMES_oflags, 2, O_CREAT, 0, 3 },
	};
	const struct call *c = d->call;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].at < c->nargs && rows[i].count <= c->nargs && c->arg[rows[i].at].kind == rows[i].kind &&
		    (d->arg[rows[i].at] & rows[i].mask) == rows[i].value)
			return rows[i].count;
	return c->nargs;
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

static void put_success(struct buf *b, const struct decode *d)
{
	const unsigned first = d->call->nargs ? d->call->arg[0].kind : KIND_x;

	if (d->call->result == 'p')
		buf_printf(b, "0x%" PRIx64, (uint64_t)d->result);
	else if (d->call->result == 'u')
		buf_printf(b, "%#03" PRIo64, (uint64_t)d->result);
	else if (d->call->result == 'f')
		value_fd(b, (int)d->result, &d->path[CALL_ARGS]);
	else if (fcntl_result(d))
		put_fcntl(b, d, fcntl_result(d));
	else
		buf_printf(b, "%" PRId64, d->result);
	if (first == KIND_pollfd && d->result)
		put_polled(b, d);
	else if (!d->result && (first == KIND_pollfd || (d->call->nargs > 1 && d->call->arg[1].kind == KIND_fdset)))
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
