/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Untrusted files that describe generated code: perf-PID.map (first byte even) and jitdump (odd), read in two steps. */
#include <stdlib.h>
#include <string.h>

#include "engine/symbols/jit_file.h"
#include "tests/fuzz/fuzz.h"

static void look_up(struct jit_codes *c, uint64_t addr, uint64_t at)
{
	const struct jit_code *x = jit_codes_find(c, addr, at);

	if (!x)
		return;
	FUZZ_CHECK(x->start <= addr && addr < x->end, "%llx is not in the range that begins at %llx",
		   (unsigned long long)addr, (unsigned long long)x->start);
	FUZZ_CHECK(strlen(jit_codes_name(c, x)) <= JIT_NAME_MAX, "the name is too long");
}

static void look_around(struct jit_codes *c)
{
	for (uint32_t i = 0; i < c->n; i++) {
		FUZZ_CHECK(c->v[i].start < c->v[i].end, "range %u is empty", i);
		look_up(c, c->v[i].start, 0);
		look_up(c, c->v[i].end - 1, c->v[i].since);
		look_up(c, c->v[i].end, c->v[i].since + 1);
	}
	look_up(c, 0, 0);
	look_up(c, UINT64_MAX, UINT64_MAX);
	jit_codes_changed(c, 1);
}

/* Reads the first `half` bytes, then all of them. Returns the offset reached. */
static uint64_t read_twice(struct jit_codes *c, const uint8_t *mem, size_t half, size_t size, bool dump)
{
	struct jit_reader r = { .fd = -1, .size = half, .mem = mem, .n = half };
	uint64_t off = dump ? jit_dump_read(c, &r, 0) : jit_map_read(c, &r, 0, false);

	FUZZ_CHECK(off <= half || (dump && off == UINT64_MAX) || (dump && off <= JIT_BUFFER),
		   "read beyond the end: %llu", (unsigned long long)off);
	look_around(c);
	r.size = r.n = size;
	off = dump ? jit_dump_read(c, &r, off) : jit_map_read(c, &r, off, true);
	look_around(c);
	return off;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct jit_codes c = { 0 };
	uint8_t *copy;

	if (size < 2)
		return 0;
	copy = malloc(size - 1);
	if (!copy)
		return 0;
	memcpy(copy, data + 1, size - 1);	/* a block of exactly this size */
	read_twice(&c, copy, (size - 1) * (data[0] >> 1) / 128, size - 1, data[0] & 1);
	jit_codes_free(&c);
	free(copy);
	return 0;
}
