/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* jstack() of V8's programs in the kernel (jstack.h). Only for BPF; uses the functions of unwind.c. */
#include "rt/jstack.h"

#include "rt/unwind.h"

GLOBAL uint64_t v8_search(struct unwind_slot *s);
GLOBAL uint64_t v8_frame_at(struct unwind_slot *s, uint64_t i);
GLOBAL uint64_t v8_read_frame(struct unwind_slot *s, uint64_t fp, uint64_t sp);
GLOBAL uint64_t v8_read_function(struct unwind_slot *s);
GLOBAL uint64_t v8_number(struct unwind_slot *s);
GLOBAL uint64_t v8_send(struct unwind_slot *s, uint64_t number);
GLOBAL uint64_t v8_send_code(struct unwind_slot *s, uint64_t number, uint64_t function);
GLOBAL uint64_t v8_code_number(struct unwind_slot *s, uint64_t pc, uint64_t function);

/* Copies n bytes, if they are less than the room. Returns how many were copied. */
INLINE uint32_t v8_copy_part(uint8_t *to, uint64_t from, uint64_t n, uint32_t room)
{
	uint32_t bytes = n < room ? (uint32_t)n : 0;

	OPAQUE(bytes);
	bytes &= room - 1;
	return bytes && !read_user(to, bytes, (void *)from) ? bytes : 0;
}

/* half: a constant power of two. */
INLINE uint64_t v8_send_halves(struct unwind_slot *s, uint64_t number, uint32_t half)
{
	struct v8stack_function *m = ring_reserve(&map_unwind_ring, sizeof *m + 2 * half, 0);
	const struct rt_v8_function *f = &s->v8.function;

	if (!m)
		return 0;
	m->number = number;
	m->time = time_ns();
	m->pid = s->space.pid;
	m->why = V8STACK_FUNCTION;
	m->half = half;
	read_kernel(&m->function, sizeof m->function, f);
	m->function.bytes = v8_copy_part(m->data, f->table, f->bytes, half);
	m->copied = v8_copy_part(m->data + half, f->source, f->length * f->kind, half);
	ring_submit(m, 0);
	return number;
}

uint64_t v8_send(struct unwind_slot *s, uint64_t number)
{
	uint64_t source, most;

	if (!s)
		return 0;
	source = s->v8.function.length * s->v8.function.kind;
	most = s->v8.function.bytes;
	if (source > most && source < JSTACK_LINES)
		most = source;
	if (most < JSTACK_LINES_SMALL)
		return v8_send_halves(s, number, JSTACK_LINES_SMALL);
	if (most < JSTACK_LINES_MEDIUM)
		return v8_send_halves(s, number, JSTACK_LINES_MEDIUM);
	return v8_send_halves(s, number, JSTACK_LINES);
}

uint64_t v8_read_function(struct unwind_slot *s)
{
	if (s)
		return v8_function(&s->v8);	/* calls are at most eight deep */
	return 0;
}

/* The number of the function of s->v8.frame; 0: it has none. */
uint64_t v8_number(struct unwind_slot *s)
{
	uint64_t number;

	if (!s)
		return 0;
	s->wanted.pid = s->space.pid;
	s->wanted.code = s->v8.frame.shared;
	s->wanted.name = s->v8.frame.script;
	s->wanted.lines = s->v8.frame.ids;
	s->wanted.other = 0;
	number = jstack_known(s);
	if (number || s->wanted.number == JSTACK_BUSY)
		return number;
	if (!v8_read_function(s))
		return jstack_learn(s, 0);
	number = 2 * __sync_fetch_and_add(&map_jstack.numbers, 1) + 1;
	number = number > JSTACK_LAST ? 0 : v8_send(s, number);
	if (!number)
		__sync_fetch_and_add(&map_jstack.lost, 1);
	return jstack_learn(s, number);
}

uint64_t v8_read_frame(struct unwind_slot *s, uint64_t fp, uint64_t sp)
{
	return s && rt_v8_frame(&s->v8, fp, sp);
}

/* Reads frame number i. Returns false if it is not one of JavaScript. V8's code has a frame pointer, two words below
 * the next frame. */
uint64_t v8_frame_at(struct unwind_slot *s, uint64_t i)
{
	uint64_t pc;

	if (!s)
		return 0;
	OPAQUE(i);
	i &= RT_PY_FRAMES - 1;
	pc = s->pc[i];
	if (pc - s->v8.code >= s->v8.layout.code_size && unwind_rule(s, pc) != RULES_GENERATED)
		return 0;
	return v8_read_frame(s, s->pc[UNWIND_SP + i + 1] - 16, s->pc[UNWIND_SP + i]);
}

/* room: a constant power of two. */
INLINE uint64_t v8_send_tables(struct unwind_slot *s, uint64_t number, uint64_t function, uint32_t room)
{
	struct v8stack_code *m = ring_reserve(&map_unwind_ring, sizeof *m + RT_V8_TABLES * room, 0);

	if (!m)
		return 0;
	m->number = number;
	m->time = time_ns();
	m->pid = s->space.pid;
	m->why = V8STACK_CODE;
	m->function = function;
	read_kernel(&m->frame, sizeof m->frame, &s->v8.frame);
	read_kernel(&m->code, sizeof m->code, &s->v8.compiled);
	m->room = room;
	UNROLL
	for (uint32_t i = 0; i < RT_V8_TABLES; i++)
		m->bytes[i] = v8_copy_part(m->tables + i * room, s->v8.table[i].at, s->v8.table[i].bytes, room);
	ring_submit(m, 0);
	return number;
}

/* The tables are copied, because the collector may remove code before user space reads them. */
uint64_t v8_send_code(struct unwind_slot *s, uint64_t number, uint64_t function)
{
	uint64_t most = 0;

	if (!s)
		return 0;
	v8_tables(&s->v8);
	UNROLL
	for (uint32_t i = 0; i < RT_V8_TABLES; i++)
		if (s->v8.table[i].bytes > most)
			most = s->v8.table[i].bytes;
	if (most < JSTACK_LINES_SMALL)
		return v8_send_tables(s, number, function, JSTACK_LINES_SMALL);
	if (most < JSTACK_LINES_MEDIUM)
		return v8_send_tables(s, number, function, JSTACK_LINES_MEDIUM);
	return v8_send_tables(s, number, function, JSTACK_LINES);
}

/* The number of the code in which the frame s->v8.frame is at pc; 0: it has none. function: the number of its function,
 * 0: not known, then it gets no new one. */
uint64_t v8_code_number(struct unwind_slot *s, uint64_t pc, uint64_t function)
{
	uint64_t number;

	if (!s || !v8_code(&s->v8, pc))
		return 0;
	s->wanted.pid = s->space.pid;
	s->wanted.code = s->v8.compiled.at;
	s->wanted.name = s->v8.frame.shared ^ s->v8.compiled.start;
	s->wanted.lines = s->v8.compiled.table ^ s->v8.compiled.bytecode << 20;
	s->wanted.other = 0;
	number = jstack_known(s);
	if (number || s->wanted.number == JSTACK_BUSY)
		return number;
	if (!function)
		return jstack_learn(s, 0);
	number = 2 * __sync_fetch_and_add(&map_jstack.numbers, 1) + 1;
	number = number > JSTACK_LAST ? 0 : v8_send_code(s, number, function);
	return jstack_learn(s, number);
}

/* Stores the frame s->v8.frame. entry: where its return address is. */
INLINE void v8_store(struct unwind_slot *s, uint64_t number, uint64_t position, uint64_t entry)
{
	uint64_t n = s->py.n;

	if (!number || n >= RT_PY_FRAMES)
		return;
	OPAQUE(n);
	n &= RT_PY_FRAMES - 1;
	s->py.frame[n].code = s->v8.frame.shared;
	s->py.frame[n].at = JSTACK_WORD | number << 32 | position;
	s->py.frame[n].entry = entry;
	s->py.n++;
}

/* Gives the frame s->v8.frame a number and stores it. A frame of compiled code has the number of that, if it can be
 * found, and the offset in it. pc: an address in the instruction; 0: unknown. */
INLINE void v8_take_frame(struct unwind_slot *s, uint64_t pc, uint64_t entry)
{
	uint64_t position = s->v8.frame.position, number, compiled = 0;

	if (position == RT_V8_UNKNOWN && pc)
		compiled = v8_code_number(s, pc, 0);
	number = compiled ? compiled : v8_number(s);
	if (!compiled && number && position == RT_V8_UNKNOWN && pc)
		compiled = v8_code_number(s, pc, number);
	if (compiled) {
		number = compiled;
		position = pc - s->v8.compiled.start;
	}
	v8_store(s, number, position, entry);
}

static long v8_step(uint64_t i, void *state)
{
	struct unwind_slot *s = ((struct walk *)state)->slot;

	if (i + 1 >= s->n)
		return 1;
	if (!v8_frame_at(s, i))
		return 0;
	OPAQUE(i);
	i &= RT_PY_FRAMES - 1;
	v8_take_frame(s, s->pc[i] - (i > 0), s->pc[UNWIND_SP + i + 1] - 8);
	return 0;
}

/* The state of a search, on the stack. */
struct v8_searching {
	struct unwind_slot *slot;
	uint64_t sp;
	/* The latest words that may be a saved frame pointer, with the return address that follows it then. */
	struct { uint64_t fp, pc; } saved[V8STACK_SAVED];
	uint64_t next;
};

/* An address in the calling instruction of the frame with this frame pointer; 0: unknown. */
INLINE uint64_t v8_saved_pc(const struct v8_searching *w, uint64_t fp)
{
	uint64_t pc = 0;

	UNROLL
	for (unsigned i = 0; i < V8STACK_SAVED; i++)
		if (w->saved[i].fp == fp)
			pc = w->saved[i].pc - 1;
	return pc;
}

/* Word number i of the stack may be the function of a frame; the next one is the context then. */
static long v8_search_step(uint64_t i, void *state)
{
	struct v8_searching *w = state;
	struct unwind_slot *s = w->slot;
	uint64_t at = w->sp + 8 * i, word = unwind_word(s, at), after = unwind_word(s, at + 8), next = w->next;

	if (s->fault || s->py.n >= RT_PY_FRAMES)
		return 1;
	if (word - at < V8STACK_SCAN * 8 && !(word & 7)) {
		OPAQUE(next);
		next &= V8STACK_SAVED - 1;
		w->saved[next].fp = word;
		w->saved[next].pc = after;
		w->next = next + 1;
	}
	if (v8_is_object(word) && v8_is_object(after) && v8_read_frame(s, at + 16, w->sp))
		v8_take_frame(s, v8_saved_pc(w, at + 16), at + 24);
	return 0;
}

/* Native frames are not known yet, so all memory of the stack is searched for frames. User space uses those that are
 * where its native frames of V8's code have theirs. */
uint64_t v8_search(struct unwind_slot *s)
{
	struct v8_searching w = { .slot = s };

	if (!s || !regs_take(s))
		return 0;
	w.sp = s->reg[UNWIND_REG_SP] & ~7ull;
	s->fault = s->low = s->high = 0;
	rt_loop(V8STACK_SCAN, v8_search_step, &w);
	return s->py.n;
}

/* Finds the JavaScript frames of a native stack. Calls are at most eight deep. */
INLINE uint64_t v8_find(struct unwind_slot *s, uint64_t flags)
{
	struct walk w = { s };

	s->py.n = s->py.more = 0;
	read_kernel(&s->v8.layout, sizeof s->v8.layout, &map_jstack.v8[s->space.layout & (JSTACK_LAYOUTS - 1)]);
	s->v8.code = s->space.runtime;
	if (wants_user_space(s, flags))
		return v8_search(s);
	rt_loop(RT_PY_FRAMES - 1, v8_step, &w);
	return s->py.n;
}

__attribute__((noinline)) uint64_t jstack_v8(uint64_t level, uint64_t step, uint64_t flags)
{
	struct unwind_slot *s = slot_at(level);

	if (!s)
		return 0;
	return step == JSTACK_FIND ? v8_find(s, flags) : jstack_rest(s, step, flags);
}
