/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * All rows of an unwinding table of a file, sorted by address, and the files of this machine that have such tables.
 *
 * Ownership: file_rows_free frees what file_rows_read has read. Errors: a damaged table fails the test.
 */
#ifndef TESTS_LIB_FILEROWS_H
#define TESTS_LIB_FILEROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/unwind/cfi.h"
#include "engine/unwind/cfi_source.h"

struct file_rows {
	struct cfi_source source;	/* of the expressions */
	struct cfi_row *v;
	size_t n, cap;
};

/* Reads .eh_frame or .debug_frame. There are no rows if the object has no such section. */
void file_rows_read(struct file_rows *r, struct object *o, bool eh_frame);
void file_rows_free(struct file_rows *r);
/* Returns the row that contains an address; NULL: none. */
const struct cfi_row *file_rows_find(const struct file_rows *r, uint64_t at);

/* Looks at a file; returns false if it has no tables. */
typedef bool file_fn(struct object *o, void *arg);

/* Calls fn for a file. Returns false if there is no such file, or it has no tables. */
bool file_visit(const char *path, file_fn *fn, void *arg);
/* Calls fn once for each of the files that the pattern (glob(3), with {a,b}) matches, not for symbolic links. Returns
 * how many of them have tables. */
unsigned files_visit(const char *pattern, file_fn *fn, void *arg);

#endif
