/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/programs/decoder.h"

#include <dlfcn.h>
#include <stdio.h>

#if defined(__x86_64__)
#include <Zydis/Zydis.h>

bool decoder_open(struct decoder *d, char *reason, size_t n)
{
	char name[32];

	if (d->lib)
		return true;
	snprintf(name, sizeof name, "libZydis.so.%u.%u", (unsigned)ZYDIS_VERSION_MAJOR(ZYDIS_VERSION),
		 (unsigned)ZYDIS_VERSION_MINOR(ZYDIS_VERSION));
	d->lib = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	if (d->lib) {
		d->init = dlsym(d->lib, "ZydisDecoderInit");
		d->decode = dlsym(d->lib, "ZydisDecoderDecodeInstruction");
		if (d->init && d->decode)
			return true;
		decoder_close(d);
	}
	snprintf(reason, n, "%s, which decodes instructions, is not installed", name);
	return false;
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

static void decode_flow(const ZydisDecodedInstruction *x, struct insn *out)
{
	switch (x->meta.category) {
	case ZYDIS_CATEGORY_RET:
		out->flow = FLOW_RETURN;
		break;
	case ZYDIS_CATEGORY_UNCOND_BR:
	case ZYDIS_CATEGORY_COND_BR:
		decode_jump(x, out);
		break;
	default:
		out->table = (x->mnemonic == ZYDIS_MNEMONIC_MOVSXD || x->mnemonic == ZYDIS_MNEMONIC_MOVSX) &&
			     is_indexed(x);
		break;
	}
}

/* The kernel executes a copy of the instruction elsewhere. It refuses those with these prefixes, and a few others. */
static const char *refused(const ZydisDecodedInstruction *x)
{
	for (unsigned i = 0; i < x->raw.prefix_count; i++) {
		switch (x->raw.prefixes[i].value) {
		case 0xf0:
			return "it has a lock prefix";
		case 0x26: case 0x2e: case 0x36: case 0x3e:
			return "it has a segment prefix";
		}
	}
	if (x->meta.category == ZYDIS_CATEGORY_INTERRUPT || x->meta.category == ZYDIS_CATEGORY_IO ||
	    x->mnemonic == ZYDIS_MNEMONIC_HLT || x->mnemonic == ZYDIS_MNEMONIC_CLI ||
	    x->mnemonic == ZYDIS_MNEMONIC_STI)
		return "the kernel does not execute it elsewhere";
	return NULL;
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
	*out = (struct insn){ .size = x.length, .refused = refused(&x) };
	decode_flow(&x, out);
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

void decoder_close(struct decoder *d)
{
	if (d->lib)
		dlclose(d->lib);
	*d = (struct decoder){ 0 };
}
