/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "tests/lib/bpfmachine.h"

#include <endian.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "engine/bpf/code/asm.h"

static uint64_t alu(uint8_t op, uint64_t a, uint64_t b, bool wide)
{
	uint64_t mask = wide ? 63 : 31;

	if (!wide) {
		a = (uint32_t)a;
		b = (uint32_t)b;
	}
	switch (op) {
	case BPF_ADD: a += b; break;
	case BPF_SUB: a -= b; break;
	case BPF_MUL: a *= b; break;
	case BPF_DIV: a = b ? a / b : 0; break;
	case BPF_MOD: a = b ? a % b : a; break;
	case BPF_OR: a |= b; break;
	case BPF_AND: a &= b; break;
	case BPF_XOR: a ^= b; break;
	case BPF_LSH: a <<= b & mask; break;
	case BPF_RSH: a >>= b & mask; break;
	case BPF_ARSH: a = (uint64_t)((int64_t)a >> (b & mask)); break;
	case BPF_NEG: a = 0 - a; break;
	case BPF_MOV: a = b; break;
	case BPF_END: a = htobe64(a); break;	/* only to big endian, 64 bits, is generated */
	default: fail_msg("alu %x", op);
	}
	return wide ? a : (uint32_t)a;
}

static bool jumps(uint8_t op, uint64_t a, uint64_t b)
{
	switch (op) {
	case BPF_JA: return true;
	case BPF_JEQ: return a == b;
	case BPF_JNE: return a != b;
	case BPF_JLT: return a < b;
	case BPF_JLE: return a <= b;
	case BPF_JGT: return a > b;
	case BPF_JGE: return a >= b;
	case BPF_JSLT: return (int64_t)a < (int64_t)b;
	case BPF_JSLE: return (int64_t)a <= (int64_t)b;
	case BPF_JSGT: return (int64_t)a > (int64_t)b;
	case BPF_JSGE: return (int64_t)a >= (int64_t)b;
	default: fail_msg("jump %x", op);
	}
	return false;
}

static void machine_memory(struct bpf_machine *m, const struct bpf_insn *i)
{
	unsigned n = size_bytes(BPF_SIZE(i->code));
	uint64_t v = BPF_CLASS(i->code) == BPF_ST ? (uint64_t)(int64_t)i->imm : m->r[i->src_reg];
	void *p;

	if (BPF_CLASS(i->code) == BPF_LDX) {
		p = (void *)(uintptr_t)(m->r[i->src_reg] + (uint64_t)(int64_t)i->off);
		v = 0;
		memcpy(&v, p, n);
		m->r[i->dst_reg] = v;
		return;
	}
	p = (void *)(uintptr_t)(m->r[i->dst_reg] + (uint64_t)(int64_t)i->off);
	if (BPF_MODE(i->code) == BPF_ATOMIC) {
		uint64_t old;

		memcpy(&old, p, 8);
		if (i->imm == BPF_CMPXCHG) {
			if (old == m->r[R0])
				memcpy(p, &v, 8);
			m->r[R0] = old;
			return;
		}
		if (i->imm & BPF_FETCH)
			m->r[i->src_reg] = old;
		if (i->imm != BPF_XCHG)
			v += old;
	}
	memcpy(p, &v, n);
}

/* On CPU 0. */
static void machine_call(struct bpf_machine *m, int32_t helper)
{
	if (helper != BPF_FUNC_get_smp_processor_id && !m->call)
		fail_msg("helper %d", helper);
	m->r[R0] = helper == BPF_FUNC_get_smp_processor_id ? 0 : m->call(m, helper);
	for (int i = R1; i <= R5; i++)
		m->r[i] = 0xdeadbeef;
}

void bpf_machine_run(struct bpf_machine *m)
{
	m->r[FP] = (uintptr_t)(m->stack + sizeof m->stack);
	for (uint32_t at = 0;; at++) {
		const struct bpf_insn *i = &m->code->insns[at];
		uint64_t b = BPF_SRC(i->code) == BPF_X ? m->r[i->src_reg] : (uint64_t)(int64_t)i->imm;

		assert_true(at < m->code->n);
		if (m->step)
			m->step(m);
		switch (BPF_CLASS(i->code)) {
		case BPF_ALU64:
		case BPF_ALU:
			m->r[i->dst_reg] = alu(BPF_OP(i->code), m->r[i->dst_reg], b,
					       BPF_CLASS(i->code) == BPF_ALU64 || BPF_OP(i->code) == BPF_END);
			break;
		case BPF_LD:
			m->r[i->dst_reg] = i->src_reg ? (uintptr_t)m->data + (uint32_t)i[1].imm :
					   (uint64_t)i[1].imm << 32 | (uint32_t)i->imm;
			at++;
			break;
		case BPF_JMP:
			if (BPF_OP(i->code) == BPF_EXIT)
				return;
			if (BPF_OP(i->code) == BPF_CALL) {
				machine_call(m, i->imm);
				break;
			}
			if (jumps(BPF_OP(i->code), m->r[i->dst_reg], b))
				at += (uint32_t)i->off;
			break;
		default:
			machine_memory(m, i);
		}
	}
}
