/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Numbers, text, arrays. */
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/escape.h"
#include "cmd/dtr/trace/names.h"
#include "cmd/dtr/trace/value.h"

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

const char *capture_part(const struct capture *c, unsigned i, size_t *n)
{
	*n = c->part[i].n;
	return c->bytes.data + c->part[i].at;
}

/* ---- small parts ---- */

void value_address(struct buf *b, uint64_t v)
{
	if (v)
		buf_printf(b, "0x%" PRIx64, v);
	else
		buf_puts(b, "NULL");
}

/* The shortest octal number that the next character does not prolong. */
static void put_octal(struct buf *b, unsigned char c, bool digit_follows)
{
	char text[4] = { '\\', (char)('0' + (c >> 6)), (char)('0' + (c >> 3 & 7)), (char)('0' + (c & 7)) };
	size_t skip = digit_follows || c >= 0100 ? 0 : c >= 010 ? 1 : 2;

	buf_putc(b, '\\');
	buf_put(b, text + 1 + skip, sizeof text - 1 - skip);
}

void value_quoted(struct buf *b, const char *s, size_t n, bool more)
{
	static const char special[] = "\f\n\r\t\v\\\"", letters[] = "fnrtv\\\"";

	buf_putc(b, '"');
	for (size_t i = 0; i < n; i++) {
		const char *at = s[i] ? strchr(special, s[i]) : NULL;
		size_t plain = i;

		while (plain < n && s[plain] >= ' ' && s[plain] < 0x7f && s[plain] != '"' && s[plain] != '\\')
			plain++;
		if (plain > i) {
			buf_put(b, s + i, plain - i);
			i = plain - 1;
		} else if (at) {
			buf_putc(b, '\\');
			buf_putc(b, letters[at - special]);
		} else {
			put_octal(b, (unsigned char)s[i], i + 1 < n && s[i + 1] >= '0' && s[i + 1] <= '7');
		}
	}
	buf_puts(b, more ? "\"..." : "\"");
}

void value_mode(struct buf *b, uint64_t v)
{
	buf_printf(b, v ? "0%03" PRIo64 : "%" PRIo64, v);
}

void value_fd(struct buf *b, int fd, const struct buf *path)
{
	buf_printf(b, "%d", fd);
	if (!path->len)
		return;
	buf_putc(b, '<');
	escape_put(b, path->data, path->len, ESCAPE_LINE);
	buf_putc(b, '>');
}

/* ---- numbers ---- */

void show_d(const struct decode_value *s)
{
	buf_printf(s->b, "%d", (int)s->v);
}

void show_u(const struct decode_value *s)
{
	buf_printf(s->b, "%u", (unsigned)s->v);
}

void show_ld(const struct decode_value *s)
{
	buf_printf(s->b, "%" PRId64, (int64_t)s->v);
}

void show_lu(const struct decode_value *s)
{
	buf_printf(s->b, "%" PRIu64, s->v);
}

void show_x(const struct decode_value *s)
{
	buf_printf(s->b, s->v ? "0x%" PRIx64 : "%" PRIx64, s->v);
}

void show_p(const struct decode_value *s)
{
	value_address(s->b, s->v);
}

void show_mode(const struct decode_value *s)
{
	value_mode(s->b, s->v & 07777);
}

/* An argument that the kernel does not use here. */
void show_none(const struct decode_value *s)
{
	(void)s;
}

/* What mknod() makes, and its mode. */
void show_nodmode(const struct decode_value *s)
{
	if (s->v & S_IFMT) {
		names_put(s->b, NAMES_filetype, s->v & S_IFMT);
		buf_putc(s->b, '|');
	}
	value_mode(s->b, s->v & ~(uint64_t)S_IFMT & 0xffff);
}

void show_device(const struct decode_value *s)
{
	buf_printf(s->b, "makedev(%#x, %#x)", major((uint32_t)s->v), minor((uint32_t)s->v));
}

void show_umask(const struct decode_value *s)
{
	buf_printf(s->b, "%#03" PRIo64, s->v & 0777);
}

/* Flags, and a mode in the low bits. */
void show_ipcmode(const struct decode_value *s)
{
	const uint32_t flags = (uint32_t)s->v & ~0777u;

	if (flags) {
		names_put(s->b, s->d->call->arg[s->i].kind == KIND_shmmode ? NAMES_shmflags : NAMES_ipcflags, flags);
		buf_putc(s->b, '|');
	}
	value_mode(s->b, s->v & 0777);
}

void show_fd(const struct decode_value *s)
{
	if ((int)s->v == AT_FDCWD && s->d->call->arg[s->i].kind == KIND_dirfd)
		buf_puts(s->b, "AT_FDCWD");
	else
		value_fd(s->b, (int)s->v, &s->d->path[s->i]);
}

static int int_at(const struct decode_value *s, unsigned i)
{
	int v = 0;

	if (s->n >= (i + 1) * sizeof v)
		memcpy(&v, (const char *)s->p + i * sizeof v, sizeof v);
	return v;
}

void show_int(const struct decode_value *s)
{
	buf_printf(s->b, "[%d]", int_at(s, 0));
}

void show_pair(const struct decode_value *s)
{
	buf_printf(s->b, "[%d, %d]", int_at(s, 0), int_at(s, 1));
}

/* An offset in a file, or a size. */
void show_offset(const struct decode_value *s)
{
	int64_t v;

	memcpy(&v, s->p, sizeof v);
	buf_printf(s->b, "[%" PRId64 "]", v);
}

void show_pointer(const struct decode_value *s)
{
	uint64_t v;

	memcpy(&v, s->p, sizeof v);
	buf_putc(s->b, '[');
	value_address(s->b, v);
	buf_putc(s->b, ']');
}

/* Of mincore(): whether each page is in memory. */
void show_residence(const struct decode_value *s)
{
	const uint64_t size = (uint64_t)sysconf(_SC_PAGESIZE), pages = (s->d->arg[1] + size - 1) / size;
	const unsigned char *p = s->p;

	buf_putc(s->b, '[');
	for (size_t i = 0; i < s->n && i < pages; i++)
		buf_printf(s->b, "%s%u", i ? ", " : "", p[i] & 1u);
	buf_puts(s->b, pages > s->n ? ", ...]" : "]");
}

/* ---- text ---- */

void show_string(const struct decode_value *s)
{
	size_t n = strnlen(s->p, s->n);

	value_quoted(s->b, s->p, n, n + 1 >= TRACE_PATH);
}

void show_cwd(const struct decode_value *s)
{
	size_t n = strnlen(s->p, s->n);

	value_quoted(s->b, s->p, n, n == s->n);
}

void show_words(const struct decode_value *s)
{
	const struct capture *c = &s->d->mem[s->i];

	buf_putc(s->b, '[');
	for (unsigned i = 0; i < c->parts && i < MOST_WORDS; i++) {
		size_t n;
		const char *p = capture_part(c, i, &n);

		buf_puts(s->b, i ? ", " : "");
		value_quoted(s->b, p, strnlen(p, n), false);
	}
	buf_puts(s->b, c->parts > MOST_WORDS ? ", ...]" : "]");
}

/* How many variables there are is known of the first execve() only (trace_lines_exec). */
void show_envp(const struct decode_value *s)
{
	unsigned count;

	value_address(s->b, s->v);
	if (s->n != sizeof count)
		return;
	memcpy(&count, s->p, sizeof count);
	buf_printf(s->b, " /* %u var%s */", count, count == 1 ? "" : "s");
}

void show_written(const struct decode_value *s)
{
	value_quoted(s->b, s->p, s->n, s->d->arg[s->d->call->arg[s->i].length] > s->n);
}

void show_read(const struct decode_value *s)
{
	value_quoted(s->b, s->p, s->n, s->d->result > (int64_t)s->n);
}

void show_random(const struct decode_value *s)
{
	const unsigned char *p = s->p;

	buf_putc(s->b, '"');
	for (size_t i = 0; i < s->n; i++)
		buf_printf(s->b, "\\x%02x", p[i]);
	buf_puts(s->b, s->d->result > (int64_t)s->n ? "\"..." : "\"");
}

/* ---- arrays ---- */

static uint64_t count_of(const struct decode_value *s)
{
	return s->d->arg[s->d->call->arg[s->i].length];
}

void value_vector(const struct decode_value *s, const void *p, size_t n, unsigned first, uint64_t count)
{
	const struct capture *c = &s->d->mem[s->i];
	struct { uint64_t base, len; } v;

	buf_putc(s->b, '[');
	for (unsigned i = 0; i < n / sizeof v && first + i < c->parts; i++) {
		size_t have;
		const char *bytes = capture_part(c, first + i, &have);

		memcpy(&v, (const char *)p + i * sizeof v, sizeof v);
		buf_puts(s->b, i ? ", {iov_base=" : "{iov_base=");
		if (v.base)
			value_quoted(s->b, bytes, have, have == s->d->strsize && have < v.len);
		else
			buf_puts(s->b, "NULL");
		buf_printf(s->b, ", iov_len=%" PRIu64 "}", v.len);
	}
	buf_puts(s->b, count > n / sizeof v ? ", ...]" : "]");
}

void show_vector(const struct decode_value *s)
{
	value_vector(s, s->p, s->n, 1, count_of(s));
}

/* Addresses in another process. */
void show_iovaddr(const struct decode_value *s)
{
	struct { uint64_t base, len; } v;
	const size_t n = s->n / sizeof v;

	buf_putc(s->b, '[');
	for (size_t i = 0; i < n; i++) {
		memcpy(&v, (const char *)s->p + i * sizeof v, sizeof v);
		buf_puts(s->b, i ? ", {iov_base=" : "{iov_base=");
		value_address(s->b, v.base);
		buf_printf(s->b, ", iov_len=%" PRIu64 "}", v.len);
	}
	buf_puts(s->b, count_of(s) > n ? ", ...]" : "]");
}

void show_polled(const struct decode_value *s)
{
	struct pollfd f;

	buf_putc(s->b, '[');
	for (size_t i = 0; i < s->n / sizeof f; i++) {
		memcpy(&f, (const char *)s->p + i * sizeof f, sizeof f);
		buf_printf(s->b, f.fd < 0 ? "%s{fd=%d" : "%s{fd=%d, events=", i ? ", " : "", f.fd);
		if (f.fd >= 0)	/* poll() ignores the others */
			names_put(s->b, NAMES_pollev, (uint16_t)f.events);
		buf_putc(s->b, '}');
	}
	buf_puts(s->b, count_of(s) > s->n / sizeof f ? ", ...]" : "]");
}

void value_fdset(struct buf *b, const void *set, size_t n, uint64_t end)
{
	const unsigned char *p = set;
	const char *gap = "";

	buf_putc(b, '[');
	for (size_t fd = 0; fd < end && fd / 8 < n; fd++)
		if (p[fd / 8] >> fd % 8 & 1) {
			buf_printf(b, "%s%zu", gap, fd);
			gap = " ";
		}
	buf_putc(b, ']');
}

/* Descriptors below the first argument. */
void show_fdset(const struct decode_value *s)
{
	value_fdset(s->b, s->p, s->n, s->d->arg[0]);
}

static void put_event(struct buf *b, const void *p)
{
	struct epoll_event e;

	memcpy(&e, p, sizeof e);
	buf_puts(b, "{events=");
	names_put(b, NAMES_epollev, e.events);
	buf_printf(b, ", data={u32=%" PRIu32 ", u64=%" PRIu64 "}}", e.data.u32, e.data.u64);
}

void show_epollevent(const struct decode_value *s)
{
	put_event(s->b, s->p);
}

void show_epollevents(const struct decode_value *s)
{
	const size_t n = s->n / sizeof(struct epoll_event);

	buf_putc(s->b, '[');
	for (size_t i = 0; i < n; i++) {
		buf_puts(s->b, i ? ", " : "");
		put_event(s->b, (const char *)s->p + i * sizeof(struct epoll_event));
	}
	buf_puts(s->b, s->d->result > (int64_t)n ? ", ...]" : "]");
}
