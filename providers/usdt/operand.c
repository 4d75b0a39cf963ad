/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "providers/usdt/operand.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/arch/arch.h"

/* ---- registers ---- */
/* The names of a register by width: 8, 4, 2 and 1 bytes; `high` is the second byte. */
struct machine_reg {
	const char *name[4], *high;
	uint8_t off;
};

static const struct machine_reg regs[] = {
#include ARCH_USDT
};
enum { NREGS = sizeof regs / sizeof *regs };

static bool is_name(const char *name, const char *text, size_t n)
{
	return name && strlen(name) == n && !memcmp(name, text, n);
}

/* ---- reading ---- */
struct operand_reader {
	const char *p, *end;
	bool bad;
};

static bool skip_char(struct operand_reader *r, char c)
{
	if (r->p == r->end || *r->p != c)
		return false;
	r->p++;
	return true;
}

/* A register with its '%'. Stores its size in bytes and which byte it begins at; returns its offset. */
static int16_t reg_read(struct operand_reader *r, uint8_t *size, uint8_t *shift)
{
	const char *p = r->p + 1;
	size_t n = 0;

	*size = *shift = 0;
	if (!skip_char(r, '%')) {
		r->bad = true;
		return USDT_NONE;
	}
	while (p + n < r->end && isalnum((unsigned char)p[n]))
		n++;
	r->p = p + n;
	for (size_t i = 0; n && i < NREGS; i++) {
		for (unsigned k = 0; k < 4; k++)
			if (is_name(regs[i].name[k], p, n)) {
				*size = (uint8_t)(8 >> k);
				return regs[i].off;
			}
		if (is_name(regs[i].high, p, n)) {
			*size = 1;
			*shift = 8;
			return regs[i].off;
		}
	}
	r->bad = true;
	return USDT_NONE;
}

/* A number as C writes it. */
static int64_t number_read(struct operand_reader *r, int64_t sign)
{
	char digits[32], *end;
	size_t n = 0;
	uint64_t v;

	while (r->p + n < r->end && n < sizeof digits - 1 && isalnum((unsigned char)r->p[n])) {
		digits[n] = r->p[n];
		n++;
	}
	digits[n] = '\0';
	v = strtoull(digits, &end, 0);
	r->bad |= !n || *end;
	r->p += n;
	return (int64_t)(sign < 0 ? 0 - v : v);
}

static void symbol_read(struct operand_reader *r, struct usdt_operand *o)
{
	r->bad |= o->symbol != NULL;
	o->symbol = r->p;
	while (r->p < r->end && (isalnum((unsigned char)*r->p) || strchr("_.$@", *r->p)))
		r->p++;
	o->symbol_len = (size_t)(r->p - o->symbol);
}

/* A sum of numbers and of at most one symbol. */
static void sum_read(struct operand_reader *r, struct usdt_operand *o)
{
	int64_t sign = 1;
	bool open = false;		/* a sign needs a number after it */

	while (!r->bad && r->p < r->end && *r->p != '(') {
		bool minus = skip_char(r, '-');

		if (minus || skip_char(r, '+')) {
			r->bad = open;
			sign = minus ? -1 : 1;
			open = true;
			continue;
		}
		if ((isalpha((unsigned char)*r->p) || *r->p == '_' || *r->p == '.') && sign > 0)
			symbol_read(r, o);
		else
			o->disp = (int64_t)((uint64_t)o->disp + (uint64_t)number_read(r, sign));
		sign = 1;
		open = false;
	}
	r->bad |= open;
}

/* (base), (base,index), (base,index,scale), (,index,scale) */
static void address_read(struct operand_reader *r, struct usdt_operand *o)
{
	uint8_t size, shift;

	if (r->p == r->end || !skip_char(r, '('))
		return;
	if (r->p < r->end && *r->p != ',')
		o->base = reg_read(r, &size, &shift);
	if (skip_char(r, ',')) {
		o->index = reg_read(r, &size, &shift);
		o->scale = 1;
		if (skip_char(r, ','))
			o->scale = (uint8_t)number_read(r, 1);
		r->bad |= o->scale != 1 && o->scale != 2 && o->scale != 4 && o->scale != 8;
	}
	r->bad |= !skip_char(r, ')');
}

static void place_read(struct operand_reader *r, struct usdt_operand *o, bool sized)
{
	uint8_t size;

	if (r->p < r->end && *r->p == '%') {
		o->kind = USDT_REGISTER;
		o->base = reg_read(r, &size, &o->shift);
		if (!sized || size < o->size)
			o->size = size;
	} else if (skip_char(r, '$')) {
		o->kind = USDT_CONSTANT;
		r->bad |= r->p == r->end;
		sum_read(r, o);
		r->bad |= o->symbol != NULL;	/* its address; compilers do not write it */
	} else {
		o->kind = USDT_MEMORY;
		r->bad |= r->p == r->end;
		sum_read(r, o);
		address_read(r, o);
	}
	r->bad |= r->p != r->end;
}

/* "-4@": the sign and size. Returns false if the operand has none. */
static bool size_read(struct operand_reader *r, struct usdt_operand *o)
{
	struct operand_reader s = *r;
	int64_t size;

	o->is_signed = skip_char(&s, '-');
	if (s.p == s.end || !isdigit((unsigned char)*s.p))
		return false;
	size = *s.p++ - '0';
	o->real = skip_char(&s, 'f');
	if (!skip_char(&s, '@'))
		return o->real = false;
	r->bad = size != 1 && size != 2 && size != 4 && size != 8;
	r->p = s.p;
	o->size = (uint8_t)size;
	return true;
}

/* Old notes have no sizes: then an argument is as large as its register, or a word. It is signed. */
static struct usdt_operand operand_read(const char *p, size_t n, unsigned word)
{
	struct usdt_operand o = { .base = USDT_NONE, .index = USDT_NONE };
	struct operand_reader r = { p, p + n, false };
	bool sized = size_read(&r, &o);

	if (!sized) {
		o.size = (uint8_t)word;
		o.is_signed = true;
	}
	place_read(&r, &o, sized);
	if (r.bad || o.real)
		o.kind = USDT_OTHER;
	return o;
}

/* Operands end at a space outside of parentheses. */
unsigned usdt_operands(const char *text, unsigned word, struct usdt_operand *out, unsigned max)
{
	unsigned n = 0;

	while (n < max) {
		size_t len = 0;
		int depth = 0;

		text += strspn(text, " \t");
		if (!*text)
			break;
		for (; text[len] && (depth > 0 || !strchr(" \t", text[len])); len++)
			depth += text[len] == '(' ? 1 : text[len] == ')' ? -1 : 0;
		out[n++] = operand_read(text, len, word);
		text += len;
	}
	return n;
}
