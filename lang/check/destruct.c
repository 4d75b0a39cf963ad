/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Actions that change something: the traced process, time, the output file, the session's options. */
#include "lang/check/destruct.h"

#include <string.h>

#include "lang/check/checker.h"
#include "lang/check/conv.h"
#include "lang/check/print.h"

/* In older versions of D "." is the standard output, so, as in DTrace, a file cannot have that name. */
void check_freopen(struct checker *ck, struct node *call)
{
	check_printf(ck, call);
	if (call->fmt && !strcmp(call->fmt->text, "."))
		check_fail(ck, call->args[0]->loc, D_FREOPEN_INVALID, "%s( ) argument #1 cannot be \".\"", call->str);
}

void check_setopt(struct checker *ck, struct node *call)
{
	for (unsigned i = 0; i < call->nargs; i++) {
		struct type *t = check_value(ck, &call->args[i]);

		if (t && !check_string(ck, &call->args[i]))
			check_fail(ck, call->args[i]->loc, D_PROTO_ARG,
				   "%s( ) argument #%u is incompatible with prototype: it must be a string, not \"%s\"",
				   call->str, i + 1, check_text(ck, t));
	}
}

void check_nothing(struct checker *ck, struct node *call)
{
	(void)ck, (void)call;
}

void check_number(struct checker *ck, struct node *call)
{
	struct type *t = check_value(ck, &call->args[0]);

	if (t && !type_is_int(t))
		check_fail(ck, call->args[0]->loc, D_PROTO_ARG,
			   "%s( ) argument #1 is incompatible with prototype: it must be an integer, not \"%s\"",
			   call->str,
			   check_text(ck, t));
}

void check_refused(struct checker *ck, struct node *call)
{
	check_fail(ck, call->loc, D_UNSUPPORTED, call->act == ACT_PANIC ?
		   "%s( ) is not supported: a BPF program cannot crash the kernel" :
		   "%s( ) is not supported: a BPF program cannot enter a kernel debugger", call->str);
}
