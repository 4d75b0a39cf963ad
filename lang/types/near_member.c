/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lang/types/near_member.h"

#include "base/word.h"
#include "lang/types/type_find.h"

static void offer_members(struct word_near *near, struct types *t, struct type *composite, unsigned depth)
{
	enum { DEEPEST = 16 };

	if (depth == DEEPEST || (composite->kind != T_STRUCT && composite->kind != T_UNION) ||
	    !type_members(t, composite))
		return;
	for (unsigned i = 0; i < composite->nmembers; i++) {
		if (composite->members[i].name)
			word_offer(near, composite->members[i].name);
		else
			offer_members(near, t, composite->members[i].type, depth + 1);
	}
}

const char *near_member(struct arena *a, struct types *t, struct type *composite, const char *name)
{
	struct word_near near = { .word = name };

	offer_members(&near, t, composite, 0);
	return word_suggestion(a, &near);
}
