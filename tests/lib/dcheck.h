/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * D text through the parser, the matcher and the checker, for tests of their results.
 * Who owns what: the world owns everything; dcheck_close frees it. What can fail: compiling; see w->err and the
 * diagnostics.
 */
#ifndef TESTS_LIB_DCHECK_H
#define TESTS_LIB_DCHECK_H

#include "lang/check/typed.h"
#include "lang/compile.h"

struct dcheck {
	struct arena arena;
	struct diags diags;
	struct probe_set probes;
	struct compiler c;
	struct source src;
	int err;
};

/* Variables of every kind of type, for scripts of tests. */
#define DECLS "char c; short s; unsigned short us; int i; unsigned u; long l; unsigned long ul; string str; int *ip; " \
	"char *cp; struct t { int a; char name[10]; int b : 3; int arr[4]; struct t *next; }; struct t *tp; "

/* Ready to be compiled; `prelude` is the path of prelude.d. */
void dcheck_open(struct dcheck *w, const char *text, size_t len, const char *prelude);
void dcheck_run(struct dcheck *w);
/* Both. */
void dcheck_compile(struct dcheck *w, const char *text, const char *prelude);
void dcheck_close(struct dcheck *w);
/* "LINE:COL TAG TEXT" or "none" */
const char *dcheck_first(struct dcheck *w);
/* The same of all errors and warnings, a line each. */
const char *dcheck_all(struct dcheck *w);

#endif
