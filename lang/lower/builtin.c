/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Built-in variables, one row each. Strings are in lower/str.c. */
#include "lang/lower/builtin.h"

#include <string.h>
#include <stddef.h>

#include "lang/lower/cgroup.h"
#include "lang/lower/expr.h"
#include "lang/lower/gate.h"
#include "lang/lower/kfield.h"
#include "lang/lower/lower.h"
#include "lang/lower/pids.h"
#include "lang/lower/task.h"
#include "lang/lower/vtime.h"
#include "lang/types/type_find.h"

#define WALL_OFFSET "wall_offset"

struct ir_arg lower_time(struct lower *l)
{
	if (!l->ts && l->b.func->ctx == IR_C_ERROR)
		l->ts = ir_emit(&l->b, IR_PARAM, ir_i(4));
	if (!l->ts)
		l->ts = ir_emit0(&l->b, IR_CLOCK);
	return ir_r(l->ts);
}

/* ---- one function per kind ---- */
typedef struct ir_arg builtin_fn(struct lower *l, const struct node *n);

static struct ir_arg emit_read(struct lower *l, enum ir_op op)
{
	return ir_r(ir_emit0(&l->b, op));
}

static struct ir_arg bi_arg(struct lower *l, const struct node *n)
{
	const struct provider *p = l->probe->prov;
	unsigned i = n->var->builtin - BI_arg0;
	ir_reg r;

	if (l->site && i < SITE_MAXARGS && l->site->arg[i])
		return lower_expr(l, map_gets(&l->c->exprs, l->site->arg[i]));
	r = p->arg ? p->arg(&l->b, l->probe, i, l->alt) : 0;
	return r ? ir_r(r) : ir_i(0);
}

static struct ir_arg bi_raw(struct lower *l, const struct node *n)
{
	return ir_r(ir_emit(&l->b, IR_CTX, ir_i(8 * (n->var->builtin - BI__raw0))));
}

static struct ir_arg bi_cpu(struct lower *l, const struct node *n)
{
	(void)n;
	l->prog->uses_cpu = true;
	return emit_read(l, IR_CPU);
}

struct ir_arg lower_task(struct lower *l)
{
	if (l->site && l->site->task)
		return lower_expr(l, map_gets(&l->c->exprs, l->site->task));
	return ir_r(ir_emit0(&l->b, IR_TASK));
}

static struct ir_arg bi_task(struct lower *l, const struct node *n)
{
	(void)n;
	return lower_task(l);
}

static struct ir_arg bi_epid(struct lower *l, const struct node *n)
{
	(void)n;
	return lower_epid(l);
}

static struct ir_arg bi_id(struct lower *l, const struct node *n)
{
	(void)n;
	return lower_id(l);
}

static struct ir_arg bi_errno(struct lower *l, const struct node *n)
{
	const struct provider_values *v = l->probe->prov->values;
	ir_reg r = v && v->error ? v->error(&l->b, l->probe) : 0;

	(void)n;
	return r ? ir_r(r) : ir_i(0);
}

static struct ir_arg bi_emulated(struct lower *l, const struct node *n)
{
	const struct provider_values *v = l->probe->prov->values;

	(void)n;
	return v && v->emulated ? ir_r(v->emulated(&l->b)) : ir_i(0);
}

static struct ir_arg read_high(struct lower *l, enum ir_op op, const struct type *t)
{
	return lower_fit(l, lower_op(l, IR_LSHR, emit_read(l, op), ir_i(32)), l->c->types.t_uint, t);
}

static struct ir_arg read_low(struct lower *l, enum ir_op op, const struct type *t)
{
	return lower_fit(l, lower_fit(l, emit_read(l, op), NULL, l->c->types.t_uint), l->c->types.t_uint, t);
}

/* True if a probe fires for a thread that is not the current one (on-cpu): its values come from its task_struct. */
static bool of_another(const struct lower *l)
{
	return l->site && l->site->task;
}

/* An ID of the thread that the probe fires for. */
static struct ir_arg id_of(struct lower *l, const struct node *n, unsigned which)
{
	struct task_path p = { 0 };
	struct ir_arg id;

	if (!of_another(l) && lower_path_id(l, &p, which, &id))
		return id;
	return lower_task_id(l, n, lower_task(l), which);
}

static struct ir_arg of_task(struct lower *l, const struct node *n, unsigned which)
{
	return lower_fit(l, id_of(l, n, which), l->c->types.t_uint, n->type);
}

static struct ir_arg of_cred(struct lower *l, const struct node *n, unsigned field)
{
	struct ir_arg cred = lower_kfield(l, n, lower_task(l), KF_CRED);

	return lower_fit(l, lower_kfield(l, n, cred, field), l->c->types.t_uint, n->type);
}

/* True if an ID of the current thread comes from its structure: in a PID name space other than the initial one. There,
 * the kernel's function gives 0 for threads in the name spaces below; it is used if the kernel has no type
 * information. */
static bool id_in_task(struct lower *l)
{
	return l->c->env.pidns && !lower_kfield_find(l, KF_THREAD_PID)->missing;
}

struct ir_arg lower_pid(struct lower *l, const struct node *n)
{
	if (of_another(l) || id_in_task(l))
		return id_of(l, n, ID_PROCESS);
	return lower_op(l, IR_LSHR, ir_r(ir_emit0(&l->b, IR_PIDTGID)), ir_i(32));
}

static void lower_owners(struct lower *l)
{
	if (l->prog->owners < 0)
		l->prog->owners = lower_object(l, IR_O_GLOBAL, "owners", PROG_OWNERS * 8, 0);
}

/* The offset in the task of the address of the thread's own data; 0: unknown. x86-64 only. */
static uint32_t lower_thread_data(struct lower *l)
{
	uint32_t thread = type_kernel_offset(&l->c->types, "task_struct", "thread", NULL);
	uint32_t fsbase = type_kernel_offset(&l->c->types, "thread_struct", "fsbase", NULL);

	return thread && fsbase ? thread + fsbase : 0;
}

/* The walker in the kernel recognises changes of mappings by the table of owners, and copies a stack up to its end. */
void lower_user_stack(struct lower *l)
{
	struct task_layout *t = &l->prog->task;
	struct types *types = &l->c->types;

	if (!l->c->env.tables)
		return;
	lower_owners(l);
	if (t->mm)
		return;
	t->mm = type_kernel_offset(types, "task_struct", "mm", NULL);
	t->start_stack = type_kernel_offset(types, "task_struct", "mm", "start_stack");
	t->fsbase = lower_thread_data(l);
	t->signal_stack = type_kernel_offset(types, "task_struct", "sas_ss_sp", NULL);
	t->signal_size = type_kernel_offset(types, "task_struct", "sas_ss_size", NULL);
	t->uprobe = type_kernel_offset(types, "task_struct", "utask", NULL);
	t->uprobe_addr = type_kernel_offset(types, "task_struct", "utask", "vaddr");
	t->uprobe_slot = type_kernel_offset(types, "task_struct", "utask", "xol_vaddr");
}

/* The interpreter knows its threads by their IDs in the innermost PID name space. A forked process has that of its
 * parent. */
void lower_interpreted_stack(struct lower *l)
{
	struct task_layout *t = &l->prog->task;

	if (!l->c->env.tables || t->thread_pid)
		return;
	t->thread_pid = type_kernel_offset(&l->c->types, "task_struct", "thread_pid", NULL);
	t->pid_level = type_kernel_offset(&l->c->types, "task_struct", "thread_pid", "level");
	t->pid_numbers = type_kernel_offset(&l->c->types, "task_struct", "thread_pid", "numbers");
	t->parent = type_kernel_offset(&l->c->types, "task_struct", "real_parent", NULL);
	t->group = type_kernel_offset(&l->c->types, "task_struct", "tgid", NULL);
}

/*
 * The owner is the process's word in the table if the low bits of the word match the process. Otherwise the word
 * belongs to another process; then the owner is this process with the time of the other one, which is not too early.
 */
struct ir_arg lower_key_owner(struct lower *l, struct ir_arg pid)
{
	struct ir_arg now, other, mask;

	lower_owners(l);
	now = lower_op(l, IR_AND, pid, ir_i(PROG_OWNERS - 1));
	now = ir_r(ir_emit(&l->b, IR_LD64, ir_mx(0, (uint32_t)l->prog->owners, 0, now.reg, PROG_OWNERS)));
	other = lower_op(l, IR_AND, lower_op(l, IR_XOR, now, pid), ir_i((int64_t)VAL_PID_MASK));
	other = lower_op(l, IR_SHL, lower_op(l, IR_NE, other, ir_i(0)), ir_i(VAL_PID_BITS));
	mask = lower_op(l, IR_XOR, lower_op(l, IR_OR, other, ir_i((int64_t)VAL_PID_MASK)), ir_i(-1));
	return lower_op(l, IR_OR, lower_op(l, IR_AND, now, mask), pid);
}

static struct ir_arg bi_pid(struct lower *l, const struct node *n)
{
	if (of_another(l) || id_in_task(l))
		return of_task(l, n, ID_PROCESS);
	return read_high(l, IR_PIDTGID, n->type);
}

static struct ir_arg bi_tid(struct lower *l, const struct node *n)
{
	struct task_path p = { 0 };
	struct ir_arg id;

	if (of_another(l))
		return of_task(l, n, ID_THREAD);
	if (id_in_task(l) && lower_path_id(l, &p, ID_THREAD, &id))
		return lower_fit(l, id, l->c->types.t_uint, n->type);
	return read_low(l, IR_PIDTGID, n->type);
}

static struct ir_arg bi_gid(struct lower *l, const struct node *n)
{
	if (of_another(l))
		return of_cred(l, n, KF_CRED_GID);
	lower_task_layout(l);
	return read_high(l, IR_UIDGID, n->type);
}

static struct ir_arg bi_uid(struct lower *l, const struct node *n)
{
	if (of_another(l))
		return of_cred(l, n, KF_CRED_UID);
	lower_task_layout(l);
	return read_low(l, IR_UIDGID, n->type);
}

static struct ir_arg bi_ppid(struct lower *l, const struct node *n)
{
	const struct kfield *f = lower_kfield_find(l, KF_REAL_PARENT);
	struct task_path p = { 0 };
	struct ir_arg id;

	if (of_another(l) || f->missing || f->ours || !task_path_add(&p, f->off) ||
	    !lower_path_id(l, &p, ID_PROCESS, &id))
		id = lower_task_id(l, n, lower_kfield(l, n, lower_task(l), KF_REAL_PARENT), ID_PROCESS);
	return lower_fit(l, id, l->c->types.t_uint, n->type);
}

/* The number of frames, at most maxframes. */
static struct ir_arg stack_depth(struct lower *l, enum ir_op op, const struct node *n)
{
	struct ir_arg depth = emit_read(l, op), most = ir_i(l->c->opts.maxframes), over;

	if (most.imm) {
		over = lower_op(l, IR_SUB, depth, most);
		over = lower_op(l, IR_MUL, over, lower_op(l, IR_UGT, depth, most));
		depth = lower_op(l, IR_SUB, depth, over);
	}
	return lower_fit(l, depth, NULL, n->type);
}

static struct ir_arg bi_stackdepth(struct lower *l, const struct node *n)
{
	return stack_depth(l, IR_STACKDEPTH, n);
}

static struct ir_arg bi_timestamp(struct lower *l, const struct node *n)
{
	(void)n;
	return lower_time(l);
}

/* The difference between walltimestamp and the monotonic clock. */
static struct ir_arg bi_wall(struct lower *l, const struct node *n)
{
	int64_t o = ir_obj_find(l->ir, WALL_OFFSET);

	(void)n;
	if (o < 0)
		o = lower_object(l, IR_O_GLOBAL, WALL_OFFSET, 8, 0);
	l->prog->uses_wall = true;
	return ir_r(ir_emit(&l->b, IR_LD64, ir_m((uint32_t)o, 0)));
}

/* Unlike timestamp, read at each use. */
static struct ir_arg bi_walltimestamp(struct lower *l, const struct node *n)
{
	struct ir_arg offset = bi_wall(l, n);

	return lower_op(l, IR_ADD, emit_read(l, IR_CLOCK), offset);
}

/* The second frame: the first is the function of the probe. kind: 0 or IR_STACK_USER. */
static struct ir_arg second_frame(struct lower *l, unsigned kind)
{
	uint32_t o = lower_temp(l, 2 * 8);

	if (kind & IR_STACK_USER)
		lower_user_stack(l);
	ir_emit(&l->b, IR_STACK, ir_m(o, 0), ir_i(2 * 8), ir_i(IR_STACK_NOW | kind));
	return ir_r(ir_emit(&l->b, IR_LD64, ir_m(o, 8)));
}

enum { OUTER_FRAMES = 10 };

/* The first frame that is not in the code that the provider names; 0: none of the first frames is. */
static struct ir_arg outer_frame(struct lower *l, const struct provider_sites *s)
{
	uint32_t o = lower_temp(l, OUTER_FRAMES * 8), end = ir_newblock(&l->b, NULL);
	struct ir_arg from = lower_expr(l, map_gets(&l->c->exprs, s->inside));
	struct ir_arg size = lower_op(l, IR_SUB, lower_expr(l, map_gets(&l->c->exprs, s->outside)), from);
	ir_reg frame = ir_newreg(&l->b);

	ir_emit(&l->b, IR_STACK, ir_m(o, 0), ir_i(OUTER_FRAMES * 8), ir_i(IR_STACK_NOW));
	for (int i = 1; i <= OUTER_FRAMES; i++) {
		uint32_t next = ir_newblock(&l->b, NULL);

		if (i < OUTER_FRAMES)
			ir_emit_to(&l->b, IR_LD64, frame, ir_m(o, i * 8));
		else
			ir_emit_to(&l->b, IR_MOV, frame, ir_i(0));
		ir_emit(&l->b, IR_BULT, lower_op(l, IR_SUB, ir_r(frame), from), size, ir_b(next), ir_b(end));
		ir_enter(&l->b, next);
	}
	ir_emit(&l->b, IR_JMP, ir_b(end));
	ir_enter(&l->b, end);
	return ir_r(frame);
}

static struct ir_arg bi_caller(struct lower *l, const struct node *n)
{
	const struct provider_sites *s = l->probe->prov->sites;

	(void)n;
	return s && s->inside ? outer_frame(l, s) : second_frame(l, 0);
}

static struct ir_arg bi_ucaller(struct lower *l, const struct node *n)
{
	(void)n;
	return second_frame(l, IR_STACK_USER);
}

static struct ir_arg bi_ustackdepth(struct lower *l, const struct node *n)
{
	lower_user_stack(l);
	return stack_depth(l, IR_USTACKDEPTH, n);
}

static struct ir_arg bi_goid(struct lower *l, const struct node *n)
{
	uint32_t at = lower_thread_data(l);

	if (!at)
		diag(l->diags, n->loc, D_UNSUPPORTED, "goid needs the kernel's types, on x86-64");
	return ir_r(ir_emit(&l->b, IR_GOID, ir_i(at)));
}

static struct ir_arg bi_uregs(struct lower *l, const struct node *n)
{
	return ir_r(ir_emit(&l->b, IR_UREG, lower_expr(l, n->args[0])));
}

static struct ir_arg cpu_place(struct lower *l, const struct node *n, size_t off)
{
	uint32_t to = lower_temp(l, 8);
	struct ir_arg at;

	if (l->prog->places < 0)
		l->prog->places = lower_object(l, IR_O_GLOBAL, "cpu_places", PROG_PLACES * sizeof(struct cpu_place), 0);
	l->prog->uses_cpu = true;
	at = lower_op(l, IR_MUL, emit_read(l, IR_CPU), ir_i(sizeof(struct cpu_place)));
	ir_emit_to(&l->b, IR_GET, 0, ir_m(to, 0), ir_i(4), ir_o((uint32_t)l->prog->places),
		   lower_op(l, IR_ADD, at, ir_i((int64_t)off)));
	return lower_fit(l, ir_r(ir_emit(&l->b, IR_LD32, ir_m(to, 0))), NULL, n->type);
}

static struct ir_arg bi_chip(struct lower *l, const struct node *n)
{
	return cpu_place(l, n, offsetof(struct cpu_place, chip));
}

static struct ir_arg bi_node(struct lower *l, const struct node *n)
{
	return cpu_place(l, n, offsetof(struct cpu_place, node));
}

static builtin_fn *const builtins[BI_COUNT] = {
	[BI__raw0] = bi_raw, [BI__raw1] = bi_raw, [BI__raw2] = bi_raw, [BI__raw3] = bi_raw, [BI__raw4] = bi_raw,
	[BI__raw5] = bi_raw,
	[BI_arg0] = bi_arg, [BI_arg1] = bi_arg, [BI_arg2] = bi_arg, [BI_arg3] = bi_arg, [BI_arg4] = bi_arg,
	[BI_arg5] = bi_arg, [BI_arg6] = bi_arg, [BI_arg7] = bi_arg, [BI_arg8] = bi_arg, [BI_arg9] = bi_arg,
	[BI__chip] = bi_chip, [BI__node] = bi_node, [BI_caller] = bi_caller, [BI_ucaller] = bi_ucaller,
	[BI_goid] = bi_goid, [BI_ustackdepth] = bi_ustackdepth, [BI_uregs] = bi_uregs,
	[BI_cpu] = bi_cpu, [BI_curthread] = bi_task, [BI_epid] = bi_epid, [BI_errno] = bi_errno, [BI_gid] = bi_gid,
	[BI_id] = bi_id, [BI_pid] = bi_pid, [BI_ppid] = bi_ppid, [BI_stackdepth] = bi_stackdepth, [BI_tid] = bi_tid,
	[BI_timestamp] = bi_timestamp, [BI_uid] = bi_uid, [BI_vtimestamp] = lower_vtimestamp,
	[BI_walltimestamp] = bi_walltimestamp, [BI__wall] = bi_wall,
	[BI__emulated] = bi_emulated,
	[BI_cgroup] = lower_cgroup, [BI_cgroupid] = lower_cgroup, [BI_container] = lower_cgroup,
	[BI_image] = lower_cgroup, [BI_pod] = lower_cgroup,
	/* members are translated from the task; as plain pointers they are the task's address */
	[BI_curpsinfo] = bi_task, [BI_curlwpsinfo] = bi_task,
};

struct ir_arg lower_builtin(struct lower *l, const struct node *n)
{
	if (builtins[n->var->builtin])
		return builtins[n->var->builtin](l, n);
	diag(l->diags, n->loc, D_UNSUPPORTED, "%s cannot be used by itself", n->var->name);
	return ir_i(0);
}

const char *lower_builtin_text(const struct lower *l, const struct node *n)
{
	const char *text = probe_text(l->probe, n->var->builtin);
	const struct gate *g = l->info->gate;

	if (g && g->follow)
		return NULL;
	for (size_t i = 0; text && g && i < g->members.n; i++)
		if (strcmp(probe_text(g->members.v[i], n->var->builtin), text))
			return NULL;
	return text;
}
