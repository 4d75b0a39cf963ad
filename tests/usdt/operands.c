/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Operands of every form, written by hand: for each, registers and memory have known values when the probe fires.
 * Prints the name of each probe and the value of its argument. x86-64.
 */
#include <stdint.h>
#include <stdio.h>

/* Known bytes, at a name that operands can use. */
__asm__(".data\n.balign 16\n.globl operand_words\noperand_words:\n"
	".quad 0x8182838485868788, 0x1112131415161718, 0x2122232425262728, 0xf1f2f3f4f5f6f7f8\n.previous\n");
__asm__(".section .rodata\n.balign 16\noperand_local:\n.long -5, 6\n.previous\n");
extern const uint64_t operand_words[4];

#define NOTE(name, operands) \
	"990: nop\n" \
	".pushsection .note.stapsdt,\"\",\"note\"\n.balign 4\n.4byte 992f-991f, 994f-993f, 3\n" \
	"991: .asciz \"stapsdt\"\n992: .balign 4\n993: .8byte 990b, 0, 0\n" \
	".asciz \"operand\"\n.asciz \"" name "\"\n.asciz \"" operands "\"\n994: .balign 4\n.popsection\n"

#define REGISTERS(X) \
	X(rax8, "8@%rax", 0x9192939495969798) \
	X(rax4, "4@%eax", 0x95969798) \
	X(rax4s, "-4@%eax", (int32_t)0x95969798) \
	X(rax2, "2@%ax", 0x9798) \
	X(rax2s, "-2@%ax", (int16_t)0x9798) \
	X(al, "1@%al", 0x98) \
	X(als, "-1@%al", (int8_t)0x98) \
	X(ah, "1@%ah", 0x97) \
	X(ahs, "-1@%ah", (int8_t)0x97) \
	X(ch, "-1@%ch", (int8_t)0xa7) \
	X(dh, "1@%dh", 0xb7) \
	X(cl, "1@%cl", 0xa8) \
	X(dx, "-2@%dx", (int16_t)0xb7b8) \
	X(sil, "-1@%sil", (int8_t)0xc8) \
	X(esi, "4@%esi", 0xc5c6c7c8) \
	X(dil, "1@%dil", 0xd8) \
	X(rdi, "-8@%rdi", (int64_t)0xd1d2d3d4d5d6d7d8) \
	X(r8b, "-1@%r8b", (int8_t)0x88) \
	X(r8w, "2@%r8w", 0x0788) \
	X(r8d, "-4@%r8d", 0x05060788) \
	X(r9d, "-4@%r9d", INT32_MIN) \
	X(r9, "8@%r9", 0x7fffffff80000000) \
	X(r13w, "-2@%r13w", INT16_MIN) \
	X(r14b, "-1@%r14b", INT8_MIN) \
	X(r14b8, "8@%r14b", 0x80) \
	X(r15d, "4@%r15d", 0xffffffff) \
	X(r12, "-8@%r12", -8) \
	X(r10, "8@%r10", 2) \
	X(old_r15, "%r15d", -1) \
	X(old_r9, "%r9d", INT32_MIN)

#define MEMORY(X) \
	X(rbx8, "8@(%rbx)", 0x8182838485868788) \
	X(rbx4, "4@(%rbx)", 0x85868788) \
	X(rbx4s, "-4@(%rbx)", (int32_t)0x85868788) \
	X(rbx2s, "-2@(%rbx)", (int16_t)0x8788) \
	X(rbx1, "1@(%rbx)", 0x88) \
	X(rbx1s, "-1@(%rbx)", (int8_t)0x88) \
	X(rbx_plus, "8@8(%rbx)", 0x1112131415161718) \
	X(rbx_hex, "4@0x10(%rbx)", 0x25262728) \
	X(rbx_odd, "4@1(%rbx)", 0x84858687) \
	X(minus, "8@-8(%r11)", 0x1112131415161718) \
	X(sum, "8@-16+8(%r11)", 0x1112131415161718) \
	X(sib8, "8@(%rbx,%r10,8)", 0x2122232425262728) \
	X(sib4, "4@8(%rbx,%r10,4)", 0x25262728) \
	X(sib1, "1@(%rbx,%r10)", 0x86) \
	X(sib_minus, "8@(%r11,%r12,2)", 0x8182838485868788) \
	X(index, "2@(,%rbx,1)", 0x8788) \
	X(old_rbx, "8(%rbx)", 0x1112131415161718)

#define SYMBOLS(X) \
	X(rip, "8@operand_words(%rip)", 0x8182838485868788) \
	X(rip_plus, "4@operand_words+28(%rip)", 0xf1f2f3f4) \
	X(rip_first, "4@12+operand_words(%rip)", 0x11121314) \
	X(local, "-4@operand_local(%rip)", -5) \
	X(local_plus, "-4@operand_local+4(%rip)", 6) \
	X(absolute, "8@operand_words+8", 0x1112131415161718) \
	X(table, "8@operand_words(,%r10,8)", 0x2122232425262728)

#define CONSTANTS(X) \
	X(zero, "8@$0", 0) \
	X(minus_one, "-4@$-1", -1) \
	X(word, "4@$-1", 0xffffffff) \
	X(byte, "1@$300", 44) \
	X(large, "-8@$-9223372036854775807", -INT64_MAX) \
	X(hex, "8@$0xffffffffffffffff", -1) \
	X(old, "$42", 42)

/* A function for each: rax, rbx, r12 have addresses and indexes, the others numbers. */
#define FUNCTION(name, operands, value) \
	__asm__(".text\n.type probe_" #name ", @function\nprobe_" #name ":\n" \
		"push %rbx\npush %r12\npush %r13\npush %r14\npush %r15\n" \
		"lea operand_words(%rip), %rbx\n" \
		"movabs $0x9192939495969798, %rax\n" \
		"movabs $0xa1a2a3a4a5a6a7a8, %rcx\n" \
		"movabs $0xb1b2b3b4b5b6b7b8, %rdx\n" \
		"movabs $0xc1c2c3c4c5c6c7c8, %rsi\n" \
		"movabs $0xd1d2d3d4d5d6d7d8, %rdi\n" \
		"movabs $0x0182030405060788, %r8\n" \
		"movabs $0x7fffffff80000000, %r9\n" \
		"mov $2, %r10\n" \
		"lea 16(%rbx), %r11\n" \
		"mov $-8, %r12\n" \
		"mov $0x8000, %r13\n" \
		"mov $0x80, %r14\n" \
		"mov $-1, %r15\n" \
		NOTE(#name, operands) \
		"pop %r15\npop %r14\npop %r13\npop %r12\npop %rbx\nret\n" \
		".size probe_" #name ", .-probe_" #name "\n"); \
	void probe_##name(void);

#define FIRE(name, operands, value) \
	probe_##name(); \
	printf("%s %lld\n", #name, (long long)(value));

#define ALL(X) REGISTERS(X) MEMORY(X) SYMBOLS(X) CONSTANTS(X)

ALL(FUNCTION)
/* Two registers and a symbol; a symbol that does not exist; a register that is none of these. */
FUNCTION(unknown1, "8@operand_words(%r10,%r10,8)", 0)
FUNCTION(unknown2, "8@operand_nowhere(%rip)", 0)
FUNCTION(unknown3, "8@%fs:0", 0)

int main(void)
{
	ALL(FIRE)
	probe_unknown1();
	probe_unknown2();
	probe_unknown3();
	return 0;
}
