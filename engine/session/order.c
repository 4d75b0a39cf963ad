/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/session/order.h"

#include <unistd.h>

#include "engine/session/session.h"

/* What a session has reached. */
enum stage { TEXTS = 1, PARSED = 2, COMPILED = 4, RUNNING = 8, FINISHED = 16, FAILED = 32, OTHER = 64,
	     WRONG = 128 };

static const struct { const char *name; unsigned stages; } calls[] = {
#define CALL(function, stages) [CALL_##function] = { #function, stages },
#include "engine/session/order.def"
};

/* In order: the function that leads to a stage. */
static const struct { enum stage stage; const char *function, *reached; } steps[] = {
	{ TEXTS, "dtr_open", "" },
	{ PARSED, "dtr_parse", "too late: the texts are parsed" },
	{ COMPILED, "dtr_compile", "too late: the program is compiled" },
	{ RUNNING, "dtr_go", "too late: the session runs" },
	{ FINISHED, "dtr_finish", "too late: the session has ended" },
	{ FAILED, "dtr_go", "dtr_go() has failed" },
	{ OTHER, "dtr_merge", "the session has done other work" },
	{ WRONG, "dtr_parse", "an earlier call has failed" },
};


static enum stage stage_reached(const struct dtr *t)
{
	if (t->failed)
		return FAILED;
	if (t->finished)
		return t->backend ? FINISHED : OTHER;
	if (t->backend)
		return RUNNING;
	if (t->diags.nerrors || t->output.failed)
		return WRONG;
	if (t->prog)
		return COMPILED;
	return t->comp_open ? PARSED : TEXTS;
}

bool order_is_owner(const struct dtr *t)
{
	return t->owner == getpid();
}

bool order_allows(struct dtr *t, enum order_call call)
{
	unsigned now, allowed = calls[call].stages, i = 0;

	if (!t)
		return false;
	if (!order_is_owner(t)) {
		output_message(&t->output, "%s(): only process %d, which has opened the session, may call it",
			       calls[call].name, (int)t->owner);
		return false;
	}
	now = stage_reached(t);
	if (allowed & now)
		return true;
	if (allowed > now) {		/* the stages of a call have no gaps */
		while (!(allowed & steps[i].stage))
			i++;
		output_message(&t->output, "%s(): call %s() first", calls[call].name, steps[i].function);
	} else {
		while (steps[i].stage != now)
			i++;
		output_message(&t->output, "%s(): %s", calls[call].name, steps[i].reached);
	}
	return false;
}

bool order_given(struct dtr *t, enum order_call call, const void *value, const char *argument)
{
	if (!value)
		output_message(&t->output, "%s(): %s is missing", calls[call].name, argument);
	return value;
}
