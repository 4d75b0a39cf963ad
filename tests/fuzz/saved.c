/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A file of saved aggregations. The checksums are corrected first, so that the code after their check is reached. The
 * file must be refused with a message and an offset within it, or become a set that can be printed, added to itself,
 * compared, and saved as a file that loads to the same. The output must not contain control characters.
 */
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "aggregation/set.h"
#include "base/escape.h"
#include "tests/fuzz/fuzz.h"

enum { HEADER = 16 };

static void seal(uint8_t *p, size_t n)
{
	uint32_t crc = htole32((uint32_t)crc32_z(0, p, n));

	memcpy(p + n, &crc, sizeof crc);
}

/* Corrects the checksums of the header and of all blocks. */
static void mend(uint8_t *p, size_t size)
{
	if (size < HEADER)
		return;
	seal(p, HEADER - 4);
	for (size_t at = HEADER; size - at >= 12;) {
		uint32_t len;

		memcpy(&len, p + at + 4, sizeof len);
		len = le32toh(len);
		if (len > size - at - 12)
			return;
		seal(p + at, 8 + (size_t)len);
		at += 12 + (size_t)len;
	}
}

static void print_all(struct buf *out, const struct agg_set *s)
{
	const struct agg_order by_value = { 0 }, by_key = { .by_key = true, .reverse = true };

	for (unsigned i = 0; i < s->n; i++) {
		FUZZ_CHECK(agg_print(out, &s->tables[i], &by_value) == 0, "no memory");
		FUZZ_CHECK(agg_print(out, &s->tables[i], &by_key) == 0, "no memory");
	}
}

static void save(struct buf *out, const struct agg_set *s)
{
	FUZZ_CHECK(agg_save(out, s) == 0, "it cannot be saved");
}

static void use(struct arena *a, struct agg_set *s)
{
	struct agg_set *one[] = { s }, *two[] = { s, s }, sum, twice, again;
	struct buf file = { 0 }, second = { 0 }, text = { 0 }, why = { 0 };
	size_t shown;

	FUZZ_CHECK(agg_set_match(s, s, &why), "it does not match itself: %s", buf_str(&why));
	FUZZ_CHECK(agg_set_unite(&sum, a, one, 1) == 0, "no memory");
	FUZZ_CHECK(agg_set_unite(&twice, a, two, 2) == 0, "no memory");
	print_all(&text, &sum);
	print_all(&text, &twice);
	FUZZ_CHECK(agg_diff(&text, &sum, &twice) == 0, "no memory");
	shown = text.len;
	FUZZ_CHECK(escape_width(buf_str(&text), &shown, SIZE_MAX, ESCAPE_TEXT) == text.len, "not escaped: %s",
		   buf_str(&text));
	save(&file, &sum);
	FUZZ_CHECK(agg_load(&again, a, file.data, file.len, &why) == 0, "what was saved is refused: %s", buf_str(&why));
	save(&second, &again);
	FUZZ_CHECK(file.len == second.len && !memcmp(file.data, second.data, file.len),
		   "saved again it is another file");
	agg_set_close(&again);
	agg_set_close(&sum);
	agg_set_close(&twice);
	buf_free(&file);
	buf_free(&second);
	buf_free(&text);
	buf_free(&why);
}

/* If read in pieces, the file must be read to its end and no further. */
static void reads_all(const uint8_t *file, size_t size)
{
	size_t at = 0, have = 0;

	while (have <= size && agg_load_wants(&at, file, have) >= have)
		have += have < size && size - have < 7 ? size - have : 7;
	FUZZ_CHECK(have >= size && have < size + 14, "%zu of %zu bytes are read", have, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *file = malloc(size ? size : 1);
	struct buf why = { 0 };
	struct arena arena;
	struct agg_set s;
	unsigned long at;

	if (!file)
		abort();
	if (size)
		memcpy(file, data, size);
	mend(file, size);
	arena_init(&arena, NULL, NULL);
	if (agg_load(&s, &arena, file, size, &why) == 0) {
		FUZZ_CHECK(!why.len, "an error without a failure: %s", buf_str(&why));
		use(&arena, &s);
		reads_all(file, size);
	} else {
		FUZZ_CHECK(sscanf(buf_str(&why), "byte %lu: ", &at) == 1 && at <= size, "no place: %s", buf_str(&why));
		FUZZ_CHECK(why.len < 500 && !strchr(buf_str(&why), '\n'), "more than a sentence: %s", buf_str(&why));
	}
	agg_set_close(&s);
	arena_free(&arena);
	buf_free(&why);
	free(file);
	return 0;
}
