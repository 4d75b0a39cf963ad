/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * d_path(): the name of a file as the current process sees it, from the directory entries up to the process's root. If
 * the second argument is not 0, up to the root of the mount name space instead.
 *
 * The IR has no loops: the step up is unrolled PATH_STEPS times, and names and mount points share these steps. Names
 * are collected on the way up and written in reverse. A concurrent rename can produce a name that never existed; a
 * failed read produces "".
 */
#include <string.h>

#include "lang/check_conversions.h"
#include "lang/func.h"
#include "lang/lower_builtins.h"
#include "lang/lower_memory.h"

enum {
	PATH_STEPS = 32,
	PATH_SPAN = 64,		/* members that one read covers are within this many bytes */
	NAME = 16,		/* a collected name: its address, its length */
	/* Words after the names: where the way up ended, and where the text of the names begins. In memory, because the
	 * kernel's verifier would check all that follows once for each value that it knows. */
	ENDED = NAME * PATH_STEPS,
	BEGIN = ENDED + 8,
	NAMES_SIZE = BEGIN + 8,
};

struct path_walk {
	struct lower *l;
	const struct node *n;
	uint32_t names, at, text, cap;	/* objects; capacity of the text, which is twice as large (docs/ir.md) */
	ir_reg dentry, mount, top;	/* current position; root of its mount */
	ir_reg root_dentry, root_mount;
	uint32_t failed, found, loose;	/* blocks */
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
	if (hi + 8 - lo > PATH_SPAN) {
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
	return ir_emit(&w->l->b, IR_LD64, ir_m(w->at, off < PATH_SPAN - 8 ? off & ~7 : 0));
}

/* top = root of the mount. */
static void enter_mount(struct path_walk *w)
{
	int64_t off = member_offset(w, KF_MOUNT_MNT) + member_offset(w, KF_MNT_ROOT);
	int64_t lo = read_words(w, w->mount, &off, 1);

	ir_emit_to(&w->l->b, IR_MOV, w->top, ir_r(read_word(w, off - lo)));
}

/* From the root of a mount to its mount point. */
static void leave_mount(struct path_walk *w)
{
	const int64_t off[] = { member_offset(w, KF_MOUNT_PARENT), member_offset(w, KF_MOUNT_POINT) };
	int64_t lo = read_words(w, w->mount, off, 2);
	ir_reg parent = read_word(w, off[0] - lo), point = read_word(w, off[1] - lo);
	struct lower *l = w->l;
	uint32_t go = ir_newblock(&l->b, NULL);

	ir_emit(&l->b, IR_BEQ, ir_r(parent), ir_r(w->mount), ir_b(w->found), ir_b(go));
	ir_enter(&l->b, go);
	ir_emit_to(&l->b, IR_MOV, w->mount, ir_r(parent));
	ir_emit_to(&l->b, IR_MOV, w->dentry, ir_r(point));
	enter_mount(w);
}

/* One entry up. The length shares a word with the hash, which may come before or after it. */
static void step_up(struct path_walk *w, unsigned i)
{
	struct lower *l = w->l;
	int64_t name = member_offset(w, KF_DENTRY_NAME), len = name + member_offset(w, KF_QSTR_LEN);
	const int64_t off[] = { member_offset(w, KF_DENTRY_PARENT), name + member_offset(w, KF_QSTR_NAME), len & ~7 };
	uint32_t go = ir_newblock(&l->b, NULL), same = ir_newblock(&l->b, NULL), climb = ir_newblock(&l->b, NULL),
		up = ir_newblock(&l->b, NULL);
	uint32_t named = ir_newblock(&l->b, NULL), next = ir_newblock(&l->b, NULL), alone = ir_newblock(&l->b, NULL),
		root = ir_newblock(&l->b, NULL);
	ir_reg parent, length;
	int64_t lo;

	ir_emit(&l->b, IR_BEQ, ir_r(w->dentry), ir_r(w->root_dentry), ir_b(same), ir_b(climb));
	ir_enter(&l->b, same);
	ir_emit(&l->b, IR_BEQ, ir_r(w->mount), ir_r(w->root_mount), ir_b(w->found), ir_b(climb));
	ir_enter(&l->b, climb);
	ir_emit(&l->b, IR_BEQ, ir_r(w->dentry), ir_r(w->top), ir_b(up), ir_b(named));
	ir_enter(&l->b, named);
	lo = read_words(w, w->dentry, off, 3);
	parent = read_word(w, off[0] - lo);
	ir_emit(&l->b, IR_ST64, ir_m(w->names, NAME * i), ir_r(read_word(w, off[1] - lo)));
	length = ir_emit(&l->b, IR_LD32, ir_m(w->at, (len - lo) & (PATH_SPAN - 4)));
	ir_emit(&l->b, IR_ST64, ir_m(w->names, NAME * i + 8), ir_r(length));
	ir_emit(&l->b, IR_BEQ, ir_r(w->dentry), ir_r(parent), ir_b(alone), ir_b(go));
	ir_enter(&l->b, alone);
	ir_emit(&l->b, IR_BEQ, ir_r(length), ir_i(1), ir_b(root), ir_b(w->loose));
	ir_enter(&l->b, root);	/* "/": of a file system, outside of its mount */
	ir_emit(&l->b, IR_ST64, ir_m(w->names, NAME * i + 8), ir_i(0));
	ir_emit(&l->b, IR_JMP, ir_b(w->found));
	ir_enter(&l->b, go);
	ir_emit_to(&l->b, IR_MOV, w->dentry, ir_r(parent));
	ir_emit(&l->b, IR_JMP, ir_b(next));
	ir_enter(&l->b, up);
	leave_mount(w);
	ir_enter(&l->b, next);
}

/* Bits of an offset in the text. */
static int64_t offset_mask(const struct path_walk *w)
{
	int64_t mask = 1;

	while (mask < w->cap)
		mask = 2 * mask + 1;
	return mask;
}

/* Writes a slash and one name, if it has one. */
static void put_name(struct path_walk *w, unsigned i, ir_reg off, uint32_t slash, uint32_t full)
{
	struct lower *l = w->l;
	const int64_t mask = offset_mask(w);
	uint32_t put = ir_newblock(&l->b, NULL), good = ir_newblock(&l->b, NULL), small = ir_newblock(&l->b, NULL),
		skip = ir_newblock(&l->b, NULL);
	ir_reg len = ir_emit(&l->b, IR_LD64, ir_m(w->names, NAME * i + 8)), bad;
	struct ir_arg from = ir_r(ir_emit(&l->b, IR_LD64, ir_m(w->names, NAME * i))), after;

	ir_emit(&l->b, IR_BNE, ir_r(len), ir_i(0), ir_b(put), ir_b(skip));
	ir_enter(&l->b, put);
	ir_emit_to(&l->b, IR_PUT, 0, ir_m(slash, 0), ir_i(1), ir_o(w->text), ir_r(off));
	after = add_offset(l, off, 1);
	bad = ir_emit(&l->b, IR_FILL, ir_o(w->text), after, ir_r(len), from, ir_i(IR_FILL_KERNEL));
	ir_emit(&l->b, IR_BNE, ir_r(bad), ir_i(0), ir_b(w->failed), ir_b(good));
	ir_enter(&l->b, good);
	ir_emit_to(&l->b, IR_ADD, off, after, ir_r(len));
	ir_emit(&l->b, IR_BUGE, ir_r(off), ir_i(w->cap), ir_b(full), ir_b(small));
	ir_enter(&l->b, small);
	/* changes nothing, but the kernel's verifier forgets the lower bound, which would be another after each name */
	ir_emit_to(&l->b, IR_AND, off, ir_r(off), ir_i(mask));
	ir_enter(&l->b, skip);
}

static void put_text(struct path_walk *w, const char *text)
{
	for (size_t i = 0; text[i]; i++)
		ir_emit(&w->l->b, IR_ST8, ir_m(w->text, (int64_t)i), ir_i(text[i]));
}

/* Where the way up ended. */
enum { AT_ROOT, LOOSE };

/* Writes the names in reverse. A file outside of any directory and without a name (a pipe) is "<unknown>". */
static void put_names(struct path_walk *w)
{
	struct lower *l = w->l;
	uint32_t root = ir_newblock(&l->b, NULL), full = ir_newblock(&l->b, NULL), none = ir_newblock(&l->b, NULL),
		loose = ir_newblock(&l->b, NULL), slash = lower_temp(l, 8);
	ir_reg off = ir_newreg(&l->b), ended;

	ir_emit(&l->b, IR_ST8, ir_m(slash, 0), ir_i('/'));
	ir_emit_to(&l->b, IR_AND, off, ir_r(ir_emit(&l->b, IR_LD64, ir_m(w->names, BEGIN))), ir_i(offset_mask(w)));
	for (unsigned i = PATH_STEPS; i-- > 0;)
		put_name(w, i, off, slash, full);
	ir_emit(&l->b, IR_BEQ, ir_r(off), ir_i(0), ir_b(none), ir_b(full));
	ir_enter(&l->b, none);
	ended = ir_emit(&l->b, IR_LD64, ir_m(w->names, ENDED));
	ir_emit(&l->b, IR_BEQ, ir_r(ended), ir_i(LOOSE), ir_b(loose), ir_b(root));
	ir_enter(&l->b, loose);
	put_text(w, "<unknown>");
	ir_emit(&l->b, IR_JMP, ir_b(full));
	ir_enter(&l->b, root);
	put_text(w, "/");
	ir_enter(&l->b, full);
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
	w->root_mount = ir_newreg(&l->b);
	ir_emit_to(&l->b, IR_SUB, w->root_mount, ir_r(read_word(w, in_path[0] - lo)),
		   ir_i(member_offset(w, KF_MOUNT_MNT)));
	w->root_dentry = read_word(w, in_path[1] - lo);
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
	ir_reg sb;

	w->dentry = ir_emit(&w->l->b, IR_MOV, addr);
	lo = read_words(w, w->dentry, &off, 1);
	sb = read_word(w, off - lo);
	off = member_offset(w, KF_SB_MOUNTS);
	lo = read_words(w, sb, &off, 1);
	w->mount = ir_emit(&w->l->b, IR_SUB, ir_r(read_word(w, off - lo)), ir_i(member));
	enter_mount(w);
}

/* A struct path, which may be a copy in scratch memory or in a variable; a directory entry; or a mount, whose path is
 * that of its root. */
static void read_start(struct path_walk *w, const struct node *what)
{
	struct lower *l = w->l;
	bool mount = points_to(what, "struct vfsmount");
	struct mem at_mount, at_dentry;
	struct ir_arg addr;

	if (!mount && !points_to(what, "struct dentry")) {
		at_mount = at_dentry = lower_pointee(l, what);
		at_mount.bitoff += 8 * (uint64_t)member_offset(w, KF_PATH_MNT);
		at_dentry.bitoff += 8 * (uint64_t)member_offset(w, KF_PATH_DENTRY);
		w->mount = ir_emit(&l->b, IR_SUB, lower_read_int(l, &at_mount, 8),
				   ir_i(member_offset(w, KF_MOUNT_MNT)));
		w->dentry = ir_emit(&l->b, IR_MOV, lower_read_int(l, &at_dentry, 8));
		enter_mount(w);
		return;
	}
	addr = lower_expr(l, what);
	lower_kread(l, addr, 8);
	if (mount) {
		w->mount = ir_emit(&l->b, IR_SUB, addr, ir_i(member_offset(w, KF_MOUNT_MNT)));
		enter_mount(w);
		w->dentry = ir_emit(&l->b, IR_MOV, ir_r(w->top));
	} else {
		read_dentry(w, addr);
	}
}

void func_d_path(struct lower *l, const struct node *call, struct ir_arg dst, uint32_t cap)
{
	uint32_t size = cap < l->strsize ? l->strsize : cap, end = ir_newblock(&l->b, NULL);
	struct path_walk w = {
		.l = l, .n = call, .cap = size, .names = lower_temp(l, NAMES_SIZE), .at = lower_temp(l, PATH_SPAN),
		.text = lower_temp(l, 2 * (uint64_t)size), .top = ir_newreg(&l->b), .failed = ir_newblock(&l->b, NULL),
		.found = ir_newblock(&l->b, NULL), .loose = ir_newblock(&l->b, NULL),
	};

	ir_emit(&l->b, IR_ZERO, ir_m(w.names, 0), ir_i(NAMES_SIZE));
	ir_emit(&l->b, IR_ZERO, ir_m(w.text, 0), ir_i(2 * size));
	if (call->nargs > 1 && call->args[1]->value)	/* no entry matches this root */
		w.root_mount = w.root_dentry = ir_emit(&l->b, IR_MOV, ir_i(0));
	else
		read_root(&w);
	read_start(&w, call->args[0]);
	for (unsigned i = 0; i < PATH_STEPS; i++)
		step_up(&w, i);
	put_text(&w, "...");
	ir_emit(&l->b, IR_ST64, ir_m(w.names, BEGIN), ir_i(3));
	ir_emit(&l->b, IR_JMP, ir_b(w.found));
	ir_enter(&l->b, w.loose);
	ir_emit(&l->b, IR_ST64, ir_m(w.names, ENDED), ir_i(LOOSE));
	ir_enter(&l->b, w.found);
	put_names(&w);
	ir_emit(&l->b, IR_JMP, ir_b(end));
	ir_enter(&l->b, w.failed);
	ir_emit(&l->b, IR_ZERO, ir_m(w.text, 0), ir_i(2 * size));
	ir_enter(&l->b, end);
	ir_emit(&l->b, IR_SCOPY, dst, ir_i(cap), ir_m(w.text, 0), ir_i(size));
}
