/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Prints instructions, one per line: "  12: r0 = *(u64 *)(r1 + 8)". */
#include "base/buf.h"
#include "engine/bpf/code/asm.h"
#include "engine/bpf/code/bpf.h"
#include "engine/bpf/code/insn.h"

static const char *helper_name(int32_t id)
{
	static const char *const names[] = {
#define __BPF_FUNC_NAME(x, ...) [BPF_FUNC_##x] = #x
		__BPF_FUNC_MAPPER(__BPF_FUNC_NAME)
#undef __BPF_FUNC_NAME
	};

	return id > 0 && id < (int32_t)(sizeof names / sizeof names[0]) && names[id] ? names[id] : "helper";
}

static const char *alu_sign(uint8_t op)
{
	static const char *const signs[16] = { "+=", "-=", "*=", "/=", "|=", "&=", "<<=", ">>=", "neg", "%=", "^=", "=",
					       "s>>=", "end" };

	return signs[op >> 4] ? signs[op >> 4] : "?";
}

static const char *jump_sign(uint8_t op)
{
	static const char *const signs[16] = { "ja", "==", ">", ">=", "&", "!=", "s>", "s>=", "call", "exit", "<", "<=",
					       "s<", "s<=" };

	return signs[op >> 4] ? signs[op >> 4] : "?";
}

static const char *width_name(uint8_t code)
{
	static const char *const names[] = { "u32", "u16", "u8", "u64" };

	return names[(code >> 3) & 3];
}

static void print_alu(struct buf *out, const struct bpf_insn *i)
{
	char r = BPF_CLASS(i->code) == BPF_ALU ? 'w' : 'r';
	uint8_t op = BPF_OP(i->code);

	if (op == BPF_END)
		buf_printf(out, "r%d = %s%d r%d", i->dst_reg, BPF_SRC(i->code) ? "be" : "le", i->imm, i->dst_reg);
	else if (op == BPF_NEG)
		buf_printf(out, "%c%d = -%c%d", r, i->dst_reg, r, i->dst_reg);
	else if (BPF_SRC(i->code) == BPF_X)
		buf_printf(out, "%c%d %s %c%d", r, i->dst_reg, alu_sign(op), r, i->src_reg);
	else
		buf_printf(out, "%c%d %s %d", r, i->dst_reg, alu_sign(op), i->imm);
}

static void print_jump(struct buf *out, const struct bpf_insn *i, uint32_t at)
{
	uint32_t to = at + 1 + (uint32_t)i->off;
	uint8_t op = BPF_OP(i->code);

	if (op == BPF_EXIT)
		buf_puts(out, "exit");
	else if (op == BPF_CALL && i->src_reg == BPF_PSEUDO_CALL)
		buf_printf(out, "call pc%+d <%u>", i->imm, at + 1 + (uint32_t)i->imm);
	else if (op == BPF_CALL && i->src_reg == BPF_PSEUDO_KFUNC_CALL)
		buf_printf(out, "call kernel#%d", i->imm);
	else if (op == BPF_CALL)
		buf_printf(out, "call %s#%d", helper_name(i->imm), i->imm);
	else if (op == BPF_JA)
		buf_printf(out, "goto %u", to);
	else if (BPF_SRC(i->code) == BPF_X)
		buf_printf(out, "if r%d %s r%d goto %u", i->dst_reg, jump_sign(op), i->src_reg, to);
	else
		buf_printf(out, "if r%d %s %d goto %u", i->dst_reg, jump_sign(op), i->imm, to);
}

static void print_atomic(struct buf *out, const struct bpf_insn *i)
{
	const char *w = width_name(i->code);

	switch (i->imm) {
	case BPF_CMPXCHG:
		buf_printf(out, "r0 = cmpxchg((%s *)(r%d %+d), r0, r%d)", w, i->dst_reg, i->off, i->src_reg);
		break;
	case BPF_XCHG:
		buf_printf(out, "r%d = xchg((%s *)(r%d %+d), r%d)", i->src_reg, w, i->dst_reg, i->off, i->src_reg);
		break;
	case BPF_ADD | BPF_FETCH:
		buf_printf(out, "r%d = fetch_add((%s *)(r%d %+d), r%d)", i->src_reg, w, i->dst_reg, i->off, i->src_reg);
		break;
	default:
		buf_printf(out, "lock *(%s *)(r%d %+d) %s r%d", w, i->dst_reg, i->off, alu_sign((uint8_t)i->imm & 0xf0),
			   i->src_reg);
	}
}

static void print_mem(struct buf *out, const struct bpf_insn *i)
{
	const char *w = width_name(i->code);

	if (BPF_CLASS(i->code) == BPF_LDX)
		buf_printf(out, "r%d = *(%s *)(r%d %+d)", i->dst_reg, w, i->src_reg, i->off);
	else if (BPF_CLASS(i->code) == BPF_ST)
		buf_printf(out, "*(%s *)(r%d %+d) = %d", w, i->dst_reg, i->off, i->imm);
	else if (BPF_MODE(i->code) == BPF_ATOMIC)
		print_atomic(out, i);
	else
		buf_printf(out, "*(%s *)(r%d %+d) = r%d", w, i->dst_reg, i->off, i->src_reg);
}

static const struct bpf_mapdef *map_at(const struct bpf_image *im, const struct bpf_code *c, uint32_t at)
{
	for (size_t r = 0; im && r < c->nrelocs; r++) {
		if (c->relocs[r].insn == at && c->relocs[r].kind <= RELOC_MAPVAL)
			return &im->maps.v[c->relocs[r].arg];
	}
	return NULL;
}

static void print_imm64(struct buf *out, const struct bpf_image *im, const struct bpf_code *c, uint32_t at)
{
	const struct bpf_insn *i = &c->insns[at];
	uint32_t hi = at + 1 < c->n ? (uint32_t)i[1].imm : 0;
	const struct bpf_mapdef *m = map_at(im, c, at);
	const char *name = m ? m->name : "map";

	if (i->src_reg == BPF_PSEUDO_MAP_FD)
		buf_printf(out, "r%d = %s", i->dst_reg, name);
	else if (i->src_reg == BPF_PSEUDO_MAP_VALUE)
		buf_printf(out, "r%d = &%s[%u]", i->dst_reg, name, hi);
	else
		buf_printf(out, "r%d = 0x%llx ll", i->dst_reg, (unsigned long long)hi << 32 | (uint32_t)i->imm);
}

void bpf_print_insn(struct buf *out, const struct bpf_image *im, const struct bpf_code *c, uint32_t at)
{
	const struct bpf_insn *i = &c->insns[at];

	buf_printf(out, "%5u: ", at);
	switch (BPF_CLASS(i->code)) {
	case BPF_ALU:
	case BPF_ALU64:
		print_alu(out, i);
		break;
	case BPF_JMP:
		print_jump(out, i, at);
		break;
	case BPF_LD:
		if (insn_is_imm64(i)) {
			print_imm64(out, im, c, at);
			break;
		}
		/* fall through */
	case BPF_JMP32:
		buf_printf(out, "code 0x%02x", i->code);
		break;
	default:
		print_mem(out, i);
	}
	buf_putc(out, '\n');
}

static void dump_code(struct buf *out, const struct bpf_image *im, const struct bpf_code *c)
{
	const struct ir_ins *last = NULL;

	buf_printf(out, "program %s", c->func->name);
	if (c->chain != UINT32_MAX)
		buf_printf(out, " part %u", c->part);
	buf_printf(out, "  %u instructions\n", c->n);
	for (uint32_t i = 0; i < c->n; i++) {
		if (c->src[i] && c->src[i] != last) {
			buf_printf(out, "       ; %s", ir_opinfo[c->src[i]->op].text);
			if (c->src[i]->loc.line)
				buf_printf(out, "  (line %u)", c->src[i]->loc.line);
			buf_putc(out, '\n');
		}
		last = c->src[i];
		bpf_print_insn(out, im, c, i);
		i += insn_is_imm64(&c->insns[i]);
	}
}

void bpf_dump(struct buf *out, const struct bpf_image *im)
{
	for (size_t i = 0; i < im->maps.n; i++) {
		const struct bpf_mapdef *m = &im->maps.v[i];

		buf_printf(out, "map %-15s type %u key %u value %u entries %u\n", m->name, m->type, m->keysize,
			   m->valsize, m->entries);
	}
	for (size_t i = 0; i < im->codes.n; i++)
		dump_code(out, im, &im->codes.v[i]);
}
