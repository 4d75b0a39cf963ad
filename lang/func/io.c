/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From a page of memory to the file whose data it has, for the prelude's translators. */
#include "lang/check/checker.h"
#include "lang/check/conv.h"
#include "lang/func/family.h"
#include "lang/lower/expr.h"
#include "lang/lower/kfield.h"
#include "lang/lower/lower.h"
#include "lang/types/type_find.h"

enum {
	PAGE_TAIL = 1,			/* in compound_head: the rest is the address of the first page */
	MAPPING_OTHER = 3,		/* in mapping: not a file's */
	BDEV_MAGIC = 0x62646576,	/* "bdev": the file is a block device */
};

/* An address; the value points to a type of the kernel. */
static struct type *check_address(struct checker *ck, struct node *call, const char *type)
{
	struct type *t = check_operand(ck, &call->args[0]), *to = type_lookup(ck->t, type);

	if (!t || t->kind != T_PTR)
		return NULL;
	call->args[0] = check_cast(ck, call->args[0], ck->t->t_ulong);
	return type_pointer(ck->t, to ? to : ck->t->t_void);
}

struct type *func_mapping_check(struct checker *ck, struct node *call)
{
	return check_address(ck, call, "struct address_space");
}

struct type *func_dentry_check(struct checker *ck, struct node *call)
{
	return check_address(ck, call, "struct dentry");
}

/* Returns the value; jumps to `end` if it is 0. */
static struct ir_arg continue_unless_null(struct lower *l, struct ir_arg v, uint32_t end)
{
	uint32_t go = ir_newblock(&l->b, NULL);

	ir_emit(&l->b, IR_BEQ, v, ir_i(0), ir_b(end), ir_b(go));
	ir_enter(&l->b, go);
	return v;
}

/* A read in a chain that ends at a null pointer. */
static struct ir_arg read_next(struct lower *l, const struct node *n, struct ir_arg base, unsigned field, uint32_t end)
{
	return continue_unless_null(l, lower_kfield(l, n, base, field), end);
}

static struct ir_arg first_page(struct lower *l, const struct node *n, struct ir_arg page)
{
	struct ir_arg head = lower_kfield(l, n, page, KF_PAGE_HEAD);
	uint32_t tail = ir_newblock(&l->b, NULL), go = ir_newblock(&l->b, NULL);
	ir_reg r = ir_emit(&l->b, IR_MOV, page);

	ir_emit(&l->b, IR_BNE, lower_op(l, IR_AND, head, ir_i(PAGE_TAIL)), ir_i(0), ir_b(tail), ir_b(go));
	ir_enter(&l->b, tail);
	ir_emit_to(&l->b, IR_SUB, r, head, ir_i(PAGE_TAIL));
	ir_enter(&l->b, go);
	return ir_r(r);
}

/* _mapping(page): the page's struct address_space with its marks; 0: none. */
struct ir_arg func_mapping(struct lower *l, const struct node *call)
{
	uint32_t end = ir_newblock(&l->b, NULL);
	ir_reg r = ir_emit(&l->b, IR_MOV, ir_i(0));
	struct ir_arg page = continue_unless_null(l, lower_expr(l, call->args[0]), end);

	ir_emit_to(&l->b, IR_MOV, r, lower_kfield(l, call, first_page(l, call, page), KF_PAGE_MAPPING));
	ir_enter(&l->b, end);
	return ir_r(r);
}

/* _dentry(mapping): a directory entry of the file; 0: it is not a file's, or the file has no name. */
struct ir_arg func_dentry(struct lower *l, const struct node *call)
{
	uint32_t end = ir_newblock(&l->b, NULL), file = ir_newblock(&l->b, NULL), other = ir_newblock(&l->b, NULL);
	ir_reg result = ir_emit(&l->b, IR_MOV, ir_i(0));
	struct ir_arg mapping = continue_unless_null(l, lower_expr(l, call->args[0]), end), inode, sb, name;

	ir_emit(&l->b, IR_BEQ, lower_op(l, IR_AND, mapping, ir_i(MAPPING_OTHER)), ir_i(0), ir_b(file), ir_b(end));
	ir_enter(&l->b, file);
	inode = read_next(l, call, mapping, KF_MAPPING_HOST, end);
	sb = read_next(l, call, inode, KF_INODE_SB, end);
	ir_emit(&l->b, IR_BEQ, lower_kfield(l, call, sb, KF_SB_MAGIC), ir_i(BDEV_MAGIC), ir_b(end), ir_b(other));
	ir_enter(&l->b, other);
	name = read_next(l, call, inode, KF_INODE_NAMES, end);
	ir_emit_to(&l->b, IR_SUB, result, name, ir_i(lower_kfield_addr(l, call, ir_i(0), KF_DENTRY_ALIAS).imm));
	ir_enter(&l->b, end);
	return ir_r(result);
}
