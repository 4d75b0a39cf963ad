/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Texts of addresses: equal ones have one number, and come back as they were. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "engine/run/texts.h"

enum { N = 5000 };

static uint64_t make(struct frame_texts *t, uint64_t addr, const char *text)
{
	uint64_t word;

	texts_begin(t, false, 0);
	texts_add(t, &(struct val_frame){ .text = text });
	word = texts_end(t);
	texts_keep(t, 1, addr, false, word);
	return word;
}

static void append(void *to, const struct val_frame *f)
{
	val_put_frame(to, f, strlen(f->text));
	buf_putc(to, '|');
}

static void assert_text(const struct frame_texts *t, uint64_t word, const char *want)
{
	struct buf b = { 0 };

	texts_frames(t, word, append, &b);
	assert_string_equal(buf_str(&b), want);
	buf_free(&b);
}

static void test_numbers(void **state)
{
	struct frame_texts t = { .n = 0 };
	static uint64_t word[N];
	char text[32];

	(void)state;
	assert_int_equal(texts_find(&t, 1, 1, false), 0);
	for (unsigned i = 0; i < N; i++) {
		snprintf(text, sizeof text, "f%u", i);
		word[i] = make(&t, i, text);
		assert_true(texts_is_word(word[i]));
		assert_true(texts_find(&t, 1, i, false) == word[i]);
	}
	for (unsigned i = 0; i < N; i++) {
		snprintf(text, sizeof text, "f%u", i);
		assert_true(make(&t, N + i, text) == word[i]);
		assert_true(i == 0 || word[i] != word[i - 1]);
		strcat(text, "|");
		assert_text(&t, word[i], text);
	}
	assert_false(t.nomem);
	texts_free(&t);
	texts_free(&t);
}

/* The process, the address and whether it is a call are all part of what was found. */
static void test_found(void **state)
{
	struct frame_texts t = { .n = 0 };
	uint64_t w = make(&t, 7, "a");

	(void)state;
	assert_true(texts_find(&t, 1, 7, false) == w);
	assert_int_equal(texts_find(&t, 1, 7, true), 0);
	assert_int_equal(texts_find(&t, 2, 7, false), 0);
	assert_int_equal(texts_find(&t, 1, 8, false), 0);
	texts_free(&t);
}

static void test_inlined(void **state)
{
	struct frame_texts t = { .n = 0 };
	uint64_t a, b;

	(void)state;
	texts_begin(&t, false, 0);
	texts_add(&t, &(struct val_frame){ .text = "in", .inlined = true, .file = "/x/y.c", .line = 5 });
	texts_add(&t, &(struct val_frame){ .text = "out+0x1", .file = "z.c" });
	a = texts_end(&t);
	texts_begin(&t, false, 0);
	texts_add(&t, &(struct val_frame){ .text = "in", .inlined = true, .file = "/x/y.c", .line = 6 });
	texts_add(&t, &(struct val_frame){ .text = "out+0x1", .file = "z.c" });
	b = texts_end(&t);
	assert_true(a != b);
	assert_text(&t, a, "in (inlined) [y.c:5]|out+0x1 [z.c]|");
	assert_text(&t, b, "in (inlined) [y.c:6]|out+0x1 [z.c]|");
	assert_text(&t, a + N, "");
	assert_text(&t, 0, "");
	texts_free(&t);
}

/* Code without a name: the first cause that is known stays, and is no part of the text. */
static void test_unnamed(void **state)
{
	static const struct { bool unnamed; unsigned cause; } made[] = {
		{ false, 0 }, { true, 3 }, { false, 0 }, { true, 4 },
	};
	struct frame_texts t = { .n = 0 };
	uint64_t word[4];

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		texts_begin(&t, made[i].unnamed, made[i].cause);
		texts_add(&t, &(struct val_frame){ .text = "0x1234" });
		word[i] = texts_end(&t);
		assert_true(word[i] == word[0]);
		assert_int_equal(texts_unnamed(&t, word[0]), i > 0);
		assert_int_equal(texts_cause(&t, word[0]), i ? 3 : 0);
	}
	assert_false(texts_unnamed(&t, word[0] + 1));
	texts_free(&t);
}

/* By their texts, whatever their numbers. */
static void test_order(void **state)
{
	static const char *const text[] = { "b", "a", "ab", "" };
	static const unsigned order[] = { 3, 1, 2, 0 };
	struct frame_texts t = { .n = 0 };
	uint64_t word[4], inner;

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		word[i] = make(&t, i, text[i]);
	for (unsigned i = 0; i < 4; i++)
		for (unsigned k = 0; k < 4; k++)
			assert_int_equal(texts_compare(&t, word[order[i]], word[order[k]]), (i > k) - (i < k));
	texts_begin(&t, false, 0);
	texts_add(&t, &(struct val_frame){ .text = "a", .inlined = true });
	texts_add(&t, &(struct val_frame){ .text = "b" });
	inner = texts_end(&t);
	assert_int_equal(texts_compare(&t, inner, word[1]), -texts_compare(&t, word[1], inner));
	assert_int_equal(texts_compare(&t, inner, word[2]), -1);
	texts_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers), cmocka_unit_test(test_found), cmocka_unit_test(test_inlined),
		cmocka_unit_test(test_unnamed), cmocka_unit_test(test_order),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
