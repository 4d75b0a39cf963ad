/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Diagnostics: errors and warnings about the input, each with a place and a tag.
 *
 * A stage records errors and continues; it returns -1 if it recorded any. The caller prints the list.
 * Ownership: the arena owns everything. Errors: none.
 */
#ifndef BASE_DIAG_H
#define BASE_DIAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"

/* A place in a text. line and col count from 1; line 0 means "no place". */
struct loc {
	const struct source *src;
	uint32_t line, col;
};

/* What a text of the command line describes, if nothing else is said: -n, -P, -m, -f, -i. */
enum source_spec { SPEC_PROBE, SPEC_PROVIDER, SPEC_MODULE, SPEC_FUNCTION, SPEC_ID };
/* In messages: "probe specifier", "provider", ... */
const char *source_spec_name(enum source_spec spec);

/* One source text: a script file or the argument of one -n. */
struct source {
	const char *name;	/* file name, or NULL for a command-line text */
	const char *text;	/* NUL-terminated */
	size_t len;
	enum source_spec spec;	/* of command-line texts */
	const struct source *of;	/* the text that contains this one, by a line marker; or NULL */
	const struct source *shown;	/* the text as written, before preprocessing; or NULL */
	unsigned origin;	/* enum text_origin of lang/syntax/ast.h */
	struct loc made_for;	/* of a text that dtr has made: the place that needs it; its errors appear there */
};

/* The text that the user gave: for an included file, the one that includes it. */
const struct source *source_given(const struct source *s);

/* The source text from this place on, or NULL if the place is unknown. */
const char *loc_text(struct loc l);

/* Tags, with DTrace's names where it has one. base/diag.def lists them all. */
enum diag_tag {
#define DIAG(tag, text) tag,
#include "base/diag.def"
#undef DIAG
	DIAG_NTAGS
};

struct diag {
	enum diag_tag tag;
	bool warning, note;
	struct loc loc;
	const char *text;
};

struct diags {
	struct arena *arena;
	VEC(struct diag) list;
	VEC(struct diag) notes;	/* shown only if the user wants details; neither errors nor warnings */
	size_t nerrors;
	size_t max;		/* errors after this many are dropped; 0 = 20 */
};

void diags_init(struct diags *d, struct arena *a);

/* Records an error (diag) or a warning (diag_warn). Returns -1, so that `return diag(...)` reads well. Of the errors in
 * texts that dtr has made for one place, the first is shown; all are counted. */
int diag(struct diags *d, struct loc loc, enum diag_tag tag, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void diag_warn(struct diags *d, struct loc loc, enum diag_tag tag, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Records a note. */
void diag_note(struct diags *d, struct loc loc, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Sorts the diagnostics from number `from` on by text (in order of first appearance), line and column. The sort is
 * stable. */
void diags_sort(struct diags *d, size_t from);
/* True if a is before b in the same text. */
bool loc_before(struct loc a, struct loc b);

/* "D_SYNTAX" */
const char *diag_tag_name(enum diag_tag tag);
/* A short description of the tag. */
const char *diag_tag_text(enum diag_tag tag);

/*
 * Appends one diagnostic in the format
 *	PROG: failed to compile script FILE: [D_TAG] line 3: TEXT       (source with a name)
 *	PROG: invalid SPEC TEXT-OF-SOURCE: line 1: TEXT                 (command-line text)
 *	PROG: warning: FILE: line 3: TEXT                               (note: likewise)
 *	   3 | the source line
 *	     |     ^
 * The tag is shown only with DIAG_TAGS. With DIAG_COLOUR the tag, the text and the caret are in colours, as escape
 * sequences of a terminal. Without a place it is only "PROG: TEXT". Terminal control characters are
 * escaped (base/escape.h); in the source line they appear as '?', and tabs are kept in the line of the caret.
 */
enum { DIAG_TAGS = 1, DIAG_COLOUR = 2 };
void diag_print(struct buf *out, const struct diag *d, const char *prog, unsigned style);

#endif
