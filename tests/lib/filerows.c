/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "tests/lib/filerows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <glob.h>
#include <stdlib.h>
#include <sys/stat.h>

static bool row_keep(void *arg, const struct cfi_row *row)
{
	struct file_rows *r = arg;

	if (r->n == r->cap) {
		r->cap = r->cap ? 2 * r->cap : 1024;
		r->v = realloc(r->v, r->cap * sizeof *r->v);
		assert_non_null(r->v);
	}
	assert_true(row->begin < row->end);
	r->v[r->n++] = *row;
	return true;
}

static int ascend(const void *a, const void *b)
{
	const struct cfi_row *x = a, *y = b;

	return (x->begin > y->begin) - (x->begin < y->begin);
}

void file_rows_read(struct file_rows *r, struct object *o, bool eh_frame)
{
	struct cfi_counts n;

	*r = (struct file_rows){ 0 };
	if (!cfi_open(&r->source, o, eh_frame))
		return;
	assert_int_equal(cfi_rows(&r->source.section, row_keep, r, &n), CFI_ALL);
	assert_int_equal(n.rows, r->n);
	assert_int_equal(n.invalid, 0);
	if (r->n)
		qsort(r->v, r->n, sizeof *r->v, ascend);
}

void file_rows_free(struct file_rows *r)
{
	free(r->v);
	cfi_close(&r->source);
}

const struct cfi_row *file_rows_find(const struct file_rows *r, uint64_t at)
{
	size_t low = 0, high = r->n;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (r->v[mid].end <= at)
			low = mid + 1;
		else
			high = mid;
	}
	return low < r->n && r->v[low].begin <= at ? &r->v[low] : NULL;
}

bool file_visit(const char *path, file_fn *fn, void *arg)
{
	struct object *o;
	struct stat st;
	bool any;

	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return false;
	o = object_new(path, 0, st.st_ino);
	assert_non_null(o);
	any = fn(o, arg);
	object_free(o);
	return any;
}

unsigned files_visit(const char *pattern, file_fn *fn, void *arg)
{
	unsigned n = 0;
	glob_t g;

	if (glob(pattern, GLOB_BRACE, NULL, &g))
		return 0;
	for (size_t i = 0; i < g.gl_pathc; i++) {
		struct stat st;

		if (!lstat(g.gl_pathv[i], &st) && S_ISREG(st.st_mode))
			n += file_visit(g.gl_pathv[i], fn, arg);
	}
	globfree(&g);
	return n;
}
