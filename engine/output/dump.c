/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the stages of a compilation give, as text: -d, -S. */
#include "engine/output/printer.h"
#include "engine/session/engine.h"
#include "engine/session/session.h"
#include "ir/ir.h"

/* What -d shows after a stage; each runs the stages before it. */
static int dump_parsed(struct dtr *t, struct buf *out)
{
	if (session_compile(t, STAGE_PARSED) < 0)
		return -1;
	lang_print_tree(out, t->comp.script, false);
	return 0;
}

static int dump_typed(struct dtr *t, struct buf *out)
{
	if (session_compile(t, STAGE_CHECKED) < 0)
		return -1;
	lang_print_tree(out, t->comp.script, true);
	return 0;
}

static int dump_ir(struct dtr *t, struct buf *out)
{
	if (session_compile(t, STAGE_LOWERED) < 0)
		return -1;
	ir_print(out, t->prog->ir);
	return 0;
}

static int dump_optimised(struct dtr *t, struct buf *out)
{
	if (dtr_compile(t) < 0)
		return -1;
	ir_print(out, t->prog->ir);
	return 0;
}

static int dump_backend(struct dtr *t, struct buf *out)
{
	if (dtr_compile(t) < 0)
		return -1;
	if (!engine_generator(t->ops)->dump) {
		session_message(t, "the engine '%s' has nothing to dump", t->ops->name);
		return -1;
	}
	engine_generator(t->ops)->dump(out, t->prog, &t->opts, &t->diags);
	return session_show_diags(t);
}

int dtr_dump(struct dtr *t, char stage)
{
	static const struct { char letter; int (*dump)(struct dtr *, struct buf *); } stages[] = {
		{ 'P', dump_parsed }, { 'T', dump_typed }, { 'I', dump_ir }, { 'O', dump_optimised }, { 'B', dump_backend },
	};

	for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++) {
		if (stages[i].letter == stage) {
			struct buf b = { 0 };
			int r = stages[i].dump(t, &b);

			session_printer(t)->note(t, "dump", &b);
			buf_free(&b);
			consumer_flush(t);
			return t->failed ? -1 : r;
		}
	}
	session_message(t, "unknown stage '%c': must be one of P T I O B", stage);
	return -1;
}

int dtr_show(struct dtr *t)
{
	struct buf b = { 0 };
	int r;

	if (engine_generator(t->ops)->dump)
		engine_generator(t->ops)->dump(&b, t->prog, &t->opts, &t->diags);
	r = session_show_diags(t);
	if (!r)
		session_write(t, &b);
	r = b.failed ? -1 : r;
	buf_free(&b);
	return r;
}
