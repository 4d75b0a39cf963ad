/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The memory of a process that runs V8, repeated over all addresses. The first byte selects a frame, the second one the
 * kind of its code. A word is a reference to an object, whose type is in its upper half, or a number. The same bytes
 * are also V8's tables.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/runtimes/v8/code.h"
#include "engine/runtimes/v8/lines.h"
#include "tests/fuzz/fuzz.h"

struct v8_input {
	const uint8_t *data;
	size_t size;
	uint64_t reads;
};

static bool input_read(void *arg, uint64_t addr, void *buf, uint64_t n)
{
	struct v8_input *in = arg;
	uint64_t off = addr % in->size;

	in->reads++;
	if (!addr || n > in->size - off)
		return false;
	memcpy(buf, in->data + off, n);
	return true;
}

/* All objects but strings have one type. */
static const struct rt_v8_layout layout = {
	.map_type = 4, .function_shared = 24, .shared_data = 8, .shared_name = 16, .shared_script = 32,
	.shared_token = 44, .shared_literal = 52, .script_name = 16, .script_source = 8, .script_id = 64,
	.string_length = 12, .string_chars = 16, .cons_first = 16, .cons_second = 24, .thin_actual = 16,
	.sliced_parent = 16, .sliced_offset = 24, .external_data = 24, .array_length = 8, .array_data = 16,
	.bytecode_table = 32, .bytecode_data = 54, .function_code = 48, .function_cell = 40, .cell_vector = 8,
	.vector = 8, .code_bytecode = 16, .code_table = 24, .code_start = 40, .code_bytes = 56, .code_flags = 48,
	.context_last = UINT16_MAX, .function_last = UINT16_MAX, .shared = 8, .script = 8, .scope = 8, .bytecode = 8,
	.bytes = 8, .code = 8, .array = 8, .weak_array = 8, .first_no_string = 128, .scope_inline = 75,
};

static uint32_t any_number(void *arg, struct rt_v8 *v)
{
	(void)arg;
	return (uint32_t)v->frame.shared & CODES_MAX;
}

static uint32_t any_line(void *arg, const struct rt_v8_frame *f, uint32_t position)
{
	(void)arg;
	(void)f;
	return position & INT32_MAX;
}

static void code_check(const struct v8_compiled *c, const struct rt_v8 *v)
{
	static const uint8_t sizes[3 * 200] = { 1, 1, 2, 3, 1, 2, 3, 4, 5, [200] = 1, 2, 3 };
	struct v8_code_reader reader = {
		.v = *v, .sizes = sizes, .nsizes = 200, .number = any_number, .line = any_line,
	};
	struct v8_code_text *text = malloc(sizeof *text);
	uint64_t words[V8_CODE_FRAMES];
	struct code code;

	if (text) {
		v8_describe_code(&code, text, c, &reader);
		FUZZ_CHECK(code.size <= V8_CODE_TABLE, "%u bytes", code.size);
		for (uint32_t i = 0; i < 64; i++)
			FUZZ_CHECK(code.inlined(&code, i * i, words, i % (V8_CODE_FRAMES + 1)) <=
				   i % (V8_CODE_FRAMES + 1), "frames");
	}
	free(text);
}

static void function_check(struct rt_v8 *v, const struct v8_input *in)
{
	struct v8_scripts *scripts = calloc(1, sizeof *scripts);
	struct v8_function_text *text = malloc(sizeof *text);
	struct code code;

	if (scripts && text && rt_v8_function(v)) {
		struct v8_copy copy = { .table = in->data };

		if (v->function.bytes > in->size)
			v->function.bytes = (uint32_t)in->size;
		if ((v->function.kind == 1 || v->function.kind == 2) &&
		    v->function.length <= in->size / v->function.kind)
			copy.source = in->data;
		v8_describe(&code, text, &v->function, &copy, scripts, 1, v);
		FUZZ_CHECK(strlen(code.name) < V8_NAME && strlen(code.file) < V8_NAME, "names");
		FUZZ_CHECK(code.size <= V8_LINES, "%u bytes", code.size);
		for (uint32_t i = 0; i < 64; i++)
			v8_line(&code, i * i);
	}
	if (scripts)
		v8_scripts_close(scripts);
	free(scripts);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct v8_input in = { data + 2, size - 2, 0 };
	struct rt_v8 *v = calloc(1, sizeof *v);

	if (!v || size < 64) {
		free(v);
		return 0;
	}
	v->layout = layout;
	v->read = input_read;
	v->arg = &in;
	if (rt_v8_frame(v, 4096 + 8ull * data[0], 0)) {
		struct v8_compiled c = { .frame = v->frame, .function = 1 };

		rt_v8_still(v);
		if (rt_v8_code(v, data[1]) || v->compiled.at)
			c.code = v->compiled;
		c.code.kind = data[1] & 1 ? RT_V8_BASELINE : RT_V8_BASELINE + 2;
		function_check(v, &in);
		FUZZ_CHECK(in.reads < 20 * (RT_V8_SLOTS + 2 * RT_V8_PARTS + 64), "%llu reads",
			   (unsigned long long)in.reads);
		code_check(&c, v);
	}
	free(v);
	return 0;
}
