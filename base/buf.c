/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Makes room for `n` more bytes and the NUL. */
static bool buf_reserve(struct buf *b, size_t n)
{
	size_t need, cap;
	char *data;

	if (b->failed)
		return false;
	if (__builtin_add_overflow(b->len + 1, n, &need)) {
		b->failed = true;
		return false;
	}
	if (need <= b->cap)
		return true;
	cap = b->cap ? b->cap : 256;
	while (cap < need)
		cap = cap > SIZE_MAX / 2 ? need : cap * 2;
	data = realloc(b->data, cap);
	if (!data) {
		b->failed = true;
		return false;
	}
	b->data = data;
	b->cap = cap;
	return true;
}

void buf_put(struct buf *b, const void *p, size_t n)
{
	if (!buf_reserve(b, n))
		return;
	if (n)
		memcpy(b->data + b->len, p, n);
	b->len += n;
	b->data[b->len] = '\0';
}

void buf_puts(struct buf *b, const char *s)
{
	buf_put(b, s, strlen(s));
}

void buf_putc(struct buf *b, int c)
{
	char ch = (char)c;

	buf_put(b, &ch, 1);
}

void buf_pad(struct buf *b, int c, size_t n)
{
	if (!buf_reserve(b, n))
		return;
	memset(b->data + b->len, c, n);
	b->len += n;
	b->data[b->len] = '\0';
}

void buf_dump(struct buf *b, const void *p, size_t n)
{
	const unsigned char *s = p;

	buf_puts(b, "\n           ");
	for (unsigned i = 0; i < 16; i++)
		buf_printf(b, "  %x", i);
	buf_puts(b, "  0123456789abcdef\n");
	for (size_t at = 0; at < n; at += 16) {
		size_t len = n - at < 16 ? n - at : 16;

		buf_printf(b, "     %5zx:", at);
		for (size_t i = 0; i < len; i++)
			buf_printf(b, " %02x", s[at + i]);
		buf_pad(b, ' ', (16 - len) * 3 + 2);
		for (size_t i = 0; i < len; i++)
			buf_putc(b, s[at + i] >= ' ' && s[at + i] <= '~' ? s[at + i] : '.');
		buf_putc(b, '\n');
	}
}

/* Formats twice only if the text does not fit. */
void buf_vprintf(struct buf *b, const char *fmt, va_list ap)
{
	const size_t room = b->failed ? 0 : b->cap - b->len;
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(room ? b->data + b->len : NULL, room, fmt, again);
	va_end(again);
	if (n < 0 || (size_t)n >= room) {
		if (room)
			b->data[b->len] = '\0';
		if (n < 0 || !buf_reserve(b, (size_t)n))
			return;
		vsnprintf(b->data + b->len, (size_t)n + 1, fmt, ap);
	}
	b->len += (size_t)n;
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(b, fmt, ap);
	va_end(ap);
}

void buf_reset(struct buf *b)
{
	b->len = 0;
	b->failed = false;
	if (b->data)
		b->data[0] = '\0';
}

void buf_cut(struct buf *b, size_t len)
{
	if (len >= b->len)
		return;
	b->len = len;
	b->data[len] = '\0';
}

void buf_free(struct buf *b)
{
	free(b->data);
	*b = (struct buf){ 0 };
}

const char *buf_str(const struct buf *b)
{
	return b->data ? b->data : "";
}

int buf_read_fd(struct buf *b, int fd)
{
	for (;;) {
		ssize_t n;

		if (!buf_reserve(b, 16384))
			return -ENOMEM;
		n = read(fd, b->data + b->len, 16384);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		b->len += (size_t)n;
		b->data[b->len] = '\0';
		if (n == 0)
			return 0;
		if (b->len > BUF_FILE_MAX)
			return -EFBIG;
	}
}

int buf_write_fd(int fd, const void *p, size_t n)
{
	for (size_t done = 0; done < n;) {
		ssize_t m = write(fd, (const char *)p + done, n - done);

		if (m < 0 && errno != EINTR)
			return -errno;
		done += m > 0 ? (size_t)m : 0;
	}
	return 0;
}

int buf_read_file(struct buf *b, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int err;

	if (fd < 0)
		return -errno;
	err = buf_read_fd(b, fd);
	close(fd);
	return err;
}
