/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Objects in maps (aggregation cells, array elements, thread variables), and the rings. */
#include <errno.h>
#include <linux/bpf.h>

#include "engine/bpf/code/ended.h"
#include "engine/bpf/code/isel.h"

/* R0 = element `key` of a map, or 0. */
static void find_key(struct bpf_gen *g, uint32_t map, const struct ir_arg *key)
{
	GEN_ARGS(g, ga_map(map), ga_addr(key));
	asm_call(g->a, BPF_FUNC_map_lookup_elem);
}

/* Like find, but creates a missing element. Two contexts may create it at once: with NOEXIST one wins, and both find
 * it. */
static void find_or_make(struct bpf_gen *g, uint32_t obj, uint32_t map, const struct ir_arg *key, enum ir_drop drop)
{
	uint32_t done = asm_label(g->a);

	find_key(g, map, key);
	asm_jcci(g->a, BPF_JNE, R0, 0, done);
	GEN_ARGS(g, ga_map(map), ga_addr(key), ga_data(g->im->off_zero), ga_imm(BPF_NOEXIST));
	asm_call(g->a, BPF_FUNC_map_update_elem);
	if (g->im->prog->objs.v[obj].threads)
		ended_created(g, obj);
	find_key(g, map, key);
	asm_jcci(g->a, BPF_JNE, R0, 0, done);
	gen_drop(g, drop);
	asm_movi(g->a, R0, 0);
	asm_bind(g->a, done);
}

/* Stores the key followed by the CPU number; *out is the place of both. */
static void key_with_cpu(struct bpf_gen *g, const struct ir_ins *ins, struct ir_arg *out)
{
	uint32_t keysize = g->im->prog->objs.v[ins->arg[0].obj].keysize;
	struct ir_arg tail;
	struct addr a;

	*out = ins->arg[1];
	if (!g->fr.obj[out->obj].key || out->reg || out->imm + keysize != g->im->prog->objs.v[out->obj].size) {
		*out = ir_m((uint32_t)g->im->prog->objs.n + XO_KEYBUF, 0);
		gen_copy(g, out, &ins->arg[1], keysize);
	}
	tail = *out;
	tail.imm += keysize;
	gen_cpu(g);
	a = gen_addr(g, &tail, R5, 8);
	asm_st(g->a, BPF_DW, a.base, (int16_t)a.off, R0);
}

void gen_generation(struct bpf_gen *g, const struct bpf_place *pl, int reg)
{
	asm_mapval(g->a, reg, g->im->map_of[BPF_MAP_DATA], pl->gen);
	asm_ld(g->a, BPF_DW, reg, reg, 0);
	asm_alui(g->a, BPF_AND, reg, 1);
}

/* R0 = element `key` of the object's map in the generation being written; 0 = lost, and counted as a drop. */
static void get_element(struct bpf_gen *g, uint32_t obj, const struct ir_arg *key, enum ir_drop drop)
{
	const struct bpf_place *pl = &g->im->place[obj];
	uint32_t other, done;

	if (!g->im->prog->objs.v[obj].generations) {
		find_or_make(g, obj, pl->map, key, drop);
		return;
	}
	other = asm_label(g->a);
	done = asm_label(g->a);
	gen_generation(g, pl, R0);
	asm_jcci(g->a, BPF_JNE, R0, 0, other);
	find_or_make(g, obj, pl->map, key, drop);
	asm_jmp(g->a, done);
	asm_bind(g->a, other);
	find_or_make(g, obj, pl->map + 1, key, drop);
	asm_bind(g->a, done);
}

void emit_cell(struct bpf_gen *g, const struct ir_ins *ins)
{
	uint32_t obj = ins->arg[0].obj, done = asm_label(g->a);
	struct ir_arg key = ins->arg[1];

	if (g->im->place[obj].rows)
		gen_row(g, ins, done);
	key_with_cpu(g, ins, &key);
	get_element(g, obj, &key, IR_DROP_AGG);
	asm_bind(g->a, done);
	gen_put(g, ins->dst, R0);
}

void gen_times(struct bpf_gen *g, int reg, uint32_t n)
{
	if (n & (n - 1))
		asm_alui(g->a, BPF_MUL, reg, (int32_t)n);
	else
		asm_alui(g->a, BPF_LSH, reg, __builtin_ctz(n));
}

void gen_cells(struct bpf_gen *g, uint32_t obj)
{
	gen_cpu(g);
	asm_alui(g->a, BPF_AND, R0, (int32_t)g->im->cpuslots - 1);
	gen_times(g, R0, g->im->cell_stride);
	if (g->im->prog->objs.v[obj].generations) {
		gen_generation(g, &g->im->place[obj], R1);
		gen_times(g, R1, g->im->gen_stride);
		asm_alu(g->a, BPF_ADD, R0, R1);
	}
}

void emit_cell0(struct bpf_gen *g, const struct ir_ins *ins)
{
	uint32_t obj = ins->arg[0].obj;
	int d = gen_dst(g, ins->dst, R1);

	gen_cells(g, obj);
	asm_mapval(g->a, d, g->im->map_of[BPF_MAP_DATA], g->im->off_cells + g->im->place[obj].off);
	asm_alu(g->a, BPF_ADD, d, R0);
	gen_put(g, ins->dst, d);
}

/* The word before the value says that the cell was used, even if its value is 0. */
void emit_celln(struct bpf_gen *g, const struct ir_ins *ins)
{
	uint32_t obj = ins->arg[0].obj, off = g->im->off_cells + g->im->place[obj].off + CELL_HEAD;
	const struct ir_obj *o = &g->im->prog->objs.v[obj];
	const struct ir_arg *n = &ins->arg[1];
	int d = gen_dst(g, ins->dst, R1);

	gen_cells(g, obj);
	if (n->kind == IR_IMM) {
		off += ((uint32_t)n->imm & (o->cells - 1)) * layout_cell_size(o);
	} else {
		asm_mov(g->a, R1, gen_reg(g, n->reg, R1));
		asm_alui(g->a, BPF_AND, R1, (int32_t)o->cells - 1);
		gen_times(g, R1, layout_cell_size(o));
		asm_alu(g->a, BPF_ADD, R0, R1);
	}
	asm_mapval(g->a, d, g->im->map_of[BPF_MAP_DATA], off);
	asm_alu(g->a, BPF_ADD, d, R0);
	asm_sti(g->a, BPF_DW, d, -CELL_HEAD, 1);
	gen_put(g, ins->dst, d);
}

static void find_element(struct bpf_gen *g, const struct ir_ins *ins)
{
	find_key(g, g->im->place[ins->arg[0].obj].map, &ins->arg[1]);
}

void emit_dyn(struct bpf_gen *g, const struct ir_ins *ins)
{
	uint32_t obj = ins->arg[0].obj, slow = asm_label(g->a), done = asm_label(g->a);
	bool make = ins->arg[2].imm, stacks = g->im->prog->objs.v[obj].stacks;

	if (g->im->place[obj].rows && stacks)
		gen_stack_row(g, ins, done);
	else if (g->im->place[obj].rows)
		gen_var_find(g, ins, make ? find_element : NULL, slow, done);
	asm_bind(g->a, slow);
	if (make)
		get_element(g, obj, &ins->arg[1], stacks ? IR_DROP_AGG : IR_DROP_DYNAMIC);
	else
		find_element(g, ins);
	asm_bind(g->a, done);
	gen_put(g, ins->dst, R0);
}

/* If an element cannot be removed, it keeps its value; that counts as a drop. */
void emit_dyndel(struct bpf_gen *g, const struct ir_ins *ins)
{
	uint32_t slow = asm_label(g->a), done = asm_label(g->a);

	if (g->im->place[ins->arg[0].obj].rows)
		gen_var_remove(g, ins, slow, done);
	asm_bind(g->a, slow);
	GEN_ARGS(g, ga_map(g->im->place[ins->arg[0].obj].map), ga_addr(&ins->arg[1]));
	asm_call(g->a, BPF_FUNC_map_delete_elem);
	/* before 6.4, this returns an int: the upper half of R0 is undefined */
	asm_alui(g->a, BPF_LSH, R0, 32);
	asm_jcci(g->a, BPF_JEQ, R0, 0, done);
	asm_alui(g->a, BPF_ARSH, R0, 32);
	asm_jcci(g->a, BPF_JEQ, R0, -ENOENT, done);
	gen_drop(g, IR_DROP_DYNAMIC);
	asm_bind(g->a, done);
}

void gen_task(struct bpf_gen *g, uint32_t obj)
{
	uint32_t leader = g->im->prog->objs.v[obj].leader;

	if (g->typed)
		asm_ld(g->a, BPF_DW, R0, gen_reg(g, gen_xr(g, XR_CTX), R5), (int16_t)(8 * (g->f->task - 1)));
	else
		asm_call(g->a, BPF_FUNC_get_current_task_btf);
	if (leader)	/* the verifier knows that this loads a task */
		asm_ld(g->a, BPF_DW, R0, R0, (int16_t)leader);
}

/* R0 = address of the storage of the thread whose variables these are, or 0. */
static void thread_storage(struct bpf_gen *g, uint32_t obj, int64_t flags)
{
	gen_task(g, obj);
	GEN_ARGS(g, ga_map(g->im->place[obj].map), ga_phys(R0), ga_imm(0), ga_imm(flags));
	asm_call(g->a, BPF_FUNC_task_storage_get);
}

static void find_storage(struct bpf_gen *g, const struct ir_ins *ins)
{
	thread_storage(g, ins->arg[0].obj, 0);
}

void emit_tls(struct bpf_gen *g, const struct ir_ins *ins)
{
	bool make = ins->arg[1].imm;
	int64_t flags = make ? BPF_LOCAL_STORAGE_GET_F_CREATE : 0;
	uint32_t done = asm_label(g->a), slow = asm_label(g->a), obj = ins->arg[0].obj;

	if (g->im->place[obj].rows)
		gen_var_find(g, ins, make ? find_storage : NULL, slow, done);
	asm_bind(g->a, slow);
	thread_storage(g, obj, flags);
	if (make) {
		asm_jcci(g->a, BPF_JNE, R0, 0, done);
		/* if two threads create it at once, the kernel refuses one, which then finds the other's */
		if (g->im->prog->objs.v[obj].leader) {
			thread_storage(g, obj, flags);
			asm_jcci(g->a, BPF_JNE, R0, 0, done);
		}
		gen_drop(g, IR_DROP_DYNAMIC);
		asm_movi(g->a, R0, 0);
	}
	asm_bind(g->a, done);
	gen_put(g, ins->dst, R0);
}

/* R1 = this CPU's ring; jumps to `none` if it has none. */
static void ring_of_cpu(struct bpf_gen *g, uint32_t none)
{
	uint32_t first = g->im->map_of[BPF_MAP_RING], found = asm_label(g->a);

	gen_cpu(g);
	if (first != UINT32_MAX) {
		/* without it, the verifier would follow what comes after once for each CPU */
		asm_alui(g->a, BPF_AND, R0, RINGS_NAMED - 1);
		for (unsigned cpu = 0; cpu < g->im->par.ncpus; cpu++) {
			asm_map(g->a, R1, first + cpu);
			if (cpu + 1 < g->im->par.ncpus)
				asm_jcci(g->a, BPF_JEQ, R0, (int32_t)cpu, found);
		}
		asm_bind(g->a, found);
		return;
	}
	asm_st(g->a, BPF_W, FP, HOME_TMP, R0);
	GEN_ARGS(g, ga_map(g->im->map_of[BPF_MAP_RINGS]), ga_fp(HOME_TMP));
	asm_call(g->a, BPF_FUNC_map_lookup_elem);
	asm_jcci(g->a, BPF_JEQ, R0, 0, none);
	asm_mov(g->a, R1, R0);
	asm_bind(g->a, found);
}

void gen_ring(struct bpf_gen *g, const struct ring_data *data, uint64_t flags)
{
	uint32_t lost = asm_label(g->a), done = asm_label(g->a), fits = asm_label(g->a);

	ring_of_cpu(g, lost);
	GEN_ARGS(g, ga_phys(R1), data->place ? ga_addr(data->place) : ga_fp(data->fp_off),
		 data->n ? ga_val(data->n) : ga_imm(data->size), ga_imm((int64_t)flags));
	if (data->n) {
		gen_hide(g, R3);
		asm_jcci(g->a, BPF_JLE, R3, (int32_t)data->size, fits);
		asm_movi(g->a, R3, (int32_t)data->size);
	}
	asm_bind(g->a, fits);
	asm_call(g->a, BPF_FUNC_ringbuf_output);
	asm_jcci(g->a, BPF_JEQ, R0, 0, done);
	asm_bind(g->a, lost);
	gen_drop(g, IR_DROP_PRINCIPAL);
	asm_bind(g->a, done);
}

/* Does not wake the consumer, which polls at its own rate; exit() wakes it through a separate ring. */
void emit_commit(struct bpf_gen *g, const struct ir_ins *ins)
{
	struct ir_arg rec = ir_m(ins->arg[0].obj, 0);
	const struct ring_data data = {
		.place = &rec, .n = ins->op == IR_COMMITN ? &ins->arg[1] : NULL,
		.size = g->im->prog->objs.v[rec.obj].size,
	};

	gen_ring(g, &data, BPF_RB_NO_WAKEUP);
}
