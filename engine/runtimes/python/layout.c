/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The layout of CPython's structures (64-bit builds). */
#include <string.h>

#include "engine/runtimes/python/python.h"

enum { OWNED_BY_CSTACK = 3 };	/* enum _frameowner; 3.14 has two such values, 3 and 4 */
enum { KIND_BIT = 2, KIND_BIT_FREE_THREADED = 8 };	/* of a str object's state */

/* Versions that do not describe themselves. */
static const struct {
	uint32_t minor;
	struct rt_py_layout layout;
} layouts[] = {
	{ 11, {
		.runtime_interps = 40, .interp_next = 0, .interp_threads = 16, .thread_next = 8, .thread_tid = 160,
		.thread_frame = 56, .cframes = true, .cframe_frame = 8, .cframe_previous = 16,
		.frame_code = 32, .frame_previous = 48, .frame_instr = 56, .frame_entry = 68, .entry_least = 1,
		.code_file = 112, .code_name = 128, .code_lines = 136, .code_first = 72, .code_code = 184,
		.string_length = 16, .string_state = 32, .string_ascii = 48, .string_wide = 72,
		.string_kind = KIND_BIT, .bytes_size = 16, .bytes_data = 32,
	} },
	{ 12, {
		.runtime_interps = 40, .interp_next = 0, .interp_threads = 72, .thread_next = 8, .thread_tid = 144,
		.thread_frame = 56, .cframes = true, .cframe_frame = 0, .cframe_previous = 8,
		.frame_code = 0, .frame_previous = 8, .frame_instr = 56, .frame_entry = 70,
		.entry_least = OWNED_BY_CSTACK, .shims = true,
		.code_file = 112, .code_name = 128, .code_lines = 136, .code_first = 68, .code_code = 192,
		.string_length = 16, .string_state = 32, .string_ascii = 40, .string_wide = 56,
		.string_kind = KIND_BIT, .bytes_size = 16, .bytes_data = 32,
	} },
};

/* The words of _Py_DebugOffsets by version, which begins with "xdebugpy", Py_Version, and whether it is free-threaded.
 * 0: it has none. */
enum { DEBUG_VERSION = 1, DEBUG_FREE_THREADED = 2, DEBUG_WORDS = 96, DEBUG_FIRST = 13 };

static const struct {
	uint16_t member;			/* offset in struct rt_py_layout */
	uint16_t most;				/* maximum value; more is not plausible */
	uint8_t word[3];			/* in 3.13, 3.14, 3.15 */
} described[] = {
#define WORD(m, most, ...) { offsetof(struct rt_py_layout, m), most, { __VA_ARGS__ } }
	WORD(runtime_interps, UINT16_MAX, 5, 5, 5),	/* runtime_state.interpreters_head */
	WORD(interp_next, UINT16_MAX, 8, 8, 8),		/* interpreter_state.next */
	WORD(interp_threads, UINT16_MAX, 9, 9, 9),	/* .threads_head */
	WORD(thread_previous, 1024, 20, 23, 23),	/* thread_state.prev */
	WORD(thread_next, 1024, 21, 24, 24),		/* .next */
	WORD(thread_frame, 1024, 23, 26, 26),		/* .current_frame */
	WORD(thread_tid, 1024, 25, 28, 31),		/* .native_thread_id */
	WORD(frame_previous, RT_PY_READ - 8, 29, 32, 40),	/* interpreter_frame.previous */
	WORD(frame_code, RT_PY_READ - 8, 30, 33, 41),	/* .executable */
	WORD(frame_instr, RT_PY_READ - 8, 31, 34, 42),	/* .instr_ptr */
	WORD(frame_entry, RT_PY_READ - 1, 33, 36, 44),	/* .owner */
	WORD(frame_copy, RT_PY_READ - 4, 0, 38, 46),	/* .tlbc_index */
	WORD(code_file, 1024, 35, 40, 48),		/* code_object.filename */
	WORD(code_name, 1024, 37, 42, 50),		/* .qualname */
	WORD(code_lines, 1024, 38, 43, 51),		/* .linetable */
	WORD(code_first, 1024, 39, 44, 52),		/* .firstlineno */
	WORD(code_code, 1024, 43, 48, 56),		/* .co_code_adaptive */
	WORD(code_copies, 1024, 0, 49, 57),		/* .co_tlbc */
	WORD(bytes_size, 64, 65, 75, 87),		/* bytes_object.ob_size */
	WORD(bytes_data, 64, 66, 76, 88),		/* .ob_sval */
	WORD(string_state, 64, 68, 78, 90),		/* unicode_object.state */
	WORD(string_length, 64, 69, 79, 91),		/* .length */
	WORD(string_ascii, 128, 70, 80, 92),		/* .asciiobject_size */
#undef WORD
};

/* Words with known values, by version: pyobject.size and .ob_type. */
static const struct { uint8_t size, type; } objects[] = { { 44, 45 }, { 50, 51 }, { 58, 59 } };

enum { COMPACT_MORE = 16 };	/* bytes that str objects of other characters have in addition */

/* Takes the offsets of version 3.`minor` from the process: row `row` of the tables. */
static enum python_known layout_described(struct rt_py_layout *out, uint32_t version, unsigned row, const uint64_t *w)
{
	bool free_threaded = w[DEBUG_FREE_THREADED] == 1;

	if (memcmp(w, "xdebugpy", 8) || w[DEBUG_VERSION] != version || w[DEBUG_FREE_THREADED] > 1 ||
	    w[objects[row].size] != (free_threaded ? 32 : 16) || w[objects[row].type] != (free_threaded ? 24 : 8))
		return PYTHON_UNREAD;
	*out = (struct rt_py_layout){ .entry_least = OWNED_BY_CSTACK, .shims = true, .string_kind = KIND_BIT };
	for (size_t i = 0; i < sizeof described / sizeof described[0]; i++) {
		uint64_t v = described[i].word[row] ? w[described[i].word[row]] : 0;
		uint16_t offset = (uint16_t)v;

		if (v > described[i].most)
			return PYTHON_UNREAD;
		memcpy((char *)out + described[i].member, &offset, sizeof offset);
	}
	if (free_threaded && row)
		out->string_kind = KIND_BIT_FREE_THREADED;
	out->string_wide = out->string_ascii + COMPACT_MORE;
	return out->code_file && out->code_name && out->code_lines && out->thread_tid ? PYTHON_KNOWN : PYTHON_UNREAD;
}

enum python_known python_layout(struct rt_py_layout *out, uint32_t version, uint64_t runtime,
				const struct jstack_memory *m)
{
	uint32_t minor = version >> 16 & 0xff;
	uint64_t w[DEBUG_WORDS];

	if (version >> 24 != 3)
		return PYTHON_UNKNOWN;
	for (unsigned i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
		if (layouts[i].minor != minor)
			continue;
		*out = layouts[i].layout;
		return PYTHON_KNOWN;
	}
	if (minor < DEBUG_FIRST || minor - DEBUG_FIRST >= sizeof objects / sizeof objects[0])
		return PYTHON_UNKNOWN;
	if (!m->read(m->arg, runtime, w, sizeof w))
		return PYTHON_UNREAD;
	return layout_described(out, version, minor - DEBUG_FIRST, w);
}
