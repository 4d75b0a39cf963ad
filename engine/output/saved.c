/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Files of saved aggregations: written at the end of a session, added up, compared. */
#include "engine/output/saved.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aggregation/set.h"
#include "engine/output/printer.h"

enum {
	ADD_FILES = 16,			/* in memory at once, */
	ADD_BYTES = 128 << 20,		/* and so many bytes of rows beyond the sum's */
};

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

/* A file in the folder of `path` that has no name yet, so that nothing is left whatever happens; where the file system has
 * no such files, one with the name `beside`. */
static int open_beside(struct arena *a, const char *path, const char *beside, bool *named)
{
	const char *slash = strrchr(path, '/');
	const char *folder = slash ? arena_strndup(a, path, (size_t)(slash + 1 - path)) : ".";
	int fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);

	*named = fd < 0;
	if (fd < 0)
		fd = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	return fd < 0 ? -errno : fd;
}

static int give_name(int fd, const char *beside)
{
	char self[32];

	snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
	return linkat(AT_FDCWD, self, AT_FDCWD, beside, AT_SYMLINK_FOLLOW) ? -errno : 0;
}

/* Keys are for the owner only; a file that is replaced keeps its mode. */
static int write_beside(struct arena *a, const char *beside, const char *path, const struct stat *old, const struct buf *b)
{
	bool named;
	int fd = open_beside(a, path, beside, &named), r;

	if (fd < 0)
		return fd;
	r = write_all(fd, b->data, b->len);
	if (!r && ((old && fchmod(fd, old->st_mode & 0777) != 0) || fsync(fd) != 0))
		r = -errno;
	if (!r && !named) {
		r = give_name(fd, beside);
		named = !r;
	}
	if (close(fd) != 0 && !r)
		r = -errno;
	if (!r && rename(beside, path) != 0)
		r = -errno;
	if (r && named)
		unlink(beside);
	return r;
}

/* All of it or nothing: whoever reads the file sees the old one or the new one. */
static int file_write(struct arena *a, const char *path, const struct buf *b)
{
	char *real = realpath(path, NULL);	/* a link stays one */
	const char *to = real ? real : path;
	struct stat st;
	bool there = stat(to, &st) == 0;
	int r;

	if (there && !S_ISREG(st.st_mode))
		r = S_ISDIR(st.st_mode) ? -EISDIR : write_directly(to, b);
	else
		r = write_beside(a, arena_printf(a, "%s.%ld.new", to, (long)getpid()), to, there ? &st : NULL, b);
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

/* As much of it as its own heads promise, and a little more, which would be damage. */
static int file_read(struct buf *b, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err = 0;
	char chunk[16384];
	size_t at = 0;
	ssize_t n = 1;

	if (fd < 0)
		return -errno;
	while (!err && n && !b->failed && agg_load_wants(&at, buf_str(b), b->len) >= b->len) {
		n = read(fd, chunk, sizeof chunk);
		if (n < 0 && errno != EINTR)
			err = -errno;
		if (n > 0)
			buf_put(b, chunk, (size_t)n);
	}
	close(fd);
	return b->failed ? -ENOMEM : err;
}

static int set_read(struct dtr *t, struct arena *a, struct agg_set *s, const char *path)
{
	struct buf b = { 0 }, why = { 0 };
	int err = file_read(&b, path), r = -1;

	if (err)
		session_message(t, "failed to read %s: %s", path, strerror(-err));
	else
		r = agg_load(s, a, buf_str(&b), b.len, &why);
	if (!err && r < 0)
		session_message(t, "%s: %s", path, why.failed ? "out of memory" : buf_str(&why));
	s->name = path;
	s->indent = t->opts.stackindent;
	buf_free(&b);
	buf_free(&why);
	return r;
}

static bool sets_match(struct dtr *t, const struct agg_set *a, const struct agg_set *b)
{
	struct buf why = { 0 };
	bool match = agg_set_match(a, b, &why);

	if (!match)
		session_message(t, "%s and %s cannot be combined: %s", a->name, b->name,
				why.failed ? "out of memory" : buf_str(&why));
	buf_free(&why);
	return match;
}

/* ---- merge ---- */

static uint64_t saved_now(struct backend *b)
{
	(void)b;
	return 0;
}

/* Nothing runs; printers want to know who made what they print. */
static const struct backend_ops backend_saved = { .name = "saved", .now = saved_now };

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
		if (!s->tables[i].n)
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

/* A file, or the sum of some. */
struct part {
	struct arena arena;
	struct agg_set set;
	uint64_t bytes;			/* of its rows */
};

/* Files are added up a few at a time: the sum does not depend on the order, and not all of them need to be in memory. */
struct adding {
	struct dtr *t;
	struct part *part[ADD_FILES];	/* the first one may be a sum */
	unsigned n;
	struct part *first;		/* the first file, for what all have in common; rows may have gone */
	struct agg_set shape;		/* its */
	__int128 *normal;		/* its divisors */
	bool *told;
};

static struct part *part_open(struct dtr *t)
{
	struct part *p = calloc(1, sizeof *p);

	if (p)
		arena_init(&p->arena, t->cfg.oom, t->cfg.arg);
	return p;
}

static void part_close(struct part *p)
{
	if (!p)
		return;
	agg_set_close(&p->set);
	arena_free(&p->arena);
	free(p);
}

static uint64_t part_bytes(const struct part *p)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < p->set.n; i++)
		sum += p->set.tables[i].n * (uint64_t)(p->set.descs[i].keysize + p->set.descs[i].valsize);
	return sum;
}

static void first_note(struct adding *a, struct part *p)
{
	a->first = p;
	a->shape = p->set;
	a->normal = arena_calloc(&a->t->arena, p->set.n + 1, sizeof *a->normal);
	a->told = arena_calloc(&a->t->arena, p->set.n + 1, sizeof *a->told);
	for (unsigned k = 0; k < p->set.n; k++)
		a->normal[k] = p->set.tables[k].normal;
}

enum { DIVISOR_TEXT = 24 };

static const char *divisor_text(__int128 v, char *text)
{
	snprintf(text, DIVISOR_TEXT, v < 0 ? "-%llu" : "%llu", (unsigned long long)(v < 0 ? -v : v));
	return text;
}

static void tell_normal(struct adding *a, const struct agg_set *s)
{
	char one[DIVISOR_TEXT], other[DIVISOR_TEXT];

	for (unsigned k = 0; k < s->n; k++) {
		if (s->tables[k].normal == a->normal[k] || a->told[k])
			continue;
		session_message(a->t, "@%s was normalized by %s in %s and by %s in %s: shown without normalization",
				s->descs[k].name, divisor_text(a->normal[k], one), a->shape.name,
				divisor_text(s->tables[k].normal, other), s->name);
		a->told[k] = true;
	}
}

/* What all have in common stays in the memory of the first file: its rows go, it does not. */
static void adding_drop(struct adding *a, struct part *p)
{
	if (p == a->first)
		agg_set_close(&p->set);
	else
		part_close(p);
}

/* Makes one of all parts. 0 or -errno. */
static int adding_fold(struct adding *a)
{
	struct part *sum = part_open(a->t);
	struct agg_set *list[ADD_FILES];
	int err = sum ? 0 : -ENOMEM;

	for (unsigned i = 0; i < a->n; i++)
		list[i] = &a->part[i]->set;
	if (!err)
		err = agg_set_unite(&sum->set, &sum->arena, list, a->n);
	if (err) {
		part_close(sum);
		return err;
	}
	for (unsigned i = 0; i < a->n; i++)
		adding_drop(a, a->part[i]);
	sum->bytes = part_bytes(sum);
	a->part[0] = sum;
	a->n = 1;
	return 0;
}

/* So many that folding them is worth its time: as much as is in the sum. */
static bool adding_full(const struct adding *a)
{
	uint64_t rest = 0;

	for (unsigned i = 1; i < a->n; i++)
		rest += a->part[i]->bytes;
	return a->n == ADD_FILES || (a->n > 1 && rest > ADD_BYTES && rest > a->part[0]->bytes);
}

/* 0; 1: it cannot be read or does not belong to the others, which was told; -errno */
static int adding_file(struct adding *a, const char *path)
{
	struct part *p = part_open(a->t);

	if (!p)
		return -ENOMEM;
	if (set_read(a->t, &p->arena, &p->set, path) < 0 || (a->first && !sets_match(a->t, &a->shape, &p->set))) {
		part_close(p);
		return 1;
	}
	p->bytes = part_bytes(p);
	if (!a->first)
		first_note(a, p);
	tell_normal(a, &p->set);
	a->part[a->n++] = p;
	return adding_full(a) ? adding_fold(a) : 0;
}

static void adding_close(struct adding *a)
{
	bool there = false;

	for (unsigned i = 0; i < a->n; i++) {
		there |= a->part[i] == a->first;
		part_close(a->part[i]);
	}
	if (!there)
		part_close(a->first);
}

int dtr_merge(struct dtr *t, const char *const *files, unsigned n, const char *save, bool print)
{
	struct adding a = { .t = t };
	int r = 0, err = 0;

	t->ops = &backend_saved;
	for (unsigned i = 0; i < n && err >= 0; i++) {
		err = adding_file(&a, files[i]);
		r = err ? -1 : r;
	}
	if (!r)
		err = adding_fold(&a);
	if (err < 0) {
		session_message(t, "failed to merge aggregations: %s", strerror(-err));
		r = -1;
	}
	if (!r && save)
		r = set_write(t, &a.part[0]->set, save);
	if (!r && print)
		set_print(t, &a.part[0]->set);
	adding_close(&a);
	return r || t->failed ? -1 : 0;
}

/* ---- diff ---- */

int dtr_diff(struct dtr *t, const char *from, const char *to)
{
	const char *const files[] = { from, to };
	struct agg_set s[2] = { 0 }, *list[2], both[2] = { 0 };
	int r = 0, err = 0;

	t->ops = &backend_saved;
	if (!dtr_for_people(t)) {
		session_message(t, "diff can print only text");
		return -1;
	}
	for (int i = 0; i < 2; i++) {
		list[i] = &s[i];
		r = set_read(t, &t->arena, &s[i], files[i]) < 0 ? -1 : r;
	}
	r = !r && sets_match(t, &s[0], &s[1]) ? 0 : -1;
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
