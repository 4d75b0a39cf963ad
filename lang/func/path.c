/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * d_path(): the name of a file as the current process sees it, from the directory entries up to the process's root. If
 * the second argument is not 0, up to the root of the mount name space instead.
 *
 * Here the beginning is found; rt/climb.c goes up. A failed read produces "".
 */
#include <stddef.h>
#include <string.h>

#include "lang/check/checker.h"
#include "lang/check/conv.h"
#include "lang/func/family.h"
#include "lang/lower/builtin.h"
#include "lang/lower/expr.h"
#include "lang/lower/kfield.h"
#include "lang/lower/lower.h"
#include "lang/lower/mem.h"
#include "rt/climb.h"

struct path_walk {
	struct lower *l;
	const struct node *n;
	uint32_t climb, at, text, cap;	/* objects; capacity of the text */
	uint32_t failed;		/* block */
};

struct type *func_d_path_check(struct checker *ck, struct node *call)
{
	struct type *t = check_operand(ck, &call->args[0]);

	if (!t)
		return NULL;
	if (t->kind != T_PTR)
		return check_fail(ck, call->args[0]->loc, D_PROTO_ARG,
				  "d_path( ) argument #1 is incompatible with prototype: "
				  "it must be a struct path * or a struct dentry *, not \"%s\"",
				  check_text(ck, t));
	if (call->nargs > 1 && !check_value(ck, &call->args[1]))
		return NULL;
	if (call->nargs > 1 && call->args[1]->kind != N_INT)
		return check_fail(ck, call->args[1]->loc, D_PROTO_ARG,
				  "d_path( ) argument #2 is incompatible with prototype: "
				  "it must be an integer constant");
	return type_string(ck->t, 0);
}

static struct ir_arg add_offset(struct lower *l, ir_reg r, int64_t off)
{
	return lower_op(l, IR_ADD, ir_r(r), ir_i(off));
}

static int64_t member_offset(struct path_walk *w, unsigned which)
{
	return lower_kfield_addr(w->l, w->n, ir_i(0), which).imm;
}

/* Reads the members at these offsets for read_word(). Returns the lowest offset. */
static int64_t read_words(struct path_walk *w, ir_reg base, const int64_t *off, unsigned n)
{
	struct lower *l = w->l;
	int64_t lo = off[0], hi = off[0];
	uint32_t good = ir_newblock(&l->b, NULL);
	ir_reg bad;

	for (unsigned i = 1; i < n; i++) {
		lo = off[i] < lo ? off[i] : lo;
		hi = off[i] > hi ? off[i] : hi;
	}
	if (hi + 8 - lo > CLIMB_SPAN) {
		diag(l->diags, w->n->loc, D_KTYPE, "%s: the kernel's directory entries have an unknown layout",
		     w->n->str);
		hi = lo;
	}
	bad = ir_emit(&l->b, IR_KREAD, ir_m(w->at, 0), ir_i(hi + 8 - lo), add_offset(l, base, lo));
	ir_emit(&l->b, IR_BNE, ir_r(bad), ir_i(0), ir_b(w->failed), ir_b(good));
	ir_enter(&l->b, good);
	return lo;
}

static ir_reg read_word(struct path_walk *w, int64_t off)
{
	return ir_emit(&w->l->b, IR_LD64, ir_m(w->at, off < CLIMB_SPAN - 8 ? off & ~7 : 0));
}

/* A word of the struct climb. */
static void set_word(struct path_walk *w, size_t at, struct ir_arg value)
{
	ir_emit(&w->l->b, IR_ST64, ir_m(w->climb, (int64_t)at), value);
}

/* The mount, and its root. */
static void enter_mount(struct path_walk *w, ir_reg mount)
{
	int64_t off = member_offset(w, KF_MOUNT_MNT) + member_offset(w, KF_MNT_ROOT);
	int64_t lo = read_words(w, mount, &off, 1);

	set_word(w, offsetof(struct climb, mount), ir_r(mount));
	set_word(w, offsetof(struct climb, top), ir_r(read_word(w, off - lo)));
}

/* The lowest of some offsets, rounded down to words: where a read begins that covers all of them. */
static uint64_t span_begin(struct path_walk *w, const int64_t *off, unsigned n)
{
	int64_t lo = off[0], hi = off[0];

	for (unsigned i = 1; i < n; i++) {
		lo = off[i] < lo ? off[i] : lo;
		hi = off[i] > hi ? off[i] : hi;
	}
	lo &= ~7;
	if (hi + 8 - lo > CLIMB_SPAN)
		diag(w->l->diags, w->n->loc, D_KTYPE, "%s: the kernel's directory entries have an unknown layout",
		     w->n->str);
	return (uint64_t)lo;
}

/* The object with the offsets. */
static uint32_t layout_object(struct path_walk *w)
{
	struct lower *l = w->l;
	const int64_t name = member_offset(w, KF_DENTRY_NAME);
	const int64_t entry[] = {
		member_offset(w, KF_DENTRY_PARENT), name + member_offset(w, KF_QSTR_NAME),
		name + member_offset(w, KF_QSTR_LEN),
	};
	const int64_t mount[] = { member_offset(w, KF_MOUNT_PARENT), member_offset(w, KF_MOUNT_POINT) };
	const uint64_t dentry_lo = span_begin(w, entry, 3), mount_lo = span_begin(w, mount, 2);
	const struct climb_layout layout = {
		.dentry = dentry_lo, .parent = (uint64_t)entry[0] - dentry_lo, .name = (uint64_t)entry[1] - dentry_lo,
		.length = (uint64_t)entry[2] - dentry_lo,
		.mount = mount_lo, .above = (uint64_t)mount[0] - mount_lo, .point = (uint64_t)mount[1] - mount_lo,
		.top = (uint64_t)(member_offset(w, KF_MOUNT_MNT) + member_offset(w, KF_MNT_ROOT)),
	};
	int64_t o = ir_obj_find(l->ir, "climb@layout");

	return o >= 0 ? (uint32_t)o : ir_obj_add(l->ir, &(struct ir_obj){
		.name = "climb@layout", .kind = IR_O_CONST, .size = sizeof layout,
		.init = arena_memdup(l->arena, &layout, sizeof layout),
	});
}

/* Reads mount and directory of the process's root. A failed read is not a fault. */
static void read_root(struct path_walk *w)
{
	struct lower *l = w->l;
	ir_reg task = ir_emit(&l->b, IR_MOV, lower_task(l)), fs, root;
	int64_t off = member_offset(w, KF_FS), lo = read_words(w, task, &off, 1);
	int64_t in_path[2];

	fs = read_word(w, off - lo);
	off = member_offset(w, KF_FS_ROOT);
	root = ir_emit(&l->b, IR_MOV, add_offset(l, fs, off));
	in_path[0] = member_offset(w, KF_PATH_MNT);
	in_path[1] = member_offset(w, KF_PATH_DENTRY);
	lo = read_words(w, root, in_path, 2);
	set_word(w, offsetof(struct climb, root_mount),
		 lower_op(l, IR_SUB, ir_r(read_word(w, in_path[0] - lo)), ir_i(member_offset(w, KF_MOUNT_MNT))));
	set_word(w, offsetof(struct climb, root_dentry), ir_r(read_word(w, in_path[1] - lo)));
}

static bool points_to(const struct node *n, const char *type)
{
	return n->type->ref->name && !strcmp(n->type->ref->name, type);
}

/* A directory entry: its file system may be mounted at several places; the first one is taken. Kernels link the mounts
 * of a file system by a member of their own (mnt_instance), or by pointers. */
static void read_dentry(struct path_walk *w, struct ir_arg addr)
{
	const struct kfield *link = lower_kfield_find(w->l, KF_MOUNT_INSTANCE);
	int64_t off = member_offset(w, KF_DENTRY_SB), lo, member = link->missing ? 0 : (int64_t)link->off;
	ir_reg dentry = ir_emit(&w->l->b, IR_MOV, addr), sb;

	set_word(w, offsetof(struct climb, dentry), addr);
	lo = read_words(w, dentry, &off, 1);
	sb = read_word(w, off - lo);
	off = member_offset(w, KF_SB_MOUNTS);
	lo = read_words(w, sb, &off, 1);
	enter_mount(w, ir_emit(&w->l->b, IR_SUB, ir_r(read_word(w, off - lo)), ir_i(member)));
}

/* A struct path, which may be a copy in scratch memory or in a variable; a directory entry; or a mount, whose path is
 * that of its root. */
static void read_start(struct path_walk *w, const struct node *what)
{
	struct lower *l = w->l;
	bool mount = points_to(what, "struct vfsmount");
	struct mem at_mount, at_dentry;
	struct ir_arg addr, dentry;

	if (!mount && !points_to(what, "struct dentry")) {
		at_mount = at_dentry = lower_pointee(l, what);
		at_mount.bitoff += 8 * (uint64_t)member_offset(w, KF_PATH_MNT);
		at_dentry.bitoff += 8 * (uint64_t)member_offset(w, KF_PATH_DENTRY);
		addr = lower_op(l, IR_SUB, lower_read_int(l, &at_mount, 8), ir_i(member_offset(w, KF_MOUNT_MNT)));
		dentry = lower_read_int(l, &at_dentry, 8);
		set_word(w, offsetof(struct climb, dentry), dentry);
		enter_mount(w, addr.reg);
		return;
	}
	addr = lower_expr(l, what);
	lower_kread(l, addr, 8);
	if (mount) {
		enter_mount(w, ir_emit(&l->b, IR_SUB, addr, ir_i(member_offset(w, KF_MOUNT_MNT))));
		set_word(w, offsetof(struct climb, dentry),
			 ir_r(ir_emit(&l->b, IR_LD64, ir_m(w->climb, offsetof(struct climb, top)))));
	} else {
		read_dentry(w, addr);
	}
}

void func_d_path(struct lower *l, const struct node *call, struct ir_arg dst, uint32_t cap)
{
	uint32_t size = cap < l->strsize ? l->strsize : cap, end = ir_newblock(&l->b, NULL);
	uint32_t climbs = ir_newblock(&l->b, NULL), room = (size + CLIMB_MORE + 7) & ~7u;
	struct path_walk w = {
		.l = l, .n = call, .cap = size, .climb = lower_temp(l, sizeof(struct climb)),
		.at = lower_temp(l, CLIMB_SPAN), .text = lower_temp(l, room), .failed = ir_newblock(&l->b, NULL),
	};
	ir_reg bad;

	ir_emit(&l->b, IR_ZERO, ir_m(w.text, 0), ir_i(room));
	if (call->nargs > 1 && call->args[1]->value) {	/* no entry matches this root */
		set_word(&w, offsetof(struct climb, root_mount), ir_i(0));
		set_word(&w, offsetof(struct climb, root_dentry), ir_i(0));
	} else {
		read_root(&w);
	}
	read_start(&w, call->args[0]);
	bad = ir_emit(&l->b, IR_CLIMB, ir_m(w.text, 0), ir_i(size + CLIMB_MORE), ir_m(w.climb, 0),
		      ir_i(sizeof(struct climb)), ir_m(layout_object(&w), 0), ir_i(sizeof(struct climb_layout)));
	ir_emit(&l->b, IR_BNE, ir_r(bad), ir_i(0), ir_b(w.failed), ir_b(climbs));
	ir_enter(&l->b, climbs);
	ir_emit(&l->b, IR_JMP, ir_b(end));
	ir_enter(&l->b, w.failed);
	ir_emit(&l->b, IR_ZERO, ir_m(w.text, 0), ir_i(room));
	ir_enter(&l->b, end);
	ir_emit(&l->b, IR_SCOPY, dst, ir_i(cap), ir_m(w.text, 0), ir_i(size));
}
