/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * System calls. However many are probed, there is one program for entries and one for returns. The kernel's
 * tracepoints provide the number of the call, which is the probe's number at the gate.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/arch/arch.h"
#include "providers/rawtp.h"
#include "providers/registry.h"
#include "providers/syscall/types.h"

static const uint16_t reg_arg[] = ARCH_CALL_ARGS;

/* A return has the result as arg0 and arg1, then the arguments of the call. */
enum { NUMBERS = 512, SPAN = 64, NARGS = sizeof reg_arg / sizeof *reg_arg, RESULTS = 2, MAX_ERRNO = 4095 };

/* Words of the tracepoints' contexts. */
enum { CTX_REGS = 0, CTX_NUMBER = 8 /* entry */, CTX_RESULT = 8 /* return */ };

static const struct {
	const char *name;
	uint16_t number;
} calls[] = {
#define SYSCALL(name, number) { #name, number },
#include ARCH_CALL_TABLE
#undef SYSCALL
};

enum { ENTRY, RETURN };

static const struct syscall_gate {
	const char *name;		/* name part of the probes */
	const char *tracepoint;
	struct probe_gate gate;
} gates[] = {
	[ENTRY] = { "entry", "sys_enter", { .name = "syscall:entry", .numbers = NUMBERS } },
	[RETURN] = { "return", "sys_exit", { .name = "syscall:return", .numbers = NUMBERS } },
};

/* Private data of a probe; fd is used only in the probe whose program represents the gate. */
struct syscall_call {
	const struct syscall_gate *gate;
	uint16_t number;
	int fd;
};

static const struct provider_attr attr = {
	.provider = { ST_EVOLVING, ST_EVOLVING, SC_COMMON },
	.module = { ST_PRIVATE, ST_PRIVATE, SC_UNKNOWN },
	.function = { ST_PRIVATE, ST_PRIVATE, SC_ISA },
	.probename = { ST_EVOLVING, ST_EVOLVING, SC_COMMON },
	.args = { ST_PRIVATE, ST_PRIVATE, SC_ISA },
};

static struct syscall_call *call_of(const struct probe *p)
{
	return p->data;
}

static bool call_returns(const struct probe *p)
{
	return call_of(p)->gate == &gates[RETURN];
}

static bool syscall_late(const struct provider *self, const struct probe_spec *spec)
{
	(void)self;
	return probe_glob(spec->mod, "vmlinux") &&
	       (probe_glob(spec->name, gates[ENTRY].name) || probe_glob(spec->name, gates[RETURN].name));
}

static void syscall_enumerate(const struct provider *self, struct probe_set *s)
{
	enum { N = sizeof calls / sizeof *calls };
	struct syscall_call *c = arena_calloc(s->arena, 2 * N, sizeof *c);

	for (size_t i = 0; i < 2 * N; i++, c++) {
		*c = (struct syscall_call){ &gates[i % 2], calls[i / 2].number, -1 };
		probe_add(s, self, &(struct probe_names){ NULL, "vmlinux", calls[i / 2].name, c->gate->name }, c);
	}
}

static unsigned syscall_args(const struct probe *p, struct arg_desc *out, unsigned max)
{
	bool returns = call_returns(p);
	const char *type = returns ? syscall_result_type(p->func) : "uint64_t";
	unsigned n = returns ? RESULTS : NARGS;
	int typed = returns ? -1 : syscall_types(p->func, out, max);

	if (typed >= 0)
		return (unsigned)typed;
	for (unsigned i = 0; i < n && i < max; i++)
		out[i] = (struct arg_desc){ .native = type };
	return n < max ? n : max;
}

static enum arg_kind syscall_arg_kind(const struct probe *p, unsigned n)
{
	static const struct { const char *name; uint8_t mask; } narrow[] = {
#define NARROW(name, mask) { #name, mask },
#include "providers/syscall/narrow.def"
#undef NARROW
	};

	if (call_returns(p) && n < RESULTS)
		return ARG_RESULT;
	n -= call_returns(p) ? RESULTS : 0;
	for (size_t i = 0; i < sizeof narrow / sizeof *narrow; i++)
		if (!strcmp(narrow[i].name, p->func))
			return narrow[i].mask >> n & 1 ? ARG_NARROW : ARG_WORD;
	return ARG_WORD;
}

static enum ir_ctx syscall_ctx(const struct probe *p)
{
	(void)p;
	return IR_C_RAWTP;
}

static const struct probe_gate *syscall_gate(const struct probe *p)
{
	return &call_of(p)->gate->gate;
}

static uint32_t syscall_number(const struct probe *p)
{
	return call_of(p)->number;
}

static uint32_t temp_object(struct ir_builder *b, const char *name, uint32_t size)
{
	int64_t found = ir_obj_find(b->prog, name);

	return found >= 0 ? (uint32_t)found :
	       ir_obj_add(b->prog, &(struct ir_obj){ .name = name, .kind = IR_O_TEMP, .size = size });
}

static uint32_t word_object(struct ir_builder *b, const char *name)
{
	return temp_object(b, name, 8);
}

/* Reads 8 bytes of kernel memory; 0 on failure. */
static ir_reg read_word(struct ir_builder *b, ir_reg base, unsigned off)
{
	uint32_t obj = word_object(b, "syscall.word");

	ir_emit(b, IR_KREAD, ir_m(obj, 0), ir_i(8), ir_r(ir_emit(b, IR_ADD, ir_r(base), ir_i(off))));
	return ir_emit(b, IR_LD64, ir_m(obj, 0));
}

/* The word of the current task that says whether it runs a 32-bit call. */
static ir_reg compat_flags(struct ir_builder *b)
{
	struct ir_arg word = ir_m(word_object(b, "syscall.word"), 0), end = ir_i(-1);

	ir_emit(b, IR_TREAD, word, ir_i(ARCH_COMPAT_BYTES), ir_i(ARCH_COMPAT), end, end, end, end);
	return ir_emit(b, ARCH_COMPAT_BYTES == 4 ? IR_LD32 : IR_LD64, word);
}

#define NUMBER "syscall.number"

/* The kernel has a second table for 32-bit programs, with other numbers, which do not match these probes. */
static void syscall_prologue(struct ir_builder *b, const struct probe *p, bool alt, uint32_t skip)
{
	uint32_t go = ir_newblock(b, NULL);
	ir_reg flags = compat_flags(b), number;

	(void)alt;
	ir_emit(b, IR_BEQ, ir_r(ir_emit(b, IR_AND, ir_r(flags), ir_i(ARCH_COMPAT_BIT))), ir_i(0), ir_b(go), ir_b(skip));
	ir_enter(b, go);
	if (!call_returns(p))
		return;
	/* the number at the entry is in the registers; after a return from a signal it is -1 */
	number = read_word(b, ir_emit(b, IR_CTX, ir_i(CTX_REGS)), ARCH_NUMBER);
	ir_emit(b, IR_ST64, ir_m(word_object(b, NUMBER), 0), ir_r(ir_emit(b, IR_ZEXT32, ir_r(number))));
}

static ir_reg syscall_select(struct ir_builder *b, const struct probe *p)
{
	return call_returns(p) ? ir_emit(b, IR_LD64, ir_m(word_object(b, NUMBER), 0)) :
	       ir_emit(b, IR_CTX, ir_i(CTX_NUMBER));
}

static ir_reg syscall_arg(struct ir_builder *b, const struct probe *p, unsigned n, bool alt)
{
	(void)alt;
	if (call_returns(p) && n < RESULTS)
		return ir_emit(b, IR_CTX, ir_i(CTX_RESULT));
	n -= call_returns(p) ? RESULTS : 0;	/* the kernel keeps the registers of the arguments */
	return n < NARGS ? read_word(b, ir_emit(b, IR_CTX, ir_i(CTX_REGS)), reg_arg[n]) : 0;
}

/* One read of the registers from the first to the last, unless they are far apart: six reads are six times as long for
 * the verifier. */
static void syscall_registers(struct ir_builder *b, struct ir_arg to)
{
	const ir_reg regs = ir_emit(b, IR_CTX, ir_i(CTX_REGS));
	unsigned first = reg_arg[0], last = reg_arg[0];
	struct ir_arg from = { 0 };
	bool near;

	for (unsigned i = 1; i < NARGS; i++) {
		first = reg_arg[i] < first ? reg_arg[i] : first;
		last = reg_arg[i] > last ? reg_arg[i] : last;
	}
	near = last - first <= SPAN - 8;
	if (near) {
		from = ir_m(temp_object(b, "syscall.registers", SPAN), 0);
		ir_emit(b, IR_KREAD, from, ir_i(SPAN), ir_r(ir_emit(b, IR_ADD, ir_r(regs), ir_i(first))));
	}
	for (unsigned i = 0; i < NARGS; i++, to.imm += 8) {
		struct ir_arg at = from;
		ir_reg r;

		at.imm += reg_arg[i] - first;
		r = near ? ir_emit(b, IR_LD64, at) : read_word(b, regs, reg_arg[i]);
		ir_emit(b, IR_ST64, to, ir_r(r));
	}
}

/* The negated result if the result is from -4095 to -1, else 0. */
static ir_reg syscall_error(struct ir_builder *b, const struct probe *p)
{
	ir_reg e, is;

	if (!call_returns(p))
		return 0;
	e = ir_emit(b, IR_NEG, ir_r(ir_emit(b, IR_CTX, ir_i(CTX_RESULT))));
	is = ir_emit(b, IR_ULT, ir_r(ir_emit(b, IR_SUB, ir_r(e), ir_i(1))), ir_i(MAX_ERRNO));
	return ir_emit(b, IR_MUL, ir_r(e), ir_r(is));
}

static int syscall_attach(struct probe *p, struct attach_env *env)
{
	int fd = rawtp_open(call_of(p)->gate->tracepoint, env->prog_fd, env->reason, sizeof env->reason);

	if (fd >= 0)
		call_of(p)->fd = fd;
	return fd < 0 ? fd : 0;
}

static void syscall_detach(struct probe *p)
{
	if (call_of(p)->fd >= 0)
		close(call_of(p)->fd);
	call_of(p)->fd = -1;
}

static const struct provider_gates gate_table = {
	.gate = syscall_gate,
	.number = syscall_number,
	.select = syscall_select,
};

const struct provider provider_syscall = {
	.name = "syscall",
	.attr = &attr,
	.gates = &gate_table,
	.enumerate = syscall_enumerate,
	.late = syscall_late,
	.args = syscall_args,
	.ctx = syscall_ctx,
	.prologue = syscall_prologue,
	.arg = syscall_arg,
	.attach = syscall_attach,
	.detach = syscall_detach,
	.values = &(const struct provider_values){ .kind = syscall_arg_kind, .error = syscall_error,
						   .registers = syscall_registers },
};
