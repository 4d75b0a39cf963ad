/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* jstack() in the kernel (jstack.h). Only for BPF; uses the functions of unwind.c. */
#include "rt/jstack.h"

#include "rt/unwind.h"

GLOBAL uint64_t jstack_begin(struct unwind_slot *s);
GLOBAL uint64_t jstack_forked(struct unwind_slot *s);
GLOBAL uint64_t jstack_walk(struct unwind_slot *s);
GLOBAL uint64_t jstack_function(struct unwind_slot *s);
GLOBAL uint64_t jstack_known(struct unwind_slot *s);
GLOBAL uint64_t jstack_learn(struct unwind_slot *s, uint64_t number);
GLOBAL uint64_t jstack_number(struct unwind_slot *s, uint64_t code);
GLOBAL uint64_t jstack_names(struct unwind_slot *s);
GLOBAL uint64_t jstack_merge(struct unwind_slot *s, uint64_t keep);
GLOBAL uint64_t jstack_send(struct unwind_slot *s);
GLOBAL uint64_t jstack_rest(struct unwind_slot *s, uint64_t step, uint64_t flags);

enum { CODE_READ = 80 };	/* bytes of a code object that have all that identifies it */

extern struct jstack_shared map_jstack;

/* ---- the thread ---- */
/* The thread's ID in its innermost PID name space. */
static inline uint64_t inner_id(void)
{
	uint64_t pid = 0;
	uint32_t level = 0, id = (uint32_t)pid_tgid();

	if (!map_jstack.thread_pid)
		return id;
	read_kernel(&pid, sizeof pid, (void *)(task() + map_jstack.thread_pid));
	read_kernel(&level, sizeof level, (void *)(pid + map_jstack.level));
	read_kernel(&id, sizeof id, (void *)(pid + map_jstack.ids + 16ull * level));	/* struct upid */
	return id;
}

/* Finds the thread's state in its interpreter. Returns 0 if there is none. */
uint64_t jstack_begin(struct unwind_slot *s)
{
	uint64_t *guess;

	if (!s)
		return 0;
	/* the compiler would copy a structure by way of the stack */
	read_kernel(&s->py.layout, sizeof s->py.layout, &map_jstack.layout[s->space.layout & (JSTACK_LAYOUTS - 1)]);
	s->py.runtime = s->space.runtime;
	s->py.tid = inner_id();
	guess = &map_jstack.thread[(s->py.tid ^ (uint64_t)s->space.pid << 4) & (JSTACK_THREADS - 1)];
	s->py.thread = *(volatile uint64_t *)guess;
	if (!rt_py_thread(&s->py))
		return 0;
	*guess = s->py.thread;
	return 1;
}

uint64_t jstack_walk(struct unwind_slot *s)
{
	if (!s)
		return 0;
	s->low = s->high = 0;
	rt_py_walk(&s->py, (struct rt_py_copy *)s->window);
	return 0;
}

/* ---- functions ---- */
INLINE uint64_t user_word(uint64_t addr)
{
	uint64_t v = 0;

	read_user(&v, sizeof v, (void *)addr);
	return v;
}

/* Copies a str object. */
INLINE void text_read(struct jstack_text *t, const struct rt_py_layout *l, uint64_t at)
{
	uint64_t n = user_word(at + l->string_length);
	uint32_t state = (uint32_t)user_word(at + l->string_state) >> (l->string_kind & 31), kind = state & 7, bytes;

	t->kind = 0;
	if (!(state >> 3 & 1) || (kind != 1 && kind != 2 && kind != 4))
		return;
	if (n > (JSTACK_TEXT - 1) / kind)
		n = (JSTACK_TEXT - 1) / kind;
	bytes = (uint32_t)n * kind;
	OPAQUE(bytes);
	bytes &= JSTACK_TEXT - 1;
	if (bytes && read_user(t->at, bytes, (void *)(at + (state >> 4 & 1 ? l->string_ascii : l->string_wide))))
		return;
	t->n = (uint32_t)n;
	t->kind = kind;
}

/* room: bytes for lines, a constant power of two. */
INLINE uint64_t function_send(struct unwind_slot *s, const struct jstack_code *c, uint64_t number, uint64_t room)
{
	const struct rt_py_layout *l = &s->py.layout;
	struct jstack_function *f = ring_reserve(&map_unwind_ring, sizeof *f + room, 0);
	uint64_t size = user_word(c->lines + l->bytes_size);
	uint32_t bytes;

	if (!f)
		return 0;
	f->number = number;
	f->time = time_ns();
	f->pid = s->space.pid;
	f->why = JSTACK_FUNCTION;
	f->first = (uint32_t)user_word(c->code + l->code_first);
	f->bytes = 0;
	text_read(&f->name, l, c->name);
	text_read(&f->file, l, user_word(c->code + l->code_file));
	bytes = size < room ? (uint32_t)size : 0;
	OPAQUE(bytes);
	bytes &= (uint32_t)room - 1;	/* 6.1's verifier forgets a comparison with a number that was spilled */
	if (bytes && !read_user(f->lines, bytes, (void *)(c->lines + l->bytes_data)))
		f->bytes = bytes;
	ring_submit(f, 0);
	return number;
}

/* Gives s->wanted a number. */
uint64_t jstack_function(struct unwind_slot *s)
{
	const struct jstack_code *c;
	uint64_t number, lines, sent;

	if (!s)
		return 0;
	c = &s->wanted;
	if (user_word(c->code + s->py.layout.code_file) == c->name)
		return JSTACK_HIDDEN;
	number = 2 * __sync_fetch_and_add(&map_jstack.numbers, 1) + 1;
	if (number > JSTACK_LAST)
		return 0;
	lines = user_word(c->lines + s->py.layout.bytes_size);
	if (lines < JSTACK_LINES_SMALL)
		sent = function_send(s, c, number, JSTACK_LINES_SMALL);
	else if (lines < JSTACK_LINES_MEDIUM)
		sent = function_send(s, c, number, JSTACK_LINES_MEDIUM);
	else
		sent = function_send(s, c, number, JSTACK_LINES);
	if (!sent)
		__sync_fetch_and_add(&map_jstack.lost, 1);
	return sent;
}

/* The number of the function s->wanted (pid, code, name, lines, other); 0: it has none. Then s->wanted.number is
 * JSTACK_BUSY, or the slot that the caller has claimed for it: jstack_learn must follow. */
uint64_t jstack_known(struct unwind_slot *s)
{
	uint64_t hash, number, old, free_slot;

	if (!s)
		return 0;
	hash = ((s->wanted.code >> 4) ^ s->wanted.pid << 40) * 0x9e3779b97f4a7c15ull >> 40;
	free_slot = hash + (s->wanted.code >> 9 & (JSTACK_PROBES - 1));
	UNROLL
	for (unsigned i = 0; i < JSTACK_PROBES; i++) {
		volatile struct jstack_code *c = &map_jstack.code[(hash + i) & (JSTACK_CODES - 1)];

		number = c->number;
		if (c->pid == s->wanted.pid && c->code == s->wanted.code && c->name == s->wanted.name &&
		    c->lines == s->wanted.lines && c->other == s->wanted.other && number &&
		    number != JSTACK_BUSY && c->number == number)
			return number;
		if (!number)
			free_slot = hash + i;
	}
	struct jstack_code *c = &map_jstack.code[free_slot & (JSTACK_CODES - 1)];

	s->wanted.number = JSTACK_BUSY;
	old = *(volatile uint64_t *)&c->number;
	if (old == JSTACK_BUSY || __sync_val_compare_and_swap(&c->number, old, JSTACK_BUSY) != old)
		return 0;
	s->wanted.number = free_slot & (JSTACK_CODES - 1);
	return 0;
}

/* Gives s->wanted a number, in the slot that was claimed. Returns it. */
uint64_t jstack_learn(struct unwind_slot *s, uint64_t number)
{
	struct jstack_code *c;

	if (!s)
		return 0;
	c = &map_jstack.code[s->wanted.number & (JSTACK_CODES - 1)];
	c->pid = s->wanted.pid;
	c->code = s->wanted.code;
	c->name = s->wanted.name;
	c->lines = s->wanted.lines;
	c->other = s->wanted.other;
	*(volatile uint64_t *)&c->number = number;
	return number;
}

/* A word of the code object at an offset: of the copy, in which it is preceded by the first line. */
INLINE uint64_t code_word(struct unwind_slot *s, uint64_t off)
{
	uint64_t at = off - s->py.layout.code_first;

	OPAQUE(at);
	return *(uint64_t *)(s->window + (at & 0x7f));
}

/* What says whether a code object is still the same function. All of it is read at once. */
INLINE void function_identity(struct unwind_slot *s, uint64_t code)
{
	const struct rt_py_layout *l = &s->py.layout;
	uint64_t first = l->code_first, file;

	if (l->code_name - first > CODE_READ - 8 || l->code_lines - first > CODE_READ - 8 ||
	    l->code_file - first > CODE_READ - 8 || read_user(s->window, CODE_READ, (void *)(code + first))) {
		s->wanted.name = user_word(code + l->code_name);
		s->wanted.lines = user_word(code + l->code_lines);
		file = user_word(code + l->code_file);
		first = user_word(code + first);
	} else {
		s->wanted.name = code_word(s, l->code_name);
		s->wanted.lines = code_word(s, l->code_lines);
		file = code_word(s, l->code_file);
		first = code_word(s, first);
	}
	s->wanted.other = file >> 4 ^ first << 43;	/* addresses have 47 bits and are multiples of 16 */
}

/* The number of a function; 0: it has none. */
uint64_t jstack_number(struct unwind_slot *s, uint64_t code)
{
	uint64_t number;

	if (!s)
		return 0;
	s->wanted.pid = s->space.pid;
	s->wanted.code = code;
	function_identity(s, code);
	number = jstack_known(s);
	if (number || s->wanted.number == JSTACK_BUSY)
		return number;
	return jstack_learn(s, jstack_function(s));
}

/* Replaces the address of an instruction by the word that the stack shows. */
static inline void name(struct unwind_slot *s, uint64_t i)
{
	struct rt_py_frame *f = &s->py.frame[i & (RT_PY_FRAMES - 1)];
	uint64_t number = jstack_number(s, f->code), bytes = f->at - f->code - s->py.layout.code_code;

	if (bytes >> 32)		/* not started */
		bytes = 0;
	f->at = number == JSTACK_HIDDEN ? 0 : JSTACK_WORD | (number & JSTACK_LAST) << 32 | bytes / 2;
}

uint64_t jstack_names(struct unwind_slot *s)
{
	if (!s)
		return 0;
	for (uint64_t i = 0; i < RT_PY_FRAMES && i < s->py.n; i++)
		name(s, i);
	return 0;
}

/* ---- the stack ---- */
uint64_t jstack_merge(struct unwind_slot *s, uint64_t keep)
{
	struct rt_py_merge m;

	if (!s)
		return 0;
	m.pc = s->pc;
	m.sp = s->pc + UNWIND_SP;
	m.n = s->n;
	m.end = ~0ull;
	m.out = s->pc + UNWIND_MERGED;
	m.py = &s->py;
	s->py.keep = keep;
	rt_py_merge(&m);
	return s->py.nout;
}

/* Sends the frames of a stack that is going to be handed over. */
uint64_t jstack_send(struct unwind_slot *s)
{
	struct jstack_frames *f = s ? ring_reserve(&map_unwind_ring, sizeof *f, 0) : NULL;

	if (!f)
		return 0;
	f->number = __sync_fetch_and_add(&map_jstack.sent, 1) + 1;
	f->time = time_ns();
	f->pid = s->space.pid;
	f->why = s->space.layout & V8STACK_LAYOUT ? V8STACK_FRAMES : JSTACK_FRAMES;
	f->n = s->py.n;
	f->more = s->py.more;
	read_kernel(f->frame, sizeof f->frame, s->py.frame);
	s->sent = f->number;
	ring_submit(f, 0);
	return 0;
}

/* The mappings of a process that was just forked are not known yet, but its interpreter is where its parent has it. If
 * it has executed another program since, no thread is found there. */
uint64_t jstack_forked(struct unwind_slot *s)
{
	uint64_t parent = 0;
	uint32_t pid = 0, hash;

	if (!s || !map_jstack.parent || map_unwind.pidns_ino)
		return 0;
	read_kernel(&parent, sizeof parent, (void *)(task() + map_jstack.parent));
	read_kernel(&pid, sizeof pid, (void *)(parent + map_jstack.group));
	hash = pid * 0x9e3779b1u >> 16;
	UNROLL
	for (uint32_t i = 0; i < UNWIND_PROBES; i++) {
		volatile struct unwind_space *from = &map_unwind.space[(hash + i) & (UNWIND_SPACES - 1)];

		if (from->pid != pid || !from->id)
			continue;
		s->space.layout = from->layout;
		s->space.own = from->own;
		s->space.runtime = from->runtime;
	}
	return 0;
}

/* ---- walkers ---- */
/* The slot that the caller of a walker has claimed. */
INLINE struct unwind_slot *slot_at(uint64_t level)
{
	uint32_t key = (uint32_t)level;

	return map_lookup(&map_unwind_slots, &key);
}

uint64_t jstack_rest(struct unwind_slot *s, uint64_t step, uint64_t flags)
{
	if (!s)
		return 0;
	if (step == JSTACK_SEND)
		return jstack_send(s);
	return jstack_merge(s, flags & UNWIND_REPLACED ? RT_PY_MARK : flags & UNWIND_RUNTIME ? RT_PY_SHOW : RT_PY_OMIT);
}

__attribute__((noinline)) uint64_t jstack_python(uint64_t level, uint64_t step, uint64_t flags)
{
	struct unwind_slot *s = slot_at(level);

	if (step != JSTACK_FIND)
		return jstack_rest(s, step, flags);
	if (!jstack_begin(s))
		return 0;
	jstack_walk(s);
	jstack_names(s);
	return 1;
}

/* The slot of the program that has called this one: the innermost one of this thread. */
INLINE struct unwind_slot *slot_called(void)
{
	uint64_t me = task();

	UNROLL
	for (uint32_t i = UNWIND_LEVELS; i-- > 0;) {
		struct unwind_slot *s = slot_at(i);

		if (s && s->task == me)
			return s;
	}
	return NULL;
}

#define WALKER(name) \
__attribute__((noinline)) uint64_t jstack_program_##name(void *ctx) \
{ \
	struct unwind_slot *s = slot_called(); \
\
	OPAQUE(ctx); \
	if (s) \
		s->result = jstack_##name(s->level, s->call & UINT8_MAX, s->call >> 8); \
	return 0; \
} \
\
__attribute__((noinline)) uint64_t jstack_call_##name(void *ctx, struct unwind_slot *s) \
{ \
	OPAQUE(ctx); \
	s->result = jstack_##name(s->level, s->call & UINT8_MAX, s->call >> 8); \
	return 0; \
}
WALKER(python)
WALKER(v8)

/* ---- the caller ---- */
INLINE uint64_t walker_call(struct unwind_slot *s, void *ctx, uint64_t step, uint64_t flags)
{
	s->call = step | flags << 8;
	s->result = 0;
	s->task = task();
	if (s->space.layout & V8STACK_LAYOUT)
		jstack_call_v8(ctx, s);
	else
		jstack_call_python(ctx, s);
	s->task = 0;
	return s->result;
}

/* Hands the stack over, or merges its frames. Returns the number of words in s->pc, of which the script wants `max`. */
INLINE uint64_t jstack_finish(struct unwind_slot *s, uint64_t max, uint64_t flags, void *ctx)
{
	uint64_t n, room = flags & UNWIND_MARK ? max - 1 : max;

	if (s->found && wants_user_space(s, flags))
		walker_call(s, ctx, JSTACK_SEND, flags);
	n = unwind_finish(s, room, flags | UNWIND_INTERPRETED);
	if (s->found && n && (s->pc[0] & UNWIND_PENDING_MASK) != UNWIND_PENDING) {
		n = walker_call(s, ctx, JSTACK_MERGE, flags);
		OPAQUE(n);
		if (n <= RT_PY_WORDS)
			read_kernel(s->pc, (uint32_t)n * 8, s->pc + UNWIND_MERGED);
		if (flags & UNWIND_MARK && (s->how != UNWIND_COMPLETE || s->py.cut) && n <= RT_PY_WORDS)
			s->pc[n++] = UNWIND_CUT;
	}
	if (n > room && flags & UNWIND_MARK) {
		OPAQUE(room);
		s->pc[room & (UNWIND_DEPTH - 1)] = UNWIND_CUT;
	}
	return n;
}

/* Like rt_unwind, with the frames of interpreted functions. */
uint64_t rt_jstack(uint64_t *dst, uint64_t max, uint64_t flags, void *ctx)
{
	struct unwind_slot *s = slot_claim();
	uint64_t n;

	read_kernel(dst, (uint32_t)max * 8, NULL);	/* zeroes it */
	if (!s)
		return 0;
	unwind_walk(s, RT_PY_FRAMES, flags | UNWIND_INTERPRETED);
	if (s->how == UNWIND_NO_SPACE && !s->space.runtime)
		jstack_forked(s);
	s->found = s->space.runtime ? walker_call(s, ctx, JSTACK_FIND, flags) : 0;
	n = jstack_finish(s, max, flags, ctx);
	if (n > max)
		n = max;
	OPAQUE(n);
	if (n <= max)
		read_kernel(dst, (uint32_t)n * 8, s->pc);
	s->busy = 0;
	return n;
}
