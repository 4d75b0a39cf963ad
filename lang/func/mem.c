/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Functions that copy memory from processes, to processes, and into a clause's scratch memory. */

#include <inttypes.h>
#include <string.h>

#include "lang/check/checker.h"
#include "lang/check/conv.h"
#include "lang/check/fold.h"
#include "lang/func/family.h"
#include "lang/lower/expr.h"
#include "lang/lower/lower.h"
#include "lang/lower/mem.h"
#include "lang/lower/space.h"
#include "lang/lower/str.h"

/* ---- arguments ---- */
static bool pointer_arg(struct checker *ck, struct node *call, unsigned i, bool strings)
{
	struct type *t = check_operand(ck, &call->args[i]);

	if (!t)
		return false;
	if (t->kind == T_PTR || (strings && type_is_string(t)))
		return true;
	if (type_is_int(t) && node_is_zero(call->args[i])) {
		call->args[i] = check_cast(ck, call->args[i], type_pointer(ck->t, ck->t->t_void));
		return true;
	}
	check_fail(ck, call->args[i]->loc, D_PROTO_ARG,
		   "%s( ) argument #%u is incompatible with prototype: \"%s\" where \"void *\" is expected",
		   call->str, i + 1, check_text(ck, t));
	return false;
}

/* One letter per argument: a address in a process, b pointer or string, p pointer to scratch memory, s size. */
static bool check_word(struct checker *ck, struct node *call, unsigned i, char want)
{
	if (want == 'a')
		return func_address_arg(ck, call, i, MEM_PROCESS);
	return want == 's' ? func_int_arg(ck, call, i, ck->t->t_ulong) : pointer_arg(ck, call, i, want == 'b');
}

static bool check_words(struct checker *ck, struct node *call, const char *want)
{
	bool ok = true;

	for (unsigned i = 0; i < call->nargs; i++)
		ok &= check_word(ck, call, i, want[i]);
	return ok;
}

/* Rejects a constant size that can never fit. */
static bool fits_scratch(struct checker *ck, const struct node *call, unsigned i)
{
	uint32_t room = (uint32_t)ck->c->opts.scratchsize;
	int64_t n;

	if (i >= call->nargs || !node_const(call->args[i], &n) || (uint64_t)n <= room)
		return true;
	check_fail(ck, call->args[i]->loc, D_ALLOCA_SIZE,
		   "%s( ) of %" PRIu64 " bytes: scratch memory has %u (option scratchsize)",
		   call->str, (uint64_t)n, room);
	return false;
}

static struct mem in_process(struct ir_arg addr)
{
	return (struct mem){ .base = addr, .space = SPACE_USER };
}

/* ---- alloca, copyin ---- */
struct type *func_alloca_check(struct checker *ck, struct node *call)
{
	return check_words(ck, call, "s") && fits_scratch(ck, call, 0) ? type_pointer(ck->t, ck->t->t_void) : NULL;
}

struct ir_arg func_alloca(struct lower *l, const struct node *call)
{
	return lower_scratch_addr(l, lower_alloc(l, lower_expr(l, call->args[0]), ALLOC_ZEROED));
}

struct ir_arg func_string_copy(struct lower *l, const struct node *call)
{
	struct scratch_part to = { .size = ir_i(lower_cap(l, call->args[0]->type)) };

	to.off = lower_alloc(l, to.size, ALLOC_ANY);
	lower_fill_string(l, call->args[0], &to, to.off);
	return lower_scratch_addr(l, to.off);
}

struct type *func_copyin_check(struct checker *ck, struct node *call)
{
	return check_words(ck, call, "as") && fits_scratch(ck, call, 1) ? type_pointer(ck->t, ck->t->t_void) : NULL;
}

struct ir_arg func_copyin(struct lower *l, const struct node *call)
{
	struct mem from = in_process(lower_expr(l, call->args[0]));
	struct scratch_part to = { .size = lower_expr(l, call->args[1]) };

	to.off = lower_alloc(l, to.size, ALLOC_ANY);
	lower_fill(l, &from, &to);
	/* published scripts terminate the text: t = copyin(addr, n); t[n] = 0 */
	ir_emit_to(&l->b, IR_ADD, l->limit, to.off, lower_op(l, IR_ADD, to.size, ir_i(1)));
	lower_scratch_keep(l);
	return lower_scratch_addr(l, to.off);
}

/* ---- into allocated scratch memory ---- */
struct type *func_copyinto_check(struct checker *ck, struct node *call)
{
	return check_words(ck, call, "asp") && fits_scratch(ck, call, 1) ? ck->t->t_void : NULL;
}

struct ir_arg func_copyinto(struct lower *l, const struct node *call)
{
	struct mem from = in_process(lower_expr(l, call->args[0]));
	struct scratch_part to = { .size = lower_expr(l, call->args[1]) };

	to.off = lower_scratch_offset(l, lower_expr(l, call->args[2]), to.size);
	if (l->top)
		lower_fill(l, &from, &to);
	return ir_i(0);
}

struct type *func_bcopy_check(struct checker *ck, struct node *call)
{
	return check_words(ck, call, "bps") ? ck->t->t_void : NULL;
}

struct ir_arg func_bcopy(struct lower *l, const struct node *call)
{
	bool string = type_is_string(call->args[0]->type);
	struct mem from = string ? in_process(ir_i(0)) : lower_pointee(l, call->args[0]);
	struct ir_arg dest = lower_expr(l, call->args[1]), size = lower_expr(l, call->args[2]);
	struct scratch_part to = { lower_scratch_offset(l, dest, size), size };

	if (l->top && string)
		lower_fill_string(l, call->args[0], &to, dest);
	else if (l->top)
		lower_fill(l, &from, &to);
	return ir_i(0);
}

/* ---- copyinstr ---- */
/* The optional size is the maximum number of characters, excluding the NUL. */
struct type *func_copyinstr_check(struct checker *ck, struct node *call)
{
	uint64_t strsize = ck->c->opts.strsize;
	int64_t n;

	if (!check_words(ck, call, "as") || !fits_scratch(ck, call, 1))
		return NULL;
	if (call->nargs < 2 || !node_const(call->args[1], &n) || (uint64_t)n >= strsize)
		return ck->t->t_string;
	return type_string(ck->t, (uint64_t)n + 1);
}

/* Keeps the first `max` characters of a string at the start of an object that is twice as large as `cap`. */
static void cut_string(struct lower *l, uint32_t o, uint32_t cap, struct ir_arg max)
{
	uint32_t shorter = ir_newblock(&l->b, NULL), end = ir_newblock(&l->b, NULL);

	ir_emit(&l->b, IR_BULT, max, ir_i(cap), ir_b(shorter), ir_b(end));
	ir_enter(&l->b, shorter);
	ir_emit_to(&l->b, IR_FILL, 0, ir_o(o), max, lower_op(l, IR_SUB, ir_i(cap), max), ir_i(0), ir_i(IR_FILL_ZERO));
	ir_enter(&l->b, end);
}

void func_copyinstr(struct lower *l, const struct node *call, struct ir_arg dst, uint32_t cap)
{
	uint32_t want = lower_cap(l, call->type), n = want < cap ? want : cap, o;
	struct strval s = { .cap = n };
	struct ir_arg addr = lower_expr(l, call->args[0]), max;
	int64_t known;

	o = lower_temp(l, 2 * (uint64_t)n);
	s.place = ir_m(o, 0);
	if (call->nargs > 1 && node_const(call->args[1], &known) && (uint64_t)known < n)
		n = (uint32_t)known + 1;
	max = call->nargs > 1 ? lower_expr(l, call->args[1]) : ir_i(s.cap);
	if (n < s.cap)
		ir_emit(&l->b, IR_ZERO, s.place, ir_i(s.cap));
	lower_read_string(l, SPACE_USER, addr, s.place, n);
	if (max.kind == IR_REG)
		cut_string(l, o, s.cap, max);
	lower_store_string(l, &s, dst, cap);
}

/* ---- copyout, copyoutstr ---- */
/* Writes bytes of an object to the current process. */
static void write_user(struct lower *l, uint32_t o, struct ir_arg off, struct ir_arg size, struct ir_arg addr)
{
	ir_reg failed = ir_emit(&l->b, IR_UWRITE, ir_o(o), off, size, addr);

	lower_fault_if(l, IR_BNE, ir_r(failed), IR_FLT_BADADDR, addr);
}

struct type *func_copyout_check(struct checker *ck, struct node *call)
{
	return check_words(ck, call, "bas") ? ck->t->t_void : NULL;
}

/* The data passes through scratch memory, because a source in the kernel may not be readable. */
struct ir_arg func_copyout(struct lower *l, const struct node *call)
{
	bool string = type_is_string(call->args[0]->type);
	struct mem from = string ? in_process(ir_i(0)) : lower_pointee(l, call->args[0]);
	struct ir_arg addr = lower_expr(l, call->args[1]), size = lower_expr(l, call->args[2]);
	struct scratch_part copy = { lower_alloc(l, size, ALLOC_ANY), size };

	if (string)
		lower_fill_string(l, call->args[0], &copy, addr);
	else
		lower_fill(l, &from, &copy);
	write_user(l, l->scratch - 1, copy.off, size, addr);
	return ir_i(0);
}

struct type *func_copyoutstr_check(struct checker *ck, struct node *call)
{
	bool ok = func_string_arg(ck, call, 0);

	ok &= check_word(ck, call, 1, 'a');
	return check_word(ck, call, 2, 's') && ok ? ck->t->t_void : NULL;
}

/* Writes the string and its NUL, but at most `size` bytes. */
struct ir_arg func_copyoutstr(struct lower *l, const struct node *call)
{
	struct strval s = lower_strval(l, call->args[0]);
	uint32_t cap = s.text ? ((uint32_t)s.len + 8) & ~7u : s.cap, o = lower_temp(l, 2 * (uint64_t)cap);
	struct ir_arg addr = lower_expr(l, call->args[1]), max = lower_expr(l, call->args[2]);
	uint32_t cut = ir_newblock(&l->b, NULL), end = ir_newblock(&l->b, NULL);
	ir_reg n = ir_newreg(&l->b);

	lower_store_string(l, &s, ir_m(o, 0), cap);
	ir_emit_to(&l->b, IR_STRLEN, n, ir_m(o, 0), ir_i(cap));
	ir_emit_to(&l->b, IR_ADD, n, ir_r(n), ir_i(1));
	ir_emit(&l->b, IR_BUGT, ir_r(n), max, ir_b(cut), ir_b(end));
	ir_enter(&l->b, cut);
	ir_emit_to(&l->b, IR_MOV, n, max);
	ir_enter(&l->b, end);
	write_user(l, o, ir_i(0), ir_r(n), addr);
	return ir_i(0);
}
