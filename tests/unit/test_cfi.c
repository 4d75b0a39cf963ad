/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Rows of hand-made unwinding tables: every instruction, encoding and format, and invalid ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "engine/unwind/cfi.h"

#define TEXT 0x1000u
#define ADDR 0x5000u		/* address of the section */
#define B(...) (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ })

/* ---- sections ---- */
struct cie_made {
	unsigned version;		/* 0: 1 */
	const char *augmentation;	/* NULL: "zR" */
	const char *data;		/* augmentation data, `ndata` bytes; NULL: pcrel, 4 bytes */
	unsigned ndata, claimed;	/* claimed: length according to the CIE; 0: ndata */
	unsigned code_align;		/* 0: 1 */
	unsigned ra;			/* 0: 16 */
	const uint8_t *prog;		/* NULL: CFA = register 7 + 8, register 16 is at the CFA - 8 */
	size_t nprog;
	bool debug, is64;		/* .debug_frame; 64-bit lengths */
};

static void put(struct buf *b, uint64_t v, unsigned bytes)
{
	buf_put(b, &v, bytes);
}

/* Appends an entry with the given ID. Returns its offset. */
static uint64_t entry_put(struct buf *b, uint64_t id, const struct buf *body, bool is64)
{
	uint64_t at = b->len, id_bytes = is64 ? 8 : 4;

	if (is64)
		put(b, UINT32_MAX, 4);
	put(b, id_bytes + body->len, is64 ? 8 : 4);
	put(b, id, (unsigned)id_bytes);
	buf_put(b, body->data, body->len);
	return at;
}

static uint64_t cie_put(struct buf *b, const struct cie_made *c)
{
	const char *augmentation = c->augmentation ? c->augmentation : c->debug ? "" : "zR";
	struct buf body = { 0 };
	uint64_t at;

	buf_putc(&body, c->version ? (int)c->version : 1);
	buf_put(&body, augmentation, strlen(augmentation) + 1);
	if (c->version == 4)
		buf_put(&body, c->data ? c->data : "\10\0", 2);
	buf_putc(&body, c->code_align ? (int)c->code_align : 1);
	buf_putc(&body, 0x78);		/* -8 */
	buf_putc(&body, c->ra ? (int)c->ra : 16);
	if (*augmentation == 'z') {
		buf_putc(&body, c->claimed ? (int)c->claimed : c->data ? (int)c->ndata : 1);
		buf_put(&body, c->data ? c->data : "\33", c->data ? c->ndata : 1);
	}
	if (c->prog)
		buf_put(&body, c->prog, c->nprog);
	else
		buf_put(&body, B(DW_CFA_def_cfa, 7, 8, DW_CFA_offset | 16, 1));
	at = entry_put(b, c->debug ? UINT64_MAX : 0, &body, c->is64);
	buf_free(&body);
	return at;
}

/* Appends an FDE; fields[n]: everything after the reference to the CIE. */
static void fde_raw(struct buf *b, const struct cie_made *c, uint64_t cie, const void *fields, size_t n)
{
	struct buf body = { 0 };
	uint64_t at = b->len + (c->is64 ? 12 : 4);

	buf_put(&body, fields, n);
	entry_put(b, c->debug ? cie : at - cie, &body, c->is64);
	buf_free(&body);
}

/* Appends an FDE of `size` bytes of code at TEXT, for the default encoding. */
static void fde_put(struct buf *b, const struct cie_made *c, uint64_t cie, uint32_t text, uint32_t size,
		    const uint8_t *prog, size_t n)
{
	struct buf f = { 0 };

	if (c->debug) {
		put(&f, text, 8);
		put(&f, size, 8);
	} else {
		put(&f, text - (ADDR + (uint32_t)b->len + (c->is64 ? 20 : 8)), 4);
		put(&f, size, 4);
		buf_putc(&f, 0);
	}
	buf_put(&f, prog, n);
	fde_raw(b, c, cie, f.data, f.len);
	buf_free(&f);
}

/* ---- rows as text ---- */
struct cfi_got {
	struct buf text;
	struct cfi_section s;
	struct cfi_counts n;
	unsigned left;			/* rows until the callback stops; 0: never */
};

static void bytes_show(const struct cfi_got *g, struct buf *out, const struct unwind_rule *r)
{
	buf_putc(out, '<');
	for (unsigned i = 0; i < r->nops; i++)
		buf_printf(out, "%02x", g->s.data[r->val + (int)i]);
	buf_putc(out, '>');
}

/* Shows a register's rule, unless it is what the ABI says. */
static void rule_show(const struct cfi_got *g, struct buf *out, unsigned i, const struct unwind_rule *r)
{
	const struct unwind_machine *m = g->s.machine;
	bool saved = m->saved >> i & 1 || i >= m->nregs;

	if (i == m->sp ? r->how == RULE_CFA && !r->val : r->how == (saved ? RULE_SAME : RULE_UNKNOWN))
		return;
	buf_printf(out, " r%u", i);
	switch ((enum rule_how)r->how) {
	case RULE_SAME: buf_puts(out, " same"); return;
	case RULE_UNKNOWN: buf_puts(out, " undefined"); return;
	case RULE_AT: buf_printf(out, "@%+d", r->val); return;
	case RULE_CFA: buf_printf(out, "=%+d", r->val); return;
	case RULE_REG: buf_printf(out, "=r%d", r->val); return;
	case RULE_EXPR_AT: buf_putc(out, '@'); break;
	case RULE_EXPR: buf_putc(out, '='); break;
	}
	bytes_show(g, out, r);
}

static bool row_show(void *arg, const struct cfi_row *row)
{
	const struct unwind_row *r = &row->rules;
	struct unwind_row sorted = *r;
	struct cfi_got *g = arg;
	struct buf *out = &g->text;

	row_sort(&sorted);
	assert_true(r->same == sorted.same && r->other == sorted.other);
	assert_true(row->begin < row->end);
	buf_printf(out, "%s%llx-%llx", out->len ? "; " : "", (unsigned long long)row->begin,
		   (unsigned long long)row->end);
	if (!r->known)
		buf_puts(out, " unknown");
	else if (r->cfa.how == RULE_REG)
		buf_printf(out, " r%u%+d", r->cfa.reg, r->cfa.val);
	else
		bytes_show(g, out, &r->cfa);
	for (unsigned i = 0; r->known && i < FRAME_REGS; i++)
		rule_show(g, out, i, &r->reg[i]);
	if (r->signal)
		buf_puts(out, " signal");
	return !g->left || --g->left;
}

/* Decodes a copy of the section of exactly its size. */
static enum cfi_end decode(struct cfi_got *g, const struct buf *section, bool debug, unsigned bits)
{
	uint8_t *copy = malloc(section->len ? section->len : 1);
	enum cfi_end end;

	assert_non_null(copy);
	if (section->len)
		memcpy(copy, section->data, section->len);
	g->s = (struct cfi_section){ machine_of(bits), copy, section->len, ADDR, !debug };
	buf_reset(&g->text);
	end = cfi_rows(&g->s, row_show, g, &g->n);
	free(copy);
	return end;
}

static void got_is(struct cfi_got *g, const char *rows, unsigned invalid, bool unsafe)
{
	assert_string_equal(buf_str(&g->text), rows);
	assert_int_equal(g->n.invalid, invalid);
	assert_int_equal(g->n.unsafe, unsafe);
	buf_free(&g->text);
}

/* One function of 64 bytes at TEXT. invalid: one entry is. */
static void function_is(const struct cie_made *c, const uint8_t *prog, size_t n, const char *rows, bool invalid,
			bool unsafe)
{
	struct buf b = { 0 };
	struct cfi_got g = { 0 };
	uint64_t cie = cie_put(&b, c);

	fde_put(&b, c, cie, TEXT, 64, prog, n);
	assert_int_equal(decode(&g, &b, c->debug, 64), CFI_ALL);
	got_is(&g, rows, invalid, unsafe);
	buf_free(&b);
}

/* ---- instructions ---- */
static const struct cie_made plain = { 0 };

#define IS(rows, ...) function_is(&plain, B(__VA_ARGS__), rows, false, false)
#define ALL(rules) "1000-1040 " rules

static void test_rules(void **state)
{
	(void)state;
	IS(ALL("r7+8 r16@-8"), DW_CFA_nop);
	IS(ALL("r7+8 r6@-16 r16@-8"), DW_CFA_offset | 6, 2);
	IS(ALL("r7+8 r6@-16 r16@-8"), DW_CFA_offset_extended, 6, 2);
	IS(ALL("r7+8 r6@+16 r16@-8"), DW_CFA_offset_extended_sf, 6, 0x7e);
	IS(ALL("r7+8 r6@+16 r16@-8"), DW_CFA_GNU_negative_offset_extended, 6, 2);
	IS(ALL("r7+8 r6=-16 r16@-8"), DW_CFA_val_offset, 6, 2);
	IS(ALL("r7+8 r6=+8 r16@-8"), DW_CFA_val_offset_sf, 6, 0x7f);
	IS(ALL("r7+8 r3=r12 r16@-8"), DW_CFA_register, 3, 12);
	IS(ALL("r7+8 r3 undefined r16@-8"), DW_CFA_register, 3, 17);
	IS(ALL("r7+8 r3 undefined r16 undefined"), DW_CFA_undefined, 3, DW_CFA_undefined, 16);
	IS(ALL("r7+8 r0 same r16@-8"), DW_CFA_same_value, 0);
	IS(ALL("r7+8 r16@-8"), DW_CFA_offset | 6, 2, DW_CFA_restore | 6);
	IS(ALL("r7+8 r16@-8"), DW_CFA_undefined, 16, DW_CFA_restore_extended, 16);
	IS(ALL("r7+8 r3@<7708> r16@-8"), DW_CFA_expression, 3, 2, DW_OP_breg7, 8);
	IS(ALL("r7+8 r3 undefined r12=<33> r16@-8"), DW_CFA_val_expression, 12, 1, DW_OP_lit3,
	   DW_CFA_val_expression, 3, 0);
	/* offsets that do not fit, registers that do not exist, what has no meaning here */
	IS(ALL("r7+8 r3 undefined r16@-8"), DW_CFA_offset | 3, 0x80, 0x80, 0x80, 0x80, 0x08);
	IS(ALL("r7+8 r16@-8"), DW_CFA_offset | 17, 1, DW_CFA_offset | 63, 1, DW_CFA_undefined, 0xff, 0x07);
	IS(ALL("r7+8 r16@-8"), DW_CFA_GNU_args_size, 0x80, 0x01);
}

static void test_cfa(void **state)
{
	(void)state;
	IS(ALL("r6+16 r16@-8"), DW_CFA_def_cfa, 6, 16);
	IS(ALL("r6-16 r16@-8"), DW_CFA_def_cfa_sf, 6, 2);
	IS(ALL("r6+8 r16@-8"), DW_CFA_def_cfa_register, 6);
	IS(ALL("r7+300 r16@-8"), DW_CFA_def_cfa_offset, 0xac, 0x02);
	IS(ALL("r7+512 r16@-8"), DW_CFA_def_cfa_offset_sf, 0x40);
	IS("1000-1040<770806> r16@-8", DW_CFA_def_cfa_expression, 3, DW_OP_breg7, 8, DW_OP_deref);
	IS(ALL("r10-8 r16@-8"), DW_CFA_def_cfa_expression, 2, DW_OP_breg10, 0x78);
	/* after an expression there is no register, and no offset */
	IS(ALL("unknown"), DW_CFA_def_cfa_expression, 1, DW_OP_lit3, DW_CFA_def_cfa_register, 7);
	IS(ALL("unknown"), DW_CFA_def_cfa_expression, 1, DW_OP_lit3, DW_CFA_def_cfa_offset, 8);
	IS(ALL("unknown"), DW_CFA_def_cfa_expression, 2, DW_OP_breg7, 8, DW_CFA_def_cfa_offset, 8);
	IS(ALL("unknown"), DW_CFA_def_cfa_expression, 0);
	IS(ALL("unknown"), DW_CFA_def_cfa, 17, 8);
	IS(ALL("r6+8 r16@-8"), DW_CFA_def_cfa, 17, 8, DW_CFA_def_cfa_register, 6);
	IS(ALL("unknown"), DW_CFA_def_cfa, 7, 0x80, 0x80, 0x80, 0x80, 0x08);
	IS(ALL("r7-2147483648 r16@-8"), DW_CFA_def_cfa_sf, 7, 0x80, 0x80, 0x80, 0x80, 0x01);
}

static void test_rows(void **state)
{
	static const struct cie_made four = { .code_align = 4 };

	(void)state;
	IS("1000-1001 r7+8 r16@-8; 1001-1040 r7+16 r16@-8", DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 16);
	IS("1000-1010 r7+8 r16@-8; 1010-1040 r7+16 r16@-8", DW_CFA_advance_loc1, 16, DW_CFA_def_cfa_offset, 16);
	IS("1000-1010 r7+8 r16@-8; 1010-1040 r7+16 r16@-8", DW_CFA_advance_loc2, 16, 0, DW_CFA_def_cfa_offset, 16);
	IS("1000-1010 r7+8 r16@-8; 1010-1040 r7+16 r16@-8", DW_CFA_advance_loc4, 16, 0, 0, 0,
	   DW_CFA_def_cfa_offset, 16);
	IS("1000-1010 r7+8 r16@-8; 1010-1040 r7+16 r16@-8", DW_CFA_MIPS_advance_loc8, 16, 0, 0, 0, 0, 0, 0, 0,
	   DW_CFA_def_cfa_offset, 16);
	function_is(&four, B(DW_CFA_advance_loc | 4, DW_CFA_def_cfa_offset, 16),
		    "1000-1010 r7+8 r16@-8; 1010-1040 r7+16 r16@-8", false, false);
	/* the address is at 0x5028: 0x1010 - 0x5028 = -0x4018 */
	IS("1000-1010 r7+8 r16@-8; 1010-1040 r7+16 r16@-8", DW_CFA_set_loc, 0xe8, 0xbf, 0xff, 0xff,
	   DW_CFA_def_cfa_offset, 16);
	/* steps of no length, and to the end and beyond */
	IS("1000-1001 r7+16 r16@-8; 1001-1040 r7+24 r16@-8", DW_CFA_advance_loc, DW_CFA_def_cfa_offset, 16,
	   DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 24);
	IS(ALL("r7+8 r16@-8"), DW_CFA_advance_loc1, 64, DW_CFA_def_cfa_offset, 16, 0x3f);
	IS(ALL("r7+8 r16@-8"), DW_CFA_advance_loc4, 0, 0, 0, 0x80, 0x3f);
	/* remembered rules include the CFA */
	IS("1000-1001 r7+8 r16@-8; 1001-1002 r6+16 r3@-24 r16@-8; 1002-1040 r7+8 r16@-8", DW_CFA_remember_state,
	   DW_CFA_advance_loc | 1, DW_CFA_def_cfa, 6, 16, DW_CFA_offset | 3, 3, DW_CFA_advance_loc | 1,
	   DW_CFA_restore_state);
}

#define BAD(rows, unsafe, ...) function_is(&plain, B(__VA_ARGS__), rows, true, unsafe)
#define FIRST "1000-1001 r7+8 r16@-8"

/* An invalid instruction ends the rows of its function. */
static void test_invalid(void **state)
{
	static const uint8_t step[] = { DW_CFA_advance_loc | 1 }, noted[] = { DW_CFA_nop, DW_CFA_advance_loc | 1 };
	static const struct cie_made advance = { .prog = step, .nprog = sizeof step },
		after = { .prog = noted, .nprog = sizeof noted };
	uint8_t nested[65];

	(void)state;
	BAD("", false, 0x3f);
	BAD(FIRST, false, DW_CFA_advance_loc | 1, 0x3f);
	BAD(FIRST, true, DW_CFA_advance_loc | 1, DW_CFA_GNU_window_save);
	BAD(FIRST, true, DW_CFA_advance_loc | 1, DW_CFA_advance_loc2, 1);
	BAD(FIRST, true, DW_CFA_advance_loc | 1, DW_CFA_offset | 3);
	BAD(FIRST, true, DW_CFA_advance_loc | 1, DW_CFA_def_cfa, 0x80);
	BAD(FIRST, true, DW_CFA_advance_loc | 1, DW_CFA_def_cfa_expression, 2, DW_OP_lit0);
	BAD(FIRST, true, DW_CFA_advance_loc | 1, DW_CFA_expression, 3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	    0x7f);
	BAD(FIRST, false, DW_CFA_advance_loc | 1, DW_CFA_restore_state);
	/* back to 0x1000 */
	BAD(FIRST, true, DW_CFA_advance_loc | 1, DW_CFA_set_loc, 0xd7, 0xbf, 0xff, 0xff);
	memset(nested, DW_CFA_remember_state, sizeof nested);
	function_is(&plain, nested, 64, ALL("r7+8 r16@-8"), false, false);
	function_is(&plain, nested, 65, "", true, true);
	/* register numbers that are too large for libdw are no problem here */
	function_is(&plain, B(DW_CFA_undefined, 0x80, 0x08), ALL("r7+8 r16@-8"), false, true);
	function_is(&plain, B(DW_CFA_restore_extended, 0x80, 0x08), ALL("r7+8 r16@-8"), false, true);
	/* a CIE has no rows */
	function_is(&advance, B(DW_CFA_nop), "", true, false);
	function_is(&after, B(DW_CFA_nop), "", true, false);
}

/* ---- formats ---- */
#define CIE(...) (&(struct cie_made){ __VA_ARGS__ })

static void test_augmentation(void **state)
{
	(void)state;
	function_is(CIE(.augmentation = "zPLR", .data = "\33\1\2\3\4\33\33", .ndata = 7), B(DW_CFA_nop),
		    ALL("r7+8 r16@-8"), false, false);
	function_is(CIE(.augmentation = "zRS", .data = "\33", .ndata = 1), B(DW_CFA_nop),
		    ALL("r7+8 r16@-8 signal"), false, false);
	function_is(CIE(.augmentation = "zGBR", .data = "\33", .ndata = 1), B(DW_CFA_nop), ALL("r7+8 r16@-8"), false,
		    false);
	function_is(CIE(.augmentation = "zPR", .data = "\377\33", .ndata = 2), B(DW_CFA_nop), ALL("r7+8 r16@-8"),
		    false, false);
	/* data after what is known */
	function_is(CIE(.augmentation = "zR", .data = "\33\1\2", .ndata = 3), B(DW_CFA_nop), ALL("r7+8 r16@-8"), false,
		    false);
	/* unusual return address */
	function_is(CIE(.ra = 15), B(DW_CFA_nop), ALL("unknown"), false, false);
	/* not enough data; too much; what a letter means is not known without sizes */
	function_is(CIE(.augmentation = "zPR", .data = "\33\1", .ndata = 2), B(DW_CFA_nop), "", true, true);
	function_is(CIE(.augmentation = "zR", .claimed = 100), B(DW_CFA_nop), "", true, true);
	function_is(CIE(.augmentation = "eh"), B(DW_CFA_nop), "", true, true);
	function_is(CIE(.augmentation = "R"), B(DW_CFA_nop), "", true, true);
	function_is(CIE(.version = 2), B(DW_CFA_nop), "", true, true);
}

static void test_versions(void **state)
{
	(void)state;
	function_is(CIE(.version = 3), B(DW_CFA_nop), ALL("r7+8 r16@-8"), false, false);
	function_is(CIE(.is64 = true), B(DW_CFA_nop), ALL("r7+8 r16@-8"), false, false);
	for (unsigned version = 1; version <= 4; version += version == 1 ? 2 : 1)
		for (int is64 = 0; is64 < 2; is64++)
			function_is(CIE(.version = version, .debug = true, .is64 = is64), B(DW_CFA_nop),
				    ALL("r7+8 r16@-8"), false, false);
	/* wrong size of an address; segments */
	function_is(CIE(.version = 4, .debug = true, .data = "\4\0"), B(DW_CFA_nop), "", true, true);
	function_is(CIE(.version = 4, .debug = true, .data = "\10\2"), B(DW_CFA_nop), "", true, true);
}

/* An FDE with these addresses, for a CIE with this encoding. */
static void addresses_are(unsigned bits, uint8_t encoding, const uint8_t *fields, size_t n, const char *rows,
			  bool invalid)
{
	char data = (char)encoding;
	const struct cie_made c = { .data = &data, .ndata = 1 };
	struct buf b = { 0 };
	struct cfi_got g = { 0 };

	fde_raw(&b, &c, cie_put(&b, &c), fields, n);
	assert_int_equal(decode(&g, &b, false, bits), CFI_ALL);
	got_is(&g, rows, invalid, invalid);
	buf_free(&b);
}

static void test_encodings(void **state)
{
	static const uint8_t rejected[] = { DW_EH_PE_textrel | DW_EH_PE_sdata4, DW_EH_PE_datarel | DW_EH_PE_sdata4,
		DW_EH_PE_funcrel | DW_EH_PE_sdata4, DW_EH_PE_aligned, DW_EH_PE_indirect | DW_EH_PE_sdata4,
		DW_EH_PE_omit, 5, 6, 7, 8, 13, 14, 15, 0x60, 0x70 };
	/* the first address is at 0x501e */
	const char *want = "1000-1020 r7+8 r16@-8";

	(void)state;
	addresses_are(64, DW_EH_PE_absptr, B(0, 16, 0, 0, 0, 0, 0, 0, 32, 0, 0, 0, 0, 0, 0, 0, 0), want, false);
	addresses_are(64, DW_EH_PE_udata2, B(0, 16, 32, 0, 0), want, false);
	addresses_are(64, DW_EH_PE_sdata2, B(0, 16, 32, 0, 0), want, false);
	addresses_are(64, DW_EH_PE_udata4, B(0, 16, 0, 0, 32, 0, 0, 0, 0), want, false);
	addresses_are(64, DW_EH_PE_sdata4, B(0, 16, 0, 0, 32, 0, 0, 0, 0), want, false);
	addresses_are(64, DW_EH_PE_udata8, B(0, 16, 0, 0, 0, 0, 0, 0, 32, 0, 0, 0, 0, 0, 0, 0, 0), want, false);
	addresses_are(64, DW_EH_PE_sdata8, B(0, 16, 0, 0, 0, 0, 0, 0, 32, 0, 0, 0, 0, 0, 0, 0, 0), want, false);
	addresses_are(64, DW_EH_PE_uleb128, B(0x80, 0x20, 32, 0), want, false);
	addresses_are(64, DW_EH_PE_sleb128, B(0x80, 0x20, 32, 0), want, false);
	addresses_are(64, DW_EH_PE_pcrel | DW_EH_PE_sdata2, B(0xe2, 0xbf, 32, 0, 0), want, false);
	addresses_are(64, DW_EH_PE_pcrel | DW_EH_PE_sleb128, B(0xe2, 0xff, 0x7e, 32, 0), want, false);
	addresses_are(64, DW_EH_PE_pcrel | DW_EH_PE_udata2, B(0, 0x10, 32, 0, 0), "601e-603e r7+8 r16@-8", false);
	for (size_t i = 0; i < sizeof rejected; i++)
		addresses_are(64, rejected[i], B(0, 16, 0, 0, 0, 0, 0, 0, 32, 0, 0, 0, 0, 0, 0, 0, 0), "", true);
	/* incomplete, at each byte; a length that is negative */
	for (size_t n = 0; n < 9; n++)
		addresses_are(64, DW_EH_PE_udata4, (const uint8_t[]){ 0, 16, 0, 0, 32, 0, 0, 0, 0 }, n, "", true);
	addresses_are(64, DW_EH_PE_sdata2, B(0, 16, 32, 0x80, 0), "", true);
	/* data of the FDE: its length is too large */
	addresses_are(64, DW_EH_PE_udata2, B(0, 16, 32, 0, 1), "", true);
	addresses_are(64, DW_EH_PE_udata2, B(0, 16, 32, 0, 2, 0x3f, 0x3f), want, false);
	/* no code; a function that the linker dropped */
	addresses_are(64, DW_EH_PE_udata2, B(0, 16, 0, 0, 0), "", false);
	addresses_are(64, DW_EH_PE_udata2, B(0, 0, 32, 0, 0), "", false);
}

static void test_32_bits(void **state)
{
	static const uint8_t prog[] = { DW_CFA_def_cfa, 4, 4, DW_CFA_offset | 8, 1, DW_CFA_offset | 16, 1 };
	const struct cie_made c = { .data = "\0", .ndata = 1, .ra = 8, .prog = prog, .nprog = sizeof prog };
	struct buf b = { 0 };
	struct cfi_got g = { 0 };
	uint64_t cie = cie_put(&b, &c);

	(void)state;
	fde_raw(&b, &c, cie, B(0, 16, 0, 0, 32, 0, 0, 0, 0, DW_CFA_undefined, 3, DW_CFA_same_value, 0));
	fde_raw(&b, &c, cie, B(0, 0xff, 0xff, 0xff, 0, 1, 0, 0, 0));
	assert_int_equal(decode(&g, &b, false, 32), CFI_ALL);
	got_is(&g, "1000-1020 r4+4 r0 same r3 undefined r8@-8; ffffff00-100000000 r4+4 r8@-8", 0, false);
	buf_free(&b);
	/* an address beyond the address space */
	addresses_are(32, DW_EH_PE_udata8, B(0, 16, 0, 0, 1, 0, 0, 0, 32, 0, 0, 0, 0, 0, 0, 0, 0), "", true);
}

/* ---- entries ---- */
static void test_entries(void **state)
{
	const char *both = "1000-1040 r7+8 r16@-8; 2000-2040 r7+8 r16@-8";
	struct cie_made debug = { .debug = true };
	struct buf b = { 0 };
	struct cfi_got g = { 0 };
	uint64_t cie, cut;

	(void)state;
	assert_int_equal(decode(&g, &b, false, 64), CFI_ALL);
	got_is(&g, "", 0, false);
	/* zeros between entries and at the end */
	cie = cie_put(&b, &plain);
	fde_put(&b, &plain, cie, TEXT, 64, B(DW_CFA_nop));
	buf_pad(&b, 0, 8);
	fde_put(&b, &plain, cie, 0x2000, 64, B(DW_CFA_nop));
	buf_pad(&b, 0, 7);
	assert_int_equal(decode(&g, &b, false, 64), CFI_ALL);
	assert_int_equal(g.n.rows, 2);
	assert_int_equal(g.n.functions, 2);
	got_is(&g, both, 0, false);
	/* stopped by the callback */
	g.left = 1;
	assert_int_equal(decode(&g, &b, false, 64), CFI_STOPPED);
	assert_int_equal(g.n.rows, 1);
	got_is(&g, "1000-1040 r7+8 r16@-8", 0, false);
	/* a length beyond the end: nothing after it is read */
	cut = b.len - 7;
	buf_cut(&b, cut - 1);
	assert_int_equal(decode(&g, &b, false, 64), CFI_CUT);
	got_is(&g, "1000-1040 r7+8 r16@-8", 0, false);
	buf_reset(&b);
	put(&b, UINT32_MAX, 4);
	put(&b, 0, 7);
	assert_int_equal(decode(&g, &b, false, 64), CFI_CUT);
	got_is(&g, "", 0, false);
	/* in .debug_frame, a CIE may follow its functions */
	buf_reset(&b);
	fde_put(&b, &debug, 25, TEXT, 64, B(DW_CFA_nop));
	cie = cie_put(&b, &debug);
	fde_put(&b, &debug, cie, 0x2000, 64, B(DW_CFA_nop));
	assert_int_equal(decode(&g, &b, true, 64), CFI_ALL);
	got_is(&g, both, 0, false);
	buf_free(&b);
}

/* Functions whose CIE is none. */
static void test_references(void **state)
{
	struct cie_made debug = { .debug = true };
	const uint64_t wrong[] = { 1, 18, 1000, UINT32_MAX - 1 };	/* 18: the function itself */
	struct buf b = { 0 };
	struct cfi_got g = { 0 };

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		buf_reset(&b);
		assert_int_equal(cie_put(&b, &debug), 0);
		fde_put(&b, &debug, wrong[i], TEXT, 64, B(DW_CFA_nop));
		fde_put(&b, &debug, 0, 0x2000, 64, B(DW_CFA_nop));
		assert_int_equal(decode(&g, &b, true, 64), CFI_ALL);
		got_is(&g, "2000-2040 r7+8 r16@-8", 1, i < 2);
	}
	/* before the section */
	buf_reset(&b);
	cie_put(&b, &plain);
	fde_put(&b, &plain, (uint64_t)-8, TEXT, 64, B(DW_CFA_nop));
	assert_int_equal(decode(&g, &b, false, 64), CFI_ALL);
	got_is(&g, "", 1, false);
	/* too short for a reference */
	buf_reset(&b);
	put(&b, 3, 4);
	put(&b, 0, 3);
	assert_int_equal(decode(&g, &b, false, 64), CFI_ALL);
	got_is(&g, "", 1, false);
	buf_free(&b);
}

/* An expression that is too long for a rule. */
static void test_long_expression(void **state)
{
	enum { LONG = UINT16_MAX + 1 };
	struct buf prog = { 0 };

	(void)state;
	buf_put(&prog, B(DW_CFA_expression, 3, 0x80, 0x80, 0x04));
	buf_pad(&prog, DW_OP_nop, LONG);
	function_is(&plain, (const uint8_t *)prog.data, prog.len, ALL("r7+8 r3 undefined r16@-8"), false, false);
	buf_free(&prog);
}

/* Each function has another CIE than the one before; there are more than are kept. */
static void rotate(struct cfi_got *g, size_t nops, enum cfi_end want)
{
	enum { CIES = 100, ROUNDS = 20 };
	uint64_t at[CIES];
	uint8_t *prog = calloc(1, nops);
	struct cie_made c = { .prog = prog, .nprog = nops };
	struct buf b = { 0 };

	assert_non_null(prog);
	memcpy(prog, B(DW_CFA_def_cfa, 7, 8, DW_CFA_offset | 16, 1));
	for (unsigned i = 0; i < CIES; i++)
		at[i] = cie_put(&b, &c);
	for (unsigned i = 0; i < ROUNDS * CIES; i++)
		fde_put(&b, &c, at[i % CIES], TEXT + 64 * i, 64, B(DW_CFA_nop));
	assert_int_equal(decode(g, &b, false, 64), want);
	if (want == CFI_ALL)
		assert_int_equal(g->n.rows, ROUNDS * CIES);
	assert_int_equal(g->n.unsafe, want != CFI_ALL);
	buf_free(&b);
	buf_free(&g->text);
	free(prog);
}

/* The work is bounded, but ordinary CIEs are decoded as often as necessary. */
static void test_bounded(void **state)
{
	struct cfi_got g = { 0 };

	(void)state;
	rotate(&g, 8, CFI_ALL);
	rotate(&g, 40, CFI_ALL);
	rotate(&g, 4096, CFI_CUT);
}

/* ---- anything ---- */
static void test_hostile(void **state)
{
	static const uint8_t other[] = { 0, 1, 0x7f, 0x80, 0xff };
	struct buf b = { 0 };
	struct cfi_got g = { 0 };
	uint64_t cie = cie_put(&b, &plain);

	(void)state;
	fde_put(&b, &plain, cie, TEXT, 64,
		B(DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 16, DW_CFA_offset | 6, 2, DW_CFA_remember_state,
		  DW_CFA_advance_loc1, 2, DW_CFA_expression, 3, 2, DW_OP_breg7, 8, DW_CFA_def_cfa_expression, 3,
		  DW_OP_breg7, 8, DW_OP_deref, DW_CFA_advance_loc2, 1, 0, DW_CFA_restore_state, DW_CFA_set_loc, 0, 0, 0,
		  0, DW_CFA_val_expression, 12, 1, DW_OP_lit3));
	for (size_t i = 0; i < b.len; i++) {
		char was = b.data[i];

		for (size_t k = 0; k < sizeof other; k++) {
			b.data[i] = (char)(k < 3 ? was ^ other[k] : other[k]);
			for (int m = 0; m < 4; m++) {
				decode(&g, &b, m & 1, m & 2 ? 32 : 64);
				assert_in_range(g.n.rows, 0, b.len);
			}
		}
		b.data[i] = was;
	}
	for (size_t n = b.len; n; n--) {
		b.len = n;
		decode(&g, &b, false, 64);
	}
	buf_free(&b);
	buf_free(&g.text);
}

static void test_numbers(void **state)
{
	const struct { uint8_t bytes[10]; unsigned n; int64_t want; } c[] = {
		{ { 0 }, 1, 0 }, { { 0x3f }, 1, 63 }, { { 0x40 }, 1, -64 }, { { 0x7f }, 1, -1 },
		{ { 0xff, 0 }, 2, 127 }, { { 0x80, 0x7f }, 2, -128 }, { { 0x80, 0x40 }, 2, -8192 },
		{ { 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f }, 10, INT64_MIN },
		{ { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0 }, 10, INT64_MAX },
	};
	const uint8_t *p;
	int64_t v;

	(void)state;
	for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
		p = c[i].bytes;
		assert_true(leb128_read_signed(&p, p + c[i].n, &v));
		assert_true(v == c[i].want && p == c[i].bytes + c[i].n);
		p = c[i].bytes;
		assert_false(leb128_read_signed(&p, p + c[i].n - 1, &v));
		assert_int_equal(v, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rules), cmocka_unit_test(test_cfa), cmocka_unit_test(test_rows),
		cmocka_unit_test(test_invalid), cmocka_unit_test(test_augmentation), cmocka_unit_test(test_versions),
		cmocka_unit_test(test_encodings), cmocka_unit_test(test_32_bits), cmocka_unit_test(test_entries),
		cmocka_unit_test(test_references), cmocka_unit_test(test_long_expression),
		cmocka_unit_test(test_bounded), cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_numbers),
	};

	if (!machine_of(64)) {
		printf("1..0 # SKIP unwinding is for x86-64 so far\n");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
