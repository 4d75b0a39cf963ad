/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/output/output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "engine/output/printer.h"

const struct printer *output_printer(const struct output *o)
{
	return o->printer ? o->printer : printer_number(o->opts->output);
}

/* ---- messages ---- */

void output_write_safe(struct output *o, const struct buf *text)
{
	char failed[64];

	snprintf(failed, sizeof failed, "%s: out of memory\n", o->progname);
	o->message(o->arg, text->failed ? failed : buf_str(text));
}

void output_write_message(struct output *o, const struct buf *text)
{
	struct buf safe = { .failed = text->failed };

	escape_puts(&safe, buf_str(text), ESCAPE_TEXT);
	output_write_safe(o, &safe);
	buf_free(&safe);
}

/* Formats `text` and writes it as one line, whatever names it contains. */
static __attribute__((format(printf, 3, 0))) void
message_write(struct output *o, struct buf *text, const char *fmt, va_list ap)
{
	struct buf b = { 0 };

	buf_vprintf(text, fmt, ap);
	buf_printf(&b, "%s: ", o->progname);
	escape_puts(&b, buf_str(text), ESCAPE_LINE);
	buf_putc(&b, '\n');
	b.failed |= text->failed;
	output_write_message(o, &b);
	buf_free(&b);
}

void output_message(struct output *o, const char *fmt, ...)
{
	const struct printer *p = output_printer(o);
	struct buf b = { 0 };
	va_list ap;

	va_start(ap, fmt);
	message_write(o, &b, fmt, ap);
	va_end(ap);
	if (p->message)
		p->message(o, buf_str(&b));
	buf_free(&b);
}

void output_stderr(struct output *o, const char *fmt, ...)
{
	struct buf b = { 0 };
	va_list ap;

	va_start(ap, fmt);
	message_write(o, &b, fmt, ap);
	va_end(ap);
	buf_free(&b);
}

/* ---- the file ---- */

/* A format for other programs may contain what would control a terminal. */
static void text_make_safe(struct output *o)
{
	struct buf safe = { 0 };

	if (!output_printer(o)->pure || !isatty(fileno(o->file)))
		return;
	escape_put(&safe, o->buf.data, o->buf.len, ESCAPE_TEXT);
	buf_free(&o->buf);
	o->buf = safe;
}

void output_flush(struct output *o)
{
	const struct printer *p = output_printer(o);
	const struct buf *b = &o->buf;
	int err = 0;

	if (p->flush)
		p->flush(o);
	if (o->buf.failed && !o->failed) {
		output_message(o, "out of memory");
		o->failed = true;
	}
	if (!o->closed && o->buf.len) {
		text_make_safe(o);
		o->writes++;
		if (b->failed)
			err = ENOMEM;
		else if (fwrite(b->data, 1, b->len, o->file) != b->len || fflush(o->file))
			err = errno;
		o->writes++;
		/* It is no failure that the reader of a pipe has seen enough. */
		if (err && err != EPIPE) {
			output_message(o, "failed to write %s: %s", o->name, strerror(err));
			o->failed = true;
		}
		o->closed = err != 0;
	}
	buf_reset(&o->buf);
}

void output_relieve(void *arg)
{
	enum { MUCH = 1 << 20 };
	struct output *o = arg;

	if (o->buf.len >= MUCH)
		output_flush(o);
}

/* poll() reports a pipe without readers; no write is needed. */
void output_check_reader(struct output *o)
{
	struct pollfd p = { .fd = fileno(o->file) };

	if (p.fd >= 0 && poll(&p, 1, 0) > 0 && (p.revents & POLLERR))
		o->closed = true;
}

static int output_restore(struct output *o)
{
	int r = 0;

	if (!o->redirect.active)
		return 0;
	fflush(o->file);
	if (dup2(o->redirect.fd, fileno(o->file)) < 0)
		r = -errno;
	close(o->redirect.fd);
	o->redirect.active = false;
	return r;
}

static int output_replace(struct output *o, const char *path)
{
	int out = fileno(o->file), fd, r = 0;

	if (out < 0)
		return -EBADF;
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (fd < 0)
		return -errno;
	if (!o->redirect.active) {
		o->redirect.fd = fcntl(out, F_DUPFD_CLOEXEC, 0);
		r = o->redirect.fd < 0 ? -errno : 0;
		o->redirect.active = !r;
	}
	if (!r && dup2(fd, out) < 0)
		r = -errno;
	close(fd);
	return r;
}

int output_redirect(struct output *o, const char *path)
{
	return path && *path ? output_replace(o, path) : output_restore(o);
}

void output_truncate(struct output *o)
{
	int fd = fileno(o->file);

	if (fd >= 0 && ftruncate(fd, 0) == 0)
		lseek(fd, 0, SEEK_SET);
}

int output_status(const struct output *o)
{
	return o->failed ? 1 : o->status & 0xff;
}

void output_close(struct output *o)
{
	const struct printer *p = output_printer(o);

	output_restore(o);
	if (p->close && o->state)
		p->close(o);
	o->state = NULL;
	buf_free(&o->buf);
}
