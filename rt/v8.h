/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads frames of JavaScript functions that V8 runs, from the memory of its process. The same source is compiled for
 * BPF and for this process. Nothing in that memory is trusted: it may be torn or hostile, so every loop is bounded and
 * every address may be invalid. While the collector moves an object, its old place has the new address.
 *
 * The layout of frames (src/execution/frame-constants.h in V8's source): below the frame pointer are the context, the
 * function, the number of arguments, the bytecode and, in interpreted frames, the offset of the instruction. Frames of
 * other kinds have a small integer in the context's place.
 *
 * Ownership: the caller owns the struct rt_v8. Errors: functions return false for what is no such frame, and for what
 * cannot be read.
 */
#ifndef RT_V8_H
#define RT_V8_H

#include <stdbool.h>
#include <stdint.h>

enum {
	RT_V8_TEXT = 512,		/* bytes of a name or path; a power of two */
	RT_V8_PARTS = 64,		/* parts of a string, and references to others */
	RT_V8_DEPTH = 8,		/* depth of parts; a power of two */
	RT_V8_NAME = 0, RT_V8_FILE = 1,	/* texts of a function */
	RT_V8_FORWARDS = 4,		/* strings that refer to others are followed this often */
	RT_V8_UNKNOWN = 0x7fffffff,	/* offset of an instruction that is not known */
	RT_V8_SLOTS = 512,		/* words of a feedback vector that are searched */
	RT_V8_LOOPS = 4,		/* functions whose loops' code is remembered; a power of two */
	RT_V8_BASELINE = 11, RT_V8_KINDS = 15,	/* of code: compiled without optimising; more: optimised */
};

/* What differs between versions. Offsets are in bytes, from the beginning of an object. */
struct rt_v8_layout {
	uint64_t code_size;		/* bytes of the code of V8's own functions */
	uint16_t map_type;
	uint16_t function_shared;	/* JSFunction */
	uint16_t shared_data, shared_name, shared_script, shared_token, shared_literal;	/* SharedFunctionInfo */
	uint16_t uncompiled_start;	/* UncompiledData */
	uint16_t script_name, script_source, script_id;
	uint16_t string_length, string_chars, cons_first, cons_second, thin_actual;
	uint16_t sliced_parent, sliced_offset, external_data;
	uint16_t array_length, array_data;	/* FixedArrayBase, also of bytes and of bytecode */
	uint16_t bytecode_table, bytecode_data;
	uint16_t function_code, function_cell;	/* JSFunction */
	uint16_t cell_vector, vector;	/* FeedbackCell, and the type of what it refers to; 0: has no code of loops */
	/* Code. code_bytecode: the bytecode that it was made of, or what was inlined. code_inline: its instructions
	 * are part of the object, 0: code_start is their address. */
	uint16_t code_bytecode, code_table, code_start, code_inline, code_bytes, code_flags;
	/* types of objects */
	uint16_t context_first, context_last, function_first, function_last;
	uint16_t shared, script, scope, bytecode, bytes, code, array, weak_array;
	uint16_t first_no_string;
	uint16_t scope_inline;		/* a scope with fewer variables has their names, others a table of them */
};

/* A frame of a function in a script. Addresses are those of objects. */
struct rt_v8_frame {
	uint64_t shared;		/* its SharedFunctionInfo */
	uint64_t script;
	uint64_t ids;			/* the script's number, that of the function in it << 32: never change */
	uint64_t position;		/* offset of its instruction in the bytecode, or RT_V8_UNKNOWN */
};

/* The code of a function. */
struct rt_v8_code {
	uint64_t at;			/* address of the object */
	uint64_t start;			/* address of its first instruction */
	uint64_t table, bytecode;	/* references to its tables */
	uint32_t bytes, kind;
};

/* Tables of bytes that say which positions its instructions have: its own; of baseline code the bytecode that it was
 * made of, and the positions of that; of optimised code where functions were inlined. */
enum { RT_V8_OFFSETS, RT_V8_BYTECODE, RT_V8_POSITIONS, RT_V8_TABLES };
struct rt_v8_table {
	uint64_t at;			/* address of its first byte */
	uint64_t bytes;			/* 0: there is none */
};

struct rt_v8_text {
	uint32_t kind;			/* bytes of a character; 0: unreadable */
	uint32_t n;			/* characters */
};

/* A function. */
struct rt_v8_function {
	struct rt_v8_frame frame;
	uint32_t start;			/* position of its definition in the script, in characters */
	uint32_t bytes;			/* size of its table of positions */
	uint64_t table;			/* address of that table */
	uint64_t source, length;	/* address of the characters of the script's text, their number */
	uint32_t kind;			/* bytes of one; 0: the text is unreadable */
	struct rt_v8_text text[2];	/* their characters are in chars[] from RT_V8_TEXT * index on */
	uint8_t chars[3 * RT_V8_TEXT];	/* the kernel's verifier does not know that texts are not longer */
};

/* The caller sets `layout`, `code` and, except in BPF, `read` and `arg`. */
struct rt_v8 {
	struct rt_v8_layout layout;
	uint64_t code;			/* address of the code of V8's own functions */
	bool (*read)(void *arg, uint64_t addr, void *buf, uint64_t n);
	void *arg;
	uint64_t word[5];		/* of a frame */
	uint32_t type;			/* of the object that was found last */
	uint64_t string;		/* reference to the string that is read */
	uint64_t from, length, offset;	/* where its characters are, their number, that of the first one */
	uint64_t which, end, complete;	/* text that is read, up to which character it is missing */
	uint64_t depth, first[RT_V8_DEPTH];	/* references to first parts of strings that are divided */
	struct rt_v8_frame frame;
	uint64_t function_at;		/* address of its JSFunction */
	struct rt_v8_code compiled;
	struct rt_v8_table table[RT_V8_TABLES];	/* of `compiled` */
	uint64_t pc, slots, found;	/* of a search for code of a loop */
	uint64_t loop[RT_V8_LOOPS];	/* references to code that was found so, only guesses */
	struct rt_v8_function function;
};

/* Reads a frame whose code V8 has made, or is its own, into v->frame. fp: the frame pointer. sp: the stack pointer;
 * what is below it is not part of the frame yet. */
bool rt_v8_frame(struct rt_v8 *v, uint64_t fp, uint64_t sp);
/* Finds the code of the function of the frame that rt_v8_frame has read last. False if pc is not in it: it was compiled
 * again since, or V8's own functions run it. */
bool rt_v8_code(struct rt_v8 *v, uint64_t pc);
/* Finds the tables of v->compiled. */
void rt_v8_tables(struct rt_v8 *v);
/* Words of the data for deoptimising (src/objects/code.h), to which optimised code refers. */
enum { RT_V8_DEOPT_FUNCTIONS = 1, RT_V8_DEOPT_LITERALS = 2, RT_V8_DEOPT_POSITIONS = 7 };
/* Reads a SharedFunctionInfo into v->frame: all but the position. */
bool rt_v8_shared(struct rt_v8 *v, uint64_t reference);
/* The address of the object to which a reference refers, if it has this type; 0: it is none. */
uint64_t rt_v8_typed(struct rt_v8 *v, uint64_t reference, uint32_t type);
/* For memory that is read later than the stack was: false if the function of v->frame is not the one that the frame's
 * bytecode belongs to, because objects have been moved since. Frames of optimised code have no bytecode. */
bool rt_v8_still(struct rt_v8 *v);
/* Reads the function of v->frame into v->function. A text that is unreadable has kind 0. Returns false if it was never
 * compiled: the frame is none. */
bool rt_v8_function(struct rt_v8 *v);
/* Stores the address of a string's characters in v->from and their number in v->length. Returns the number of bytes of
 * a character; 0: it is unreadable, or in several parts. */
uint32_t rt_v8_string(struct rt_v8 *v, uint64_t reference);

#endif
