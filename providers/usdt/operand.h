/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where the arguments of a USDT probe are when it fires. <sys/sdt.h> writes them as the assembler writes operands,
 * separated by spaces: "-4@%edi 8@-16(%rbp) 4@counter+8(%rip) 1@(%rax,%rbx,8) 8@$42". Before the '@' is the size in
 * bytes, negative if the argument is signed, with an 'f' if it is a floating-point number.
 * Source: https://sourceware.org/systemtap/wiki/UserSpaceProbeImplementation and the System V ABI's AT&T syntax.
 *
 * Ownership: a symbol's name points into the text. Errors: an operand that cannot be understood has the kind
 * USDT_OTHER; the operands after it are still found.
 */
#ifndef PROVIDERS_USDT_OPERAND_H
#define PROVIDERS_USDT_OPERAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum usdt_kind {
	USDT_CONSTANT,			/* disp */
	USDT_REGISTER,			/* base, shifted right by `shift` bits */
	USDT_MEMORY,			/* at base + index * scale + disp */
	USDT_OTHER,			/* a floating-point number, or not known */
};

enum { USDT_NONE = -1, USDT_IP = 128, USDT_MAXARGS = 32 };

struct usdt_operand {
	enum usdt_kind kind;
	uint8_t size;			/* 1, 2, 4 or 8 bytes */
	bool is_signed;
	bool real;			/* USDT_OTHER: a floating-point number */
	int16_t base, index;		/* offset of the register in struct pt_regs, or USDT_NONE */
	uint8_t shift, scale;
	int64_t disp;
	const char *symbol;		/* its address is added, relative to the probe's; NULL: none */
	size_t symbol_len;
};

/* Stores at most `max` operands of a probe and returns their number. word: bytes of an address in the program. */
unsigned usdt_operands(const char *text, unsigned word, struct usdt_operand *out, unsigned max);

#endif
