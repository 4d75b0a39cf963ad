/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* -d, -S: the program after a stage of the compilation, as text. */
#include "engine/output/printer.h"
#include "engine/session/engine.h"
#include "engine/session/order.h"
#include "engine/session/session.h"
#include "ir/ir.h"

/* As far as a stage that dtr_compile() passes. */
static int compile_until(struct dtr *t, enum compile_stage last)
{
	if (dtr_parse(t) < 0)
		return -1;
	lang_compile(&t->comp, last);
	return session_show_diags(t);
}

/* One function per stage of -d; each runs the stages before it. */
static int dump_parsed(struct dtr *t, struct buf *out)
{
	if (dtr_parse(t) < 0)
		return -1;
	lang_print_tree(out, t->comp.script, false);
	return 0;
}

static int dump_typed(struct dtr *t, struct buf *out)
{
	if (compile_until(t, STAGE_CHECKED) < 0)
		return -1;
	lang_print_tree(out, t->comp.script, true);
	return 0;
}

static int dump_ir(struct dtr *t, struct buf *out)
{
	if (compile_until(t, STAGE_LOWERED) < 0)
		return -1;
	ir_print(out, t->comp.prog->ir);
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
	const struct backend_code *code;

	if (dtr_compile(t) < 0)
		return -1;
	code = engine_generator(t->ops)->code;		/* chosen by dtr_compile */
	if (!code) {
		output_message(&t->output, "the engine '%s' has nothing to dump", t->ops->name);
		return -1;
	}
	code->dump(out, t->prog, &t->opts, &t->diags);
	return session_show_diags(t);
}

int dtr_dump(struct dtr *t, char stage)
{
	static const struct { char letter; int (*dump)(struct dtr *, struct buf *); } stages[] = {
		{ 'P', dump_parsed }, { 'T', dump_typed }, { 'I', dump_ir }, { 'O', dump_optimised },
		{ 'B', dump_backend },
	};

	if (!order_allows(t, CALL_dtr_dump))
		return -1;
	for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++) {
		if (stages[i].letter == stage) {
			struct buf b = { 0 };
			int r = stages[i].dump(t, &b);

			output_printer(&t->output)->note(&t->output, "dump", &b);
			buf_free(&b);
			output_flush(&t->output);
			return t->output.failed ? -1 : r;
		}
	}
	output_message(&t->output, "unknown stage '%c': must be one of P T I O B", stage);
	return -1;
}

int dtr_show(struct dtr *t)
{
	const struct backend_code *code;
	struct buf b = { 0 };
	int r;

	if (!order_allows(t, CALL_dtr_show))
		return -1;
	code = engine_generator(t->ops)->code;
	if (code)
		code->dump(&b, t->prog, &t->opts, &t->diags);
	r = session_show_diags(t);
	if (!r)
		output_write_message(&t->output, &b);
	r = b.failed ? -1 : r;
	buf_free(&b);
	return r;
}
