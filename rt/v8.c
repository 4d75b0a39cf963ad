/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads V8's frames and functions. */
#include "rt/v8.h"

#include "rt/word.h"

/* In BPF, calls are at most eight deep. */
#define V8_INLINE static inline __attribute__((always_inline))

#ifdef __bpf__
V8_INLINE bool v8_read(struct rt_v8 *v, uint64_t addr, void *dst, uint32_t n)
{
	(void)v;
	return !bpf_probe_read_user(dst, n, (const void *)addr);
}
#else
V8_INLINE bool v8_read(struct rt_v8 *v, uint64_t addr, void *dst, uint32_t n)
{
	return v->read(v->arg, addr, dst, n);
}
#endif

/* The word at an address; 0 if it cannot be read. */
V8_INLINE uint64_t v8_word(struct rt_v8 *v, uint64_t addr)
{
	uint64_t w = 0;

	return v8_read(v, addr, &w, sizeof w) ? w : 0;
}

/* References to objects have 1 in their lowest two bits, small integers 0 in the lowest one and their value in the
 * upper half. */
V8_INLINE bool v8_is_object(uint64_t v)
{
	return (v & 3) == 1;
}

V8_INLINE uint64_t v8_integer(uint64_t v)
{
	return v & 1 ? 0 : v >> 32;
}

/* The address of the object to which a reference refers, and its type in v->type; 0: it is none. An object's first word
 * refers to its map. An address in the place of that is where the object has been moved to. */
static inline uint64_t v8_object(struct rt_v8 *v, uint64_t reference)
{
	uint64_t at = reference - 1, map;
	uint16_t type = 0;

	v->type = 0;
	if (!v8_is_object(reference))
		return 0;
	map = v8_word(v, at);
	if (map && !(map & 3)) {
		at = map;
		map = v8_word(v, at);
	}
	if (!v8_is_object(map) || !v8_read(v, map - 1 + v->layout.map_type, &type, sizeof type))
		return 0;
	v->type = type;
	return at;
}

/* The same for an object whose type is known. */
V8_INLINE uint64_t v8_typed(struct rt_v8 *v, uint64_t reference, uint16_t type)
{
	uint64_t at = v8_object(v, reference);

	return v->type == type ? at : 0;
}

/* ---- frames ---- */
enum v8_frame_word { FRAME_OFFSET, FRAME_BYTECODE, FRAME_ARGUMENTS, FRAME_FUNCTION, FRAME_CONTEXT, FRAME_WORDS };

/* The offset of an instruction is in interpreted frames only: others have a reference there. It counts from the
 * reference to the bytecode. */
V8_INLINE uint64_t v8_position(struct rt_v8 *v)
{
	uint64_t offset = v8_integer(v->word[FRAME_OFFSET]), data = v->layout.bytecode_data - 1ull;

	if (v->word[FRAME_OFFSET] << 32 || offset < data || offset - data >= RT_V8_UNKNOWN ||
	    !v8_typed(v, v->word[FRAME_BYTECODE], v->layout.bytecode))
		return RT_V8_UNKNOWN;
	return offset - data;
}

V8_INLINE bool v8_shared(struct rt_v8 *v, uint64_t reference)
{
	uint64_t shared = v8_typed(v, reference, v->layout.shared), script;
	uint32_t literal = 0;

	script = shared ? v8_typed(v, v8_word(v, shared + v->layout.shared_script), v->layout.script) : 0;
	if (!script || !v8_read(v, shared + v->layout.shared_literal, &literal, sizeof literal))
		return false;
	v->frame.shared = shared;
	v->frame.script = script;
	v->frame.ids = v8_integer(v8_word(v, script + v->layout.script_id)) | (uint64_t)literal << 32;
	return true;
}

bool rt_v8_frame(struct rt_v8 *v, uint64_t fp, uint64_t sp)
{
	uint64_t low = fp - FRAME_WORDS * 8, function;

	if (fp & 7 || sp > low + 8 * FRAME_FUNCTION || !v8_read(v, low, v->word, 8 * FRAME_WORDS))
		return false;
	if (!v8_object(v, v->word[FRAME_CONTEXT]) || v->type < v->layout.context_first ||
	    v->type > v->layout.context_last)
		return false;
	function = v8_object(v, v->word[FRAME_FUNCTION]);
	if (!function || v->type < v->layout.function_first || v->type > v->layout.function_last)
		return false;
	if (!v8_shared(v, v8_word(v, function + v->layout.function_shared)))
		return false;
	v->function_at = function;
	v->frame.position = sp > low ? RT_V8_UNKNOWN : v8_position(v);
	return true;
}

/* ---- code ---- */
V8_INLINE bool v8_code_has(struct rt_v8 *v, uint64_t reference, uint64_t pc)
{
	uint64_t at = v8_typed(v, reference, v->layout.code);
	struct rt_v8_code *c = &v->compiled;

	if (!at || !v8_read(v, at + v->layout.code_bytes, &c->bytes, sizeof c->bytes) ||
	    !v8_read(v, at + v->layout.code_flags, &c->kind, sizeof c->kind))
		return false;
	c->at = at;
	c->start = v->layout.code_inline ? at + v->layout.code_inline : v8_word(v, at + v->layout.code_start);
	c->kind &= RT_V8_KINDS;
	c->table = v8_word(v, at + v->layout.code_table);
	c->bytecode = v8_word(v, at + v->layout.code_bytecode);
	return c->kind >= RT_V8_BASELINE && pc - c->start < c->bytes;
}

static inline uint64_t *v8_loop_guess(struct rt_v8 *v)
{
	uint64_t i = v->function_at >> 4;

	RT_OPAQUE(i);
	return &v->loop[i & (RT_V8_LOOPS - 1)];
}

/* Code that was compiled while a loop ran is in a slot of the function's feedback, as a reference that the collector
 * does not follow. */
static long v8_loop_step(uint64_t i, void *state)
{
	struct rt_v8 *v = *(struct rt_v8 **)state;
	uint64_t reference = v8_word(v, v->slots + 8 * i);

	if ((reference & 3) != 3 || !v8_code_has(v, reference & ~2ull, v->pc))
		return 0;
	*v8_loop_guess(v) = reference & ~2ull;
	v->found = 1;
	return 1;
}

V8_INLINE bool v8_loop_code(struct rt_v8 *v, uint64_t pc)
{
	uint64_t cell, n;

	if (!v->layout.vector)
		return false;
	if (v8_code_has(v, *v8_loop_guess(v), pc))
		return true;
	cell = v8_object(v, v8_word(v, v->function_at + v->layout.function_cell));
	v->slots = cell ? v8_typed(v, v8_word(v, cell + v->layout.cell_vector), v->layout.vector) : 0;
	if (!v->slots)
		return false;
	n = (v8_word(v, v->slots + 8) & UINT32_MAX) + 8;	/* slots, and what precedes them */
	v->pc = pc;
	v->found = 0;
	rt_loop(n < RT_V8_SLOTS ? n : RT_V8_SLOTS, v8_loop_step, &v);
	return v->found;
}

/* The function itself may have better code since: its baseline code is also in the SharedFunctionInfo. */
V8_INLINE bool v8_code(struct rt_v8 *v, uint64_t pc)
{
	return v8_code_has(v, v8_word(v, v->function_at + v->layout.function_code), pc) ||
	       v8_code_has(v, v8_word(v, v->frame.shared + v->layout.shared_data), pc) || v8_loop_code(v, pc);
}

V8_INLINE void v8_table(struct rt_v8 *v, uint32_t i, uint64_t at, uint16_t data)
{
	v->table[i].at = at + data;
	v->table[i].bytes = at ? v8_integer(v8_word(v, at + v->layout.array_length)) : 0;
}

V8_INLINE void v8_tables(struct rt_v8 *v)
{
	const struct rt_v8_layout *l = &v->layout;
	uint64_t positions, from = 0;

	v8_table(v, RT_V8_OFFSETS, v8_typed(v, v->compiled.table, l->bytes), l->array_data);
	if (v->compiled.kind == RT_V8_BASELINE)
		from = v8_typed(v, v->compiled.bytecode, l->bytecode);
	v8_table(v, RT_V8_BYTECODE, from, l->bytecode_data);
	positions = from + l->bytecode_table;
	if (v->compiled.kind != RT_V8_BASELINE) {
		from = v8_typed(v, v->compiled.bytecode, l->array);
		positions = from + l->array_data + 8 * RT_V8_DEOPT_POSITIONS;
	}
	v8_table(v, RT_V8_POSITIONS, from ? v8_typed(v, v8_word(v, positions), l->bytes) : 0, l->array_data);
}

/* ---- texts ---- */
enum { STRING_KINDS = 7, STRING_BYTES = 8 };	/* bits of the type of a string; STRING_BYTES: of bytes, not 16 bits */
enum { STRING_SEQUENCE, STRING_CONS, STRING_EXTERNAL, STRING_SLICED, STRING_THIN = 5 };

V8_INLINE uint32_t v8_length(struct rt_v8 *v, uint64_t at)
{
	uint32_t n = 0;

	v8_read(v, at + v->layout.string_length, &n, sizeof n);
	return n;
}

/* Finds the characters of a string that has some of its own, or refers to one that has: stores where they are in
 * v->from. Returns the number of bytes of one; 0: it is no such string. */
V8_INLINE uint32_t v8_characters(struct rt_v8 *v, uint64_t at)
{
	uint32_t kind = v->type & STRING_BYTES ? 1 : 2;

	v->from = at + v->layout.string_chars;
	if ((v->type & STRING_KINDS) == STRING_EXTERNAL)
		v->from = v8_word(v, at + v->layout.external_data);
	else if ((v->type & STRING_KINDS) != STRING_SEQUENCE)
		return 0;
	v->from += v->offset * kind;
	return kind;
}

/* The string v->string refers to another one: replaces it by that. Returns false if it does not. */
V8_INLINE bool v8_forward(struct rt_v8 *v, uint64_t at)
{
	uint32_t kind = v->type & STRING_KINDS;
	uint64_t second;

	if (kind == STRING_THIN) {
		v->string = v8_word(v, at + v->layout.thin_actual);
		return true;
	}
	if (kind == STRING_SLICED) {
		v->offset += v8_integer(v8_word(v, at + v->layout.sliced_offset));
		v->string = v8_word(v, at + v->layout.sliced_parent);
		return true;
	}
	if (kind != STRING_CONS)
		return false;
	second = v8_object(v, v8_word(v, at + v->layout.cons_second));
	v->string = v8_word(v, at + v->layout.cons_first);
	return second && v->type < v->layout.first_no_string && !v8_length(v, second);
}

static long v8_forward_step(uint64_t i, void *state)
{
	struct rt_v8 *v = *(struct rt_v8 **)state;
	uint64_t at = v8_object(v, v->string);

	(void)i;
	return !at || v->type >= v->layout.first_no_string || !v8_forward(v, at);
}

V8_INLINE uint32_t v8_string(struct rt_v8 *v, uint64_t reference)
{
	uint64_t at = v8_object(v, reference);

	v->length = at && v->type < v->layout.first_no_string ? v8_length(v, at) : 0;
	v->string = reference;
	v->offset = 0;
	rt_loop(RT_V8_FORWARDS, v8_forward_step, &v);
	at = v8_object(v, v->string);
	return at && v->type < v->layout.first_no_string ? v8_characters(v, at) : 0;
}

/* Copies the string of v->length characters that is v->string: they are those of a text up to v->end. */
V8_INLINE bool v8_copy(struct rt_v8 *v, uint64_t at)
{
	struct rt_v8_text *out = &v->function.text[v->which & 1];
	uint64_t n = v->length < v->end ? v->length : v->end, to = v->end - n;
	uint32_t bytes = (uint32_t)n * out->kind;

	if (v8_characters(v, at) != out->kind)
		return false;
	v->end = to;
	v->offset = 0;
	to *= out->kind;
	RT_OPAQUE(to);
	to &= RT_V8_TEXT - 1;
	RT_OPAQUE(bytes);
	bytes &= RT_V8_TEXT - 1;
	return !bytes || v8_read(v, v->from, v->function.chars + (v->which & 1) * RT_V8_TEXT + to, bytes);
}

/* The string v->string has two parts: goes on with the second one, later with the first one. */
V8_INLINE bool v8_divide(struct rt_v8 *v, uint64_t at)
{
	uint64_t depth = v->depth, second;

	if (depth >= RT_V8_DEPTH || v->offset)
		return false;
	v->depth = depth + 1;
	RT_OPAQUE(depth);
	v->first[depth & (RT_V8_DEPTH - 1)] = v8_word(v, at + v->layout.cons_first);
	v->string = v8_word(v, at + v->layout.cons_second);
	second = v8_object(v, v->string);
	v->length = second ? v8_length(v, second) : 0;
	return second;
}

/* Goes on with the part before. Returns false if there is none. */
V8_INLINE bool v8_before(struct rt_v8 *v)
{
	uint64_t depth = v->depth - 1, at;

	if (depth >= RT_V8_DEPTH)
		return false;
	v->depth = depth;
	RT_OPAQUE(depth);
	v->string = v->first[depth & (RT_V8_DEPTH - 1)];
	at = v8_object(v, v->string);
	v->length = at ? v8_length(v, at) : 0;
	return true;
}

/* Copies or divides v->string. */
static long v8_text_step(uint64_t i, void *state)
{
	struct rt_v8 *v = *(struct rt_v8 **)state;
	uint64_t at = v8_object(v, v->string);
	uint32_t kind = v->type & STRING_KINDS;

	(void)i;
	if (!at || v->type >= v->layout.first_no_string)
		return 1;
	if (kind == STRING_CONS)
		return !v8_divide(v, at);
	if (v8_forward(v, at))
		return 0;
	if (!v8_copy(v, at))
		return 1;
	if (v8_before(v))
		return 0;
	v->complete = !v->end;
	return 1;
}

/* Reads a string into text number `which`. One in several parts is left out if it is too long. */
V8_INLINE void v8_text(struct rt_v8 *v, uint64_t which, uint64_t reference)
{
	struct rt_v8_text *out = &v->function.text[which & 1];
	uint64_t at = v8_object(v, reference), most;

	out->kind = out->n = 0;
	/* the type of such a string does not say which characters it has */
	if (at && v->type < v->layout.first_no_string && (v->type & STRING_KINDS) == STRING_THIN) {
		reference = v8_word(v, at + v->layout.thin_actual);
		at = v8_object(v, reference);
	}
	if (!at || v->type >= v->layout.first_no_string)
		return;
	out->kind = v->type & STRING_BYTES ? 1 : 2;
	most = (RT_V8_TEXT - 1) / out->kind;
	v->length = v8_length(v, at);
	v->string = reference;
	v->which = which;
	v->offset = v->complete = v->depth = 0;
	v->end = v->length < most ? v->length : most;
	out->n = (uint32_t)v->end;
	if ((v->type & STRING_KINDS) != STRING_CONS || v->length <= most)
		rt_loop(RT_V8_PARTS, v8_text_step, &v);
	if (!v->complete)
		out->kind = out->n = 0;
}

/* ---- functions ---- */
/* Bits of a scope's flags (src/objects/scope-info.tq). */
enum { SCOPE_TYPE = 15, SCOPE_FUNCTION = 2, SCOPE_MODULE = 3, SCOPE_CLASS_VARIABLE = 1 << 10, SCOPE_NAME = 3 << 12,
	SCOPE_INFERRED = 1 << 14 };

/* Reads the name and the position of a function from its scope: flags, number of parameters, number of variables, a
 * module's number of variables, names, properties, a class's variable, the function's name, an inferred one, the
 * position. */
V8_INLINE void v8_scope(struct rt_v8 *v, uint64_t scope)
{
	uint64_t flags = v8_word(v, scope + 8), locals = v8_integer(v8_word(v, scope + 24)) & 0xffffff;
	uint64_t at = scope + 32, name = 0, inferred = 0;

	flags = flags & 1 ? 0 : flags >> 32 | (flags & UINT32_MAX);
	if ((flags & SCOPE_TYPE) == SCOPE_MODULE)
		at += 8;
	at += 8 * (locals < v->layout.scope_inline ? 2 * locals : 1 + locals);
	if (flags & SCOPE_CLASS_VARIABLE)
		at += 8;
	if (flags & SCOPE_NAME) {
		name = v8_word(v, at);
		at += 16;
	}
	if (flags & SCOPE_INFERRED) {
		inferred = v8_word(v, at);
		at += 8;
	}
	v->function.start = (uint32_t)v8_integer(v8_word(v, at));
	v8_text(v, RT_V8_NAME, name);
	if (!v->function.text[RT_V8_NAME].n)
		v8_text(v, RT_V8_NAME, inferred);
}

/* The bytecode of a function: its data, or what its code was made of. */
V8_INLINE uint64_t v8_bytecode(struct rt_v8 *v, uint64_t shared)
{
	uint64_t reference = v8_word(v, shared + v->layout.shared_data), code = v8_typed(v, reference, v->layout.code);

	if (code)
		reference = v8_word(v, code + v->layout.code_bytecode);
	return v8_typed(v, reference, v->layout.bytecode);
}

/* V8 forgets the bytecode of a function that was not called for long, also while it runs. Then its name is in the place
 * of its scope, and only the frame has the bytecode. Returns false if there is none: it never ran. */
V8_INLINE bool v8_forgotten(struct rt_v8 *v, uint64_t name)
{
	uint64_t data;
	uint32_t start = 0;

	if (!name || v->type >= v->layout.first_no_string ||
	    !v8_typed(v, v->word[FRAME_BYTECODE], v->layout.bytecode))
		return false;
	v8_text(v, RT_V8_NAME, name + 1);
	data = v8_object(v, v8_word(v, v->frame.shared + v->layout.shared_data));
	if (data)
		v8_read(v, data + v->layout.uncompiled_start, &start, sizeof start);
	v->function.start = start;
	return true;
}

V8_INLINE bool v8_function(struct rt_v8 *v)
{
	uint64_t shared = v->frame.shared, scope, table;
	uint16_t token = 0xffff;

	v->function.frame = v->frame;
	v->function.start = 0;
	v->function.bytes = 0;
	v->function.table = 0;
	v->function.text[RT_V8_NAME].kind = v->function.text[RT_V8_NAME].n = 0;
	scope = v8_object(v, v8_word(v, shared + v->layout.shared_name));
	if (scope && v->type == v->layout.scope)
		v8_scope(v, scope);
	else if (!v8_forgotten(v, scope))
		return false;
	v8_read(v, shared + v->layout.shared_token, &token, sizeof token);
	if (token != 0xffff && token <= v->function.start)
		v->function.start -= token;
	v8_text(v, RT_V8_FILE, v8_word(v, v->frame.script + v->layout.script_name));
	v->function.kind = v8_string(v, v8_word(v, v->frame.script + v->layout.script_source));
	v->function.source = v->from;
	v->function.length = v->length;
	table = v8_bytecode(v, shared);
	if (!table)
		table = v8_typed(v, v->word[FRAME_BYTECODE], v->layout.bytecode);
	table = table ? v8_typed(v, v8_word(v, table + v->layout.bytecode_table), v->layout.bytes) : 0;
	if (table) {
		v->function.bytes = (uint32_t)v8_integer(v8_word(v, table + v->layout.array_length));
		v->function.table = table + v->layout.array_data;
	}
	return true;
}

bool rt_v8_still(struct rt_v8 *v)
{
	uint64_t bytecode = v8_typed(v, v->word[FRAME_BYTECODE], v->layout.bytecode);

	return !bytecode || bytecode == v8_bytecode(v, v->frame.shared);
}

bool rt_v8_function(struct rt_v8 *v)
{
	return v8_function(v);
}

uint32_t rt_v8_string(struct rt_v8 *v, uint64_t reference)
{
	return v8_string(v, reference);
}

bool rt_v8_code(struct rt_v8 *v, uint64_t pc)
{
	return v8_code(v, pc);
}

void rt_v8_tables(struct rt_v8 *v)
{
	v8_tables(v);
}

bool rt_v8_shared(struct rt_v8 *v, uint64_t reference)
{
	v->word[FRAME_BYTECODE] = 0;
	return v8_shared(v, reference);
}

uint64_t rt_v8_typed(struct rt_v8 *v, uint64_t reference, uint32_t type)
{
	return v8_typed(v, reference, (uint16_t)type);
}
