/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Operations that read the environment (clock, task, context, kernel memory) or change it (exit, drops). */
#include <stddef.h>

#include <linux/bpf_perf_event.h>

#include "base/arch/arch.h"
#include "engine/bpf/code/isel.h"
#include "engine/bpf/code/link.h"

enum { UREGS = sizeof(bpf_user_pt_regs_t) / 8 };	/* the number of registers */

/* Replaces a negative result of a helper by 0. */
static void not_negative(struct bpf_gen *g)
{
	uint32_t ok = asm_label(g->a);

	asm_jcci(g->a, BPF_JSGE, R0, 0, ok);
	asm_movi(g->a, R0, 0);
	asm_bind(g->a, ok);
}

void emit_world(struct bpf_gen *g, const struct ir_ins *ins)
{
	static const int32_t helper[IR_NOPS] = {
		[IR_CLOCK] = BPF_FUNC_ktime_get_ns,
		[IR_RANDOM] = BPF_FUNC_get_prandom_u32,
		[IR_JIFFIES] = BPF_FUNC_jiffies64,
		[IR_TASK] = BPF_FUNC_get_current_task,
	};

	if (ins->op == IR_CPU)
		gen_cpu(g);
	else
		asm_call(g->a, helper[ins->op]);
	gen_put(g, ins->dst, R0);
}

/* The protocol and the type of a packet's socket, as the kernel has checked it: no reads of memory that may fail. */
static void socket_kind(struct bpf_gen *g, int d)
{
	uint32_t none = asm_label(g->a), done = asm_label(g->a);

	asm_ld(g->a, BPF_DW, R1, gen_reg(g, gen_xr(g, XR_CTX), R5), offsetof(struct __sk_buff, sk));
	asm_jcci(g->a, BPF_JEQ, R1, 0, none);
	asm_call(g->a, BPF_FUNC_sk_fullsock);
	asm_jcci(g->a, BPF_JEQ, R0, 0, none);
	asm_ld(g->a, BPF_W, R1, R0, offsetof(struct bpf_sock, type));
	asm_alui(g->a, BPF_LSH, R1, IR_SOCKET_TYPE);
	asm_ld(g->a, BPF_W, R0, R0, offsetof(struct bpf_sock, protocol));
	asm_alu(g->a, BPF_OR, R0, R1);
	asm_jmp(g->a, done);
	asm_bind(g->a, none);
	asm_movi(g->a, R0, 0);
	asm_bind(g->a, done);
	asm_mov(g->a, d, R0);
}

static void packet_word(struct bpf_gen *g, int d, bool socket)
{
	if (socket) {
		socket_kind(g, d);
		return;
	}
	/* to the verifier, it is a pointer until it is negated */
	asm_mov(g->a, d, gen_reg(g, gen_xr(g, XR_CTX), R5));
	asm_alui(g->a, BPF_NEG, d, 0);
	asm_alui(g->a, BPF_NEG, d, 0);
}

void emit_ctx(struct bpf_gen *g, const struct ir_ins *ins)
{
	int d = gen_dst(g, ins->dst, R0);

	if (g->f->ctx == IR_C_CGROUP) {
		packet_word(g, d, ins->arg[0].imm == 8 * IR_CGROUP_SOCKET);
	} else if (g->typed) {
		/* reading a typed word would give a pointer, which cannot be used as a number */
		GEN_ARGS(g, ga_fp(HOME_TMP), ga_imm(8), ga_ctx());
		if (ins->arg[0].imm)
			asm_alui(g->a, BPF_ADD, R3, (int32_t)ins->arg[0].imm);
		asm_call(g->a, BPF_FUNC_probe_read_kernel);
		asm_ld(g->a, BPF_DW, d, FP, HOME_TMP);
	} else if (g->f->ctx == IR_C_ERROR)
		asm_movi(g->a, d, 0);
	else
		asm_ld(g->a, BPF_DW, d, gen_reg(g, gen_xr(g, XR_CTX), R5), (int16_t)ins->arg[0].imm);
	gen_put(g, ins->dst, d);
}

void emit_perfcount(struct bpf_gen *g, const struct ir_ins *ins)
{
	if (g->f->ctx != IR_C_PERF) {
		asm_movi(g->a, R0, 0);
		gen_put(g, ins->dst, R0);
		return;
	}
	GEN_ARGS(g, ga_ctx(), ga_fp(HOME_TMP), ga_imm(sizeof(struct bpf_perf_event_value)));
	/* on failure, it zeroes the buffer */
	asm_call(g->a, BPF_FUNC_perf_prog_read_value);
	asm_ld(g->a, BPF_DW, R0, FP, HOME_TMP);
	gen_put(g, ins->dst, R0);
}

/* The kernel's stack at a tracepoint starts with the program itself and its caller bpf_trace_runN. Up to two more
 * frames, which not all kernels have, can be recognised only by name (names.c). */
static uint32_t stack_skip(const struct bpf_gen *g, bool user)
{
	enum { OURS = 2 };

	return !user && g->f->ctx == IR_C_RAWTP ? OURS : 0;
}

static int64_t stack_flags(const struct bpf_gen *g, bool user)
{
	return user ? BPF_F_USER_STACK : stack_skip(g, user);
}

/* R0 = bytes of frames. If no more fit, or the kernel collects no more, the stack may be truncated: then a mark
 * replaces the last frame that fits, or follows the last frame. */
static void stack_mark(struct bpf_gen *g, const struct ir_ins *ins)
{
	uint32_t limit = g->im->par.frames ? g->im->par.frames : 127, most = (uint32_t)(ins->arg[1].imm / 8) - 1, at;
	uint32_t whole = asm_label(g->a);
	struct ir_arg mark = ins->arg[0];
	struct addr place;

	limit -= stack_skip(g, ins->arg[2].imm & IR_STACK_USER);
	at = most < limit ? most : limit;
	mark.imm += 8 * (int64_t)at;
	asm_jcci(g->a, BPF_JNE, R0, (int32_t)(8 * (most < limit ? most + 1 : limit)), whole);
	place = gen_addr(g, &mark, R1, 8);
	asm_sti(g->a, BPF_DW, place.base, (int16_t)place.off, -1);	/* VAL_CUT */
	asm_movi(g->a, R0, 8 * ((int64_t)at + 1));
	asm_bind(g->a, whole);
}

/* Reads a stack, and zeroes the space after its last frame. If frames are not available, zeroes all of it. In a program
 * of a tracepoint, 6.1 wants the buffer initialised. */
void emit_stack(struct bpf_gen *g, const struct ir_ins *ins)
{
	if (link_function(ins, g->im->par.unwind)) {
		gen_unwind(g, ins);
		return;
	}
	if (gen_on_stack(g, &ins->arg[0]))
		gen_zero(g, &ins->arg[0], (uint32_t)ins->arg[1].imm);
	GEN_ARGS(g, ga_ctx(), ga_addr(&ins->arg[0]), ga_imm(ins->arg[1].imm),
		 ga_imm(stack_flags(g, ins->arg[2].imm & IR_STACK_USER)));
	asm_call(g->a, BPF_FUNC_get_stack);
	if (ins->arg[2].imm & IR_STACK_MARK)
		stack_mark(g, ins);
	if (gen_dead(g, ins->dst))
		return;
	not_negative(g);
	asm_alui(g->a, BPF_RSH, R0, 3);
	gen_put(g, ins->dst, R0);
}

void emit_stackdepth(struct bpf_gen *g, const struct ir_ins *ins)
{
	struct ir_arg buf = ir_m((uint32_t)g->im->prog->objs.n + XO_STACKBUF, 0);

	if (link_function(ins, g->im->par.unwind)) {
		gen_unwinddepth(g, ins);
		return;
	}
	GEN_ARGS(g, ga_ctx(), ga_addr(&buf), ga_imm(g->fr.obj[buf.obj].size),
		 ga_imm(stack_flags(g, ins->op == IR_USTACKDEPTH)));
	asm_call(g->a, BPF_FUNC_get_stack);
	not_negative(g);
	asm_alui(g->a, BPF_RSH, R0, 3);
	gen_put(g, ins->dst, R0);
}

/*
 * Reads a register that the thread had when it entered the kernel. It is a register of the process only if the thread
 * entered from user mode; a kernel thread never did.
 */
void emit_ureg(struct bpf_gen *g, const struct ir_ins *ins)
{
	uint32_t none = asm_label(g->a), done = asm_label(g->a);

	GEN_ARGS(g, ga_val(&ins->arg[0]));
	gen_hide(g, R1);
	asm_jcci(g->a, BPF_JGE, R1, UREGS, none);
	asm_alui(g->a, BPF_LSH, R1, 3);
	asm_st(g->a, BPF_DW, FP, HOME_TMP + 8, R1);
	asm_call(g->a, BPF_FUNC_get_current_task_btf);
	asm_mov(g->a, R1, R0);
	asm_call(g->a, BPF_FUNC_task_pt_regs);
	asm_st(g->a, BPF_DW, FP, HOME_TMP + 16, R0);
	asm_alui(g->a, BPF_ADD, R0, ARCH_MODE);
	GEN_ARGS(g, ga_fp(HOME_TMP), ga_imm(8), ga_phys(R0));
	asm_call(g->a, BPF_FUNC_probe_read_kernel);
	asm_ld(g->a, BPF_DW, R0, FP, HOME_TMP);
	asm_alui(g->a, BPF_AND, R0, ARCH_MODE_MASK);
	asm_jcci(g->a, BPF_JNE, R0, ARCH_MODE_USER, none);
	asm_ld(g->a, BPF_DW, R0, FP, HOME_TMP + 16);
	asm_ld(g->a, BPF_DW, R1, FP, HOME_TMP + 8);
	asm_alu(g->a, BPF_ADD, R0, R1);
	GEN_ARGS(g, ga_fp(HOME_TMP), ga_imm(8), ga_phys(R0));
	asm_call(g->a, BPF_FUNC_probe_read_kernel);
	asm_ld(g->a, BPF_DW, R0, FP, HOME_TMP);
	asm_jmp(g->a, done);
	asm_bind(g->a, none);
	asm_movi(g->a, R0, 0);
	asm_bind(g->a, done);
	gen_put(g, ins->dst, R0);
}

void emit_callerpc(struct bpf_gen *g, const struct ir_ins *ins)
{
	uint32_t done = asm_label(g->a);

	if (g->f->ctx != IR_C_CGROUP) {
		asm_sti(g->a, BPF_DW, FP, HOME_TMP, 0);
		GEN_ARGS(g, ga_ctx(), ga_fp(HOME_TMP), ga_imm(8), ga_imm(0));
		asm_call(g->a, BPF_FUNC_get_stack);
		asm_ld(g->a, BPF_DW, R0, FP, HOME_TMP);
		asm_jcci(g->a, BPF_JNE, R0, 0, done);
	}
	/* no stack is available: use any kernel address, which means "in the kernel" */
	asm_call(g->a, BPF_FUNC_get_current_task);
	asm_bind(g->a, done);
	gen_put(g, ins->dst, R0);
}

/* Only programs of uprobes and kprobes have cookies. */
void emit_cookie(struct bpf_gen *g, const struct ir_ins *ins)
{
	if (g->f->ctx == IR_C_UPROBE || g->f->ctx == IR_C_KPROBE) {
		GEN_ARGS(g, ga_ctx());
		asm_call(g->a, BPF_FUNC_get_attach_cookie);
	} else {
		asm_movi(g->a, R0, 0);
	}
	gen_put(g, ins->dst, R0);
}

void emit_turn(struct bpf_gen *g, const struct ir_ins *ins)
{
	int from = R0;

	if (g->turns)
		from = gen_reg(g, gen_xr(g, XR_TURN), R0);
	else
		asm_movi(g->a, R0, 0);
	gen_put(g, ins->dst, from);
}

void emit_param(struct bpf_gen *g, const struct ir_ins *ins)
{
	enum { ACTION = 1, KIND = 2 };
	int64_t i = ins->arg[0].imm;
	int from;

	if (g->f->ctx != IR_C_ERROR) {
		asm_movi(g->a, R0, 0);
		gen_put(g, ins->dst, R0);
		return;
	}
	from = gen_reg(g, gen_xr(g, XR_PARAM + param_reg(i)), R0);
	if (i == ACTION || i == KIND) {
		asm_mov(g->a, R0, from);
		asm_alui(g->a, i == ACTION ? BPF_RSH : BPF_AND, R0, i == ACTION ? 8 : 0xff);
		from = R0;
	}
	gen_put(g, ins->dst, from);
}

void emit_state(struct bpf_gen *g, const struct ir_ins *ins)
{
	int d = gen_dst(g, ins->dst, R0);

	asm_mapval(g->a, R5, g->im->map_of[BPF_MAP_DATA], offsetof(struct bpf_words, state));
	asm_ld(g->a, BPF_DW, d, R5, 0);
	gen_put(g, ins->dst, d);
}

/* ---- the kernel's memory, loaded by instructions ---- */

/* The page of vsyscall(2) is not one of the kernel; until Linux 6.11 a load from it stopped the machine. */
enum { VSYSCALL = -0xa00000 };

static int load_size(int64_t n)
{
	static const int8_t size[] = { -1, BPF_B, BPF_H, -1, BPF_W, -1, -1, -1, BPF_DW };

	return n < (int64_t)sizeof size ? size[n] : -1;
}

bool isel_loads(const struct bpf_gen *g, const struct ir_ins *ins)
{
	return ins->op == IR_KREAD && g->im->par.loads.cast && !ins->arg[0].idx && load_size(ins->arg[1].imm) >= 0;
}

/* Loads a word, where nobody asks whether it could be read: 0 where not. */
static void emit_plain_load(struct bpf_gen *g, const struct ir_ins *ins)
{
	int size = load_size(ins->arg[1].imm);
	uint32_t done = asm_label(g->a);
	struct addr m;

	GEN_ARGS(g, ga_val(&ins->arg[2]), ga_imm(VSYSCALL));
	asm_movi(g->a, R0, 0);
	asm_jcc(g->a, BPF_JGE, R1, R2, done);
	asm_movi(g->a, R2, g->im->par.loads.number);
	asm_callkernel(g->a, g->im->par.loads.cast);
	asm_ld(g->a, (uint8_t)size, R0, R0, 0);
	asm_bind(g->a, done);
	m = gen_addr(g, &ins->arg[0], R5, 8);
	asm_st(g->a, (uint8_t)size, m.base, (int16_t)m.off, R0);
}

/*
 * A load takes a tenth of the time of the helper. Where it would fault it reads 0, so the helper reads again what is 0.
 * An address that no kernel function has given to the program is cast to a pointer, which the kernel checks before each
 * load.
 */
static void emit_load(struct bpf_gen *g, const struct ir_ins *ins, uint32_t done)
{
	int size = load_size(ins->arg[1].imm);
	uint32_t zero = asm_label(g->a);
	struct addr m;

	GEN_ARGS(g, ga_val(&ins->arg[2]), ga_imm(VSYSCALL));
	asm_jcc(g->a, BPF_JGE, R1, R2, zero);
	asm_movi(g->a, R2, g->im->par.loads.number);
	asm_callkernel(g->a, g->im->par.loads.cast);
	asm_ld(g->a, (uint8_t)size, R0, R0, 0);
	asm_jcci(g->a, BPF_JEQ, R0, 0, zero);
	m = gen_addr(g, &ins->arg[0], R5, 8);
	asm_st(g->a, (uint8_t)size, m.base, (int16_t)m.off, R0);
	asm_movi(g->a, R0, 0);
	asm_jmp(g->a, done);
	asm_bind(g->a, zero);
}

void emit_kread(struct bpf_gen *g, const struct ir_ins *ins)
{
	uint32_t done = asm_label(g->a);

	if (isel_loads(g, ins) && gen_dead(g, ins->dst)) {
		emit_plain_load(g, ins);
		return;
	}
	if (isel_loads(g, ins))
		emit_load(g, ins, done);
	GEN_ARGS(g, ga_addr(&ins->arg[0]), ga_imm(ins->arg[1].imm), ga_val(&ins->arg[2]));
	/* on failure, it zeroes the destination */
	asm_call(g->a, ins->op == IR_UREAD ? BPF_FUNC_probe_read_user : BPF_FUNC_probe_read_kernel);
	asm_bind(g->a, done);
	gen_put(g, ins->dst, R0);
}

void emit_kstr(struct bpf_gen *g, const struct ir_ins *ins)
{
	gen_zero(g, &ins->arg[0], (uint32_t)ins->arg[1].imm);
	GEN_ARGS(g, ga_addr(&ins->arg[0]), ga_imm(ins->arg[1].imm), ga_val(&ins->arg[2]));
	asm_call(g->a, ins->op == IR_USTR ? BPF_FUNC_probe_read_user_str : BPF_FUNC_probe_read_kernel_str);
	asm_alui(g->a, BPF_ARSH, R0, 63);
	gen_put(g, ins->dst, R0);
}

/* The kernel inlines this helper and moves the rest of the program at each call, so long programs call it only once. */
void gen_cpu(struct bpf_gen *g)
{
	if (g->cpu)
		asm_mov(g->a, R0, gen_reg(g, gen_xr(g, XR_CPU), R0));
	else
		asm_call(g->a, BPF_FUNC_get_smp_processor_id);
}

void gen_drop(struct bpf_gen *g, enum ir_drop kind)
{
	gen_cpu(g);
	asm_alui(g->a, BPF_AND, R0, (int32_t)g->im->cpuslots - 1);
	asm_alui(g->a, BPF_MUL, R0, CACHE_LINE);
	asm_mapval(g->a, R1, g->im->map_of[BPF_MAP_DATA], g->im->off_drops + 8 * (uint32_t)kind);
	asm_alu(g->a, BPF_ADD, R1, R0);
	asm_movi(g->a, R2, 1);
	asm_atomic(g->a, R1, 0, R2, BPF_ADD);
}

void emit_drop(struct bpf_gen *g, const struct ir_ins *ins)
{
	int64_t kind = ins->arg[0].imm;

	if (kind >= 0 && kind < IR_DROP_NESTED)
		gen_drop(g, (enum ir_drop)kind);
}

/* Kernel threads cannot receive a signal; neither can a process with one still pending. */
void emit_signal(struct bpf_gen *g, const struct ir_ins *ins)
{
	GEN_ARGS(g, ga_val(&ins->arg[0]));
	asm_call(g->a, BPF_FUNC_send_signal);
}

/* R1 = the words. Moves the session to DRAINING, unless it is already there; R0 = the state. Only one change can
 * happen in between (the consumer moves from BEGIN to ACTIVE), so two tries are enough. */
static void begin_draining(struct bpf_gen *g)
{
	uint32_t done = asm_label(g->a);

	asm_ld(g->a, BPF_DW, R0, R1, offsetof(struct bpf_words, state));
	for (int i = 0; i < 2; i++) {
		asm_jcci(g->a, BPF_JGE, R0, IR_S_DRAINING, done);
		asm_mov(g->a, R3, R0);
		asm_movi(g->a, R4, IR_S_DRAINING);
		asm_atomic(g->a, R1, offsetof(struct bpf_words, state), R4, BPF_CMPXCHG);
		asm_jcc(g->a, BPF_JEQ, R0, R3, done);
	}
	asm_bind(g->a, done);
}

void emit_exit(struct bpf_gen *g, const struct ir_ins *ins)
{
	uint32_t done = asm_label(g->a);

	GEN_ARGS(g, ga_data(0), ga_val(&ins->arg[0]));
	asm_movi(g->a, R3, 1);
	asm_movi(g->a, R0, 0);
	asm_atomic(g->a, R1, offsetof(struct bpf_words, exit_claim), R3, BPF_CMPXCHG);
	asm_jcci(g->a, BPF_JNE, R0, 0, done);
	asm_st(g->a, BPF_DW, R1, offsetof(struct bpf_words, exit_status), R2);
	asm_call(g->a, BPF_FUNC_ktime_get_ns);
	asm_mapval(g->a, R1, g->im->map_of[BPF_MAP_DATA], 0);
	asm_st(g->a, BPF_DW, R1, offsetof(struct bpf_words, ended), R0);
	begin_draining(g);
	if (g->im->map_of[BPF_MAP_WAKE] != UINT32_MAX) {
		asm_sti(g->a, BPF_DW, FP, HOME_TMP, 0);
		GEN_ARGS(g, ga_map(g->im->map_of[BPF_MAP_WAKE]), ga_fp(HOME_TMP), ga_imm(8),
			 ga_imm(BPF_RB_FORCE_WAKEUP));
		asm_call(g->a, BPF_FUNC_ringbuf_output);
	}
	asm_bind(g->a, done);
}
