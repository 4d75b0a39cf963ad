/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Networking: byte order, and addresses in memory as text. */
#include <netinet/in.h>
#include <string.h>

#include "rt/rt.h"
#include "lang/check/checker.h"
#include "lang/check/conv.h"
#include "lang/func/family.h"
#include "lang/lower/expr.h"
#include "lang/lower/lower.h"
#include "lang/lower/mem.h"

enum { LINK_ETHER = 1, LINK_INFINIBAND = 32, ETHER_BYTES = 6, INFINIBAND_BYTES = 20, V4_BYTES = 4, V6_BYTES = 16 };
enum { V4_TEXT = 16, V6_TEXT = 46, ETHER_TEXT = 18, INFINIBAND_TEXT = 60 };

/* ---- byte order ---- */
/* Both directions are the same: reverse all bytes, or none on a big-endian machine. */
struct type *func_order_check(struct checker *ck, struct node *call)
{
	const char *width = call->str + strlen("htonx") - 1;
	struct type *t = *width == 's' ? ck->t->t_ushort : width[1] ? ck->t->t_ulong : ck->t->t_uint;

	return func_int_arg(ck, call, 0, t) ? t : NULL;
}

/* Swaps neighbouring groups of `bits` bits. */
static struct ir_arg swap_pairs(struct lower *l, struct ir_arg v, unsigned bits, int64_t mask)
{
	struct ir_arg low = lower_op(l, IR_SHL, lower_op(l, IR_AND, v, ir_i(mask)), ir_i(bits));
	struct ir_arg high = lower_op(l, IR_AND, lower_op(l, IR_LSHR, v, ir_i(bits)), ir_i(mask));

	return lower_op(l, IR_OR, low, high);
}

struct ir_arg func_order(struct lower *l, const struct node *call)
{
	struct ir_arg v = lower_expr(l, call->args[0]);

	if (htons(1) == 1)
		return v;
	v = swap_pairs(l, v, 8, 0x00ff00ff00ff00ff);
	if (call->type->size > 2)
		v = swap_pairs(l, v, 16, 0x0000ffff0000ffff);
	if (call->type->size > 4)
		v = swap_pairs(l, v, 32, 0xffffffff);
	return v;
}

/* ---- addresses ---- */
static bool check_address(struct checker *ck, struct node *call, unsigned i)
{
	struct type *t = check_operand(ck, &call->args[i]);

	if (!t)
		return false;
	if (t->kind == T_PTR)
		return true;
	check_fail(ck, call->args[i]->loc, D_PROTO_ARG,
		   "%s( ) argument #%u is incompatible with prototype: it must be a pointer to an address, not \"%s\"",
		   call->str, i + 1, check_text(ck, t));
	return false;
}

static struct type *text_type(struct checker *ck, uint64_t room)
{
	return type_string(ck->t, room < ck->c->opts.strsize ? room : 0);
}

struct type *func_inet_check(struct checker *ck, struct node *call)
{
	return check_address(ck, call, 0) ? text_type(ck, strcmp(call->str, "inet_ntoa") ? V6_TEXT : V4_TEXT) : NULL;
}

struct type *func_ntop_check(struct checker *ck, struct node *call)
{
	bool link = call->str[0] == 'l';

	if (!func_int_arg(ck, call, 0, ck->t->t_int) || !check_address(ck, call, 1))
		return NULL;
	return text_type(ck, link ? INFINIBAND_TEXT : V6_TEXT);
}

/* Reads an address of `bytes` bytes into a temporary that consists of 64-bit words. */
static struct ir_arg read_address(struct lower *l, const struct mem *from, uint32_t bytes)
{
	struct ir_arg tmp = ir_m(lower_temp(l, bytes), 0), last = tmp;

	last.imm = bytes / 8 * 8;
	if (bytes % 8)
		ir_emit(&l->b, IR_ST64, last, ir_i(0));
	lower_read_mem(l, from, tmp, bytes);
	return tmp;
}

static struct ir_arg work_memory(struct lower *l)
{
	return ir_m(lower_temp(l, RT_WORK), 0);
}

static void ipv4_text(struct lower *l, const struct mem *from, struct ir_arg dst, uint32_t cap)
{
	ir_emit(&l->b, IR_INET4, dst, ir_i(cap), work_memory(l), ir_i(RT_WORK), read_address(l, from, V4_BYTES),
		ir_i(8));
}

/* What is printed of an address with an IPv4 address in it (rt_inet6). */
enum ipv6_form { IPV6_ONLY_V4, IPV6_WHOLE };

static void ipv6_text(struct lower *l, const struct mem *from, enum ipv6_form form, struct ir_arg dst, uint32_t cap)
{
	ir_emit(&l->b, IR_INET6, dst, ir_i(cap), work_memory(l), ir_i(RT_WORK), read_address(l, from, V6_BYTES),
		ir_i(V6_BYTES), ir_i(form));
}

static void link_text(struct lower *l, const struct mem *from, uint32_t n, struct ir_arg dst, uint32_t cap)
{
	ir_emit(&l->b, IR_LINK, dst, ir_i(cap), work_memory(l), ir_i(RT_WORK), read_address(l, from, n),
		ir_i((n + 7) & ~7u), ir_i(n));
}

void func_inet(struct lower *l, const struct node *call, struct ir_arg dst, uint32_t cap)
{
	struct mem from = lower_pointee(l, call->args[0]);

	if (!strcmp(call->str, "inet_ntoa"))
		ipv4_text(l, &from, dst, cap);
	else
		ipv6_text(l, &from, IPV6_ONLY_V4, dst, cap);
}

/* The first argument selects one of two kinds of address; any other value is a fault. */
void func_ntop(struct lower *l, const struct node *call, struct ir_arg dst, uint32_t cap)
{
	bool links = call->str[0] == 'l';
	struct ir_arg kind = lower_expr(l, call->args[0]);
	struct mem from = lower_pointee(l, call->args[1]);
	uint32_t first = ir_newblock(&l->b, NULL), other = ir_newblock(&l->b, NULL), end = ir_newblock(&l->b, NULL);

	ir_emit(&l->b, IR_BEQ, kind, ir_i(links ? LINK_ETHER : AF_INET), ir_b(first), ir_b(other));
	ir_enter(&l->b, first);
	if (links)
		link_text(l, &from, ETHER_BYTES, dst, cap);
	else
		ipv4_text(l, &from, dst, cap);
	ir_emit(&l->b, IR_JMP, ir_b(end));
	ir_enter(&l->b, other);
	lower_fault_if(l, IR_BNE, lower_op(l, IR_NE, kind, ir_i(links ? LINK_INFINIBAND : AF_INET6)), IR_FLT_ILLOP,
		       kind);
	if (links)
		link_text(l, &from, INFINIBAND_BYTES, dst, cap);
	else
		ipv6_text(l, &from, IPV6_WHOLE, dst, cap);
	ir_enter(&l->b, end);
}
