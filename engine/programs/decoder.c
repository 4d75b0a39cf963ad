/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/programs/decoder.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#if defined(__x86_64__)
#include <Zydis/Zydis.h>

#include "base/shlib.h"

bool decoder_open(struct decoder *d, char *reason, size_t n)
{
	const struct shlib_symbol want[] = {
		{ "ZydisDecoderInit", &d->init }, { "ZydisDecoderDecodeInstruction", &d->decode },
	};
	const char *lacks;
	char name[32];

	if (d->lib)
		return true;
	snprintf(name, sizeof name, "libZydis.so.%u.%u", (unsigned)ZYDIS_VERSION_MAJOR(ZYDIS_VERSION),
		 (unsigned)ZYDIS_VERSION_MINOR(ZYDIS_VERSION));
	d->lib = shlib_open(name, want, sizeof want / sizeof want[0], &lacks);
	if (!d->lib)
		snprintf(reason, n, "%s, which decodes instructions, is not installed", name);
	return d->lib;
}

static bool is_indexed(const ZydisDecodedInstruction *x)
{
	enum { SIB = 4, NONE = 4 };

	return x->raw.modrm.mod != 3 && x->raw.modrm.rm == SIB && (x->raw.sib.index != NONE || x->raw.rex.X);
}

static void decode_jump(const ZydisDecodedInstruction *x, struct insn *out)
{
	bool plain = x->mnemonic == ZYDIS_MNEMONIC_JMP;

	if (x->raw.imm[0].is_relative) {
		out->flow = plain ? FLOW_JUMP : FLOW_BRANCH;
		out->target = x->length + x->raw.imm[0].value.s;
		return;
	}
	out->flow = FLOW_INDIRECT;
	out->indexed = is_indexed(x);
	for (unsigned i = 0; i < x->raw.prefix_count; i++)
		out->notrack |= x->raw.prefixes[i].value == 0x3e;
}

/* A switch adds an offset from a table to an address, or jumps to an address from a table. */
static enum insn_load decode_load(const ZydisDecodedInstruction *x)
{
	enum { FROM_MEMORY = 0x8b };

	if (!is_indexed(x))
		return LOAD_NONE;
	if (x->mnemonic == ZYDIS_MNEMONIC_MOVSXD)
		return LOAD_OFFSET;
	if (x->mnemonic != ZYDIS_MNEMONIC_MOV || x->opcode != FROM_MEMORY)
		return LOAD_NONE;
	return x->operand_width == 64 ? LOAD_POINTER : x->operand_width == 32 ? LOAD_OFFSET : LOAD_NONE;
}

/* lea with an address that is relative to the instruction (or absolute, in 32 bits: not followed). */
static void decode_address(const ZydisDecodedInstruction *x, struct insn *out)
{
	enum { RELATIVE = 5 };

	if (x->mnemonic != ZYDIS_MNEMONIC_LEA || x->raw.modrm.mod || x->raw.modrm.rm != RELATIVE)
		return;
	out->address = true;
	out->target = x->length + x->raw.disp.value;
}

static void decode_flow(const ZydisDecodedInstruction *x, struct insn *out)
{
	switch (x->meta.category) {
	case ZYDIS_CATEGORY_CALL:
		out->call = true;
		break;
	case ZYDIS_CATEGORY_SYSCALL:
	case ZYDIS_CATEGORY_SYSRET:
	case ZYDIS_CATEGORY_SYSTEM:
	case ZYDIS_CATEGORY_INTERRUPT:
	case ZYDIS_CATEGORY_VTX:
		out->stops = true;
		break;
	case ZYDIS_CATEGORY_RET:
		out->flow = FLOW_RETURN;
		break;
	case ZYDIS_CATEGORY_UNCOND_BR:
	case ZYDIS_CATEGORY_COND_BR:
		decode_jump(x, out);
		break;
	default:
		out->stops = x->mnemonic == ZYDIS_MNEMONIC_UD0 || x->mnemonic == ZYDIS_MNEMONIC_UD1 ||
			     x->mnemonic == ZYDIS_MNEMONIC_UD2;
		out->lands = x->mnemonic == ZYDIS_MNEMONIC_ENDBR64 || x->mnemonic == ZYDIS_MNEMONIC_ENDBR32;
		out->load = decode_load(x);
		decode_address(x, out);
		break;
	}
}

/* Opcodes that the kernel refuses: invalid ones, and those that processes may not execute. */
static const uint8_t refused_opcodes[] = {
	0x06, 0x07, 0x0e, 0x16, 0x17, 0x1e, 0x1f, 0x27, 0x2f, 0x37, 0x3f, 0x60, 0x61, 0x62, 0x6c, 0x6d, 0x6e, 0x6f,
	0x82, 0x9a, 0xcc, 0xcd, 0xce, 0xcf, 0xd4, 0xd5, 0xd6, 0xe4, 0xe5, 0xe6, 0xe7, 0xea, 0xec, 0xed, 0xee, 0xef,
	0xf1, 0xf4, 0xfa, 0xfb,
};

/* Opcodes that it emulates or treats as jumps and returns. */
static const uint8_t special_opcodes[] = {
	0x50, 0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57, 0x70, 0x71, 0x72, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79,
	0x7a, 0x7b, 0x7c, 0x7d, 0x7e, 0x7f, 0x90, 0x9d, 0xc2, 0xc3, 0xca, 0xcb, 0xe8, 0xe9, 0xeb, 0xff,
};

/* Kernels up to at least 6.18 do not distinguish the opcode of a vector instruction from one of the same number
 * without such a prefix: they execute vpbroadcastb, 0x7a, as a conditional jump. That would change the program. */
static const char *refused_opcode(const ZydisDecodedInstruction *x)
{
	bool vector = x->encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY;

	if ((vector || x->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT) &&
	    memchr(refused_opcodes, x->opcode, sizeof refused_opcodes))
		return "the kernel does not probe this kind of instruction";
	if (vector && memchr(special_opcodes, x->opcode, sizeof special_opcodes))
		return "the kernel would execute another instruction instead";
	return NULL;
}

/* Jumps, calls and conditional jumps to constant addresses, nop, and push of a register. */
static bool is_emulated(const ZydisDecodedInstruction *x)
{
	static const uint8_t opcodes[] = { 0x90, 0xe8, 0xe9, 0xeb };
	bool prefixed = x->raw.prefix_count > (x->attributes & ZYDIS_ATTRIB_HAS_REX ? 1 : 0);

	if (prefixed || x->encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY)
		return false;
	if (x->opcode_map == ZYDIS_OPCODE_MAP_0F)
		return (x->opcode & 0xf0) == 0x80;
	return x->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT &&
	       ((x->opcode & 0xf8) == 0x50 || (x->opcode & 0xf0) == 0x70 || memchr(opcodes, x->opcode, sizeof opcodes));
}

/* The kernel executes a copy of the instruction elsewhere. Not every instruction allows that. */
static const char *refusal_of(const ZydisDecodedInstruction *x)
{
	for (unsigned i = 0; i < x->raw.prefix_count; i++) {
		switch (x->raw.prefixes[i].value) {
		case 0xf0:
			return "it has a lock prefix";
		case 0x26: case 0x2e: case 0x36: case 0x3e:
			return "it has a segment prefix";
		}
	}
	return refused_opcode(x);
}

static void decode_move(const ZydisDecodedInstruction *x, struct insn *out)
{
	enum { CONSTANT = 0xb8, TO_RM = 0x89, FROM_RM = 0x8b };
	int8_t rm = (int8_t)(x->raw.modrm.rm | x->raw.rex.B << 3), reg = (int8_t)(x->raw.modrm.reg | x->raw.rex.R << 3);

	out->to = out->from = -1;
	if (x->encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY || x->opcode_map != ZYDIS_OPCODE_MAP_DEFAULT)
		return;
	if ((x->opcode & 0xf8) == CONSTANT) {
		out->to = (int8_t)((x->opcode & 7) | x->raw.rex.B << 3);
		out->constant = (uint32_t)x->raw.imm[0].value.u;
	} else if ((x->opcode == TO_RM || x->opcode == FROM_RM) && x->raw.modrm.mod == 3) {
		out->to = x->opcode == TO_RM ? rm : reg;
		out->from = x->opcode == TO_RM ? reg : rm;
	}
}

bool decoder_insn(const struct decoder *d, bool wide, const uint8_t *code, size_t n, struct insn *out)
{
	__typeof__(&ZydisDecoderInit) init = (__typeof__(&ZydisDecoderInit))d->init;
	__typeof__(&ZydisDecoderDecodeInstruction) decode = (__typeof__(&ZydisDecoderDecodeInstruction))d->decode;
	ZydisDecodedInstruction x;
	ZydisDecoder z;

	if (!ZYAN_SUCCESS(wide ? init(&z, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64) :
			  init(&z, ZYDIS_MACHINE_MODE_LEGACY_32, ZYDIS_STACK_WIDTH_32)) ||
	    !ZYAN_SUCCESS(decode(&z, NULL, code, n, &x)))
		return false;
	*out = (struct insn){
		.size = x.length, .emulated = is_emulated(&x), .refused = refusal_of(&x),
		.system_call = x.mnemonic == ZYDIS_MNEMONIC_SYSCALL,
	};
	decode_flow(&x, out);
	decode_move(&x, out);
	return true;
}
#else
bool decoder_open(struct decoder *d, char *reason, size_t n)
{
	(void)d;
	snprintf(reason, n, "instructions of this machine cannot be decoded");
	return false;
}

bool decoder_insn(const struct decoder *d, bool wide, const uint8_t *code, size_t n, struct insn *out)
{
	(void)d, (void)wide, (void)code, (void)n, (void)out;
	return false;
}
#endif

/*
 * 6.18 (not 6.1 nor 6.12) never frees the probe of an instruction during which the thread ends. Then it executes that
 * instruction instead of the one at the same place of a later file that gets the same inode.
 */
void decoder_follow(uint32_t *exits, struct insn *x)
{
	enum { EXIT = 60, EXIT_GROUP = 231 };
	bool exit = x->from < 0 ? x->constant == EXIT || x->constant == EXIT_GROUP : *exits >> x->from & 1;

	if (x->system_call && *exits & 1 && !x->refused)
		x->refused = "the thread ends during this system call";
	if (x->system_call)
		*exits &= ~1u;
	if (x->to >= 0)
		*exits = (*exits & ~(1u << x->to)) | (uint32_t)exit << x->to;
}

void decoder_close(struct decoder *d)
{
	if (d->lib)
		dlclose(d->lib);
	*d = (struct decoder){ 0 };
}
