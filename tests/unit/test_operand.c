/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Operands of USDT notes: each form that notes have, and texts that are not operands. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "providers/usdt/operand.h"

/* The operand as text: kind size[s] base+index*scale+disp>>shift symbol. */
static const char *show(const struct usdt_operand *o)
{
	static const char kinds[] = "crmo";
	static char text[200];

	if (o->kind == USDT_OTHER)
		return o->real ? "real" : "other";
	snprintf(text, sizeof text, "%c%u%s base=%d index=%d*%u disp=%lld shift=%u sym=%.*s", kinds[o->kind], o->size,
		 o->is_signed ? "s" : "", o->base, o->index, o->scale, (long long)o->disp, o->shift,
		 (int)o->symbol_len, o->symbol ? o->symbol : "");
	return text;
}

static void one_of(const char *text, unsigned word, const char *want)
{
	struct usdt_operand o[2];

	assert_int_equal(usdt_operands(text, word, o, 2), 1);
	assert_string_equal(show(&o[0]), want);
}

static void one(const char *text, const char *want)
{
	one_of(text, 8, want);
}

#if defined(__x86_64__)
static void test_registers(void **state)
{
	static const struct { const char *name[4]; int off; } regs[] = {
		{ { "rax", "eax", "ax", "al" }, 80 }, { { "rbx", "ebx", "bx", "bl" }, 40 },
		{ { "rcx", "ecx", "cx", "cl" }, 88 }, { { "rdx", "edx", "dx", "dl" }, 96 },
		{ { "rsi", "esi", "si", "sil" }, 104 }, { { "rdi", "edi", "di", "dil" }, 112 },
		{ { "rbp", "ebp", "bp", "bpl" }, 32 }, { { "rsp", "esp", "sp", "spl" }, 152 },
		{ { "r8", "r8d", "r8w", "r8b" }, 72 }, { { "r9", "r9d", "r9w", "r9b" }, 64 },
		{ { "r10", "r10d", "r10w", "r10b" }, 56 }, { { "r11", "r11d", "r11w", "r11b" }, 48 },
		{ { "r12", "r12d", "r12w", "r12b" }, 24 }, { { "r13", "r13d", "r13w", "r13b" }, 16 },
		{ { "r14", "r14d", "r14w", "r14b" }, 8 }, { { "r15", "r15d", "r15w", "r15b" }, 0 },
	};
	char text[32], want[80];

	(void)state;
	for (unsigned i = 0; i < sizeof regs / sizeof *regs; i++)
		for (unsigned k = 0; k < 4; k++) {
			snprintf(text, sizeof text, "-%u@%%%s", 8 >> k, regs[i].name[k]);
			snprintf(want, sizeof want, "r%us base=%d index=-1*0 disp=0 shift=0 sym=", 8 >> k, regs[i].off);
			one(text, want);
			snprintf(text, sizeof text, "%u@%%%s", 8 >> k, regs[i].name[k]);
			snprintf(want, sizeof want, "r%u base=%d index=-1*0 disp=0 shift=0 sym=", 8 >> k, regs[i].off);
			one(text, want);
		}
	one("1@%ah", "r1 base=80 index=-1*0 disp=0 shift=8 sym=");
	one("-1@%bh", "r1s base=40 index=-1*0 disp=0 shift=8 sym=");
	one("4@%al", "r1 base=80 index=-1*0 disp=0 shift=0 sym=");	/* not more than the register has */
	one("2@%rax", "r2 base=80 index=-1*0 disp=0 shift=0 sym=");
}

static void test_memory(void **state)
{
	(void)state;
	one("8@-16(%rbp)", "m8 base=32 index=-1*0 disp=-16 shift=0 sym=");
	one("-4@(%rax)", "m4s base=80 index=-1*0 disp=0 shift=0 sym=");
	one("4@0x18(%rdi)", "m4 base=112 index=-1*0 disp=24 shift=0 sym=");
	one("1@(%rax,%rbx,8)", "m1 base=80 index=40*8 disp=0 shift=0 sym=");
	one("2@-8(%rax,%r12)", "m2 base=80 index=24*1 disp=-8 shift=0 sym=");
	one("8@64(,%rdx,4)", "m8 base=-1 index=96*4 disp=64 shift=0 sym=");
	one("8@( %rax , %rbx , 2 )", "other");
	one("4@8+4(%rsp)", "m4 base=152 index=-1*0 disp=12 shift=0 sym=");
	one("4@-8-4(%rsp)", "m4 base=152 index=-1*0 disp=-12 shift=0 sym=");
}

static void test_symbols(void **state)
{
	(void)state;
	one("4@counter(%rip)", "m4 base=128 index=-1*0 disp=0 shift=0 sym=counter");
	one("4@counter+8(%rip)", "m4 base=128 index=-1*0 disp=8 shift=0 sym=counter");
	one("4@8+counter(%rip)", "m4 base=128 index=-1*0 disp=8 shift=0 sym=counter");
	one("-8@_ZL1x.0-4(%rip)", "m8s base=128 index=-1*0 disp=-4 shift=0 sym=_ZL1x.0");
	one("8@table(,%rax,8)", "m8 base=-1 index=80*8 disp=0 shift=0 sym=table");
	one("8@x$y@z(%rip)", "m8 base=128 index=-1*0 disp=0 shift=0 sym=x$y@z");
	one("4@word", "m4 base=-1 index=-1*0 disp=0 shift=0 sym=word");
	one("8@a+b(%rip)", "other");
	one("8@-a(%rip)", "other");
}

/* Notes of the first version of <sys/sdt.h>: an argument is as large as its register, or a word. */
static void test_old(void **state)
{
	(void)state;
	one("%rax", "r8s base=80 index=-1*0 disp=0 shift=0 sym=");
	one("%edi", "r4s base=112 index=-1*0 disp=0 shift=0 sym=");
	one("-16(%rbp)", "m8s base=32 index=-1*0 disp=-16 shift=0 sym=");
	one("$7", "c8s base=-1 index=-1*0 disp=7 shift=0 sym=");
	one_of("-16(%ebp)", 4, "m4s base=32 index=-1*0 disp=-16 shift=0 sym=");
	one_of("%eax", 4, "r4s base=80 index=-1*0 disp=0 shift=0 sym=");
}
#endif

static void test_constants(void **state)
{
	(void)state;
	one("8@$42", "c8 base=-1 index=-1*0 disp=42 shift=0 sym=");
	one("-4@$-1", "c4s base=-1 index=-1*0 disp=-1 shift=0 sym=");
	one("-8@$0x7fffffffffffffff", "c8s base=-1 index=-1*0 disp=9223372036854775807 shift=0 sym=");
	one("8@$-0x8000000000000000", "c8 base=-1 index=-1*0 disp=-9223372036854775808 shift=0 sym=");
	one("1@$010", "c1 base=-1 index=-1*0 disp=8 shift=0 sym=");
	one("8@$symbol", "other");
}

static void test_others(void **state)
{
	static const char *const texts[] = {
		"8@", "8@%", "8@%zmm99", "8@%fs:0", "3@%rax", "0@%rax", "9@%rax", "8@(%rax", "8@%rax)",
		"8@(%rax,%rbx,3)", "8@(%nope)", "8@$", "8@$1x", "@%rax", "8@12z(%rbp)", "8@(%rax,%rbx,8,1)", "--4@%eax",
		"8@%rax+1", "-", "4@x0]", "8@+", "8@4+",
		"8@1+-2", "8@4-(%rax)",
	};

	(void)state;
	for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
		one(texts[i], "other");
	one("8f@%xmm0", "real");
	one("4f@-20(%rbp)", "real");
	one("-8f@%xmm15", "real");
}

/* An operand that is not understood does not hide those after it. */
static void test_lists(void **state)
{
	struct usdt_operand o[USDT_MAXARGS];

	(void)state;
	assert_int_equal(usdt_operands("", 8, o, USDT_MAXARGS), 0);
	assert_int_equal(usdt_operands("  \t ", 8, o, USDT_MAXARGS), 0);
	assert_int_equal(usdt_operands(" 8@$1  -4@nonsense] 8f@%xmm1\t8@$4 ", 8, o, USDT_MAXARGS), 4);
	assert_int_equal(o[0].disp, 1);
	assert_int_equal(o[1].kind, USDT_OTHER);
	assert_int_equal(o[2].kind, USDT_OTHER);
	assert_int_equal(o[3].disp, 4);
	assert_int_equal(usdt_operands("8@$1 8@$2 8@$3", 8, o, 2), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#if defined(__x86_64__)
		cmocka_unit_test(test_registers),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_symbols),
		cmocka_unit_test(test_old),
#endif
		cmocka_unit_test(test_constants),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
