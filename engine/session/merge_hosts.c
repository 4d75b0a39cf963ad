/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * dtr merge --by-host: rows of different hosts never meet, so only those of one host are in memory. The files are read
 * once to find the hosts, the texts and whether they belong together; again, if keys have stacks, to number these; and
 * then for their rows, which go to a temporary file for each aggregation. Hosts are in the order of their names.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/output/printer.h"
#include "engine/output/rest.h"
#include "engine/output/saved.h"
#include "engine/session/merge.h"

/* ---- what belongs together ---- */

bool merge_match(struct output *o, const struct agg_set *a, const struct agg_set *b)
{
	struct buf reason = { 0 };
	bool match = agg_set_match(a, b, &reason);

	if (!match)
		output_message(o, "%s and %s cannot be combined: %s", a->name, b->name,
				reason.failed ? "out of memory" : buf_str(&reason));
	buf_free(&reason);
	return match;
}

int merge_host(struct output *o, struct agg_set *s)
{
	int err;

	if (!s->host) {
		output_message(o, "%s has no name of a host: an earlier dtr has saved it, or it is the sum of "
			       "several hosts", s->name);
		return 1;
	}
	err = agg_set_by_host(s);
	if (err != -E2BIG)
		return err;
	output_message(o, "%s: an aggregation has %d keys already: there is no room for the host", s->name,
		       AGG_MAXKEYS);
	return 1;
}

enum { DIVISOR_TEXT = 24 };

static const char *divisor_text(__int128 v, char *text)
{
	snprintf(text, DIVISOR_TEXT, v < 0 ? "-%llu" : "%llu", (unsigned long long)(v < 0 ? -v : v));
	return text;
}

void merge_shape(struct merge_divisors *d, struct output *o, const struct agg_set *first)
{
	d->o = o;
	d->shape = *first;
	d->normal = arena_calloc(o->arena, first->n + 1, sizeof *d->normal);
	d->reported = arena_calloc(o->arena, first->n + 1, sizeof *d->reported);
	for (unsigned k = 0; k < first->n; k++)
		d->normal[k] = first->tables[k].normal;
}

void merge_divisors(struct merge_divisors *d, const struct agg_set *s)
{
	char one[DIVISOR_TEXT], other[DIVISOR_TEXT];

	for (unsigned k = 0; k < s->n; k++) {
		if (s->tables[k].normal == d->normal[k] || d->reported[k])
			continue;
		output_message(d->o, "@%s was normalized by %s in %s and by %s in %s: shown without normalization",
			       s->descs[k].name, divisor_text(d->normal[k], one), d->shape.name,
			       divisor_text(s->tables[k].normal, other), s->name);
		d->reported[k] = true;
	}
}

/* ---- temporary files ---- */

struct host_rows {
	FILE *file;
	bool any;
};

static int spool_open(struct host_rows *s)
{
	const char *folder = getenv("TMPDIR");
	int fd = open(folder && *folder ? folder : "/var/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	*s = (struct host_rows){ .file = fd < 0 ? tmpfile() : fdopen(fd, "w+e") };
	if (!s->file && fd >= 0)
		close(fd);
	return s->file ? 0 : -errno;
}

static int spool_add(struct host_rows *s, struct buf *b)
{
	size_t n = b->len;

	if (b->failed)
		return -ENOMEM;
	if (n && fwrite(b->data, 1, n, s->file) != n)
		return -errno;
	s->any |= n > 0;
	buf_reset(b);
	return 0;
}

/* Calls fn for the contents, in pieces. Returns 0 or -errno. */
static int spool_each(struct host_rows *s, int (*fn)(void *arg, const char *p, size_t n), void *arg)
{
	char piece[65536];
	size_t n;
	int r = fflush(s->file) || fseek(s->file, 0, SEEK_SET) ? -errno : 0;

	while (!r && (n = fread(piece, 1, sizeof piece, s->file)) > 0)
		r = fn(arg, piece, n);
	return r ? r : ferror(s->file) ? -EIO : 0;
}

static void spool_close(struct host_rows *s)
{
	if (s->file)
		fclose(s->file);
	s->file = NULL;
}

/* ---- hosts ---- */

struct host_file {
	const char *path;
	const char *host;
	unsigned index;
};

struct hosts {
	struct output *o;
	struct host_file *file;	/* in order of hosts */
	unsigned n;
	struct agg_set all;
	struct merge_divisors divisors;
	bool *any;			/* by aggregation: it has rows */
	struct agg_writer writer;
	struct host_rows *saved, *printed;	/* by aggregation; NULL: not wanted */
};

/* Reads a file. Returns 0, -ENOMEM, or 1 after a message. *host: its name, in the set's arena. */
static int read_one(const struct hosts *s, struct arena *a, struct agg_set *set, const char *path, const char **host)
{
	if (saved_read_set(s->o, a, set, path) < 0)
		return 1;
	*host = set->host;
	return merge_host(s->o, set);
}

static int host_gather(struct hosts *s, struct host_file *f, const struct agg_set *set, const char *host)
{
	if (!s->all.arena) {
		agg_set_shape(&s->all, s->o->arena, set);
		merge_shape(&s->divisors, s->o, set);
		s->divisors.shape = s->all;
		s->divisors.shape.name = f->path;
		s->any = arena_calloc(s->o->arena, set->n + 1, sizeof *s->any);
	} else if (!merge_match(s->o, &s->divisors.shape, set)) {
		return 1;
	}
	merge_divisors(&s->divisors, set);
	agg_set_gather(&s->all, set);
	for (unsigned i = 0; i < set->n; i++)
		s->any[i] |= set->tables[i].n > 0;
	f->host = arena_strdup(s->o->arena, host);
	return 0;
}

static int gather_file(struct hosts *s, struct host_file *f)
{
	struct agg_set set = { 0 };
	const char *host;
	struct arena a;
	int r;

	arena_init(&a, s->o->oom, s->o->arg);
	r = read_one(s, &a, &set, f->path, &host);
	if (!r)
		r = host_gather(s, f, &set, host);
	agg_set_close(&set);
	arena_free(&a);
	return r;
}

static int file_compare(const void *a, const void *b)
{
	const struct host_file *f = a, *g = b;
	int r = strcmp(f->host, g->host);

	return r ? r : f->index < g->index ? -1 : 1;
}

/* Returns 0, -errno, or 1 after messages. */
static int gather_all(struct hosts *s, const char *const *paths)
{
	int err = 0, bad = 0;

	for (unsigned i = 0; i < s->n && err >= 0; i++) {
		s->file[i] = (struct host_file){ .path = paths[i], .index = i };
		err = gather_file(s, &s->file[i]);
		bad |= err > 0;
	}
	if (err < 0 || bad)
		return err < 0 ? err : 1;
	qsort(s->file, s->n, sizeof *s->file, file_compare);
	agg_set_gathered(&s->all);
	for (unsigned k = 0; k < s->all.n; k++)
		s->all.tables[k].normal = s->divisors.reported[k] ? 1 : s->divisors.normal[k];
	return 0;
}

/* Adds the rows of a file to those of its host. Returns 0, -errno, or 1 after a message. */
static int add_file(const struct hosts *s, struct agg_set *part, const struct host_file *f)
{
	struct agg_set set = { 0 };
	const char *host;
	struct arena a;
	int r;

	arena_init(&a, s->o->oom, s->o->arg);
	r = read_one(s, &a, &set, f->path, &host);
	if (!r && !merge_match(s->o, &s->divisors.shape, &set))
		r = 1;
	if (!r)
		r = strcmp(host, f->host) ? -ESTALE : agg_set_put(part, &s->all, &set);
	if (r == -ESTALE) {
		output_message(s->o, "%s has changed while it was read", f->path);
		r = 1;
	}
	agg_set_close(&set);
	arena_free(&a);
	return r;
}

/* Calls fn with the rows of each host. */
static int each_host(struct hosts *s, int (*fn)(struct hosts *s, const struct agg_set *part))
{
	int r = 0;

	for (unsigned i = 0, next; !r && i < s->n; i = next) {
		struct agg_set part;
		struct arena a;

		arena_init(&a, s->o->oom, s->o->arg);
		agg_set_part(&part, &a, &s->all);
		for (next = i; !r && next < s->n && !strcmp(s->file[next].host, s->file[i].host); next++)
			r = add_file(s, &part, &s->file[next]);
		if (!r)
			r = fn(s, &part);
		agg_set_close(&part);
		arena_free(&a);
	}
	return r;
}

/* ---- rows ---- */

static int take_stacks(struct hosts *s, const struct agg_set *part)
{
	return agg_writer_stacks(&s->writer, part);
}

static int save_rows(struct hosts *s, const struct agg_set *part, unsigned i)
{
	struct buf b = { 0 };
	int r = agg_writer_rows(&s->writer, part, i, &b);

	if (!r)
		r = spool_add(&s->saved[i], &b);
	buf_free(&b);
	return r;
}

/* The printer's first rows differ from others. */
static int print_rows(struct hosts *s, const struct agg_set *part, unsigned i)
{
	bool first = !s->printed[i].any;

	for (unsigned k = 0; k < i; k++)
		first &= !s->any[k];
	if (part->tables[i].n)
		output_printer(s->o)->rest(s->o, &part->tables[i], first);
	return spool_add(&s->printed[i], &s->o->buf);
}

static int take_rows(struct hosts *s, const struct agg_set *part)
{
	int r = 0;

	for (unsigned i = 0; !r && i < part->n; i++) {
		if (s->saved)
			r = save_rows(s, part, i);
		if (!r && s->printed)
			r = print_rows(s, part, i);
	}
	return r;
}

/* ---- the result ---- */

static int write_piece(void *arg, const char *p, size_t n)
{
	return buf_write_fd(*(int *)arg, p, n);
}

static int write_buf(int fd, struct buf *b, int r)
{
	if (!r)
		r = buf_write_fd(fd, b->data, b->len);
	buf_reset(b);
	return r;
}

/* Implements saved_bytes.put. */
static int write_file(void *arg, int fd)
{
	struct hosts *s = arg;
	struct buf b = { 0 };
	int r = write_buf(fd, &b, agg_writer_begin(&s->writer, &b));
	uint32_t crc = 0;

	for (unsigned i = 0; !r && i < s->all.n; i++) {
		r = agg_writer_agg(&s->writer, i, &b, &crc);
		r = write_buf(fd, &b, r);
		if (!r)
			r = spool_each(&s->saved[i], write_piece, &fd);
		if (!r)
			r = write_buf(fd, &b, agg_writer_end(&s->writer, i, &b, crc));
	}
	if (!r)
		r = write_buf(fd, &b, agg_writer_done(&s->writer, &b));
	buf_free(&b);
	return r;
}

static int print_piece(void *arg, const char *p, size_t n)
{
	struct output *o = arg;

	buf_put(&o->buf, p, n);
	output_flush(o);
	return 0;
}

static int print_all(struct hosts *s)
{
	const struct printer *p = output_printer(s->o);
	bool any = false;
	int r = 0;

	for (unsigned i = 0; !r && i < s->all.n; i++) {
		any |= s->any[i];
		r = spool_each(&s->printed[i], print_piece, s->o);
	}
	if (!r && p->rest_end)
		p->rest_end(s->o, any);
	if (p->end)
		p->end(s->o);
	output_flush(s->o);
	return r;
}

static int open_spools(struct hosts *s, struct host_rows **out, bool wanted)
{
	int r = 0;

	if (!wanted)
		return 0;
	*out = arena_calloc(s->o->arena, s->all.n + 1, sizeof **out);
	for (unsigned i = 0; !r && i < s->all.n; i++)
		r = spool_open(&(*out)[i]);
	return r;
}

static void close_spools(struct hosts *s, struct host_rows *v)
{
	for (unsigned i = 0; v && i < s->all.n; i++)
		spool_close(&v[i]);
}

static void print_begin(struct hosts *s)
{
	const struct printer *p = output_printer(s->o);

	s->o->program = s->all.program;
	s->o->program_len = s->all.program_len;
	if (p->begin)
		p->begin(s->o);
	output_flush(s->o);
}

static bool has_stacks(const struct agg_set *s)
{
	bool has = false;

	for (unsigned i = 0; i < s->n; i++)
		for (unsigned k = 0; k < s->descs[i].nkeys; k++)
			has |= s->descs[i].key[k].kind == VAL_STACK || s->descs[i].key[k].kind == VAL_USTACK;
	return has;
}

/* Returns 0, -errno, or 1 after a message. */
static int stream_rows(struct hosts *s, bool save, bool print)
{
	int r = open_spools(s, &s->saved, save);

	if (!r)
		r = open_spools(s, &s->printed, print);
	agg_writer_open(&s->writer, &s->all);
	if (!r && save && has_stacks(&s->all))
		r = each_host(s, take_stacks);
	agg_writer_stacked(&s->writer);
	if (!r && print)
		print_begin(s);
	return r ? r : each_host(s, take_rows);
}

bool merge_streams(const struct output *o, const char *const *files, unsigned n, bool print)
{
	struct stat st;

	if (print && (output_printer(o)->aggregations || o->opts->shares || o->opts->interval))
		return false;
	for (unsigned i = 0; i < n; i++)
		if (stat(files[i], &st) == 0 && !S_ISREG(st.st_mode))
			return false;
	return true;
}

int merge_stream(struct dtr *t, const char *const *files, unsigned n, const char *save, bool print)
{
	struct output *o = &t->output;
	struct hosts s = { .o = o, .n = n, .file = arena_calloc(o->arena, n, sizeof *s.file) };
	int r = gather_all(&s, files);

	if (!r)
		r = stream_rows(&s, save, print);
	if (!r && save)
		r = saved_write_bytes(o, &(struct saved_bytes){ write_file, &s }, save) < 0;
	if (!r && print) {
		r = print_all(&s);
		t->finished = true;
	}
	if (r < 0)
		output_message(o, "failed to merge aggregations: %s", strerror(-r));
	close_spools(&s, s.saved);
	close_spools(&s, s.printed);
	return r || o->failed ? -1 : 0;
}
