/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Files of saved aggregations: written at the end of a session, added up, compared. */
#include "engine/saved.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aggregation/set.h"
#include "engine/printer.h"

/* ---- writing ---- */

static int write_all(int fd, const char *p, size_t n)
{
	while (n) {
		ssize_t r = write(fd, p, n);

		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			return -errno;
		p += r;
		n -= (size_t)r;
	}
	return 0;
}

/* What is no ordinary file (a pipe, /dev/stdout) cannot be put into its place. */
static int write_directly(const char *path, const struct buf *b)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), r;

	if (fd < 0)
		return -errno;
	r = write_all(fd, b->data, b->len);
	if (close(fd) != 0 && !r)
		r = -errno;
	return r;
}

static int write_beside(const char *beside, const char *path, const struct buf *b)
{
	int fd = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666), r;

	if (fd < 0)
		return -errno;
	r = write_all(fd, b->data, b->len);
	if (!r && fsync(fd) != 0)
		r = -errno;
	if (close(fd) != 0 && !r)
		r = -errno;
	if (!r && rename(beside, path) != 0)
		r = -errno;
	if (r)
		unlink(beside);
	return r;
}

/* All of it or nothing: whoever reads the file sees the old one or the new one. */
static int file_write(struct arena *a, const char *path, const struct buf *b)
{
	char *real = realpath(path, NULL);	/* a link stays one */
	const char *to = real ? real : path;
	struct stat st;
	int r;

	if (stat(to, &st) == 0 && !S_ISREG(st.st_mode))
		r = S_ISDIR(st.st_mode) ? -EISDIR : write_directly(to, b);
	else
		r = write_beside(arena_printf(a, "%s.%ld.new", to, (long)getpid()), to, b);
	free(real);
	return r;
}

static int set_write(struct dtr *t, const struct agg_set *s, const char *path)
{
	struct buf b = { 0 };
	int r = agg_save(&b, s);

	if (!r)
		r = file_write(&t->arena, path, &b);
	buf_free(&b);
	if (!r)
		return 0;
	t->failed = true;
	session_message(t, "failed to write %s: %s", path, strerror(-r));
	return -1;
}

/* The program is what was given, whatever the preprocessor made of it; libraries and arguments are none of it. */
void saved_program(const struct dtr *t, struct buf *b)
{
	if (t->program) {
		buf_puts(b, t->program);
		return;
	}
	for (size_t i = 0; i < t->texts.n; i++) {
		const struct source *src = &t->texts.v[i]->src;

		if (src->shown)
			src = src->shown;
		if (src->spec && strcmp(src->spec, "probe specifier"))
			buf_printf(b, "%s ", src->spec);
		buf_put(b, src->text, src->len);
		buf_putc(b, '\n');
	}
}

int saved_check(struct dtr *t)
{
	const char *path = t->opts.aggsave, *slash;
	struct stat st;
	int err = 0;

	if (!path)
		return 0;
	slash = strrchr(path, '/');
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		err = S_ISDIR(st.st_mode) ? EISDIR : access(path, W_OK) ? errno : 0;
	else if (access(slash ? arena_strndup(&t->arena, path, (size_t)(slash - path) + 1) : ".", W_OK | X_OK))
		err = errno;
	if (!err)
		return 0;
	session_message(t, "failed to write %s: %s", path, strerror(err));
	return -1;
}

int saved_write(struct dtr *t)
{
	struct agg_set taken, *sets[] = { &taken }, sum = { 0 };
	struct buf program = { 0 };
	int r;

	if (!t->opts.aggsave)
		return 0;
	t->symbols.at = 0;
	r = agg_set_take(&taken, &t->arena, t->tables, t->ntables);
	saved_program(t, &program);
	taken.program = buf_str(&program);
	taken.program_len = program.len;
	if (!r && program.failed)
		r = -ENOMEM;
	if (!r)
		r = agg_set_unite(&sum, &t->arena, sets, 1);
	if (r) {
		session_message(t, "failed to save aggregations: %s", strerror(-r));
		t->failed = true;
	} else {
		r = set_write(t, &sum, t->opts.aggsave);
	}
	agg_set_close(&taken);
	agg_set_close(&sum);
	buf_free(&program);
	return r ? -1 : 0;
}

/* ---- reading ---- */

static int file_read(struct buf *b, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err = 0;
	char chunk[65536];
	ssize_t n = 1;

	if (fd < 0)
		return -errno;
	while (!err && n && !b->failed) {
		n = read(fd, chunk, sizeof chunk);
		if (n < 0 && errno != EINTR)
			err = -errno;
		if (n > 0)
			buf_put(b, chunk, (size_t)n);
	}
	close(fd);
	return b->failed ? -ENOMEM : err;
}

static int set_read(struct dtr *t, struct agg_set *s, const char *path)
{
	struct buf b = { 0 }, why = { 0 };
	int err = file_read(&b, path), r = -1;

	if (err)
		session_message(t, "failed to read %s: %s", path, strerror(-err));
	else
		r = agg_load(s, &t->arena, buf_str(&b), b.len, &why);
	if (!err && r < 0)
		session_message(t, "%s: %s", path, why.failed ? "out of memory" : buf_str(&why));
	s->name = path;
	s->indent = t->opts.stackindent;
	buf_free(&b);
	buf_free(&why);
	return r;
}

/* Reads n files that belong together. */
static int sets_read(struct dtr *t, struct agg_set *s, struct agg_set **list, const char *const *files, unsigned n)
{
	struct buf why = { 0 };
	int r = 0;

	for (unsigned i = 0; i < n; i++) {
		list[i] = &s[i];
		if (set_read(t, &s[i], files[i]) < 0) {
			r = -1;
		} else if (!r && i && !agg_set_match(&s[0], &s[i], &why)) {
			session_message(t, "%s and %s do not belong together: %s", files[0], files[i],
					why.failed ? "out of memory" : buf_str(&why));
			r = -1;
		}
	}
	buf_free(&why);
	return r;
}

/* ---- merge ---- */

static uint64_t saved_now(struct backend *b)
{
	(void)b;
	return 0;
}

/* Nothing runs; printers want to know who made what they print. */
static const struct backend_ops backend_saved = { .name = "saved", .now = saved_now };

static bool table_has_rows(const struct agg_table *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->rows[i].live)
			return true;
	return false;
}

static void set_print(struct dtr *t, struct agg_set *s)
{
	const struct printer *p = session_printer(t);
	bool any = false;

	t->program = s->program;
	if (p->begin)
		p->begin(t);
	if (p->aggregations && !t->failed)
		p->aggregations(t, s->tables, s->n);
	for (unsigned i = 0; !p->aggregations && i < s->n; i++) {
		if (!table_has_rows(&s->tables[i]))
			continue;
		p->rest(t, &s->tables[i], !any);
		any = true;
	}
	if (p->rest_end)
		p->rest_end(t, any);
	if (p->end)
		p->end(t);
	t->finished = true;
	consumer_flush(t);
}

static void tell_normal(struct dtr *t, const struct agg_set *s, unsigned n)
{
	for (unsigned k = 0; k < s[0].n; k++)
		for (unsigned i = 1; i < n; i++)
			if (s[i].tables[k].normal != s[0].tables[k].normal) {
				session_message(t, "@%s was divided by %llu in %s and by %llu in %s: it is shown as it was counted",
						s[0].descs[k].name, (unsigned long long)s[0].tables[k].normal, s[0].name,
						(unsigned long long)s[i].tables[k].normal, s[i].name);
				break;
			}
}

int dtr_merge(struct dtr *t, const char *const *files, unsigned n, const char *save, bool print)
{
	struct agg_set *s = arena_calloc(&t->arena, n, sizeof *s), sum = { 0 };
	struct agg_set **list = arena_calloc(&t->arena, n, sizeof *list);
	int r, err;

	t->ops = &backend_saved;
	r = sets_read(t, s, list, files, n);
	if (!r) {
		tell_normal(t, s, n);
		err = agg_set_unite(&sum, &t->arena, list, n);
		if (err) {
			session_message(t, "failed to add aggregations up: %s", strerror(-err));
			r = -1;
		}
	}
	if (!r && save)
		r = set_write(t, &sum, save);
	if (!r && print)
		set_print(t, &sum);
	for (unsigned i = 0; i < n; i++)
		agg_set_close(&s[i]);
	agg_set_close(&sum);
	return r || t->failed ? -1 : 0;
}

/* ---- diff ---- */

int dtr_diff(struct dtr *t, const char *from, const char *to)
{
	const char *const files[] = { from, to };
	struct agg_set s[2] = { 0 }, *list[2], both[2] = { 0 };
	int r, err = 0;

	t->ops = &backend_saved;
	if (!dtr_for_people(t)) {
		session_message(t, "a difference is text: it has no other format");
		return -1;
	}
	r = sets_read(t, s, list, files, 2);
	for (int i = 0; !r && !err && i < 2; i++)
		err = agg_set_number(&both[i], &t->arena, list, 2, (unsigned)i);
	if (!r && !err)
		err = agg_diff(&t->out, &both[0], &both[1]);
	if (err) {
		session_message(t, "failed to compare: %s", strerror(-err));
		r = -1;
	}
	t->finished = true;
	consumer_flush(t);
	for (int i = 0; i < 2; i++) {
		agg_set_close(&s[i]);
		agg_set_close(&both[i]);
	}
	return r || t->failed ? -1 : 0;
}
