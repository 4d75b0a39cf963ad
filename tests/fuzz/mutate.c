/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Mutations of words and lines, for text inputs: mutating bytes of a program rarely results in another program.
 * Linked with libFuzzer only.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);

struct piece {
	size_t at, n;
};

struct edit {
	uint8_t *data;
	size_t size, max;
	uint64_t random;
};

static size_t pick(struct edit *e, size_t n)
{
	e->random = e->random * 6364136223846793005ull + 1442695040888963407ull;
	return n ? (size_t)(e->random >> 33) % n : 0;
}

/* Replaces the piece with n bytes. */
static void replace(struct edit *e, struct piece p, const void *with, size_t n)
{
	if (e->size - p.n + n > e->max)
		return;
	memmove(e->data + p.at + n, e->data + p.at + p.n, e->size - p.at - p.n);
	memcpy(e->data + p.at, with, n);
	e->size += n - p.n;
}

static bool is_word(int c)
{
	return isalnum(c) || c == '_' || c == '.' || c == '$' || c == '@';
}

/* The word, string or single character at a position. */
static struct piece word_at(const struct edit *e, size_t at)
{
	struct piece p = { at, 1 };

	if (!is_word(e->data[at]))
		return p;
	while (p.at && is_word(e->data[p.at - 1]))
		p.at--;
	p.n = at - p.at;
	while (p.at + p.n < e->size && is_word(e->data[p.at + p.n]))
		p.n++;
	return p;
}

/* A line, or a part of it between two semicolons. */
static struct piece line_at(const struct edit *e, size_t at, bool statement)
{
	struct piece p = { at, 0 };

	while (p.at && e->data[p.at - 1] != '\n' && !(statement && e->data[p.at - 1] == ';'))
		p.at--;
	for (p.n = at - p.at; p.at + p.n < e->size;) {
		uint8_t c = e->data[p.at + p.n++];

		if (c == '\n' || (statement && c == ';'))
			break;
	}
	return p;
}

static uint8_t *copy(const struct edit *e, struct piece p)
{
	uint8_t *c = malloc(p.n + 1);

	if (!c)
		abort();
	memcpy(c, e->data + p.at, p.n);
	return c;
}

/* One piece replaces another, or is inserted before it. */
static void move(struct edit *e, struct piece to, struct piece from, bool insert)
{
	uint8_t *c = copy(e, from);

	if (insert)
		to.n = 0;
	replace(e, to, c, from.n);
	free(c);
}

static void swap_words(struct edit *e)
{
	move(e, word_at(e, pick(e, e->size)), word_at(e, pick(e, e->size)), false);
}

static void move_line(struct edit *e)
{
	bool statement = pick(e, 2);

	move(e, line_at(e, pick(e, e->size), statement), line_at(e, pick(e, e->size), statement), pick(e, 2));
}

static void drop_line(struct edit *e)
{
	replace(e, line_at(e, pick(e, e->size), pick(e, 2)), "", 0);
}

static void change_number(struct edit *e)
{
	static const char *const numbers[] = {
		"0", "1", "2", "7", "8", "16", "31", "32", "33", "63", "64", "127", "128", "255", "256", "4095", "4096",
		"65535", "65536", "2147483647", "2147483648", "4294967295", "4294967296", "9223372036854775807",
		"9223372036854775808", "18446744073709551615", "18446744073709551616", "-1", "-8", "0x7fffffffffffffff",
	};
	size_t start = pick(e, e->size);

	for (size_t i = 0; i < e->size; i++) {
		size_t at = (start + i) % e->size, n = 0;
		const char *with = numbers[pick(e, sizeof numbers / sizeof *numbers)];

		if (!isdigit(e->data[at]))
			continue;
		while (at + n < e->size && isxdigit(e->data[at + n]))
			n++;
		replace(e, (struct piece){ at, n }, with, strlen(with));
		return;
	}
}

/* Changes "rN" to an adjacent register, which matters most in IR. */
static void nudge_digit(struct edit *e)
{
	size_t start = pick(e, e->size);

	for (size_t i = 0; i < e->size; i++) {
		size_t at = (start + i) % e->size;

		if (!isdigit(e->data[at]))
			continue;
		e->data[at] = (uint8_t)('0' + pick(e, 10));
		return;
	}
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	static void (*const edits[])(struct edit *) = {
		swap_words, swap_words, move_line, move_line, drop_line, change_number, nudge_digit, nudge_digit,
	};
	struct edit e = { data, size, max, seed };

	if (!size || pick(&e, 3) == 0)
		return LLVMFuzzerMutate(data, size, max);
	for (size_t n = 1 + pick(&e, 3); n && e.size; n--)
		edits[pick(&e, sizeof edits / sizeof *edits)](&e);
	return e.size;
}
