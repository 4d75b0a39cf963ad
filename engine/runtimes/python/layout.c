/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The layout of CPython's structures (64-bit builds). */
#include <string.h>

#include "engine/runtimes/python/python.h"

enum { OWNED_BY_CSTACK = 3 };	/* enum _frameowner; 3.14 has two such values, 3 and 4 */

/* From 3.13 on, only what _Py_DebugOffsets lacks is used. */
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
		.bytes_size = 16, .bytes_data = 32,
	} },
	{ 12, {
		.runtime_interps = 40, .interp_next = 0, .interp_threads = 72, .thread_next = 8, .thread_tid = 144,
		.thread_frame = 56, .cframes = true, .cframe_frame = 0, .cframe_previous = 8,
		.frame_code = 0, .frame_previous = 8, .frame_instr = 56, .frame_entry = 70,
		.entry_least = OWNED_BY_CSTACK, .shims = true,
		.code_file = 112, .code_name = 128, .code_lines = 136, .code_first = 68, .code_code = 192,
		.string_length = 16, .string_state = 32, .string_ascii = 40, .string_wide = 56,
		.bytes_size = 16, .bytes_data = 32,
	} },
	{ 13, {
		.runtime_interps = 632, .interp_next = 7264, .interp_threads = 7344, .thread_next = 8,
		.thread_tid = 160, .thread_frame = 72,
		.frame_code = 0, .frame_previous = 8, .frame_instr = 56, .frame_entry = 70,
		.entry_least = OWNED_BY_CSTACK, .shims = true,
		.code_file = 112, .code_name = 128, .code_lines = 136, .code_first = 68, .code_code = 200,
		.string_length = 16, .string_state = 32, .string_ascii = 40, .string_wide = 56,
		.bytes_size = 16, .bytes_data = 32,
	} },
};

enum { LAYOUTS = sizeof layouts / sizeof layouts[0], DESCRIBED = 13, LATEST = 13, DEBUG_WORDS = 72 };

/* The words of _Py_DebugOffsets. */
static const struct {
	uint16_t word;
	uint16_t member;		/* offset in struct rt_py_layout */
	uint16_t most;			/* maximum value; more is not plausible */
} described[] = {
#define WORD(n, m, most) { n, offsetof(struct rt_py_layout, m), most }
	WORD(5, runtime_interps, UINT16_MAX), WORD(8, interp_next, UINT16_MAX), WORD(9, interp_threads, UINT16_MAX),
	WORD(21, thread_next, 1024), WORD(23, thread_frame, 1024), WORD(25, thread_tid, 1024),
	WORD(29, frame_previous, RT_PY_READ - 8), WORD(30, frame_code, RT_PY_READ - 8),
	WORD(31, frame_instr, RT_PY_READ - 8), WORD(33, frame_entry, RT_PY_READ - 1),
	WORD(35, code_file, 1024), WORD(37, code_name, 1024), WORD(38, code_lines, 1024), WORD(39, code_first, 1024),
	WORD(43, code_code, 1024), WORD(65, bytes_size, 64), WORD(66, bytes_data, 64), WORD(68, string_state, 64),
	WORD(69, string_length, 64), WORD(70, string_ascii, 128),
#undef WORD
};

enum { OBJECT_SIZE = 44, OBJECT_TYPE = 45, COMPACT_MORE = 16 };

/* Takes the offsets from the process. A later version may have moved the words, so some are compared with what they
 * must be. */
static bool layout_described(struct rt_py_layout *out, const uint64_t *w)
{
	if (memcmp(w, "xdebugpy", 8) || w[OBJECT_SIZE] != 16 || w[OBJECT_TYPE] != 8)
		return false;
	for (size_t i = 0; i < sizeof described / sizeof described[0]; i++) {
		uint64_t v = w[described[i].word];
		uint16_t offset = (uint16_t)v;

		if (v > described[i].most)
			return false;
		memcpy((char *)out + described[i].member, &offset, sizeof offset);
	}
	out->string_wide = out->string_ascii + COMPACT_MORE;
	return out->code_file && out->code_name && out->code_lines && out->thread_tid;
}

bool python_layout(struct rt_py_layout *out, uint32_t version, uint64_t runtime, const struct jstack_memory *m)
{
	uint32_t minor = version >> 16 & 0xff, row = minor > LATEST ? LATEST : minor;
	uint64_t w[DEBUG_WORDS];

	if (version >> 24 != 3)
		return false;
	for (unsigned i = 0; i < LAYOUTS; i++) {
		if (layouts[i].minor != row)
			continue;
		*out = layouts[i].layout;
		return minor < DESCRIBED || (m->read(m->arg, runtime, w, sizeof w) && layout_described(out, w));
	}
	return false;
}
