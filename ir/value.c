/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "ir/value.h"

#include <string.h>

#include "base/escape.h"

int64_t val_int(const struct val_field *f, const void *base)
{
	const uint8_t *p = (const uint8_t *)base + f->off;
	uint8_t b;
	uint16_t h;
	uint32_t w;
	uint64_t x;

	/* memcpy, because fields of a packed record may be unaligned */
	switch (f->size) {
	case 1:
		b = *p;
		return f->is_signed ? (int8_t)b : (int64_t)b;
	case 2:
		memcpy(&h, p, sizeof h);
		return f->is_signed ? (int16_t)h : (int64_t)h;
	case 4:
		memcpy(&w, p, sizeof w);
		return f->is_signed ? (int32_t)w : (int64_t)w;
	case 8:
		memcpy(&x, p, sizeof x);
		return (int64_t)x;
	default:
		return 0;
	}
}

long double val_float(const struct val_field *f, const void *base)
{
	const uint8_t *p = (const uint8_t *)base + f->off;
	long double v = 0;
	double d;
	float s;

	memcpy(&v, p, f->size < sizeof v ? f->size : sizeof v);
	if (f->size == sizeof d) {
		memcpy(&d, p, sizeof d);
		v = d;
	} else if (f->size == sizeof s) {
		memcpy(&s, p, sizeof s);
		v = s;
	}
	return v;
}

/* File names are untrusted: anybody may have written the debugging information. */
void val_put_frame(struct buf *out, const struct val_frame *f, size_t n)
{
	const char *slash = f->file ? strrchr(f->file, '/') : NULL;

	buf_put(out, f->text, n);
	if (f->inlined)
		buf_puts(out, " (inlined)");
	if (!f->file)
		return;
	buf_puts(out, " [");
	escape_puts(out, slash && slash[1] ? slash + 1 : f->file, ESCAPE_LINE);
	if (f->line)
		buf_printf(out, ":%u", f->line);
	buf_putc(out, ']');
}

bool val_frames(const struct val_names *names, int64_t owner, uint64_t addr, bool call, val_frame_fn *fn, void *to)
{
	struct val_frame f = { 0 };
	struct buf text = { 0 };
	bool whole;

	if (names && names->frames) {
		names->frames(names->arg, owner, addr, call, fn, to);
		return true;
	}
	if (names && names->addr)
		names->addr(names->arg, &text, owner, addr);
	else
		buf_printf(&text, "0x%llx", (unsigned long long)addr);
	f.text = buf_str(&text);
	fn(to, &f);
	whole = !text.failed;
	buf_free(&text);
	return whole;
}

static void show_words(struct buf *out, const struct val_field *f, const uint8_t *p)
{
	bool user = f->kind == VAL_USTACK;
	uint64_t pc;

	buf_putc(out, '\n');
	for (uint32_t i = user; i < f->size / 8; i++) {
		memcpy(&pc, p + 8 * i, sizeof pc);
		if (!pc || pc == VAL_CUT)
			break;
		buf_printf(out, "%*s0x%llx\n", VAL_STACK_INDENT, "", (unsigned long long)pc);
	}
}

void val_show(struct buf *out, const struct val_names *names, const struct val_field *f, const void *base)
{
	const uint8_t *p = (const uint8_t *)base + f->off;
	uint64_t addr;

	if (names && names->show) {
		names->show(names->arg, out, f, base);
		return;
	}
	if (f->kind == VAL_STACK || f->kind == VAL_USTACK) {
		show_words(out, f, p);
		return;
	}
	memcpy(&addr, p + f->size - 8, sizeof addr);
	buf_printf(out, "0x%llx", (unsigned long long)addr);
}
