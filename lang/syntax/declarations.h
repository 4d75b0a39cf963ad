/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Cuts a text of the language's own (lang/prelude.h) into its declarations, without parsing them: a declaration that no
 * script needs costs nothing else. Such a text has no clauses, no directives, and one name in each inline.
 *
 * Ownership: the results point into the text. Errors: none; what is not a declaration is KIND_OTHER.
 */
#ifndef LANG_SYNTAX_DECLARATIONS_H
#define LANG_SYNTAX_DECLARATIONS_H

#include "lang/syntax/parse.h"

enum declaration_kind { KIND_OTHER, KIND_INLINE, KIND_TRANSLATOR };

struct declaration {
	enum declaration_kind kind;
	struct text_part at;
	const char *name;	/* n bytes: the inline's name; the type to which a translator translates */
	size_t n;
};

/* Finds the declaration at *from or after it, and moves *from to its end. Returns false if there is none. */
bool declaration_next(const struct source *src, struct text_part *from, struct declaration *out);

#endif
