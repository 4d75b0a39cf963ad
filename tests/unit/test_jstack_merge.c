/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Interpreted frames are merged with the frames of the interpreter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "rt/python.h"

static void merged(const struct rt_py_frame *f, unsigned n, uint64_t end, const char *want)
{
	static const uint64_t pc[RT_PY_FRAMES] = { 'a', 'b', 'c', 'd', 'e' };
	static const uint64_t sp[RT_PY_FRAMES] = { 100, 200, 300, 400, 500 };
	uint64_t out[RT_PY_WORDS] = { 0 };
	struct rt_py *p = calloc(1, sizeof *p);
	struct rt_py_merge m = { .pc = pc, .sp = sp, .n = 5, .end = end, .out = out, .py = p };
	char text[RT_PY_FRAMES + 1] = "";

	assert_non_null(p);
	if (n)
		memcpy(p->frame, f, n * sizeof *f);
	p->n = n;
	rt_py_merge(&m);
	for (uint64_t i = 0; i < p->nout; i++)
		text[i] = (char)out[i];
	assert_string_equal(text, want);
	assert_int_equal(p->cut, 0);
	free(p);
}

static void test_merge(void **state)
{
	static const struct rt_py_frame two[] = {
		{ .entry = 250, .at = '1' }, { .entry = 250, .at = '2' }, { .entry = 499, .at = '3' },
	}, hidden[] = {
		{ .entry = 300 }, { .entry = 300, .at = '2' }, { .entry = 500 },
	}, gone[] = {	/* below the stack; in it; above it; of an unknown call */
		{ .entry = 50, .at = '1' }, { .entry = 350, .at = '2' }, { .entry = 350, .at = '3' },
		{ .entry = 600, .at = '4' }, { .at = '5' },
	};

	(void)state;
	merged(NULL, 0, 600, "abcde");
	merged(two, 3, 600, "a12c3e");
	merged(hidden, 3, 600, "ab2d");
	merged(gone, 5, 600, "ab23de");
	merged(gone, 5, 601, "ab23d4");
	merged(gone + 4, 1, 600, "abcde");
}

/* The stack in which replaced frames are upper-case letters. */
static void kept(const struct rt_py_frame *f, unsigned n, bool more, const char *want)
{
	static const uint64_t pc[RT_PY_FRAMES] = { 'a', 'b', 'c', 'd', 'e' };
	static const uint64_t sp[RT_PY_FRAMES] = { 100, 200, 300, 400, 500 };
	uint64_t out[RT_PY_WORDS] = { 0 };
	struct rt_py *p = calloc(1, sizeof *p);
	struct rt_py_merge m = { .pc = pc, .sp = sp, .n = 5, .end = 600, .out = out, .py = p };
	char text[RT_PY_WORDS + 1] = "";

	assert_non_null(p);
	memcpy(p->frame, f, n * sizeof *f);
	p->n = n;
	p->more = more;
	p->keep = 1;
	rt_py_merge(&m);
	for (uint64_t i = 0; i < p->nout; i++)
		text[i] = (char)((out[i] & RT_PY_MARKS) == RT_PY_REPLACED ? out[i] - 'a' + 'A' : out[i]);
	assert_string_equal(text, want);
	free(p);
}

static void test_merge_keep(void **state)
{
	static const struct rt_py_frame two[] = {
		{ .entry = 250, .at = '1' }, { .entry = 250, .at = '2' }, { .entry = 499, .at = '3' },
	};

	(void)state;
	kept(two, 3, false, "a12Bc3De");
	kept(two, 2, true, "a12BCDE");
	kept(two, 0, false, "abcde");
}

/* Frames that were not read have called the last one: frames outside of it would follow a gap. */
static void test_merge_more(void **state)
{
	static const uint64_t pc[RT_PY_FRAMES] = { 'a', 'b', 'c' }, sp[RT_PY_FRAMES] = { 100, 200, 300 };
	uint64_t out[RT_PY_WORDS] = { 0 };
	struct rt_py *p = calloc(1, sizeof *p);
	struct rt_py_merge m = { .pc = pc, .sp = sp, .n = 3, .end = 400, .out = out, .py = p };

	(void)state;
	p->frame[0] = (struct rt_py_frame){ .at = '1', .entry = 150 };
	p->n = 1;
	p->more = true;
	rt_py_merge(&m);
	assert_int_equal(p->nout, 1);
	assert_int_equal(out[0], '1');
	assert_int_equal(p->cut, 1);
	free(p);
}

/* As many frames as are stored. */
static void test_merge_long(void **state)
{
	struct rt_py *p = calloc(1, sizeof *p);
	uint64_t out[RT_PY_WORDS + 1] = { 0 }, pc[RT_PY_FRAMES], sp[RT_PY_FRAMES];
	struct rt_py_merge m = { .pc = pc, .sp = sp, .n = RT_PY_FRAMES, .end = UINT64_MAX, .out = out, .py = p };

	(void)state;
	for (unsigned i = 0; i < RT_PY_FRAMES; i++) {
		pc[i] = 1000 + i;
		sp[i] = 8 * i;
		p->frame[i] = (struct rt_py_frame){ .at = 2000 + i, .entry = 8 };
	}
	p->n = RT_PY_FRAMES;
	rt_py_merge(&m);
	assert_int_equal(p->nout, RT_PY_WORDS - 1);
	assert_int_equal(p->cut, 0);
	assert_int_equal(out[0], 1000);
	for (unsigned i = 1; i <= RT_PY_FRAMES; i++)
		assert_int_equal(out[i], 2000 + i - 1);
	assert_int_equal(out[RT_PY_FRAMES + 1], 1002);
	p->keep = 1;
	rt_py_merge(&m);
	assert_int_equal(p->nout, RT_PY_WORDS);
	assert_int_equal(out[RT_PY_WORDS], 0);
	p->n = 0;
	rt_py_merge(&m);
	assert_int_equal(p->nout, RT_PY_FRAMES);
	assert_int_equal(p->cut, 0);
	free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_merge), cmocka_unit_test(test_merge_keep), cmocka_unit_test(test_merge_more),
		cmocka_unit_test(test_merge_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
