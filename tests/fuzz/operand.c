/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Untrusted operands of USDT notes: what is understood can be turned into code. First byte: bytes of an address. */
#include <stdlib.h>
#include <string.h>

#include "providers/usdt/operand.h"
#include "tests/fuzz/fuzz.h"

static bool is_register(int at)
{
	return at >= 0 && at <= 160 && at % 8 == 0;	/* in struct pt_regs */
}

static void check_memory(const struct usdt_operand *o)
{
	FUZZ_CHECK(o->base == USDT_NONE || is_register(o->base), "base %d", o->base);
	FUZZ_CHECK(o->index == USDT_NONE || is_register(o->index), "index %d", o->index);
	FUZZ_CHECK(o->index == USDT_NONE || o->scale == 1 || o->scale == 2 || o->scale == 4 || o->scale == 8,
		   "scale %u", o->scale);
}

static void check(const struct usdt_operand *o, const char *text)
{
	if (o->kind == USDT_OTHER)
		return;
	FUZZ_CHECK(o->size == 1 || o->size == 2 || o->size == 4 || o->size == 8, "size %u", o->size);
	FUZZ_CHECK(!o->real, "a floating-point number");
	if (o->kind == USDT_REGISTER)
		FUZZ_CHECK(is_register(o->base) && (o->shift == 0 || o->shift == 8), "register %d", o->base);
	if (o->kind == USDT_MEMORY)
		check_memory(o);
	FUZZ_CHECK(!o->symbol || (o->kind == USDT_MEMORY && o->symbol >= text && o->symbol_len &&
				  o->symbol + o->symbol_len <= text + strlen(text)), "the symbol is in the text");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct usdt_operand few[1], o[USDT_MAXARGS];
	unsigned word = size && data[0] & 1 ? 4 : 8, n;
	char *text;

	if (!size || !(text = malloc(size)))
		return 0;
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	n = usdt_operands(text, word, o, USDT_MAXARGS);
	FUZZ_CHECK(n <= USDT_MAXARGS, "%u operands", n);
	for (unsigned i = 0; i < n; i++)
		check(&o[i], text);
	FUZZ_CHECK(usdt_operands(text, word, few, 1) == (n > 0), "the first one alone");
	free(text);
	return 0;
}
