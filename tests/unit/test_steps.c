/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Instructions of functions: which ones leave it, and which ones cannot be probed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>

#include "engine/programs/steps.h"
#include "engine/symbols/elf.h"

/* A letter for each instruction: '.', Return, Tail call, Unknown; in lower case ('-' for '.') if it cannot be
 * probed. */
struct steps_seen {
	char text[128];
	size_t n;
	uint64_t last;
};

static void see(void *arg, const struct program_step *s)
{
	static const char letters[2][4] = { { '-', 'r', 't', 'u' }, { '.', 'R', 'T', 'U' } };
	struct steps_seen *x = arg;

	assert_true(x->n < sizeof x->text - 1);
	assert_true(s->probed == !s->why);
	x->text[x->n++] = letters[s->probed][s->leaves];
	x->last = s->off;
}

/* The code of a file: the function f, then g at 0x40, then the part f.cold at 0x60. */
static int run(const char *hex, struct steps_seen *x)
{
	static struct program_function v[] = {
		{ .name = "f", .off = 0 }, { .name = "g", .off = 0x40, .size = 16 },
		{ .name = "f.cold", .off = 0x60, .size = 3, .part = true },
	};
	struct functions all = { .list = { v, 3, 3 } };
	uint8_t code[0x80] = { 0 };
	struct elf e = { .fd = -1, .mem = code, .size = sizeof code, .is64 = true };
	struct decoder d = { 0 };
	char reason[200];
	unsigned byte;
	int n, r;

	v[0].size = 0;
	for (const char *p = hex; sscanf(p, "%x%n", &byte, &n) == 1; p += n)
		code[v[0].size++] = (uint8_t)byte;
	memcpy(code + 0x60, "\x90\x90\xc3", 3);
	memset(x, 0, sizeof *x);
	if (!decoder_open(&d, reason, sizeof reason))
		fail_msg("%s", reason);
	r = steps_read(&(struct steps_code){ &d, &e, &all }, &v[0], see, x);
	decoder_close(&d);
	return r;
}

static void test_leaves(void **state)
{
	static const struct { const char *what, *code, *want; } cases[] = {
		{ "a function", "55 48 89 e5 5d c3", "...R" },
		{ "ret with a number", "c2 08 00", "R" },
		{ "rep ret", "f3 c3", "R" },
		{ "two returns", "85 ff 74 01 c3 c3", "..RR" },
		{ "a call is no end", "e8 3b 00 00 00 c3", ".R" },
		{ "a function that does not return", "e8 3b 00 00 00", "." },
		{ "a loop", "90 eb fd", ".." },
		{ "a jump to its own beginning", "90 e9 fa ff ff ff", ".." },
		{ "a tail call", "e9 3b 00 00 00", "T" },
		{ "a tail call under a condition", "74 3e c3", "UR" },
		{ "a tail call through a pointer", "ff e0", "T" },
		{ "a tail call through memory", "ff 25 00 00 00 00", "T" },
		{ "a tail call through a member", "ff 60 10", "T" },
		{ "a switch by offsets", "48 63 04 82 48 01 d0 ff e0 c3", "...R" },
		{ "a switch by offsets, not optimised", "8b 04 02 48 98 48 01 d0 ff e0 c3", "....R" },
		{ "a switch that says so", "3e ff e0 c3", "-R" },
		{ "a table of pointers", "ff 24 c5 00 00 00 00", "U" },
		{ "a table of pointers, in two steps", "48 8b 04 c5 00 00 00 00 ff e0", ".U" },
		{ "a load long before", "48 63 04 82 90 90 90 90 90 90 90 90 90 ff e0", "..........T" },
		{ "a part elsewhere", "74 5e c3", ".R..R" },
		{ "a jump to a part elsewhere", "e9 5b 00 00 00", "...R" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct steps_seen x;

		assert_int_equal(run(cases[i].code, &x), 0);
		if (strcmp(x.text, cases[i].want))
			fail_msg("%s: got %s, want %s", cases[i].what, x.text, cases[i].want);
	}
}

static void test_refused(void **state)
{
	static const struct { const char *what, *code, *want; } cases[] = {
		{ "lock", "f0 48 83 07 01 c3", "-R" },
		{ "a segment", "2e 66 0f 1f 84 00 00 00 00 00 c3", "-R" },
		{ "fs is none of them", "64 48 8b 04 25 28 00 00 00 c3", ".R" },
		{ "hlt", "f4", "-" },
		{ "int3", "cc", "-" },
		{ "vmovdqu, 0x6f", "c5 fe 6f 07 c3", "-R" },
		{ "vzeroupper, 0x77: a jump without its prefix", "c5 f8 77 c3", "-R" },
		{ "vpbroadcastb, 0x7a, the same", "62 e2 7d 48 7a c6 c3", "-R" },
		{ "vxorps, 0x57", "c5 f8 57 c0 c3", "-R" },
		{ "vaddps, 0x58", "c5 f8 58 c1 c3", ".R" },
		{ "movdqu, 0x6f without a prefix of vectors", "f3 0f 6f 07 c3", ".R" },
		{ "exit_group", "b8 e7 00 00 00 0f 05 0f 05", ".-." },
		{ "exit, by way of other registers", "41 b9 3c 00 00 00 44 89 ca 89 d0 0f 05", "...-" },
		{ "another system call", "b8 e7 00 00 00 b8 27 00 00 00 0f 05", "..." },
		{ "another one, from memory or a register", "be e7 00 00 00 8b 06 89 d0 0f 05", "...." },
		{ "endbr64", "f3 0f 1e fa c3", ".R" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct steps_seen x;

		assert_int_equal(run(cases[i].code, &x), 0);
		if (strcmp(x.text, cases[i].want))
			fail_msg("%s: got %s, want %s", cases[i].what, x.text, cases[i].want);
	}
}

/* Nothing is given if not everything can be decoded. */
static void test_undecodable(void **state)
{
	static const char *const codes[] = { "06", "90 90 06 c3", "c3 48", "e8 00 00" };

	(void)state;
	for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
		struct steps_seen x;

		assert_int_equal(run(codes[i], &x), -ENOEXEC);
		assert_int_equal(x.n, 0);
	}
}

static void test_offsets(void **state)
{
	struct steps_seen x;

	(void)state;
	assert_int_equal(run("55 48 89 e5 5d c3", &x), 0);
	assert_int_equal(x.last, 5);
	/* a part elsewhere: from the beginning of the function */
	assert_int_equal(run("74 5e c3", &x), 0);
	assert_int_equal(x.last, 0x62);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_leaves), cmocka_unit_test(test_refused), cmocka_unit_test(test_undecodable),
		cmocka_unit_test(test_offsets),
	};

#if !defined(__x86_64__)
	printf("1..0 # SKIP instructions are decoded only on x86-64\n");
	return 0;
#endif
	return cmocka_run_group_tests(tests, NULL, NULL);
}
