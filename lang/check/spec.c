/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Speculations: which actions may share a clause with speculate() and commit(), and in which order. */
#include "lang/check/spec.h"

#include "lang/check/checker.h"

/* One rule: this kind may not follow. */
struct order_rule {
	enum spec_kind kind;
	char after;		/* 's' speculate(), 'c' commit(), 'r' an action that records */
	enum diag_tag tag;
	const char *text;
};

static const struct order_rule rules[] = {
	{ SPEC_K_COMMIT, 'c', D_COMM_COMM, "commit( ) may not follow commit( )" },
	{ SPEC_K_COMMIT, 'r', D_COMM_DREC, "commit( ) may not follow data-recording actions" },
	{ SPEC_K_SPECULATE, 's', D_SPEC_SPEC, "speculate( ) may not follow speculate( )" },
	{ SPEC_K_SPECULATE, 'c', D_SPEC_COMM, "speculate( ) may not follow commit( )" },
	{ SPEC_K_SPECULATE, 'r', D_SPEC_DREC, "speculate( ) may not follow data-recording actions" },
	{ SPEC_K_AGG, 'c', D_AGG_COMM, "aggregating functions may not follow commit( )" },
	{ SPEC_K_AGG, 's', D_AGG_SPEC, "aggregating functions may not follow speculate( )" },
	{ SPEC_K_EXIT, 's', D_EXIT_SPEC, "exit( ) may not follow speculate( )" },
	{ SPEC_K_EXIT, 'c', D_DREC_COMM, "exit( ) may not follow commit( )" },
	{ SPEC_K_DESTRUCTIVE, 's', D_ACT_SPEC, "destructive actions may not follow speculate( )" },
	{ SPEC_K_RECORD, 'c', D_DREC_COMM, "data-recording actions may not follow commit( )" },
};

bool check_order(struct checker *ck, struct loc loc, enum spec_kind kind)
{
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
		const struct order_rule *r = &rules[i];
		bool before = r->after == 's' ? ck->speculates : r->after == 'c' ? ck->commits : ck->records;

		if (r->kind == kind && before) {
			check_fail(ck, loc, r->tag, "%s in one clause", r->text);
			return false;
		}
	}
	ck->commits |= kind == SPEC_K_COMMIT;
	ck->speculates |= kind == SPEC_K_SPECULATE;
	ck->records |= kind == SPEC_K_AGG || kind == SPEC_K_EXIT || (kind == SPEC_K_RECORD && !ck->speculates);
	return true;
}
