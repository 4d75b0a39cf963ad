/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What programs of the pid provider do before the clauses, and arguments. */
#include <stddef.h>
#include <sys/ptrace.h>

#include "providers/family.h"
#include "providers/pid/pid.h"

/* Registers in struct pt_regs, the context. */
#if defined(__x86_64__)
static const uint16_t reg_arg[] = { 112, 104, 96, 88, 72, 64 };	/* rdi rsi rdx rcx r8 r9 */
enum { REG_RESULT = 80, REG_STACK = 152, STACK_ARGS = 8 /* after the return address */ };
#elif defined(__aarch64__)
static const uint16_t reg_arg[] = { 0, 8, 16, 24, 32, 40, 48, 56 };
enum { REG_RESULT = 0, REG_STACK = 248, STACK_ARGS = 0 };
#else
#error "which registers hold the arguments of a function?"
#endif

enum { NREGS = sizeof reg_arg / sizeof *reg_arg, NUMBER_BITS = 32 };

#define COOKIE "pid.cookie"
#define WORD "pid.word"

static uint32_t word_object(struct ir_builder *b, const char *name)
{
	int64_t found = ir_obj_find(b->prog, name);

	return found >= 0 ? (uint32_t)found :
	       ir_obj_add(b->prog, &(struct ir_obj){ .name = name, .kind = IR_O_TEMP, .size = 8 });
}

/* The name of the object with the process or family of each probe, by number. */
static const char *processes_name(struct arena *a, const struct pid_gate *g)
{
	return arena_printf(a, "%s.process", g->gate.name);
}

static uint32_t processes_object(struct ir_builder *b, const struct pid_gate *g)
{
	const char *name = processes_name(b->prog->arena, g);
	int64_t found = ir_obj_find(b->prog, name);
	uint64_t *pids;

	if (found >= 0)
		return (uint32_t)found;
	pids = arena_calloc(b->prog->arena, g->probes.n, sizeof *pids);
	for (size_t i = 0; i < g->probes.n; i++)
		pids[i] = (uint64_t)family_word(g->state->set, pid_probe_of(g->probes.v[i])->pid);
	return ir_obj_add(b->prog, &(struct ir_obj){
		.name = name, .kind = IR_O_GLOBAL, .size = (uint32_t)(g->probes.n * sizeof *pids), .init = pids,
	});
}

static bool one_process(const struct pid_gate *g)
{
	for (size_t i = 1; i < g->probes.n; i++)
		if (pid_probe_of(g->probes.v[i])->pid != pid_probe_of(g->probes.v[0])->pid)
			return false;
	return true;
}

void pid_set_process(struct pid_gate *g, const struct probe *p)
{
	const struct ir_prog *prog = g->env->prog;
	uint64_t *pids = g->env->global(g->env, processes_name(prog->arena, g));

	if (pids)
		__atomic_store_n(&pids[pid_probe_of(p)->number],
				 (uint64_t)family_word(g->state->set, pid_probe_of(p)->pid), __ATOMIC_RELEASE);
}

ir_reg pid_select(struct ir_builder *b, const struct probe *p)
{
	(void)p;
	return ir_emit(b, IR_ZEXT32, ir_r(ir_emit(b, IR_LD64, ir_m(word_object(b, COOKIE), 0))));
}

/* Other processes execute the same instructions of a file; so does a child of vfork() in the process's memory. */
void pid_prologue(struct ir_builder *b, const struct probe *p, bool alt, uint32_t skip)
{
	const struct pid_gate *g = pid_probe_of(p)->gate;
	struct ir_arg want = ir_i(family_word(g->state->set, pid_probe_of(p)->pid));

	(void)alt;
	ir_emit(b, IR_ST64, ir_m(word_object(b, COOKIE), 0), ir_r(ir_emit0(b, IR_COOKIE)));
	if (!one_process(g))
		want = ir_r(ir_emit(b, IR_LD64, ir_mx(0, processes_object(b, g), 0, pid_select(b, p),
						     (uint32_t)g->probes.n)));
	family_check(b, g->state->set, want, skip);
}

/* An argument that the caller has put on the stack. */
static ir_reg stack_arg(struct ir_builder *b, unsigned i)
{
	uint32_t word = word_object(b, WORD);
	ir_reg at = ir_emit(b, IR_ADD, ir_r(ir_emit(b, IR_CTX, ir_i(REG_STACK))), ir_i(STACK_ARGS + 8 * (int64_t)i));

	ir_emit(b, IR_UREAD, ir_m(word, 0), ir_i(8), ir_r(at));
	return ir_emit(b, IR_LD64, ir_m(word, 0));
}

ir_reg pid_arg(struct ir_builder *b, const struct probe *p, unsigned n, bool alt)
{
	(void)alt;
	if (pid_probe_of(p)->gate->kind == PID_ENTRY)
		return n < NREGS ? ir_emit(b, IR_CTX, ir_i(reg_arg[n])) : stack_arg(b, n - NREGS);
	if (n == 0)
		return ir_emit(b, IR_ASHR, ir_r(ir_emit(b, IR_LD64, ir_m(word_object(b, COOKIE), 0))),
			       ir_i(NUMBER_BITS));
	return n == 1 ? ir_emit(b, IR_CTX, ir_i(REG_RESULT)) : 0;
}
