/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The memory of a process that runs CPython, repeated over all addresses. The first byte selects the version (with its
 * top bit, the memory begins with a layout), the second one the thread. The same bytes are also a table of
 * lines, and the native frames with which the interpreted ones are merged.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/runtimes/python/python.h"
#include "tests/fuzz/fuzz.h"

struct python_input {
	const uint8_t *data;
	size_t size;
	uint64_t reads;
};

static bool input_read(void *arg, uint64_t addr, void *buf, uint64_t n)
{
	struct python_input *in = arg;
	uint64_t off = addr % in->size;

	in->reads++;
	if (!addr || n > in->size - off)
		return false;
	memcpy(buf, in->data + off, n);
	return true;
}

static void code_check(const struct rt_py *p, const struct rt_py_frame *f, const struct jstack_memory *m)
{
	struct python_text *text = malloc(sizeof *text);
	struct code code;

	if (text && python_code(&code, text, &p->layout, f->code, m)) {
		FUZZ_CHECK(strlen(code.name) < PYTHON_NAME && strlen(code.file) < PYTHON_NAME, "names");
		FUZZ_CHECK(code.size <= PYTHON_LINES, "%u bytes", code.size);
		FUZZ_CHECK(python_line(&code, python_offset(&p->layout, f)) <= INT32_MAX, "line");
	}
	free(text);
}

/* A layout with small offsets, as a description may have them. */
static bool layout_given(struct rt_py_layout *out, const uint8_t *data, size_t size)
{
	uint8_t bytes[sizeof *out] = { 0 };

	for (size_t i = 0; i < sizeof bytes && i < size; i += 2)
		bytes[i] = data[i] % (RT_PY_READ - 7);
	memcpy(out, bytes, sizeof bytes);
	out->entry_least = size > 12 ? data[12] & 3 : 0;
	out->cframes = size > 13 && data[13] & 1;
	out->shims = size > 13 && data[13] & 2;
	out->string_kind = 2;
	return true;
}

static bool layout_of(struct rt_py_layout *out, const struct python_input *in, const struct jstack_memory *m)
{
	static const uint32_t versions[] = { 0x030b02f0, 0x030c05f0, 0x030d05f0, 0x030e0af0, 0x030f02f0 };
	uint8_t first = in->data[-2];

	return first & 0x80 ? layout_given(out, in->data, in->size) :
	       python_layout(out, versions[first % 5], in->size, m) == PYTHON_KNOWN;
}

/* Native frames that grow by the input's bytes, at addresses between those of the interpreted frames. */
static void merge_check(struct rt_py *p, const struct python_input *in)
{
	uint64_t pc[RT_PY_FRAMES], sp[RT_PY_FRAMES], out[RT_PY_WORDS], at = 0;
	struct rt_py_merge m = { .pc = pc, .sp = sp, .n = in->data[0] % (RT_PY_FRAMES + 1), .out = out, .py = p };

	for (uint64_t i = 0; i < RT_PY_FRAMES; i++) {
		at += in->data[i % in->size];
		pc[i] = i + 1;
		sp[i] = i & 1 ? at : in->data[i % in->size];
	}
	m.end = in->data[1] & 1 ? UINT64_MAX : at;
	for (uint64_t i = 0; i < p->n; i++)
		p->frame[i].at = p->frame[i].at % 3 ? RT_PY_MARKS | i : 0;
	for (p->keep = RT_PY_OMIT; p->keep <= RT_PY_SHOW; p->keep++) {
		rt_py_merge(&m);
		FUZZ_CHECK(p->nout <= p->n + m.n, "%llu words", (unsigned long long)p->nout);
		for (uint64_t i = 0; i < p->nout; i++)
			FUZZ_CHECK(p->keep == RT_PY_MARK || (out[i] & RT_PY_MARKS) != RT_PY_REPLACED, "mark");
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct python_input in = { data + 2, size - 2, 0 };
	const struct jstack_memory m = { input_read, &in };
	struct code table = { .first = 1, .lines = data, .size = (uint32_t)size };
	struct rt_py *p = calloc(1, sizeof *p);
	struct rt_py_copy copy;

	for (uint32_t i = 0; i < 64; i++)
		FUZZ_CHECK(python_line(&table, i * i) <= INT32_MAX, "line");
	if (p && size > 10 && layout_of(&p->layout, &in, &m)) {
		p->runtime = in.size;
		p->tid = data[1];
		p->read = input_read;
		p->arg = &in;
		if (rt_py_thread(p))
			rt_py_walk(p, &copy);
		FUZZ_CHECK(p->n <= RT_PY_FRAMES, "%llu frames", (unsigned long long)p->n);
		FUZZ_CHECK(in.reads <= 4 * RT_PY_THREADS + 6 * RT_PY_STEPS + 10 * RT_PY_STATES, "reads");
		for (uint64_t i = 0; i < p->n; i++)
			code_check(p, &p->frame[i], &m);
		merge_check(p, &in);
	}
	free(p);
	return 0;
}
