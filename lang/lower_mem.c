/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Kernel memory: addresses of places, and reading them. What cannot be read is a fault with the address. */
#include <inttypes.h>

#include "lang/lower.h"

/* A member: bits from the place at `base`. */
struct kplace {
	struct ir_arg base;
	uint64_t bitoff;
};

static struct kplace place(struct lower *l, const struct node *n)
{
	struct kplace p;

	if (!lower_enter_depth(l, n->loc))
		return (struct kplace){ ir_i(0), 0 };
	if (n->kind == N_DEREF) {
		p = (struct kplace){ lower_expr(l, n->a), 0 };
	} else if (n->kind == N_MEMBER && n->arrow) {
		p = (struct kplace){ lower_expr(l, n->a), n->bitoff };
	} else if (n->kind == N_MEMBER) {
		p = place(l, n->a);
		p.bitoff += n->bitoff;
	} else {
		diag(l->diags, n->loc, D_UNSUPPORTED, "not something in kernel memory");
		p = (struct kplace){ ir_i(0), 0 };
	}
	l->depth--;
	return p;
}

static struct ir_arg byte_addr(struct lower *l, const struct kplace *p)
{
	return p->bitoff / 8 ? lower_op(l, IR_ADD, p->base, ir_i((int64_t)(p->bitoff / 8))) : p->base;
}

struct ir_arg lower_addr(struct lower *l, const struct node *n)
{
	struct kplace p = place(l, n);

	return byte_addr(l, &p);
}

static void kread(struct lower *l, uint32_t tmp, uint32_t size, struct ir_arg addr)
{
	ir_reg failed = ir_emit(&l->b, IR_KREAD, ir_m(tmp, 0), ir_i(size), addr);

	lower_fault_if(l, IR_BNE, ir_r(failed), IR_FLT_BADADDR, addr);
}

struct ir_arg lower_kread(struct lower *l, struct ir_arg addr, uint32_t size)
{
	static const enum ir_op load[9] = { [1] = IR_LD8, [2] = IR_LD16, [4] = IR_LD32, [8] = IR_LD64 };
	uint32_t tmp = lower_temp(l, 8);

	kread(l, tmp, size, addr);
	return ir_r(ir_emit(&l->b, load[size], ir_m(tmp, 0)));
}

/* Up to 8 bytes as the first ones of a word whose others are 0. */
static struct ir_arg read_word(struct lower *l, struct ir_arg addr, uint32_t size)
{
	uint32_t tmp = lower_temp(l, 8);

	if (size < 8)
		ir_emit(&l->b, IR_ST64, ir_m(tmp, 0), ir_i(0));
	kread(l, tmp, size, addr);
	return ir_r(ir_emit(&l->b, IR_LD64, ir_m(tmp, 0)));
}

/*
 * Bit-fields are counted from the low bit of the first byte, as little-endian machines do. One of a packed structure
 * may reach into a ninth byte.
 */
static struct ir_arg load_bits(struct lower *l, const struct kplace *p, uint32_t bits, bool sign)
{
	uint32_t shift = p->bitoff % 8, bytes = (shift + bits + 7) / 8;
	struct ir_arg addr = byte_addr(l, p), v, high;

	v = read_word(l, addr, bytes < 8 ? bytes : 8);
	if (bytes > 8) {
		high = lower_kread(l, lower_op(l, IR_ADD, addr, ir_i(8)), 1);
		v = lower_op(l, IR_LSHR, v, ir_i(shift));
		v = lower_op(l, IR_OR, v, lower_op(l, IR_SHL, high, ir_i(64 - shift)));
		shift = 0;
	}
	v = lower_op(l, IR_SHL, v, ir_i(64 - bits - shift));
	return lower_op(l, sign ? IR_ASHR : IR_LSHR, v, ir_i(64 - bits));
}

struct ir_arg lower_load(struct lower *l, const struct node *n)
{
	bool sign = type_is_int(n->type) && n->type->is_signed;
	uint64_t size = n->type->size;
	struct kplace p = place(l, n);

	if (n->kind == N_MEMBER && n->bits && n->bits <= 64)
		return load_bits(l, &p, n->bits, sign);
	if (!type_is_scalar(n->type) || (size != 1 && size != 2 && size != 4 && size != 8)) {
		diag(l->diags, n->loc, D_UNSUPPORTED, "a value of %" PRIu64 " bytes", size);
		return ir_i(0);
	}
	return sign ? lower_fit(l, lower_kread(l, byte_addr(l, &p), (uint32_t)size), NULL, n->type) :
		      lower_kread(l, byte_addr(l, &p), (uint32_t)size);
}
