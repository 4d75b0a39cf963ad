/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * execargs: the process's memory between arg_start and arg_end, with blanks between the arguments. If the thread has no
 * such memory (a kernel thread, an exiting process, a thread other than the current one) or it is not resident, the
 * name of the process instead.
 */
#include "lang/lower/args.h"

#include "lang/lower/builtin.h"
#include "lang/lower/kfield.h"
#include "lang/lower/lower.h"
#include "lang/lower/str.h"

struct args_span {
	ir_reg start, size;
};

/* Reads a word of kernel memory; jumps to `failed` if that fails. */
static ir_reg read_word(struct lower *l, struct ir_arg addr, uint32_t tmp, uint32_t failed)
{
	uint32_t good = ir_newblock(&l->b, NULL);
	ir_reg bad = ir_emit(&l->b, IR_KREAD, ir_m(tmp, 0), ir_i(8), addr);

	ir_emit(&l->b, IR_BNE, ir_r(bad), ir_i(0), ir_b(failed), ir_b(good));
	ir_enter(&l->b, good);
	return ir_emit(&l->b, IR_LD64, ir_m(tmp, 0));
}

/* Finds the arguments; limits their size to `most` bytes. */
static struct args_span find_args(struct lower *l, const struct node *n, uint32_t most, uint32_t failed)
{
	uint32_t tmp = lower_temp(l, 8), has = ir_newblock(&l->b, NULL), cut = ir_newblock(&l->b, NULL);
	uint32_t some = ir_newblock(&l->b, NULL), end = ir_newblock(&l->b, NULL);
	struct args_span span = { .size = ir_newreg(&l->b) };
	ir_reg mm = read_word(l, lower_kfield_addr(l, n, lower_task(l), KF_MM), tmp, failed), stop;

	ir_emit(&l->b, IR_BNE, ir_r(mm), ir_i(0), ir_b(has), ir_b(failed));
	ir_enter(&l->b, has);
	span.start = read_word(l, lower_kfield_addr(l, n, ir_r(mm), KF_ARG_START), tmp, failed);
	stop = read_word(l, lower_kfield_addr(l, n, ir_r(mm), KF_ARG_END), tmp, failed);
	ir_emit_to(&l->b, IR_SUB, span.size, ir_r(stop), ir_r(span.start));
	ir_emit(&l->b, IR_BNE, ir_r(span.size), ir_i(0), ir_b(some), ir_b(failed));
	ir_enter(&l->b, some);
	ir_emit(&l->b, IR_BUGT, ir_r(span.size), ir_i(most), ir_b(cut), ir_b(end));
	ir_enter(&l->b, cut);
	ir_emit_to(&l->b, IR_MOV, span.size, ir_i(most));
	ir_enter(&l->b, end);
	return span;
}

void lower_execargs(struct lower *l, const struct node *n, struct ir_arg dst, uint32_t cap)
{
	uint32_t text = lower_temp(l, 2 * (uint64_t)cap), failed = ir_newblock(&l->b, NULL);
	uint32_t good = ir_newblock(&l->b, NULL), end = ir_newblock(&l->b, NULL);
	bool current = !l->site || !l->site->task;
	struct args_span span = find_args(l, n, cap, failed);
	ir_reg bad;

	/* minus the NUL of the last argument */
	ir_emit(&l->b, IR_ZERO, ir_m(text, 0), ir_i(2 * cap));
	bad = ir_emit(&l->b, IR_FILL, ir_o(text), ir_i(0), ir_r(span.size), ir_r(span.start), ir_i(IR_FILL_USER));
	ir_emit(&l->b, IR_BEQ, current ? ir_r(bad) : ir_i(1), ir_i(0), ir_b(good), ir_b(failed));
	ir_enter(&l->b, good);
	span.size = ir_emit(&l->b, IR_SUB, ir_r(span.size), ir_i(1));
	ir_emit(&l->b, IR_ARGS, dst, ir_i(cap), ir_m(text, 0), ir_i(cap), ir_r(span.size));
	ir_emit(&l->b, IR_JMP, ir_b(end));
	ir_enter(&l->b, failed);
	lower_execname(l, n, dst, cap);
	ir_enter(&l->b, end);
}
