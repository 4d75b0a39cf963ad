/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Interpreted frames: CPython's structures of each version in hand-made memory, tables of lines, strings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/runtimes/python/python.h"
#include "tests/lib/random.h"

/* ---- CPython 3.12's structures, as far as they are read ---- */
struct py312_cframe { uint64_t current_frame, previous; };
struct py312_thread {
	uint64_t prev, next, interp;
	uint32_t status, recursion_remaining, recursion_limit, c_recursion, headroom, tracing, what_event;
	uint64_t cframe, profile[2], trace[2], exception, exc_info, dict;
	uint32_t gilstate;
	uint64_t async_exc, thread_id, native_thread_id;
};
struct py312_interp {
	uint64_t next, id, id_refcount;
	uint32_t requires_idref;
	uint64_t id_mutex;
	uint32_t initialized, finalizing;
	uint64_t monitoring_version, last_restart_version, next_unique_id, threads_head;
};
struct py312_runtime {
	uint32_t initialized[5];
	uint64_t finalizing, mutex, head, main;
};
struct py312_frame {
	uint64_t f_code, previous, f_funcobj, f_globals, f_builtins, f_locals, frame_obj, prev_instr;
	uint32_t stacktop;
	uint16_t return_offset;
	uint8_t owner;
};
struct py312_code {
	uint64_t refs, type, size, consts, names, exceptiontable;
	uint32_t flags, args[3], stacksize, firstlineno, numbers[5], version;
	uint64_t localsplusnames, localspluskinds, filename, name, qualname, linetable, weakrefs, cached;
	uint64_t instrumentation, monitoring;
	uint32_t firsttraceable;
	uint64_t extra;
	uint16_t adaptive[1];
};
struct py312_string {
	uint64_t refs, type, length, hash;
	uint32_t state;
	char ascii[];
};
struct py312_wide {
	struct { uint64_t refs, type, length, hash; uint32_t state; } ascii;
	uint64_t utf8[2];
	char data[1];
};

static void test_layout_312(void **state)
{
	struct rt_py_layout l;

	(void)state;
	assert_int_equal(python_layout(&l, 0x030c05f0, 0, NULL), PYTHON_KNOWN);
#define SAME(m, s, f) assert_int_equal(l.m, offsetof(struct py312_##s, f))
	SAME(runtime_interps, runtime, head);
	SAME(interp_next, interp, next);
	SAME(interp_threads, interp, threads_head);
	SAME(thread_next, thread, next);
	SAME(thread_tid, thread, native_thread_id);
	SAME(thread_frame, thread, cframe);
	SAME(cframe_frame, cframe, current_frame);
	SAME(cframe_previous, cframe, previous);
	SAME(frame_code, frame, f_code);
	SAME(frame_previous, frame, previous);
	SAME(frame_instr, frame, prev_instr);
	SAME(frame_entry, frame, owner);
	SAME(code_file, code, filename);
	SAME(code_name, code, qualname);
	SAME(code_lines, code, linetable);
	SAME(code_first, code, firstlineno);
	SAME(code_code, code, adaptive);
	SAME(string_length, string, length);
	SAME(string_state, string, state);
	SAME(string_wide, wide, data);
#undef SAME
	assert_int_equal(l.string_ascii, 40);
}

/* ---- a process ---- */
enum { IMAGE = 1 << 16 };
#define BASE 0x7f0000000000ull
#define STACK_AT (BASE + 0xf000)	/* where the native stack has its data */

struct py_image {
	uint8_t byte[IMAGE];
	uint64_t used;
	struct rt_py_layout l;
	uint64_t reads;
};

static bool image_read(void *arg, uint64_t addr, void *buf, uint64_t n)
{
	struct py_image *m = arg;

	m->reads++;
	if (addr < BASE || addr - BASE >= IMAGE || n > IMAGE - (addr - BASE))
		return false;
	memcpy(buf, m->byte + (addr - BASE), n);
	return true;
}

static void put(struct py_image *m, uint64_t addr, const void *p, size_t n)
{
	assert_true(addr >= BASE && addr - BASE + n <= IMAGE);
	memcpy(m->byte + (addr - BASE), p, n);
}

static void put_word(struct py_image *m, uint64_t addr, uint64_t v)
{
	put(m, addr, &v, sizeof v);
}

static uint64_t take(struct py_image *m, uint64_t n)
{
	uint64_t at = BASE + m->used;

	m->used += (n + 15) & ~15ull;
	assert_true(m->used < STACK_AT - BASE);
	return at;
}

/* A str object of n characters of `kind` bytes; kind 0: ASCII. */
static uint64_t string_new(struct py_image *m, const void *chars, uint64_t n, unsigned kind)
{
	unsigned each = kind ? kind : 1;
	uint64_t at = take(m, 80 + n * each);
	uint32_t bits = (each | 1u << 3 | (uint32_t)!kind << 4) << m->l.string_kind;

	put_word(m, at + m->l.string_length, n);
	put(m, at + m->l.string_state, &bits, sizeof bits);
	put(m, at + (kind ? m->l.string_wide : m->l.string_ascii), chars, n * each);
	return at;
}

static uint64_t ascii_new(struct py_image *m, const char *s)
{
	return string_new(m, s, strlen(s), 0);
}

static uint64_t code_new(struct py_image *m, uint64_t name, uint64_t file, uint32_t first, const void *lines,
			 uint64_t n)
{
	uint64_t at = take(m, 512), table = take(m, 64 + n);

	put_word(m, at + m->l.code_name, name);
	put_word(m, at + m->l.code_file, file);
	put_word(m, at + m->l.code_lines, table);
	put(m, at + m->l.code_first, &first, sizeof first);
	put_word(m, table + m->l.bytes_size, n);
	put(m, table + m->l.bytes_data, lines, n);
	return at;
}

/* A frame that has run `units` units of its code. */
static uint64_t frame_new(struct py_image *m, uint64_t at, uint64_t code, uint64_t previous, unsigned units,
			  uint8_t entry)
{
	at = at ? at : take(m, RT_PY_READ + 8);
	put_word(m, at + m->l.frame_code, code);
	put_word(m, at + m->l.frame_instr, code + m->l.code_code + 2 * (uint64_t)units);
	put_word(m, at + m->l.frame_previous, previous);
	put(m, at + m->l.frame_entry, &entry, 1);
	return at;
}

static uint64_t thread_new(struct py_image *m, uint64_t tid, uint64_t next, uint64_t frame)
{
	uint64_t at = take(m, 512);

	put_word(m, at + m->l.thread_tid, tid);
	put_word(m, at + m->l.thread_next, next);
	put_word(m, at + m->l.thread_frame, frame);
	return at;
}

/* A chain of native calls: 3.11 and 3.12 have a _PyCFrame for each, 3.12 and later a frame at their end. */
struct py_calls {
	uint64_t frame, cframe;
	unsigned n;
};

/* A native call of the interpreter that runs n functions; its data is at STACK_AT + 0x100 * its number. */
static void call_add(struct py_image *m, struct py_calls *c, const uint64_t *code, unsigned n)
{
	uint64_t stack = STACK_AT + 0xe00 - 0x100 * (uint64_t)c->n++, cframe = stack + 0x80;

	if (m->l.shims)
		c->frame = frame_new(m, stack, 0, c->frame, 0, m->l.entry_least);
	for (unsigned i = 0; i < n; i++)
		c->frame = frame_new(m, 0, code[i], c->frame, i + 1, !m->l.shims && !i);
	if (!m->l.cframes)
		return;
	put_word(m, cframe + m->l.cframe_frame, c->frame);
	put_word(m, cframe + m->l.cframe_previous, c->cframe);
	c->cframe = cframe;
}

/* Two interpreters; the second one's second thread, 77, has three native calls: outer; three functions; none. */
struct py_known {
	struct py_image m;
	uint64_t runtime, code[4], thread;
	struct rt_py walk;
	struct rt_py_copy copy;
};

/* From 3.13 on, _PyRuntime begins with the offsets: the numbers of their words in 3.13, 3.14, 3.15. */
static void describe(struct py_image *m, uint64_t runtime, uint32_t version)
{
	const bool free_threaded = m->l.frame_copy;
	const struct { uint8_t word[3]; uint64_t v; } w[] = {
		{ { 1, 1, 1 }, version }, { { 2, 2, 2 }, free_threaded }, { { 5, 5, 5 }, m->l.runtime_interps },
		{ { 8, 8, 8 }, m->l.interp_next }, { { 9, 9, 9 }, m->l.interp_threads },
		{ { 20, 23, 23 }, m->l.thread_previous },
		{ { 21, 24, 24 }, m->l.thread_next }, { { 23, 26, 26 }, m->l.thread_frame },
		{ { 25, 28, 31 }, m->l.thread_tid }, { { 29, 32, 40 }, m->l.frame_previous },
		{ { 30, 33, 41 }, m->l.frame_code }, { { 31, 34, 42 }, m->l.frame_instr },
		{ { 33, 36, 44 }, m->l.frame_entry }, { { 72, 38, 46 }, m->l.frame_copy },
		{ { 35, 40, 48 }, m->l.code_file }, { { 37, 42, 50 }, m->l.code_name },
		{ { 38, 43, 51 }, m->l.code_lines }, { { 39, 44, 52 }, m->l.code_first },
		{ { 43, 48, 56 }, m->l.code_code }, { { 72, 49, 57 }, m->l.code_copies },
		{ { 44, 50, 58 }, free_threaded ? 32 : 16 }, { { 45, 51, 59 }, free_threaded ? 24 : 8 },
		{ { 65, 75, 87 }, m->l.bytes_size }, { { 66, 76, 88 }, m->l.bytes_data },
		{ { 68, 78, 90 }, m->l.string_state }, { { 69, 79, 91 }, m->l.string_length },
		{ { 70, 80, 92 }, m->l.string_ascii },
	};

	put(m, runtime, "xdebugpy", 8);
	for (size_t i = 0; i < sizeof w / sizeof w[0]; i++)
		put_word(m, runtime + 8 * w[i].word[(version >> 16 & 0xff) - 13], w[i].v);
}

static void interps_new(struct py_known *k, uint64_t threads)
{
	struct py_image *m = &k->m;
	uint64_t first = take(m, m->l.interp_threads + 16), second = take(m, m->l.interp_threads + 16);

	k->runtime = take(m, 1024);
	put_word(m, k->runtime + m->l.runtime_interps, first);
	put_word(m, first + m->l.interp_next, second);
	put_word(m, first + m->l.interp_threads, thread_new(m, 70, 0, 0));
	put_word(m, second + m->l.interp_threads, threads);
}

/* Bit 0 of a version: the interpreter is free-threaded. */
enum { FREE_THREADED = 1 };

static void process_new(struct py_known *k, uint32_t version)
{
	/* units 0 and 1: line + 1; unit 2: line + 3; unit 3: none */
	static const uint8_t lines[] = { 0x80 | 11 << 3 | 1, 5, 6, 0x80 | 13 << 3, 2 << 1, 0x80 | 15 << 3 };
	static const char *const names[] = { "outer", "Class.inner", "Class.leaf", "deep" };
	struct py_image *m = &k->m;
	struct py_calls c = { 0 };
	uint64_t file;

	memset(k, 0, sizeof *k);
	m->used = 64;
	if (version >> 16 < 0x30d)
		assert_int_equal(python_layout(&m->l, version, 0, NULL), PYTHON_KNOWN);
	else {
		/* as in Debian 13's 3.13.5, but smaller interpreters; their list is after the words of all versions */
		m->l = (struct rt_py_layout){
			.runtime_interps = 912, .interp_next = 264, .interp_threads = 344, .thread_next = 8,
			.thread_tid = 160, .thread_frame = 72, .frame_previous = 8, .frame_instr = 56,
			.frame_entry = 70, .code_file = 112, .code_name = 128, .code_lines = 136, .code_first = 68,
			.code_code = 200, .string_length = 16, .string_state = 32, .string_ascii = 40,
			.string_wide = 56, .bytes_size = 16, .bytes_data = 32, .entry_least = 3, .shims = true,
			.string_kind = 2,
		};
		if (version & FREE_THREADED) {
			m->l.frame_copy = 72;
			m->l.frame_entry = 78;
			m->l.code_copies = 192;
			m->l.string_kind = 8;
		}
	}
	file = ascii_new(m, "/home/a/script.py");
	for (unsigned i = 0; i < 4; i++)
		k->code[i] = code_new(m, ascii_new(m, names[i]), file, 10 * (i + 1), lines, sizeof lines);
	call_add(m, &c, k->code, 1);
	call_add(m, &c, k->code + 1, 3);
	k->thread = thread_new(m, 77, 0, m->l.cframes ? c.cframe : c.frame);
	interps_new(k, thread_new(m, 71, k->thread, 0));
	if (!m->l.cframes)
		describe(m, k->runtime, version & ~(uint32_t)FREE_THREADED);
}

static void walk_begin(struct py_known *k, uint64_t tid)
{
	memset(&k->walk, 0, sizeof k->walk);
	k->walk.layout = k->m.l;
	k->walk.runtime = k->runtime;
	k->walk.tid = tid;
	k->walk.read = image_read;
	k->walk.arg = &k->m;
}

static const uint32_t versions[] = {
	0x030b02f0, 0x030c05f0, 0x030d05f0, 0x030e0af0, 0x030f02f0, 0x030e0af0 | FREE_THREADED,
};

static void frame_is(struct py_known *k, unsigned i, const char *name, uint32_t line, uint64_t entry)
{
	const struct jstack_memory m = { image_read, &k->m };
	const struct rt_py_frame *f = &k->walk.frame[i];
	struct python_text *text = malloc(sizeof *text);
	struct code code;

	assert_non_null(text);
	assert_true(python_code(&code, text, &k->m.l, f->code, &m));
	assert_string_equal(code.name, name);
	assert_string_equal(code.file, "/home/a/script.py");
	assert_int_equal(python_line(&code, python_offset(&k->m.l, f)), line);
	assert_int_equal(f->entry, entry);
	free(text);
}

static void test_walk(void **state)
{
	struct py_known *k = calloc(1, sizeof *k);

	(void)state;
	assert_non_null(k);
	for (unsigned v = 0; v < sizeof versions / sizeof versions[0]; v++) {
		uint64_t data;

		process_new(k, versions[v]);
		data = k->m.l.cframes ? 0x80 : 0;
		walk_begin(k, 77);
		assert_true(rt_py_thread(&k->walk));
		assert_int_equal(k->walk.thread, k->thread);
		rt_py_walk(&k->walk, &k->copy);
		assert_int_equal(k->walk.n, 4);
		assert_false(k->walk.more);
		frame_is(k, 0, "deep", 0, STACK_AT + 0xd00 + data);	/* unit 3 has no line */
		frame_is(k, 1, "Class.leaf", 33, STACK_AT + 0xd00 + data);	/* 30 + 1 + 2 */
		frame_is(k, 2, "Class.inner", 21, STACK_AT + 0xd00 + data);
		frame_is(k, 3, "outer", 11, STACK_AT + 0xe00 + data);
		walk_begin(k, 70);
		assert_true(rt_py_thread(&k->walk));
		rt_py_walk(&k->walk, &k->copy);
		assert_int_equal(k->walk.n, 0);
		walk_begin(k, 5);
		assert_false(rt_py_thread(&k->walk));
		walk_begin(k, 71);
		k->walk.thread = k->thread;
		assert_true(rt_py_thread(&k->walk));
		assert_int_not_equal(k->walk.thread, k->thread);
	}
	free(k);
}

/* A thread that has a state in each of two interpreters: the second one in the list has called the first one. */
static void test_states(void **state)
{
	struct py_known *k = calloc(1, sizeof *k);

	(void)state;
	for (unsigned v = 0; v < sizeof versions / sizeof versions[0]; v++) {
		struct py_image *m = &k->m;
		struct py_calls inner = { .n = 4 }, outer = { 0 };
		uint64_t first, second, newer, older, data;

		process_new(k, versions[v]);
		data = m->l.cframes ? 0x80 : 0;
		call_add(m, &outer, k->code, 2);
		call_add(m, &inner, k->code + 2, 1);
		newer = thread_new(m, 9, 0, m->l.cframes ? inner.cframe : inner.frame);
		older = thread_new(m, 9, 0, m->l.cframes ? outer.cframe : outer.frame);
		first = take(m, m->l.interp_threads + 16);
		second = take(m, m->l.interp_threads + 16);
		put_word(m, k->runtime + m->l.runtime_interps, first);
		put_word(m, first + m->l.interp_next, second);
		put_word(m, first + m->l.interp_threads, newer);
		put_word(m, second + m->l.interp_threads, older);
		walk_begin(k, 9);
		k->walk.thread = older;		/* is not preferred */
		assert_true(rt_py_thread(&k->walk));
		for (unsigned again = 0; again < 2; again++) {
			assert_int_equal(k->walk.thread, newer);
			rt_py_walk(&k->walk, &k->copy);
			assert_int_equal(k->walk.n, 3);
			frame_is(k, 0, "Class.leaf", 31, STACK_AT + 0xa00 + data);
			frame_is(k, 1, "Class.inner", 23, STACK_AT + 0xe00 + data);
			frame_is(k, 2, "outer", 11, STACK_AT + 0xe00 + data);
		}
		/* no longer: a state that was freed, but looks as before, is not used */
		put_word(m, k->runtime + m->l.runtime_interps, second);
		walk_begin(k, 9);
		k->walk.thread = newer;
		assert_true(rt_py_thread(&k->walk));
		assert_int_equal(k->walk.thread, older);
		rt_py_walk(&k->walk, &k->copy);
		assert_int_equal(k->walk.n, 2);
	}
	free(k);
}

static void test_layout_described(void **state)
{
	struct py_known *k = calloc(1, sizeof *k);
	const struct jstack_memory m = { image_read, &k->m };
	struct rt_py_layout l;

	(void)state;
	for (unsigned v = 2; v < sizeof versions / sizeof versions[0]; v++) {
		uint32_t version = versions[v] & ~(uint32_t)FREE_THREADED;

		process_new(k, versions[v]);
		assert_int_equal(python_layout(&l, version, k->runtime, &m), PYTHON_KNOWN);
		assert_memory_equal(&l, &k->m.l, sizeof l);
		assert_int_equal(python_layout(&l, version, k->runtime + 8, &m), PYTHON_UNREAD);
		assert_int_equal(python_layout(&l, version, 0, &m), PYTHON_UNREAD);
		assert_int_equal(python_layout(&l, version + 1, k->runtime, &m), PYTHON_UNREAD);
		for (unsigned bit = 0; bit < 8 * 8; bit++) {	/* no object has another head */
			uint64_t head = k->runtime + 8 * (v == 2 ? 44 : v == 4 ? 58 : 50);

			k->m.byte[head - BASE + bit / 8] ^= 1 << bit % 8;
			assert_int_equal(python_layout(&l, version, k->runtime, &m), PYTHON_UNREAD);
			k->m.byte[head - BASE + bit / 8] ^= 1 << bit % 8;
		}
		put_word(&k->m, k->runtime + 8 * (v == 2 ? 30 : v == 4 ? 41 : 33), RT_PY_READ);	/* is not read */
		assert_int_equal(python_layout(&l, version, k->runtime, &m), PYTHON_UNREAD);
	}
	assert_int_equal(python_layout(&l, 0, k->runtime, &m), PYTHON_UNKNOWN);
	assert_int_equal(python_layout(&l, 0x030a00f0, k->runtime, &m), PYTHON_UNKNOWN);
	assert_int_equal(python_layout(&l, 0x031000f0, k->runtime, &m), PYTHON_UNKNOWN);
	assert_int_equal(python_layout(&l, 0x020b00f0, k->runtime, &m), PYTHON_UNKNOWN);
	free(k);
}

/* Frames at any places, most of them below the frame that they have called, in the same page and not: each is found.
 * Those that follow each other are read at once. */
static void test_places(void **state)
{
	enum { FRAMES = 100, FROM = 0x7000, TO = 0xe000 };
	struct py_known *k = calloc(1, sizeof *k);
	uint64_t seed = 35;

	(void)state;
	for (unsigned round = 0; round < 400; round++) {
		uint64_t at[FRAMES], previous = 0;
		bool taken[IMAGE / 8] = { false };

		process_new(k, versions[round % (sizeof versions / sizeof versions[0])]);
		assert_true(k->m.used < FROM);
		for (unsigned i = FRAMES; i--; previous = at[i]) {
			uint64_t gap = 8 * (random_next(&seed) % 20), free_words = 0, off = previous - BASE;

			off = round && (!previous || random_next(&seed) % (round % 4 * 8 + 2) == 0) ? 0 :
			      previous ? off + RT_PY_READ + (round ? gap : 0) : FROM;
			while (free_words < RT_PY_READ / 8) {
				if (!off || off + RT_PY_READ > TO)
					off = FROM + 8 * (random_next(&seed) % ((TO - FROM - RT_PY_READ) / 8));
				for (free_words = 0; free_words < RT_PY_READ / 8 && !taken[off / 8 + free_words];)
					free_words++;
				if (free_words < RT_PY_READ / 8)
					off += 8;
			}
			memset(taken + off / 8, true, RT_PY_READ / 8);
			at[i] = frame_new(&k->m, BASE + off, k->code[i % 4], previous, i, 0);
		}
		if (k->m.l.cframes)
			put_word(&k->m, STACK_AT + 0xd80 + k->m.l.cframe_frame, at[0]);
		else
			put_word(&k->m, k->thread + k->m.l.thread_frame, at[0]);
		walk_begin(k, 77);
		assert_true(rt_py_thread(&k->walk));
		k->m.reads = 0;
		rt_py_walk(&k->walk, &k->copy);
		assert_int_equal(k->walk.n, FRAMES);
		for (unsigned i = 0; i < FRAMES; i++) {
			assert_int_equal(k->walk.frame[i].code, k->code[i % 4]);
			assert_int_equal(python_offset(&k->m.l, &k->walk.frame[i]), i);
		}
		assert_in_range(k->m.reads, 0, round ? FRAMES + 8 : FRAMES / 8 + 8);
	}
	free(k);
}

/* Free-threaded: the frames of a thread run its own copy of the code. */
static void test_copies(void **state)
{
	struct py_known *k = calloc(1, sizeof *k);
	const uint32_t own = 0, copied = 2, beyond = 3;
	uint64_t copies, frame, start;

	(void)state;
	process_new(k, 0x030e0af0 | FREE_THREADED);
	copies = take(&k->m, 64);
	start = take(&k->m, 64);
	put_word(&k->m, k->code[0] + k->m.l.code_copies, copies);
	put_word(&k->m, copies, 3);
	put_word(&k->m, copies + 24, start);
	frame = frame_new(&k->m, 0, k->code[0], 0, 2, 0);
	put_word(&k->m, k->thread + k->m.l.thread_frame, frame);
	walk_begin(k, 77);
	assert_true(rt_py_thread(&k->walk));
	put(&k->m, frame + k->m.l.frame_copy, &own, 4);
	rt_py_walk(&k->walk, &k->copy);
	frame_is(k, 0, "outer", 13, 0);
	put(&k->m, frame + k->m.l.frame_copy, &copied, 4);
	put_word(&k->m, frame + k->m.l.frame_instr, start + 2);
	rt_py_walk(&k->walk, &k->copy);
	frame_is(k, 0, "outer", 11, 0);
	put(&k->m, frame + k->m.l.frame_copy, &beyond, 4);
	rt_py_walk(&k->walk, &k->copy);
	assert_int_equal(k->walk.n, 1);
	assert_int_equal(python_offset(&k->m.l, &k->walk.frame[0]), 0);
	free(k);
}

/* Lists that never end, and more frames than are stored. */
static void test_endless(void **state)
{
	struct py_known *k = calloc(1, sizeof *k);
	uint64_t at, previous = 0;

	(void)state;
	for (unsigned v = 0; v < sizeof versions / sizeof versions[0]; v++) {
		process_new(k, versions[v]);
		put_word(&k->m, k->thread + k->m.l.thread_next, k->thread);
		walk_begin(k, 5);
		assert_false(rt_py_thread(&k->walk));
		assert_in_range(k->m.reads, 2, 3 * RT_PY_THREADS);

		walk_begin(k, 77);
		assert_true(rt_py_thread(&k->walk));
		at = frame_new(&k->m, 0, k->code[0], 0, 0, 0);
		put_word(&k->m, at + k->m.l.frame_previous, at);
		if (k->m.l.cframes)
			put_word(&k->m, STACK_AT + 0xd80 + k->m.l.cframe_frame, at);
		else
			put_word(&k->m, k->thread + k->m.l.thread_frame, at);
		rt_py_walk(&k->walk, &k->copy);
		assert_int_equal(k->walk.n, RT_PY_FRAMES);
		assert_true(k->walk.more);

		/* only frames that are not shown */
		if (k->m.l.shims && !k->m.l.cframes) {
			put(&k->m, at + k->m.l.frame_entry, "\3", 1);
			rt_py_walk(&k->walk, &k->copy);
			assert_int_equal(k->walk.n, 0);
		}
		previous += k->m.reads;
	}
	assert_true(previous < 100000);
	free(k);
}

/* Any byte may have any value. */
static void test_broken(void **state)
{
	struct py_known *k = calloc(1, sizeof *k);
	struct python_text *text = malloc(sizeof *text);
	uint64_t seed = 15;

	(void)state;
	for (unsigned round = 0; round < 3000; round++) {
		const struct jstack_memory m = { image_read, &k->m };
		struct code code;

		process_new(k, versions[round % (sizeof versions / sizeof versions[0])]);
		for (unsigned i = 0; i < 1 + round % 40; i++)
			k->m.byte[random_next(&seed) % (i % 2 ? k->m.used : IMAGE)] = (uint8_t)random_next(&seed);
		walk_begin(k, 77);
		if (!rt_py_thread(&k->walk))
			continue;
		rt_py_walk(&k->walk, &k->copy);
		assert_in_range(k->walk.n, 0, RT_PY_FRAMES);
		for (unsigned i = 0; i < k->walk.n; i++)
			if (python_code(&code, text, &k->m.l, k->walk.frame[i].code, &m))
				python_line(&code, python_offset(&k->m.l, &k->walk.frame[i]));
	}
	free(text);
	free(k);
}

/* ---- strings ---- */
static void name_is(struct py_known *k, uint64_t name, uint64_t file, const char *want)
{
	const struct jstack_memory m = { image_read, &k->m };
	struct python_text *text = malloc(sizeof *text);
	uint64_t code = code_new(&k->m, name, file, 1, "", 0);
	struct code out;

	if (want) {
		assert_true(python_code(&out, text, &k->m.l, code, &m));
		assert_string_equal(out.name, want);
		assert_int_equal(python_line(&out, 0), 0);
	} else {
		assert_false(python_code(&out, text, &k->m.l, code, &m));
	}
	free(text);
}

static void test_strings(void **state)
{
	static const uint8_t latin[] = { 'n', 0xe4, 'h' };
	static const uint16_t two[] = { 'x', 0x3bb, 0x20ac, 0xd800 };
	static const uint32_t four[] = { 0x1f40d, 'y', 0x110000 };
	struct py_known *k = calloc(1, sizeof *k);

	(void)state;
	for (unsigned v = 0; v < sizeof versions / sizeof versions[0]; v++) {
		char many[2 * PYTHON_NAME];
		uint64_t file, odd;

		process_new(k, versions[v]);
		file = ascii_new(&k->m, "f.py");
		name_is(k, ascii_new(&k->m, ""), file, "");
		name_is(k, string_new(&k->m, latin, 3, 1), file, "n\xc3\xa4h");
		name_is(k, string_new(&k->m, two, 4, 2), file, "x\xce\xbb\xe2\x82\xac\xef\xbf\xbd");
		name_is(k, string_new(&k->m, four, 3, 4), file, "\xf0\x9f\x90\x8dy\xef\xbf\xbd");
		memset(many, 'm', sizeof many);
		odd = string_new(&k->m, many, sizeof many, 0);
		many[PYTHON_NAME - 1] = '\0';
		name_is(k, odd, file, many);
		name_is(k, file, file, NULL);		/* the interpreter's own function */
		name_is(k, 0, file, NULL);
		put_word(&k->m, odd + k->m.l.string_length, UINT64_MAX);
		name_is(k, odd, file, NULL);
		odd = ascii_new(&k->m, "n");
		put_word(&k->m, odd + k->m.l.string_state, 0);
		name_is(k, odd, file, NULL);
	}
	free(k);
}

/* A multi-byte character that does not fit is left out whole. */
static void test_utf8_bounds(void **state)
{
	static const uint32_t c[] = { 'a', 0x1f40d, 'b' };
	char out[8];

	(void)state;
	for (size_t size = 1; size < sizeof out; size++) {
		memset(out, 'Z', sizeof out);
		python_utf8(out, size, c, 3, 4);
		assert_int_equal(strlen(out), size > 6 ? 6 : size > 5 ? 5 : size > 1 ? 1 : 0);
		assert_int_equal(out[7], 'Z');
	}
}

/* ---- lines ---- */
static void test_lines(void **state)
{
	static const uint8_t table[] = {
		0x80 | 0 << 3 | 0, 0x12,				/* 1 unit: line 100, short form */
		0x80 | 12 << 3 | 7, 1, 2,				/* 8: 102, one line */
		0x80 | 13 << 3 | 0, 3,					/* 1: 101, a negative difference (-1) */
		0x80 | 14 << 3 | 1, 0x40 | 0, 0x20, 0, 1, 2,		/* 2: 101 + 1024 */
		0x80 | 15 << 3 | 2,					/* 3: none */
		0x80 | 9 << 3 | 0, 4,					/* 1: 1125 */
	};
	struct code c = { .first = 100, .lines = table, .size = sizeof table };
	static const uint32_t want[] = {
		100, 102, 102, 102, 102, 102, 102, 102, 102, 101, 1125, 1125, 0, 0, 0, 1125, 0,
	};

	(void)state;
	for (uint32_t i = 0; i < sizeof want / sizeof want[0]; i++)
		assert_int_equal(python_line(&c, i), want[i]);
	for (c.size = 0; c.size < sizeof table; c.size++)
		for (uint32_t i = 0; i < 20; i++)
			assert_in_range(python_line(&c, i), 0, 1 << 20);
	assert_int_equal(python_line(&c, UINT32_MAX), 0);
}

/* ---- functions by number ---- */
static uint32_t twice(const struct code *c, uint32_t offset)
{
	return offset < 100 ? c->first + offset / 2 : 0;
}

/* Code in which functions 2 and 4 are inlined: at offset 1. */
static uint32_t inlined(const struct code *c, uint32_t offset, uint64_t *words, uint32_t max)
{
	const uint64_t frames[] = { codes_word(4, 0), codes_word(2, (uint32_t)CODES_LINE | 70) };

	(void)c;
	for (uint32_t i = 0; offset == 1 && i < 2 && i < max; i++)
		words[i] = frames[i];
	return offset != 1 ? 0 : max < 2 ? max : 2;
}

static void test_codes_inlined(void **state)
{
	struct codes *c = codes_open();
	const struct code one = { .name = "one", .file = "f.js", .first = 7 };
	const struct code two = { .name = "two", .file = "f.js", .first = 8 };
	const struct code code = { .name = "", .file = "", .inlined = inlined };
	const uint64_t in[] = { 4096, codes_word(901, 1), codes_word(2, 0), codes_word(901, 2), 8192, 0, 1 };
	uint64_t out[8];

	(void)state;
	assert_int_equal(codes_add(c, &one), 2);
	assert_int_equal(codes_add(c, &two), 4);
	assert_int_equal(codes_put(c, 901, &code), 901);
	assert_int_equal(codes_frames(c, in, 7, out, 8), 6);
	assert_int_equal(out[0], 4096);
	assert_int_equal(out[1], codes_word(4, (uint32_t)CODES_LINE | 8));
	assert_int_equal(out[2], codes_word(2, (uint32_t)CODES_LINE | 70));
	assert_int_equal(out[3], codes_word(2, (uint32_t)CODES_LINE | 7));
	assert_int_equal(codes_number(out[4]), 901);
	assert_int_equal(out[5], 8192);
	for (uint32_t max = 0; max < 6; max++)
		assert_int_equal(codes_frames(c, in, 7, out, max), max);
	codes_close(c);
}

static void test_codes(void **state)
{
	struct codes *c = codes_open();
	struct code one = {
		.name = "one", .file = "f.py", .first = 7, .lines = (const uint8_t *)"ab", .size = 2, .line = twice,
	}, other = one;
	struct symbol s;
	uint64_t w;

	(void)state;
	assert_int_equal(codes_add(c, &one), 2);
	assert_int_equal(codes_add(c, &one), 2);
	other.first = 8;
	assert_int_equal(codes_add(c, &other), 4);
	assert_int_equal(codes_put(c, 901, &one), 901);
	assert_int_equal(codes_put(c, CODES_MAX, &other), CODES_MAX);
	assert_int_equal(codes_put(c, CODES_MAX + 1, &one), 0);
	assert_int_equal(codes_put(c, 0, &one), 0);
	codes_find(c, codes_word(901, 5), &s);
	assert_string_equal(s.name, "one");
	assert_string_equal(s.file, "f.py");
	assert_int_equal(s.line, 9);
	codes_find(c, codes_word(901, 100), &s);
	assert_int_equal(s.line, 7);
	w = codes_settle(c, codes_word(901, 5));
	assert_true(codes_is_word(w));
	assert_int_equal(w, codes_settle(c, codes_word(2, 4)));		/* the same line of an equal function */
	assert_int_equal(w, codes_settle(c, w));
	assert_true(w != codes_settle(c, codes_word(2, 6)));
	assert_true(w != codes_settle(c, codes_word(4, 4)));
	codes_find(c, w, &s);
	assert_string_equal(s.name, "one");
	assert_int_equal(s.line, 9);
	codes_find(c, codes_word(3, 0), &s);
	assert_null(s.name);
	assert_int_equal(codes_settle(c, codes_word(3, 0)), codes_word(3, 0));
	assert_int_equal(codes_settle(c, 0x7fff00001000), 0x7fff00001000);
	assert_false(codes_is_word(UINT64_MAX));
	assert_false(codes_is_word(0xffffffff81000000));
	codes_find(NULL, w, &s);
	assert_null(s.name);
	codes_close(c);
	codes_close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout_312), cmocka_unit_test(test_walk), cmocka_unit_test(test_layout_described),
		cmocka_unit_test(test_places), cmocka_unit_test(test_copies), cmocka_unit_test(test_states),
		cmocka_unit_test(test_endless), cmocka_unit_test(test_broken), cmocka_unit_test(test_strings),
		cmocka_unit_test(test_utf8_bounds), cmocka_unit_test(test_lines), cmocka_unit_test(test_codes),
		cmocka_unit_test(test_codes_inlined),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
