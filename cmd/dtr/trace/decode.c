/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/trace/decode.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "base/escape.h"
#include "cmd/dtr/trace/names.h"

/* ---- memory ---- */

void capture_reset(struct capture *c)
{
	c->have = false;
	c->parts = 0;
	buf_reset(&c->bytes);
}

void capture_free(struct capture *c)
{
	buf_free(&c->bytes);
}

void capture_add(struct capture *c, const void *data, size_t n)
{
	if (c->parts == CAPTURE_PARTS)
		return;
	c->part[c->parts++] = (struct capture_part){ (uint32_t)c->bytes.len, (uint32_t)n };
	buf_put(&c->bytes, data, n);
	c->have = !c->bytes.failed;
}

static const char *part(const struct capture *c, unsigned i, size_t *n)
{
	*n = c->part[i].n;
	return c->bytes.data + c->part[i].at;
}

/* ---- small parts ---- */

static void put_address(struct buf *b, uint64_t v)
{
	if (v)
		buf_printf(b, "0x%" PRIx64, v);
	else
		buf_puts(b, "NULL");
}

static void put_quoted(struct buf *b, const char *s, size_t n, bool more)
{
	buf_putc(b, '"');
	escape_put(b, s, n, ESCAPE_C);
	buf_puts(b, more ? "\"..." : "\"");
}

static void put_mode(struct buf *b, uint64_t v)
{
	buf_printf(b, v ? "0%03" PRIo64 : "%" PRIo64, v);
}

static void put_fd(struct buf *b, int fd, const struct buf *path)
{
	buf_printf(b, "%d", fd);
	if (!path->len)
		return;
	buf_putc(b, '<');
	escape_put(b, path->data, path->len, ESCAPE_LINE);
	buf_putc(b, '>');
}

/* ---- kinds ---- */
struct decode_value {
	struct buf *b;
	const struct decode *d;
	unsigned i;
	uint64_t v;
	const void *p;		/* the first part of the memory, at least as long as the kind says, if it is FIXED */
	size_t n;
};

static void put_d(const struct decode_value *s)
{
	buf_printf(s->b, "%d", (int)s->v);
}

static void put_u(const struct decode_value *s)
{
	buf_printf(s->b, "%u", (unsigned)s->v);
}

static void put_ld(const struct decode_value *s)
{
	buf_printf(s->b, "%" PRId64, (int64_t)s->v);
}

static void put_lu(const struct decode_value *s)
{
	buf_printf(s->b, "%" PRIu64, s->v);
}

static void put_x(const struct decode_value *s)
{
	buf_printf(s->b, s->v ? "0x%" PRIx64 : "%" PRIx64, s->v);
}

static void put_p(const struct decode_value *s)
{
	put_address(s->b, s->v);
}

static void put_octal(const struct decode_value *s)
{
	put_mode(s->b, s->v & 07777);
}

static void put_descriptor(const struct decode_value *s)
{
	if ((int)s->v == AT_FDCWD && s->d->call->arg[s->i].kind == KIND_dirfd)
		buf_puts(s->b, "AT_FDCWD");
	else
		put_fd(s->b, (int)s->v, &s->d->path[s->i]);
}

static void put_string(const struct decode_value *s)
{
	size_t n = strnlen(s->p, s->n);

	put_quoted(s->b, s->p, n, n + 1 >= s->n);
}

static void put_words(const struct decode_value *s)
{
	const struct capture *c = &s->d->mem[s->i];

	buf_putc(s->b, '[');
	for (unsigned i = 0; i < c->parts; i++) {
		size_t n;
		const char *p = part(c, i, &n);

		buf_puts(s->b, i ? ", " : "");
		put_quoted(s->b, p, strnlen(p, n), false);
	}
	buf_puts(s->b, c->parts == MOST_WORDS ? ", ...]" : "]");
}

static void put_written(const struct decode_value *s)
{
	put_quoted(s->b, s->p, s->n, s->d->arg[s->d->call->arg[s->i].length] > s->n);
}

static void put_read(const struct decode_value *s)
{
	put_quoted(s->b, s->p, s->n, s->d->result > (int64_t)s->n);
}

static void put_vector(const struct decode_value *s)
{
	const struct capture *c = &s->d->mem[s->i];
	const uint64_t count = s->d->arg[s->d->call->arg[s->i].length];
	size_t n;
	struct { uint64_t base, len; } v;

	buf_putc(s->b, '[');
	for (unsigned i = 0; i < s->n / sizeof v && i + 1 < c->parts; i++) {
		const char *p = part(c, i + 1, &n);

		memcpy(&v, (const char *)s->p + i * sizeof v, sizeof v);
		buf_puts(s->b, i ? ", {iov_base=" : "{iov_base=");
		put_quoted(s->b, p, n, n == s->d->strsize && n < v.len);
		buf_printf(s->b, ", iov_len=%" PRIu64 "}", v.len);
	}
	buf_puts(s->b, count > s->n / sizeof v ? ", ...]" : "]");
}

static void put_unix(struct buf *b, const char *p, size_t n)
{
	size_t at = offsetof(struct sockaddr_un, sun_path);

	if (n <= at)
		return;
	buf_puts(b, p[at] ? ", sun_path=" : ", sun_path=@");
	at += !p[at];
	put_quoted(b, p + at, strnlen(p + at, n - at), false);
}

static void put_internet(struct buf *b, const void *p, size_t n)
{
	char text[INET6_ADDRSTRLEN];
	struct sockaddr_in in;
	struct sockaddr_in6 in6;

	memcpy(&in, p, sizeof in);	/* both have at least this size here */
	if (in.sin_family == AF_INET) {
		inet_ntop(AF_INET, &in.sin_addr, text, sizeof text);
		buf_printf(b, ", sin_port=htons(%u), sin_addr=inet_addr(\"%s\")", ntohs(in.sin_port), text);
	} else if (n >= sizeof in6) {
		memcpy(&in6, p, sizeof in6);
		inet_ntop(AF_INET6, &in6.sin6_addr, text, sizeof text);
		buf_printf(b, ", sin6_port=htons(%u), sin6_addr=\"%s\"", ntohs(in6.sin6_port), text);
	}
}

static void put_sockaddr(const struct decode_value *s)
{
	sa_family_t family;

	if (s->n < sizeof family) {
		put_address(s->b, s->v);
		return;
	}
	memcpy(&family, s->p, sizeof family);
	buf_puts(s->b, "{sa_family=");
	names_put(s->b, NAMES_family, family);
	if (family == AF_UNIX)
		put_unix(s->b, s->p, s->n);
	else if ((family == AF_INET || family == AF_INET6) && s->n >= sizeof(struct sockaddr_in))
		put_internet(s->b, s->p, s->n);
	buf_putc(s->b, '}');
}

static void ints(const struct decode_value *s, int v[2])
{
	memcpy(v, s->p, s->n < 2 * sizeof *v ? s->n : 2 * sizeof *v);
}

static void put_int(const struct decode_value *s)
{
	int v[2] = { 0 };

	ints(s, v);
	buf_printf(s->b, "[%d]", v[0]);
}

static void put_pair(const struct decode_value *s)
{
	int v[2] = { 0 };

	ints(s, v);
	buf_printf(s->b, "[%d, %d]", v[0], v[1]);
}

static void put_status(const struct decode_value *s)
{
	int v[2] = { 0 };

	ints(s, v);
	if (s->d->result <= 0) {
		put_address(s->b, s->v);
	} else if (WIFEXITED(v[0])) {
		buf_printf(s->b, "[{WIFEXITED(s) && WEXITSTATUS(s) == %d}]", WEXITSTATUS(v[0]));
	} else if (WIFSIGNALED(v[0])) {
		buf_puts(s->b, "[{WIFSIGNALED(s) && WTERMSIG(s) == ");
		names_put(s->b, NAMES_sig, (uint64_t)WTERMSIG(v[0]));
		buf_puts(s->b, WCOREDUMP(v[0]) ? " && WCOREDUMP(s)}]" : "}]");
	} else {
		buf_printf(s->b, "[0x%x]", v[0]);
	}
}

static void put_stat(const struct decode_value *s)
{
	struct stat st;

	memcpy(&st, s->p, sizeof st);
	buf_puts(s->b, "{st_mode=");
	names_put(s->b, NAMES_filetype, st.st_mode & S_IFMT);
	buf_putc(s->b, '|');
	put_mode(s->b, st.st_mode & ~(mode_t)S_IFMT);
	buf_printf(s->b, ", st_size=%lld, ...}", (long long)st.st_size);
}

static void put_words_of_two(const struct decode_value *s, const char *first, const char *second)
{
	int64_t v[2];

	memcpy(v, s->p, sizeof v);
	buf_printf(s->b, "{%s=%" PRId64 ", %s=%" PRId64 "}", first, v[0], second, v[1]);
}

static void put_timespec(const struct decode_value *s)
{
	put_words_of_two(s, "tv_sec", "tv_nsec");
}

static void put_timeval(const struct decode_value *s)
{
	put_words_of_two(s, "tv_sec", "tv_usec");
}

static void put_limit(struct buf *b, uint64_t v)
{
	if (v == UINT64_MAX)
		buf_puts(b, "RLIM64_INFINITY");
	else if (v && v % 1024 == 0)
		buf_printf(b, "%" PRIu64 "*1024", v / 1024);
	else
		buf_printf(b, "%" PRIu64, v);
}

static void put_rlimit(const struct decode_value *s)
{
	uint64_t v[2];

	memcpy(v, s->p, sizeof v);
	buf_puts(s->b, "{rlim_cur=");
	put_limit(s->b, v[0]);
	buf_puts(s->b, ", rlim_max=");
	put_limit(s->b, v[1]);
	buf_putc(s->b, '}');
}

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

static void put_sigset(const struct decode_value *s)
{
	uint64_t set;

	memcpy(&set, s->p, sizeof set);
	put_signals(s->b, set);
}

static void put_sigaction(const struct decode_value *s)
{
	uint64_t v[4];

	memcpy(v, s->p, sizeof v);
	buf_puts(s->b, "{sa_handler=");
	if (v[0] < 2)
		buf_puts(s->b, v[0] ? "SIG_IGN" : "SIG_DFL");
	else
		put_address(s->b, v[0]);
	buf_puts(s->b, ", sa_mask=");
	put_signals(s->b, v[3]);
	buf_puts(s->b, ", sa_flags=");
	names_put(s->b, NAMES_saflags, (uint32_t)v[1]);
	if (v[2])
		buf_printf(s->b, ", sa_restorer=0x%" PRIx64, v[2]);
	buf_putc(s->b, '}');
}

static void put_polled(const struct decode_value *s)
{
	const uint64_t count = s->d->arg[s->d->call->arg[s->i].length];
	struct pollfd f;

	buf_putc(s->b, '[');
	for (size_t i = 0; i < s->n / sizeof f; i++) {
		memcpy(&f, (const char *)s->p + i * sizeof f, sizeof f);
		buf_printf(s->b, "%s{fd=%d, events=", i ? ", " : "", f.fd);
		names_put(s->b, NAMES_pollev, (uint16_t)f.events);
		buf_putc(s->b, '}');
	}
	buf_puts(s->b, count > s->n / sizeof f ? ", ...]" : "]");
}

static void put_event(struct buf *b, const void *p)
{
	struct epoll_event e;

	memcpy(&e, p, sizeof e);
	buf_puts(b, "{events=");
	names_put(b, NAMES_epollev, e.events);
	buf_printf(b, ", data=0x%" PRIx64 "}", (uint64_t)e.data.u64);
}

static void put_epollevent(const struct decode_value *s)
{
	put_event(s->b, s->p);
}

static void put_epollevents(const struct decode_value *s)
{
	const size_t n = s->n / sizeof(struct epoll_event);

	buf_putc(s->b, '[');
	for (size_t i = 0; i < n; i++) {
		buf_puts(s->b, i ? ", " : "");
		put_event(s->b, (const char *)s->p + i * sizeof(struct epoll_event));
	}
	buf_puts(s->b, s->d->result > (int64_t)n ? ", ...]" : "]");
}

static void (*const puts_by_kind[KINDS])(const struct decode_value *s) = {
	[KIND_d] = put_d, [KIND_u] = put_u, [KIND_ld] = put_ld, [KIND_lu] = put_lu, [KIND_x] = put_x, [KIND_p] = put_p,
	[KIND_mode] = put_octal, [KIND_fd] = put_descriptor, [KIND_dirfd] = put_descriptor, [KIND_path] = put_string,
	[KIND_argv] = put_words, [KIND_wbuf] = put_written, [KIND_rbuf] = put_read, [KIND_iovec] = put_vector,
	[KIND_iovecs] = put_vector, [KIND_sockaddr] = put_sockaddr, [KIND_oldsockaddr] = put_sockaddr,
	[KIND_intp] = put_int, [KIND_fds] = put_pair, [KIND_status] = put_status, [KIND_stat] = put_stat,
	[KIND_timespec] = put_timespec, [KIND_oldtimespec] = put_timespec, [KIND_timeval] = put_timeval,
	[KIND_oldtimeval] = put_timeval, [KIND_rlimit] = put_rlimit, [KIND_oldrlimit] = put_rlimit,
	[KIND_sigset] = put_sigset, [KIND_oldsigset] = put_sigset, [KIND_sigaction] = put_sigaction,
	[KIND_oldsigaction] = put_sigaction, [KIND_pollin] = put_polled, [KIND_epollevent] = put_epollevent,
	[KIND_epollevents] = put_epollevents,
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
		s.p = part(c, 0, &s.n);
	if (k->how == RESULT && d->returned && !d->result && s.v) {
		buf_puts(b, k->size > 1 ? "[]" : "\"\"");
		return;
	}
	/* memory that could not be read is an address */
	if (k->how != NOTHING && (!c->have || (k->how == FIXED && s.n < k->size)))
		put_address(b, s.v);
	else
		puts_by_kind[kind](&s);
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

void decode_result(struct buf *b, const struct decode *d)
{
	const int64_t e = -d->result;
	const char *name = decode_failed(d->result) ? decode_error(e) : NULL;

	if (name && e >= 512)
		buf_printf(b, "? %s (%s)", name, e == 515 ? "unknown command" : "interrupted by a signal");
	else if (name)
		buf_printf(b, "-1 %s (%s)", name, strerror((int)e));
	else if (d->call->result == 'p')
		buf_printf(b, "0x%" PRIx64, (uint64_t)d->result);
	else if (d->call->result == 'm')
		put_mode(b, (uint64_t)d->result);
	else if (d->call->result == 'f')
		put_fd(b, (int)d->result, &d->path[CALL_ARGS]);
	else
		buf_printf(b, "%" PRId64, d->result);
}
