/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Unwinding: steps from hand-made frames, expressions, hand-made tables, and what anybody may have written instead. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dwarf.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/buf.h"
#include "engine/unwind/tables.h"
#include "engine/unwind/unwind.h"

enum { RBX = 3, RBP = 6, RSP = 7, RIP = 16 };
#define STACK 0x7ffe0000ull

/* ---- steps ---- */
static struct unwind_frame frame_at(const uint64_t *stack, unsigned words, uint64_t bp)
{
	struct unwind_frame f = { .m = machine_of(64), .stack = (const uint8_t *)stack, .low = STACK,
		.high = STACK + 8 * words };

	f.reg[RSP] = STACK;
	f.reg[RBP] = bp;
	f.reg[RIP] = 0x1000;
	f.known = 1u << RSP | 1u << RBP | 1u << RIP;
	return f;
}

/* As a compiler generates it after a `push %rbx`, with room for a word. */
static struct unwind_row row_plain(int32_t cfa)
{
	struct unwind_row r = { .known = true, .cfa = { .how = RULE_REG, .reg = RSP, .val = cfa } };

	r.reg[RSP] = (struct unwind_rule){ .how = RULE_CFA };
	r.reg[RIP] = (struct unwind_rule){ .how = RULE_AT, .val = -8 };
	r.reg[RBX] = (struct unwind_rule){ .how = RULE_AT, .val = -16 };
	return r;
}

static enum frame_end up(struct unwind_frame *f, struct unwind_row *r)
{
	row_sort(r);
	return frame_up(f, r, NULL);
}

static void test_steps(void **state)
{
	const uint64_t stack[] = { 1, 22, 0x2000, 4, 5, 0 };
	struct unwind_frame f = frame_at(stack, 6, 0);
	struct unwind_row r = row_plain(24);

	(void)state;
	assert_int_equal(up(&f, &r), FRAME_GOES_ON);
	assert_int_equal(f.reg[RIP], 0x2000);
	assert_int_equal(f.reg[RSP], STACK + 24);
	assert_int_equal(f.reg[RBX], 22);
	assert_true(f.known >> RBX & 1);
	/* what the caller has is not known of registers that were not known before */
	assert_false(f.known >> 12 & 1);
	/* a return address of 0 is the end */
	assert_int_equal(up(&f, &r), FRAME_LAST);
}

static void test_ends(void **state)
{
	const uint64_t stack[] = { 1, 22, 0x2000, 4 };
	struct unwind_frame f = frame_at(stack, 4, 0);
	struct unwind_row r = row_plain(40);

	(void)state;
	/* the return address is right after the copy */
	assert_int_equal(up(&f, &r), FRAME_CUT);
	r = row_plain(24);
	r.reg[RBX].val = 4096;		/* only a register depends on it: its value is then unknown */
	assert_int_equal(up(&f, &r), FRAME_GOES_ON);
	assert_false(f.known >> RBX & 1);
	/* frames do not go down, nor stand still */
	f = frame_at(stack, 4, 0);
	r = row_plain(0);
	r.reg[RIP].val = 16;
	assert_int_equal(up(&f, &r), FRAME_BROKEN);
	r.signal = true;		/* but where a signal was taken */
	assert_int_equal(up(&f, &r), FRAME_GOES_ON);
	/* a caller that cannot be */
	r = row_plain(16);
	assert_int_equal(up(&f, &r), FRAME_BROKEN);
	/* the tables say that there is no caller */
	r.reg[RIP].how = RULE_UNKNOWN;
	assert_int_equal(up(&f, &r), FRAME_LAST);
	/* the CFA depends on a register that is unknown or does not exist */
	f = frame_at(stack, 4, 0);
	r = row_plain(16);
	r.cfa.reg = 12;
	assert_int_equal(up(&f, &r), FRAME_BROKEN);
	r.cfa.reg = 200;
	assert_int_equal(up(&f, &r), FRAME_BROKEN);
	/* an address that wraps around */
	r = row_plain(16);
	r.reg[RIP].val = INT32_MIN;
	assert_int_equal(up(&f, &r), FRAME_CUT);
	f.reg[RSP] = UINT64_MAX - 3;
	f.low = f.reg[RSP];
	f.high = UINT64_MAX;
	r = row_plain(8);
	assert_int_not_equal(up(&f, &r), FRAME_GOES_ON);
}

static void test_pointer(void **state)
{
	const uint64_t stack[] = { 1, STACK + 32, 0x2000, 4, 0, 0x3000 };
	struct unwind_frame f = frame_at(stack, 6, STACK + 8);

	(void)state;
	assert_int_equal(frame_up_pointer(&f, false), FRAME_GOES_ON);
	assert_int_equal(f.reg[RIP], 0x2000);
	assert_int_equal(f.reg[RSP], STACK + 24);
	assert_int_equal(frame_up_pointer(&f, false), FRAME_GOES_ON);
	assert_int_equal(f.reg[RIP], 0x3000);
	assert_int_equal(frame_up_pointer(&f, true), FRAME_BROKEN);	/* it uses the register otherwise */
	assert_int_equal(frame_up_pointer(&f, false), FRAME_LAST);	/* no frame pointer: the outermost frame */
	f = frame_at(stack, 6, STACK + 9);
	assert_int_equal(frame_up_pointer(&f, false), FRAME_BROKEN);
	f = frame_at(stack, 6, STACK + 40);
	assert_int_equal(frame_up_pointer(&f, false), FRAME_CUT);
	f = frame_at(stack, 6, UINT64_MAX - 7);
	assert_int_equal(frame_up_pointer(&f, false), FRAME_CUT);
}

static void test_32_bits(void **state)
{
	const uint32_t stack[] = { 7, 0x8000, 0x11223344, 0 };
	struct unwind_frame f = { .m = machine_of(32), .stack = (const uint8_t *)stack, .low = 0xfff0,
		.high = 0x10000 };
	struct unwind_row r = { .known = true, .cfa = { .how = RULE_REG, .reg = 4, .val = 8 } };

	(void)state;
	f.reg[4] = 0xfff0;
	f.reg[5] = 0xfff4;
	f.reg[8] = 0x1000;
	f.known = 1 << 4 | 1 << 5 | 1 << 8;
	r.reg[4] = (struct unwind_rule){ .how = RULE_CFA };
	r.reg[8] = (struct unwind_rule){ .how = RULE_AT, .val = -4 };
	assert_int_equal(up(&f, &r), FRAME_GOES_ON);
	assert_int_equal(f.reg[8], 0x8000);
	assert_int_equal(f.reg[4], 0xfff8);
	f.reg[5] = 0xfff8;
	assert_int_equal(frame_up_pointer(&f, false), FRAME_LAST);
	f.reg[5] = 0xfffffffc;
	assert_int_equal(frame_up_pointer(&f, false), FRAME_CUT);
}

/* ---- expressions ---- */
#define OP(...) ((Dwarf_Op){ __VA_ARGS__ })
#define LIT(n) OP(.atom = DW_OP_lit0 + (n))

static bool eval(const Dwarf_Op *ops, unsigned n, uint64_t *out)
{
	static const uint64_t stack[] = { 11, 0x1122334455667788, 33 };
	struct unwind_frame f = frame_at(stack, 3, 70);
	uint64_t cfa = 5000;

	return expr_eval(&f, ops, n, &cfa, out);
}

#define EVAL(want, ...)                                                                   \
	do {                                                                              \
		const Dwarf_Op ops_[] = { __VA_ARGS__ };                                  \
		uint64_t got_ = 0;                                                        \
		assert_true(eval(ops_, sizeof ops_ / sizeof ops_[0], &got_));             \
		assert_int_equal(got_, (uint64_t)(want));                                 \
	} while (0)
#define FAILS(...)                                                                        \
	do {                                                                              \
		const Dwarf_Op ops_[] = { __VA_ARGS__ };                                  \
		uint64_t got_ = 0;                                                        \
		assert_false(eval(ops_, sizeof ops_ / sizeof ops_[0], &got_));            \
	} while (0)
#define A(op) OP(.atom = DW_OP_##op)

static void test_expressions(void **state)
{
	const Dwarf_Op minus7 = OP(.atom = DW_OP_const1s, .number = (Dwarf_Word)-7);

	(void)state;
	EVAL(8, LIT(3), LIT(5), A(plus));
	EVAL(-2, LIT(3), LIT(5), A(minus));
	EVAL(-3, minus7, LIT(2), A(div));
	EVAL(1, LIT(7), LIT(2), A(mod));
	EVAL(-28, minus7, LIT(2), A(shl));
	EVAL(-2, minus7, LIT(2), A(shra));
	EVAL((uint64_t)-7 >> 2, minus7, LIT(2), A(shr));
	EVAL(7, minus7, A(abs));
	EVAL(1, minus7, LIT(2), A(lt));
	EVAL(0, minus7, LIT(2), A(ge));
	EVAL(6, LIT(4), LIT(2), A(xor));
	EVAL(~4ull, LIT(4), A(not));
	EVAL(2, LIT(1), LIT(2), LIT(3), A(rot));
	EVAL(1, LIT(1), LIT(2), LIT(3), A(rot), A(drop));
	EVAL(1, LIT(1), LIT(2), A(swap));
	EVAL(1, LIT(1), LIT(2), A(over));
	EVAL(1, LIT(1), LIT(2), LIT(3), OP(.atom = DW_OP_pick, .number = 2));
	EVAL(5003, A(call_frame_cfa), OP(.atom = DW_OP_plus_uconst, .number = 3));
	EVAL(72, OP(.atom = DW_OP_breg0 + RBP, .number = 2));
	EVAL(69, OP(.atom = DW_OP_bregx, .number = RBP, .number2 = (Dwarf_Word)-1));
	EVAL(0x1122334455667788, OP(.atom = DW_OP_breg0 + RSP, .number = 8), A(deref));
	EVAL(0x7788, OP(.atom = DW_OP_breg0 + RSP, .number = 8), OP(.atom = DW_OP_deref_size, .number = 2));
	/* a branch over what follows it, as offsets count it */
	EVAL(9, LIT(9), OP(.atom = DW_OP_lit1, .offset = 1), OP(.atom = DW_OP_bra, .offset = 2, .number = 1),
	     OP(.atom = DW_OP_drop, .offset = 5), OP(.atom = DW_OP_nop, .offset = 6));
	/* as in a procedure linkage table: is the PC after the push? */
	EVAL(STACK + 8, OP(.atom = DW_OP_breg0 + RSP, .number = 8), OP(.atom = DW_OP_breg0 + RIP), LIT(15), A(and),
	     LIT(11),
	     A(ge), LIT(3), A(shl), A(plus));
}

static void test_bad_expressions(void **state)
{
	Dwarf_Op many[100];
	uint64_t out;

	(void)state;
	FAILS(A(plus));
	FAILS(LIT(1), LIT(0), A(div));
	FAILS(LIT(1), LIT(0), A(mod));
	FAILS(OP(.atom = DW_OP_const8u, .number = 1ull << 63), OP(.atom = DW_OP_const1s, .number = (Dwarf_Word)-1),
	      A(div));
	FAILS(LIT(1), A(deref));
	FAILS(OP(.atom = DW_OP_breg0 + RSP, .number = 17), A(deref));
	FAILS(OP(.atom = DW_OP_breg0 + 12));
	FAILS(OP(.atom = DW_OP_bregx, .number = UINT64_MAX));
	FAILS(LIT(1), OP(.atom = DW_OP_pick, .number = 1));
	FAILS(A(call2));
	FAILS(OP(.atom = 0xff));
	/* without end */
	FAILS(OP(.atom = DW_OP_lit1, .offset = 0), OP(.atom = DW_OP_skip, .offset = 1, .number = (Dwarf_Word)-4));
	for (unsigned i = 0; i < 100; i++)
		many[i] = LIT(1);
	assert_false(eval(many, 100, &out));
	assert_false(eval(many, 0, &out));
}

/* ---- tables ---- */
#define TEXT 0x1000
#define FRAME 0x5000
#define HEADER 0x4000

static void put32(struct buf *b, uint32_t v)
{
	buf_put(b, &v, sizeof v);
}

static void put_entry(struct buf *b, uint32_t id, const void *p, size_t n)
{
	size_t room = (n + 4 + 3) & ~(size_t)3;

	put32(b, (uint32_t)room);
	put32(b, id);
	buf_put(b, p, n);
	buf_pad(b, DW_CFA_nop, room - 4 - n);
}

/* One function of 64 bytes at TEXT, with these instructions. */
static void frame_put(struct buf *b, const uint8_t *prog, size_t n)
{
	static const uint8_t cie[] = { 1, 'z', 'R', 0, 1, 0x78, 16, 1, DW_EH_PE_pcrel | DW_EH_PE_sdata4, DW_CFA_def_cfa,
		7, 8,
				       DW_CFA_offset | 16, 1 };
	struct buf fde = { 0 };

	put_entry(b, 0, cie, sizeof cie);
	put32(&fde, (uint32_t)(TEXT - (FRAME + b->len + 8)));
	put32(&fde, 64);
	buf_putc(&fde, 0);
	buf_put(&fde, prog, n);
	put_entry(b, (uint32_t)b->len + 4, fde.data, fde.len);
	put32(b, 0);
	buf_free(&fde);
}

/* .eh_frame_hdr with a line for the entry at `off`. */
static void header_put(struct buf *b, uint32_t count, uint32_t off)
{
	const uint8_t forms[] = { 1, DW_EH_PE_pcrel | DW_EH_PE_sdata4, DW_EH_PE_udata4,
		DW_EH_PE_datarel | DW_EH_PE_sdata4 };

	buf_put(b, forms, sizeof forms);
	put32(b, FRAME - HEADER - 4);
	put32(b, count);
	put32(b, (uint32_t)(TEXT - HEADER));
	put32(b, FRAME - HEADER + off);
}

/* A file of these sections, mapped where they say. */
static void file_put(struct buf *b, const struct buf *header, const struct buf *frame)
{
	static const char names[] = "\0.shstrtab\0.eh_frame_hdr\0.eh_frame";
	Elf64_Ehdr h = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT }, .e_type = ET_DYN,
			 .e_machine = EM_X86_64, .e_version = EV_CURRENT, .e_ehsize = sizeof h,
			 .e_phentsize = sizeof(Elf64_Phdr),
			 .e_shentsize = sizeof(Elf64_Shdr), .e_phnum = 1, .e_shnum = 4, .e_shstrndx = 1 };
	Elf64_Phdr p = { .p_type = PT_LOAD, .p_filesz = 0x10000, .p_memsz = 0x10000 };
	Elf64_Shdr s[4] = { 0 };

	h.e_phoff = sizeof h;
	s[1] = (Elf64_Shdr){ .sh_name = 1, .sh_type = SHT_STRTAB, .sh_offset = sizeof h + sizeof p,
		.sh_size = sizeof names };
	s[2] = (Elf64_Shdr){ .sh_name = 11, .sh_type = SHT_PROGBITS, .sh_offset = s[1].sh_offset + sizeof names,
			     .sh_addr = HEADER, .sh_size = header->len };
	s[3] = (Elf64_Shdr){ .sh_name = 25, .sh_type = SHT_PROGBITS, .sh_offset = s[2].sh_offset + header->len,
			     .sh_addr = FRAME, .sh_size = frame->len };
	h.e_shoff = s[3].sh_offset + frame->len;
	buf_put(b, &h, sizeof h);
	buf_put(b, &p, sizeof p);
	buf_put(b, names, sizeof names);
	buf_put(b, header->data, header->len);
	buf_put(b, frame->data, frame->len);
	buf_put(b, s, sizeof s);
}

/* Looks up the row at TEXT + off; false if there is none. */
static bool row_in(const struct dw *dw, const struct buf *file, uint64_t off, struct unwind_row *out)
{
	struct object *o = object_new("/made", 0, 0);
	struct rule_ops ops = { 0 };
	struct tables t;

	assert_non_null(o);
	object_memory(o, file->data, file->len);
	tables_open(&t, dw, o);
	tables_row(&t, TEXT + off, out, &ops);
	tables_close(&t);
	object_free(o);
	free(ops.v);
	return out->known;
}

static struct dw the_library(void)
{
	struct dw dw;
	char why[160];

	if (!dw_open(&dw, why, sizeof why))
		skip();
	return dw;
}

/* A file whose function has these instructions. */
static void make(struct buf *file, const uint8_t *prog, size_t n, uint32_t count, uint32_t off)
{
	struct buf header = { 0 }, frame = { 0 };

	frame_put(&frame, prog, n);
	header_put(&header, count, off);
	buf_reset(file);
	file_put(file, &header, &frame);
	buf_free(&header);
	buf_free(&frame);
}

enum { CIE_BYTES = 24 };	/* where the function's entry begins */

static void test_tables(void **state)
{
	static const uint8_t prog[] = { DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 16, DW_CFA_offset | RBP, 2,
					DW_CFA_advance_loc | 3, DW_CFA_def_cfa_register, RBP };
	struct dw dw = the_library();
	struct buf file = { 0 };
	struct unwind_row r;

	(void)state;
	/* with a header that can be used, and with one that cannot: its number of entries is made up */
	for (uint32_t count = 1; count; count = count == 1 ? 0x7fffffff : 0) {
		make(&file, prog, sizeof prog, count, CIE_BYTES);
		assert_true(row_in(&dw, &file, 0, &r));
		assert_true(r.cfa.how == RULE_REG && r.cfa.reg == RSP && r.cfa.val == 8);
		assert_true(r.reg[RIP].how == RULE_AT && r.reg[RIP].val == -8);
		assert_true(r.reg[RBP].how == RULE_SAME && r.reg[RSP].how == RULE_CFA);
		assert_int_equal(r.reg[RBX].how, RULE_SAME);	/* the ABI's rule, which libdw has wrong */
		assert_true(row_in(&dw, &file, 1, &r) && r.cfa.val == 16 && r.reg[RBP].how == RULE_AT &&
			    r.reg[RBP].val == -16);
		assert_true(row_in(&dw, &file, 63, &r) && r.cfa.reg == RBP);
		assert_false(row_in(&dw, &file, 64, &r));
	}
	/* a header that leads into the middle of an entry: none of it is believed */
	make(&file, prog, sizeof prog, 1, CIE_BYTES + 8);
	assert_false(row_in(&dw, &file, 0, &r));
	buf_free(&file);
	dw_close(&dw);
}

/* Input for which libdw would need gigabytes is not passed to it. */
static void test_costly(void **state)
{
	static const uint8_t huge[] = { DW_CFA_same_value, 0xff, 0xff, 0xff, 0x3f };
	/* a register number that does not end */
	static const uint8_t endless[] = { DW_CFA_undefined, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		DW_CFA_nop };
	uint8_t nested[200];
	struct dw dw = the_library();
	struct buf file = { 0 };
	struct rusage before, after;
	struct unwind_row r;

	(void)state;
	getrusage(RUSAGE_SELF, &before);
	make(&file, huge, sizeof huge, 1, CIE_BYTES);
	assert_false(row_in(&dw, &file, 0, &r));
	make(&file, endless, sizeof endless, 1, CIE_BYTES);
	assert_false(row_in(&dw, &file, 0, &r));
	memset(nested, DW_CFA_remember_state, sizeof nested);
	make(&file, nested, sizeof nested, 1, CIE_BYTES);
	assert_false(row_in(&dw, &file, 0, &r));
	make(&file, nested, 60, 1, CIE_BYTES);
	assert_true(row_in(&dw, &file, 0, &r));
	getrusage(RUSAGE_SELF, &after);
	assert_true(after.ru_maxrss - before.ru_maxrss < 64 * 1024);
	buf_free(&file);
	dw_close(&dw);
}

/* Every byte of it another one; cut off anywhere. */
static void test_hostile(void **state)
{
	static const uint8_t prog[] = {
		DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 16, DW_CFA_offset | RBP, 2, DW_CFA_remember_state,
		DW_CFA_advance_loc1, 2, DW_CFA_expression, RBX, 2, DW_OP_breg7, 8, DW_CFA_def_cfa_expression, 3,
		DW_OP_breg7, 8,
		DW_OP_deref, DW_CFA_advance_loc2, 1, 0, DW_CFA_restore_state, DW_CFA_val_expression, 12, 1, DW_OP_lit3,
	};
	static const uint8_t other[] = { 0, 1, 0x7f, 0x80, 0xff };
	struct dw dw = the_library();
	struct buf file = { 0 };
	struct unwind_row r;

	(void)state;
	make(&file, prog, sizeof prog, 1, CIE_BYTES);
	assert_true(row_in(&dw, &file, 3, &r) && r.cfa.how == RULE_EXPR && r.reg[RBX].how == RULE_EXPR_AT);
	for (size_t i = 0; i < file.len; i++) {
		char was = file.data[i];

		for (size_t k = 0; k < sizeof other; k++) {
			file.data[i] = (char)(k < 3 ? was ^ other[k] : other[k]);
			for (uint64_t off = 0; off < 8; off += 3)
				row_in(&dw, &file, off, &r);
		}
		file.data[i] = was;
	}
	for (size_t n = file.len; n > sizeof(Elf64_Ehdr); n--) {
		file.len = n;
		row_in(&dw, &file, 4, &r);
	}
	buf_free(&file);
	dw_close(&dw);
}

/* ---- whole stacks ---- */
static struct object *made;

static bool made_code(void *arg, int64_t pid, uint64_t addr, uint64_t at, struct symbol_code *out)
{
	(void)arg, (void)pid, (void)at;
	if (addr < TEXT || addr >= TEXT + 64)
		return false;
	*out = (struct symbol_code){ .object = made, .path = "/made", .start = TEXT, .off = TEXT };
	return true;
}

static void test_stack(void **state)
{
	static const uint8_t prog[] = { DW_CFA_def_cfa_offset, 16 };
	static const struct symbol_ops ops = { .code = made_code };
	/* three calls within the function, then one to code without tables, whose frame pointer is at word 6 */
	uint64_t stack[] = { 0, TEXT + 8, 0, TEXT + 64, 0, 0x9000, STACK + 72, 0x9100, 0, 0, 0 }, regs[17] = { 0 },
		pc[32];
	struct unwind_start s = { .bits = 64, .regs = (const uint8_t *)regs, .stack = (const uint8_t *)stack,
				  .size = sizeof stack };
	struct buf file = { 0 };
	char why[160];
	struct unwinder *u = unwinder_open(&ops, NULL, why, sizeof why);
	struct unwind_stack out = { .pc = pc, .max = 32 };

	(void)state;
	if (!u)
		skip();
	made = object_new("/made", 0, 0);
	make(&file, prog, sizeof prog, 1, CIE_BYTES);
	object_memory(made, file.data, file.len);
	s.mask = unwind_mask();
	/* bp, sp, ip: in perf's order */
	regs[6] = STACK + 48;
	regs[7] = STACK;
	regs[8] = TEXT;
	assert_int_equal(unwinder_run(u, 1, 0, &s, &out), 5);
	assert_false(out.cut);
	assert_int_equal(pc[0], TEXT);
	assert_int_equal(pc[1], TEXT + 8);
	assert_int_equal(pc[2], TEXT + 64);	/* after a call that is the last instruction */
	assert_int_equal(pc[3], 0x9000);
	assert_int_equal(pc[4], 0x9100);
	out.max = 2;
	assert_int_equal(unwinder_run(u, 1, 0, &s, &out), 2);
	assert_true(out.cut);
	out.max = 32;
	/* a copy of any length */
	for (s.size = 0; s.size <= sizeof stack; s.size++) {
		uint32_t n = unwinder_run(u, 1, 0, &s, &out);

		assert_true(n >= 1 && n <= 5 && pc[0] == TEXT && (n < 2 || pc[1] == TEXT + 8));
		assert_int_equal(out.cut, s.size < sizeof stack);
	}
	/* a stack pointer anywhere */
	for (unsigned bit = 0; bit < 64; bit++) {
		regs[7] = 1ull << bit;
		assert_in_range(unwinder_run(u, 1, 0, &s, &out), 0, 32);
		regs[7] = ~0ull << bit;
		assert_in_range(unwinder_run(u, 1, 0, &s, &out), 0, 32);
	}
	s.bits = 16;
	assert_int_equal(unwinder_run(u, 1, 0, &s, &out), 0);
	unwinder_close(u);
	object_free(made);
	buf_free(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_steps), cmocka_unit_test(test_ends), cmocka_unit_test(test_pointer),
		cmocka_unit_test(test_32_bits), cmocka_unit_test(test_expressions),
		cmocka_unit_test(test_bad_expressions),
		cmocka_unit_test(test_tables), cmocka_unit_test(test_costly), cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_stack),
	};

	if (!machine_of(64)) {
		printf("1..0 # SKIP unwinding is for x86-64 so far\n");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
