/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Members of other systems' kernel structures: inlines of share/elsewhere.d. */
#include "lang/check/elsewhere.h"

#include <string.h>

#include "lang/check/checker.h"
#include "lang/check/conv.h"
#include "lang/check/inline.h"
#include "lang/prelude.h"

static const struct {
	const char *name, *system;
} elsewhere[] = {
#define ELSEWHERE(name, system) { #name, system },
#include "lang/check/elsewhere.def"
#undef ELSEWHERE
};

const char *elsewhere_system(const char *name)
{
	/* all names have a short prefix */
	for (size_t i = 0; strcspn(name, "_") <= 4 && i < sizeof elsewhere / sizeof *elsewhere; i++)
		if (!strcmp(elsewhere[i].name, name))
			return elsewhere[i].system;
	return NULL;
}

/* The inline for a member of a structure. NULL: none. */
static const struct inline_def *member_inline(struct checker *ck, const struct type *composite, const char *name)
{
	const char *text = check_text(ck, composite);

	if (strncmp(text, "struct ", 7) || prelude_elsewhere(ck->c))
		return NULL;
	return inline_find(ck->c, arena_printf(ck->a, "_member_%s_%s", text + 7, name));
}

static void note_member(struct checker *ck, const struct node *n)
{
	void **place = map_put(&ck->elsewhere, n->str, strlen(n->str));

	if (!*place && !ck->declaring && loc_origin(n->loc) != FROM_ELSEWHERE)
		diag_note(ck->d, n->loc, "%s is a member of %s kernel structures: dtr translates it", n->str,
			  elsewhere_system(n->str));
	*place = ck;
}

bool check_elsewhere(struct checker *ck, struct node **np, struct node *a, const struct type *composite,
		     struct type **type)
{
	struct node *n = *np, *use, *name, *pointer = a;
	const struct inline_def *def = a ? member_inline(ck, composite, n->str) : NULL;

	if (!def || def->nparams != 1)
		return false;
	note_member(ck, n);
	if (!n->arrow) {
		pointer = check_node(ck, N_ADDR, n->loc, NULL);
		pointer->a = a;
	}
	name = check_node(ck, N_IDENT, n->loc, NULL);
	name->str = def->name;
	use = check_node(ck, N_INDEX, n->loc, NULL);
	use->a = name;
	use->nargs = 1;
	use->args = arena_alloc(ck->a, sizeof *use->args);
	use->args[0] = pointer;
	*np = use;
	*type = check_inline_index(ck, np, def);
	return true;
}
