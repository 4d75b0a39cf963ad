/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/runtimes/v8/find.h"

#include <elf.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 512, MAXSYMS = 1 << 20, MAXSTRINGS = 1 << 26, MOST = 4096 };

/* Constants that are the same in all supported versions. */
static const struct v8_fixed {
	const char *name;
	int32_t value;
} fixed[] = {
	{ "v8dbg_off_fp_context", -8 }, { "v8dbg_off_fp_function", -16 }, { "v8dbg_off_fp_bytecode_array", -32 },
	{ "v8dbg_off_fp_bytecode_offset", -40 }, { "v8dbg_HeapObjectTag", 1 }, { "v8dbg_HeapObjectTagMask", 3 },
	{ "v8dbg_SmiTag", 0 }, { "v8dbg_SmiTagMask", 1 }, { "v8dbg_SmiValueShift", 1 }, { "v8dbg_SmiShiftSize", 31 },
	{ "v8dbg_StringRepresentationMask", 7 }, { "v8dbg_StringEncodingMask", 8 }, { "v8dbg_OneByteStringTag", 8 },
	{ "v8dbg_SeqStringTag", 0 }, { "v8dbg_ConsStringTag", 1 }, { "v8dbg_ExternalStringTag", 2 },
	{ "v8dbg_SlicedStringTag", 3 }, { "v8dbg_ThinStringTag", 5 }, { "v8dbg_class_HeapObject__map__Map", 0 },
	{ "v8dbg_scopeinfo_idx_nparams", 1 }, { "v8dbg_scopeinfo_idx_ncontextlocals", 2 },
	{ "v8dbg_scopeinfo_idx_first_vars", 3 }, { "v8dbg_CodeKindFieldMask", RT_V8_KINDS },
	{ "v8dbg_CodeKindFieldShift", 0 }, { "v8dbg_CodeKindBaseline", RT_V8_BASELINE },
};

/* Those that are a member of struct rt_v8_layout. */
static const struct v8_member {
	const char *name;
	uint16_t member;
} members[] = {
#define MEMBER(name, m) { "v8dbg_" name, offsetof(struct rt_v8_layout, m) }
	MEMBER("class_Map__instance_type__uint16_t", map_type),
	MEMBER("class_JSFunction__shared__SharedFunctionInfo", function_shared),
	MEMBER("class_SharedFunctionInfo__function_data__Object", shared_data),
	MEMBER("class_SharedFunctionInfo__name_or_scope_info__Object", shared_name),
	MEMBER("class_SharedFunctionInfo__script_or_debug_info__HeapObject", shared_script),
	MEMBER("class_SharedFunctionInfo__raw_function_token_offset__int16_t", shared_token),
	MEMBER("class_UncompiledData__start_position__int32_t", uncompiled_start),
	MEMBER("class_Script__name__Object", script_name),
	MEMBER("class_Script__source__Object", script_source),
	MEMBER("class_String__length__int32_t", string_length),
	MEMBER("class_SeqOneByteString__chars__char", string_chars),
	MEMBER("class_ConsString__first__String", cons_first),
	MEMBER("class_ConsString__second__String", cons_second),
	MEMBER("class_ThinString__actual__String", thin_actual),
	MEMBER("class_SlicedString__parent__String", sliced_parent),
	MEMBER("class_SlicedString__offset__SMI", sliced_offset),
	MEMBER("class_FixedArrayBase__length__SMI", array_length),
	MEMBER("class_FixedArray__data__uintptr_t", array_data),
	MEMBER("class_BytecodeArray__data__uintptr_t", bytecode_data),
	MEMBER("FirstContextType", context_first),
	MEMBER("LastContextType", context_last),
	MEMBER("FirstNonstringType", first_no_string),
	MEMBER("type_JSFunction__JS_FUNCTION_TYPE", function_first),
	MEMBER("type_SharedFunctionInfo__SHARED_FUNCTION_INFO_TYPE", shared),
	MEMBER("type_Script__SCRIPT_TYPE", script),
	MEMBER("type_ScopeInfo__SCOPE_INFO_TYPE", scope),
	MEMBER("type_BytecodeArray__BYTECODE_ARRAY_TYPE", bytecode),
	MEMBER("type_ByteArray__BYTE_ARRAY_TYPE", bytes),
	MEMBER("type_Code__CODE_TYPE", code),
	MEMBER("type_FixedArray__FIXED_ARRAY_TYPE", array),
	MEMBER("class_JSFunction__raw_feedback_cell__FeedbackCell", function_cell),
	MEMBER("class_FeedbackCell__value__HeapObject", cell_vector),
	MEMBER("type_FeedbackVector__FEEDBACK_VECTOR_TYPE", vector),
	MEMBER("type_WeakFixedArray__WEAK_FIXED_ARRAY_TYPE", weak_array),
#undef MEMBER
};

/* What versions do not export (src/objects of V8's source). functions: number of types of JSFunction. */
static const struct v8_row {
	uint8_t major, minor;
	uint16_t functions, shared_literal, script_id, bytecode_table;
	uint16_t function_code, code_bytecode, code_table, code_start, code_inline, code_bytes, code_flags;
	bool loops;			/* code of loops is in the feedback vector */
} rows[] = {
	{ 10, 2, 16, 52, 64, 32, 48, 16, 24, 0, 128, 40, 48, false },
	{ 11, 3, 16, 52, 64, 32, 48, 16, 24, 40, 0, 56, 48, true },
};

enum { NFIXED = sizeof fixed / sizeof *fixed, NMEMBERS = sizeof members / sizeof *members };
enum { SCOPE_INLINE = 75 };		/* kScopeInfoMaxInlinedLocalNamesSize */

/* The symbols that are searched, by link address; 0: not found. */
enum v8_symbol { SYMBOL_MAJOR = NFIXED + NMEMBERS, SYMBOL_MINOR, SYMBOL_CODE, SYMBOL_SIZE,
	SYMBOL_SIZES, NSYMBOLS };

struct v8_search {
	const struct elf *e;
	uint64_t symbols, n, nstrings;
	char *strings;
	uint64_t addr[NSYMBOLS], sizes;	/* sizes: bytes of SYMBOL_SIZES */
};

/* ---- symbols ---- */
static bool search_begin(struct v8_search *s, const struct elf *e)
{
	const struct elf_section *d = elf_section_typed(e, SHT_DYNSYM), *names;

	if (!d || d->link >= e->nsections || d->entsize != elf_sym_size(e))
		return false;
	names = &e->sections[d->link];
	*s = (struct v8_search){ .e = e, .symbols = d->off, .n = d->size / d->entsize, .nstrings = names->size };
	if (s->n > MAXSYMS || !s->nstrings || s->nstrings > MAXSTRINGS)
		return false;
	s->strings = malloc(s->nstrings);
	if (!s->strings || !elf_read(e, names->off, s->strings, s->nstrings)) {
		free(s->strings);
		return false;
	}
	s->strings[s->nstrings - 1] = '\0';
	return true;
}

static const char *symbol_name(unsigned i)
{
	static const char *const names[] = {
		"_ZN2v88internal7Version6major_E", "_ZN2v88internal7Version6minor_E",
		"_ZN2v88internal23DefaultEmbeddedBlobCodeEv", "_ZN2v88internal27DefaultEmbeddedBlobCodeSizeEv",
		"_ZN2v88internal11interpreter9Bytecodes14kBytecodeSizesE",
	};

	if (i < NFIXED)
		return fixed[i].name;
	return i < SYMBOL_MAJOR ? members[i - NFIXED].name : names[i - SYMBOL_MAJOR];
}

static void symbol_take(struct v8_search *s, const struct elf_sym *sym)
{
	const char *name = s->strings + sym->name;

	if (sym->section == SHN_UNDEF || sym->name >= s->nstrings ||
	    (strncmp(name, "v8dbg_", 6) && strncmp(name, "_ZN2v88internal", 15)))
		return;
	for (unsigned i = 0; i < NSYMBOLS; i++)
		if (!s->addr[i] && !strcmp(name, symbol_name(i)))
			s->addr[i] = sym->value, s->sizes = i == SYMBOL_SIZES ? sym->size : s->sizes;
}

static bool chunk_search(struct v8_search *s, uint8_t *chunk, uint64_t first)
{
	unsigned each = elf_sym_size(s->e);
	uint64_t n = s->n - first < CHUNK ? s->n - first : CHUNK;

	if (!elf_read(s->e, s->symbols + first * each, chunk, n * each))
		return false;
	for (uint64_t k = 0; k < n; k++) {
		struct elf_sym sym;

		elf_sym_get(s->e, chunk + k * each, &sym);
		symbol_take(s, &sym);
	}
	return true;
}

/* ---- values ---- */
/* The value of a variable: 0 if it is not in the file, because the memory is zeroed. */
static int32_t value_of(const struct v8_search *s, unsigned symbol)
{
	int32_t v = 0;
	uint64_t off;

	if (!elf_offset(s->e, s->addr[symbol], &off) || !elf_read(s->e, off, &v, sizeof v))
		return 0;
	return v;
}

/* What a function of one instruction or two returns: mov $address,%eax; mov address,%eax; lea address,%rax, then
 * mov (%rax),%rax or %eax. */
static bool place_of(const struct v8_search *s, unsigned symbol, struct v8_place *out)
{
	uint8_t c[11];
	uint64_t off, at = s->addr[symbol];
	int32_t imm;

	if (!at || !elf_offset(s->e, at, &off) || !elf_read(s->e, off, c, sizeof c))
		return false;
	if (c[0] == 0xb8 && c[5] == 0xc3) {
		memcpy(&imm, c + 1, 4);
		*out = (struct v8_place){ (uint32_t)imm, false };
		return true;
	}
	if (c[0] == 0x8b && c[1] == 0x05 && c[6] == 0xc3) {
		memcpy(&imm, c + 2, 4);
		*out = (struct v8_place){ at + 6 + (uint64_t)(int64_t)imm, true };
		return true;
	}
	if (c[0] != 0x48 || c[1] != 0x8d || c[2] != 0x05)
		return false;
	memcpy(&imm, c + 3, 4);
	*out = (struct v8_place){ at + 7 + (uint64_t)(int64_t)imm, c[7] != 0xc3 };
	return c[7] == 0xc3 || (c[7] == 0x8b && c[8] == 0) || (c[7] == 0x48 && c[8] == 0x8b && c[9] == 0);
}

/* The sizes of bytecodes, for operands of each of three widths. */
static void sizes_take(const struct v8_search *s, struct v8_file *out)
{
	uint64_t off;

	if (s->sizes <= sizeof out->sizes && s->sizes % 3 == 0 && elf_offset(s->e, s->addr[SYMBOL_SIZES], &off) &&
	    elf_read(s->e, off, out->sizes, s->sizes))
		out->nsizes = (uint32_t)s->sizes / 3;
}

static bool constants_take(const struct v8_search *s, struct rt_v8_layout *l)
{
	for (unsigned i = 0; i < NFIXED; i++)
		if (!s->addr[i] || value_of(s, i) != fixed[i].value)
			return false;
	for (unsigned i = 0; i < NMEMBERS; i++) {
		int32_t v = value_of(s, NFIXED + i);
		uint16_t small = (uint16_t)v;

		if (!s->addr[NFIXED + i] || v <= 0 || v > MOST)
			return false;
		memcpy((char *)l + members[i].member, &small, sizeof small);
	}
	return true;
}

static void layout_find(const struct v8_search *s, struct v8_file *out)
{
	const struct v8_row *row = NULL;
	struct rt_v8_layout *l = &out->layout;

	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].major == out->major && rows[i].minor == out->minor)
			row = &rows[i];
	out->known = row ? V8_ODD : V8_UNKNOWN;
	if (!row || !constants_take(s, l) || !place_of(s, SYMBOL_CODE, &out->code) ||
	    !place_of(s, SYMBOL_SIZE, &out->size))
		return;
	l->function_last = l->function_first + row->functions - 1;
	l->shared_literal = row->shared_literal;
	l->script_id = row->script_id;
	l->bytecode_table = row->bytecode_table;
	l->function_code = row->function_code;
	if (!row->loops)
		l->vector = 0;
	l->code_bytecode = row->code_bytecode;
	l->code_table = row->code_table;
	l->code_start = row->code_start;
	l->code_inline = row->code_inline;
	l->code_bytes = row->code_bytes;
	l->code_flags = row->code_flags;
	sizes_take(s, out);
	l->external_data = 24;
	l->scope_inline = SCOPE_INLINE;
	out->known = V8_KNOWN;
}

bool v8_find(const struct elf *e, struct v8_file *out)
{
	uint8_t chunk[CHUNK * ELF_SYM64];
	struct v8_search s;
	bool found;

	if (!e->is64 || !search_begin(&s, e))
		return false;
	*out = (struct v8_file){ .known = V8_ODD };
	for (uint64_t i = 0; i < s.n && chunk_search(&s, chunk, i); i += CHUNK)
		;
	free(s.strings);
	found = s.addr[SYMBOL_MAJOR] && s.addr[0];
	if (!found)
		return false;
	out->major = s.addr[SYMBOL_MAJOR] ? (uint32_t)value_of(&s, SYMBOL_MAJOR) : 0;
	out->minor = s.addr[SYMBOL_MINOR] ? (uint32_t)value_of(&s, SYMBOL_MINOR) : 0;
	layout_find(&s, out);
	return true;
}

static bool place_read(const struct v8_place *p, uint64_t bias, const struct jstack_memory *m, void *out, size_t n)
{
	uint64_t addr = p->addr + bias;

	if (p->memory)
		return m->read(m->arg, addr, out, n);
	memcpy(out, &addr, n);
	return true;
}

bool v8_code(const struct v8_file *f, uint64_t bias, const struct jstack_memory *m, uint64_t *code, uint64_t *size)
{
	uint32_t bytes;

	if (!place_read(&f->code, bias, m, code, sizeof *code) || !place_read(&f->size, bias, m, &bytes, sizeof bytes))
		return false;
	*size = bytes;
	return *code && bytes;
}
