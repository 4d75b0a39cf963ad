/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dtr merge and dtr diff: add or compare files of saved aggregations; dtr diff also compares recordings. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aggregation/set.h"
#include "engine/output/printer.h"
#include "engine/output/rest.h"
#include "engine/output/saved.h"
#include "engine/sample/recorded.h"
#include "engine/session/compare.h"
#include "engine/session/merge.h"
#include "engine/session/order.h"

/*
 * Files are added up in groups of ADD_GROUP, the sums of groups likewise, and so on: no row is copied more often than
 * there are levels. If rows have the same keys, these few parts are small. Otherwise they are added up when they have
 * more than ADD_BYTES and at least as much as the largest part, so that memory is that of the sum.
 */
enum {
	ADD_GROUP = 8,
	ADD_LEVELS = 8,			/* of 8^8 files */
	ADD_PARTS = ADD_GROUP * ADD_LEVELS,
	ADD_BYTES = 128 << 20,
};

/* ---- merge ---- */

static void set_print(struct output *o, struct agg_set *s)
{
	const struct printer *p = output_printer(o);

	o->program = s->program;
	o->program_len = s->program_len;
	if (p->begin)
		p->begin(o);
	if (!o->failed && rest_check(o) < 0)
		o->failed = true;
	if (!o->failed)
		rest_print(o, s->tables, s->n, NULL);
	if (p->end)
		p->end(o);
	output_flush(o);
}

/* A file, or the sum of some. */
struct merge_part {
	struct arena arena;
	struct agg_set set;
	uint64_t bytes;			/* of its rows */
	unsigned level;			/* 0: a file */
};

/* The order of addition does not affect the sum. */
struct merge_sum {
	struct output *o;
	bool by_host;
	struct merge_part *part[ADD_PARTS];	/* in order of the files */
	unsigned n;
	struct merge_part *first;		/* the first file; its rows may have been freed */
	struct merge_divisors divisors;	/* of the first file */
};

static struct merge_part *part_open(struct output *o)
{
	struct merge_part *p = calloc(1, sizeof *p);

	if (p)
		arena_init(&p->arena, o->oom, o->arg);
	return p;
}

static void part_close(struct merge_part *p)
{
	if (!p)
		return;
	agg_set_close(&p->set);
	arena_free(&p->arena);
	free(p);
}

static uint64_t part_bytes(const struct merge_part *p)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < p->set.n; i++)
		sum += p->set.tables[i].n * (uint64_t)(p->set.descs[i].keysize + p->set.descs[i].valsize);
	return sum;
}

static void first_add(struct merge_sum *a, struct merge_part *p)
{
	a->first = p;
	merge_shape(&a->divisors, a->o, &p->set);
}

/* `shape` stays in the memory of the first file, so only that file's rows are freed. */
static void merge_drop(struct merge_sum *a, struct merge_part *p)
{
	if (p == a->first)
		agg_set_close(&p->set);
	else
		part_close(p);
}

/* Texts of a set that is still needed stay in the memory of the first file. */
static void merge_rename(const struct merge_sum *a, struct agg_set *s)
{
	s->program = a->divisors.shape.program;
	for (unsigned i = 0; i < s->n; i++) {
		s->descs[i].name = a->divisors.shape.descs[i].name;
		memcpy(s->descs[i].keyname, a->divisors.shape.descs[i].keyname, sizeof s->descs[i].keyname);
	}
}

/* Replaces the parts from number `from` on by their sum. Returns 0 or -errno. */
static int merge_fold(struct merge_sum *a, unsigned from)
{
	struct merge_part *sum = part_open(a->o);
	struct agg_set *list[ADD_PARTS];
	int err = sum ? 0 : -ENOMEM;

	for (unsigned i = from; i < a->n; i++)
		list[i - from] = &a->part[i]->set;
	if (!err)
		err = agg_set_unite(&sum->set, &sum->arena, list, a->n - from);
	if (err) {
		part_close(sum);
		return err;
	}
	merge_rename(a, &sum->set);
	sum->level = a->part[from]->level + 1;
	for (unsigned i = from; i < a->n; i++)
		merge_drop(a, a->part[i]);
	sum->bytes = part_bytes(sum);
	a->part[from] = sum;
	a->n = from + 1;
	return 0;
}

/* True if the rows of the smaller parts take much memory, and adding them is worth its time. */
static bool merge_full(const struct merge_sum *a)
{
	uint64_t all = 0, most = 0;

	for (unsigned i = 0; i < a->n; i++) {
		all += a->part[i]->bytes;
		most = a->part[i]->bytes > most ? a->part[i]->bytes : most;
	}
	return a->n > 1 && (a->n == ADD_PARTS || (all - most > ADD_BYTES && all - most > most));
}

/* The number of the last parts that have the same level. */
static unsigned merge_group(const struct merge_sum *a)
{
	unsigned n = 1;

	while (n < a->n && a->part[a->n - 1 - n]->level == a->part[a->n - 1]->level)
		n++;
	return n;
}

/* Returns 0 or -errno. */
static int merge_add(struct merge_sum *a, struct merge_part *p)
{
	int err = 0;

	a->part[a->n++] = p;
	while (!err && merge_group(a) == ADD_GROUP)
		err = merge_fold(a, a->n - ADD_GROUP);
	return !err && merge_full(a) ? merge_fold(a, 0) : err;
}

/* Returns 0, -errno, or 1 after a message: it cannot be read or does not match the others. */
static int merge_file(struct merge_sum *a, const char *path)
{
	struct merge_part *p = part_open(a->o);
	int err;

	if (!p)
		return -ENOMEM;
	err = saved_read_set(a->o, &p->arena, &p->set, path) < 0;
	if (!err && a->by_host)
		err = merge_host(a->o, &p->set);
	if (!err && a->first && !merge_match(a->o, &a->divisors.shape, &p->set))
		err = 1;
	if (err) {
		part_close(p);
		return err;
	}
	p->bytes = part_bytes(p);
	if (!a->first)
		first_add(a, p);
	merge_divisors(&a->divisors, &p->set);
	return merge_add(a, p);
}

static void merge_close(struct merge_sum *a)
{
	bool there = false;

	for (unsigned i = 0; i < a->n; i++) {
		there |= a->part[i] == a->first;
		part_close(a->part[i]);
	}
	if (!there)
		part_close(a->first);
}

/* What dtr_merge() is asked for. */
struct merge_job {
	const char *const *files;
	unsigned n;
	const char *save;
	bool print;
};

/* Adds the files to `a`, which becomes empty again. */
static int merge_files(struct dtr *t, struct merge_sum *a, const struct merge_job *job)
{
	struct output *o = &t->output;
	int r = 0, err = 0;

	for (unsigned i = 0; i < job->n && err >= 0; i++) {
		err = merge_file(a, job->files[i]);
		r = err ? -1 : r;
	}
	if (!r)
		err = merge_fold(a, 0);
	if (err < 0) {
		output_message(o, "failed to merge aggregations: %s", strerror(-err));
		r = -1;
	}
	if (!r && job->save)
		r = saved_write_set(o, &a->part[0]->set, job->save);
	if (!r && job->print) {
		set_print(o, &a->part[0]->set);
		t->finished = true;
	}
	merge_close(a);
	return r || o->failed ? -1 : 0;
}

/* Returns false after a message. */
static bool files_given(struct dtr *t, enum order_call call, const char *const *files, unsigned n)
{
	if (!order_allows(t, call) || !order_given(t, call, n ? files : NULL, "the list of files"))
		return false;
	for (unsigned i = 0; i < n; i++)
		if (!order_given(t, call, files[i], "a file's name"))
			return false;
	return true;
}

int dtr_merge(struct dtr *t, const char *const *files, unsigned n, const char *save, bool print)
{
	struct merge_sum a = { .o = &t->output };

	if (!files_given(t, CALL_dtr_merge, files, n))
		return -1;
	t->output.engine = "saved";
	return merge_files(t, &a, &(struct merge_job){ files, n, save, print });
}

int dtr_merge_hosts(struct dtr *t, const char *const *files, unsigned n, const char *save, bool print)
{
	struct merge_sum a = { .o = &t->output, .by_host = true };

	if (!files_given(t, CALL_dtr_merge_hosts, files, n))
		return -1;
	t->output.engine = "saved";
	if (merge_streams(&t->output, files, n, print))
		return merge_stream(t, files, n, save, print);
	return merge_files(t, &a, &(struct merge_job){ files, n, save, print });
}

/* ---- diff ---- */

/* Returns true if both files are recordings. Stores -1 in *r after a message if only one is. */
static bool are_recordings(struct output *o, const char *const files[2], int *r)
{
	bool is[2];

	for (int i = 0; i < 2; i++)
		is[i] = recording_is(files[i]);
	if (is[0] == is[1])
		return is[0];
	output_message(o, "%s is a recording and %s is not: only files of the same kind can be compared", files[is[1]],
		       files[is[0]]);
	*r = -1;
	return false;
}

static int diff_saved(struct dtr *t, const char *const files[2])
{
	struct output *o = &t->output;
	struct agg_set s[2] = { 0 }, *list[2], both[2] = { 0 };
	int r = 0, err = 0;

	if (!dtr_for_people(t)) {
		output_message(o, "diff of saved aggregations can print only text");
		return -1;
	}
	for (int i = 0; i < 2; i++) {
		list[i] = &s[i];
		r = saved_read_set(o, &t->arena, &s[i], files[i]) < 0 ? -1 : r;
	}
	r = !r && merge_match(o, &s[0], &s[1]) ? 0 : -1;
	for (int i = 0; !r && !err && i < 2; i++)
		err = agg_set_number(&both[i], &t->arena, list, 2, (unsigned)i);
	if (!r && !err)
		err = agg_diff(&o->buf, &both[0], &both[1]);
	if (err) {
		output_message(o, "failed to compare: %s", strerror(-err));
		r = -1;
	}
	t->finished = true;
	output_flush(o);
	for (int i = 0; i < 2; i++) {
		agg_set_close(&s[i]);
		agg_set_close(&both[i]);
	}
	return r || o->failed ? -1 : 0;
}

int dtr_diff(struct dtr *t, const char *from, const char *to, bool all)
{
	const char *const files[] = { from, to };
	int r = 0;

	if (!files_given(t, CALL_dtr_diff, files, 2))
		return -1;
	if (are_recordings(&t->output, files, &r))
		return compare_recordings(t, files, all);
	return r ? r : diff_saved(t, files);
}
