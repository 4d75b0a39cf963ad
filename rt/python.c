/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Walks CPython's threads and frames. */
#include "rt/python.h"

#include "rt/word.h"

#ifdef __bpf__
static inline bool py_read(struct rt_py *p, uint64_t addr, void *dst, uint32_t n)
{
	(void)p;
	return !bpf_probe_read_user(dst, n, (const void *)addr);
}
#else
static inline bool py_read(struct rt_py *p, uint64_t addr, void *dst, uint32_t n)
{
	return p->read(p->arg, addr, dst, n);
}
#endif

/* Reads a word into *dst. Returns false, and stores 0, if it cannot be read. */
static inline bool py_word(struct rt_py *p, uint64_t addr, uint64_t *dst)
{
	if (py_read(p, addr, dst, sizeof *dst))
		return true;
	*dst = 0;
	return false;
}

/* The state of each loop is the address of the struct rt_py: in BPF the state itself must be on the stack. */

/* ---- the thread ---- */
static bool py_is_thread(struct rt_py *p)
{
	uint64_t tid;

	return py_word(p, p->thread + p->layout.thread_tid, &tid) && tid == p->tid;
}

/* False for a state that was freed and looks as it did before. */
static bool py_is_listed(struct rt_py *p)
{
	uint64_t previous, at;

	py_word(p, p->thread + p->layout.thread_previous, &previous);
	at = previous ? previous + p->layout.thread_next : p->interp + p->layout.interp_threads;
	return py_word(p, at, &at) && at == p->thread;
}

/* Visits one thread, or moves to the next interpreter. */
static long py_thread_step(uint64_t i, void *state)
{
	struct rt_py *p = *(struct rt_py **)state;
	uint64_t interp = p->interp;

	(void)i;
	if (p->visited++ >= RT_PY_THREADS)
		return 1;
	if (p->thread) {
		if (py_is_thread(p))
			return 1;
		py_word(p, p->thread + p->layout.thread_next, &p->thread);
		return 0;
	}
	if (!interp)
		return 1;
	py_word(p, interp + p->layout.interp_next, &p->interp);
	py_word(p, interp + p->layout.interp_threads, &p->thread);
	return 0;
}

bool rt_py_thread(struct rt_py *p)
{
	p->visited = 0;
	py_word(p, p->runtime + p->layout.runtime_interps, &p->interp);
	py_word(p, p->interp + p->layout.interp_next, &p->several);
	if (p->thread && !p->several && py_is_thread(p) && py_is_listed(p))
		return true;
	p->thread = 0;
	rt_loop(RT_PY_THREADS, py_thread_step, &p);
	return p->thread && py_is_thread(p);
}

/* ---- frames ---- */
/* What the loops of a walk are given. It begins like the state of py_thread_step. */
struct py_walk {
	struct rt_py *p;
	uint8_t *copy;			/* struct rt_py_copy */
};

/* Fills the copy with the frame and the rest of its page below it, at most RT_PY_WINDOW bytes. */
static inline bool py_read_below(const struct py_walk *w, uint64_t frame)
{
	struct rt_py *p = w->p;
	uint64_t n = (frame & (RT_PY_PAGE - 1)) + RT_PY_READ;

	if (n > RT_PY_WINDOW)
		n = RT_PY_WINDOW;
	RT_OPAQUE(n);
	if (n > RT_PY_WINDOW || !py_read(p, frame + RT_PY_READ - n, w->copy, (uint32_t)n))
		return false;
	p->window = frame + RT_PY_READ - n;
	p->filled = n;
	return true;
}

/* Makes a frame the current one. A caller's frame is usually below the one that it has called: where two frames are so,
 * more than one is read at once. */
static inline bool py_current(const struct py_walk *w, uint64_t frame)
{
	struct rt_py *p = w->p;
	bool near = p->filled && p->window + p->current - frame <= RT_PY_NEAR;

	p->current = frame - p->window;
	if (p->filled && p->current <= p->filled - RT_PY_READ)
		return true;
	p->filled = 0;
	if (!near || !py_read_below(w, frame)) {
		if (!py_read(p, frame, w->copy, RT_PY_READ))
			return false;
		p->window = frame;
		p->filled = RT_PY_READ;
	}
	p->current = frame - p->window;
	return true;
}

/* The word at an offset of the current frame. */
static inline uint64_t py_member(const struct py_walk *w, uint64_t off)
{
	uint64_t at = w->p->current;

	RT_OPAQUE(off);
	RT_OPAQUE(at);
	return rt_load((const char *)w->copy + (at & (RT_PY_WINDOW - 1)) + (off & 0x7f));
}

static inline bool py_is_entry(const struct py_walk *w)
{
	return (py_member(w, w->p->layout.frame_entry) & 0xff) >= w->p->layout.entry_least;
}

/* Reads the frame of the current _PyCFrame, and moves to the one before. */
static inline void py_cframe(struct rt_py *p, bool frame)
{
	uint64_t at = p->cframe;

	if (frame)
		py_word(p, at + p->layout.cframe_frame, &p->next);
	else
		py_word(p, at + p->layout.cframe_previous, &p->cframe);
}

/* The native call of the interpreter that has run the frames since the last entry ends here. The entry is stored with
 * the last one; rt_py_walk copies it to the others. */
static inline void py_entry(struct rt_py *p, uint64_t frame)
{
	uint64_t n = p->n - 1, entry = p->layout.cframes ? p->cframe : frame;

	/* from 3.15 on, a thread's outermost frame is an entry that no native call has */
	if (n < RT_PY_FRAMES && n >= p->before) {
		RT_OPAQUE(n);
		n &= RT_PY_FRAMES - 1;
		if (!p->frame[n].entry)
			p->frame[n].entry = entry;
	}
	if (!p->layout.cframes)
		return;
	py_cframe(p, false);
	py_cframe(p, true);
}

/* The address of the current frame's instruction in its code object. Free-threaded: a thread runs a copy of the code;
 * copy 0 is the code object's own. */
static inline uint64_t py_instruction(const struct py_walk *w, uint64_t code)
{
	struct rt_py *p = w->p;
	uint64_t at = py_member(w, p->layout.frame_instr), copies, length, start;
	uint64_t copy = p->layout.frame_copy ? py_member(w, p->layout.frame_copy) & UINT32_MAX : 0;

	if (!copy)
		return at;
	py_word(p, code + p->layout.code_copies, &copies);
	py_word(p, copies, &length);
	if (copy >= length || !py_word(p, copies + 8 + 8 * copy, &start))
		return 0;
	return at - start + code + p->layout.code_code;
}

/* Stores the current frame. Returns false if the walk can end: there is no room, and the native call of the last
 * frame is known. */
static inline bool py_store(const struct py_walk *w)
{
	struct rt_py *p = w->p;
	uint64_t n = p->n, code = py_member(w, p->layout.frame_code) & ~3ull;

	p->more = n >= RT_PY_FRAMES;
	if (p->more)
		return !p->frame[RT_PY_FRAMES - 1].entry;
	RT_OPAQUE(n);
	p->frame[n & (RT_PY_FRAMES - 1)] = (struct rt_py_frame){ .code = code, .at = py_instruction(w, code) };
	p->n++;
	return true;
}

static long py_frame_step(uint64_t i, void *state)
{
	const struct py_walk *w = state;
	struct rt_py *p = w->p;
	uint64_t frame = p->next;
	bool entry;

	(void)i;
	if (!frame || p->stepped++ >= RT_PY_STEPS || !py_current(w, frame))
		return 1;
	entry = py_is_entry(w);
	p->next = py_member(w, p->layout.frame_previous);
	if ((!entry || !p->layout.shims) && !py_store(w))
		return 1;
	if (entry)
		py_entry(p, frame);
	return 0;
}

/* Copies an entry to the frames of this state before it, from the outermost frame on. `next` is the entry. */
static long py_spread_step(uint64_t i, void *state)
{
	struct rt_py *p = *(struct rt_py **)state;

	for (uint64_t k = 0; k < RT_PY_EACH; k++) {
		uint64_t n = p->n - 1 - i * RT_PY_EACH - k;

		if (n >= RT_PY_FRAMES || n < p->before)
			return 1;
		RT_OPAQUE(n);
		n &= RT_PY_FRAMES - 1;
		if (p->frame[n].entry)
			p->next = p->frame[n].entry;
		p->frame[n].entry = p->next;
	}
	return 0;
}

/* Reads the frames of one state, and finds the thread's next one. */
static long py_state_step(uint64_t i, void *state)
{
	struct py_walk *w = state;
	struct rt_py *p = w->p;

	(void)i;
	p->before = p->n;
	py_word(p, p->thread + p->layout.thread_frame, p->layout.cframes ? &p->cframe : &p->next);
	if (p->layout.cframes)
		py_cframe(p, true);
	rt_loop(RT_PY_STEPS, py_frame_step, w);
	p->next = 0;
	rt_loop(RT_PY_FRAMES / RT_PY_EACH, py_spread_step, w);
	if (!p->several || p->more)
		return 1;
	py_word(p, p->thread + p->layout.thread_next, &p->thread);
	rt_loop(RT_PY_THREADS, py_thread_step, w);
	return !p->thread || !py_is_thread(p);
}

void rt_py_walk(struct rt_py *p, struct rt_py_copy *c)
{
	const uint64_t thread = p->thread, interp = p->interp;
	struct py_walk w = { p, c->at };

	p->n = p->visited = p->stepped = p->filled = p->window = p->current = 0;
	p->more = false;
	rt_loop(RT_PY_STATES, py_state_step, &w);
	p->thread = thread;
	p->interp = interp;
}

/* ---- merging ---- */
/* Bounds an index where it is used: 6.12's verifier forgets earlier bounds. */
static inline uint64_t merge_index(uint64_t i)
{
	RT_OPAQUE(i);
	return i & (RT_PY_FRAMES - 1);
}

static inline uint64_t merge_out(uint64_t i)
{
	RT_OPAQUE(i);
	return i & (RT_PY_WORDS - 1);
}

static inline void merge_put(struct rt_py_merge *m, uint64_t word)
{
	uint64_t n = m->py->nout;

	m->out[merge_out(n)] = word;
	m->py->nout = n + 1;
}

/* Where the native frame number i ends on the stack. */
static inline uint64_t merge_top(const struct rt_py_merge *m, uint64_t i)
{
	return i + 1 < m->n ? m->sp[merge_index(i + 1)] : m->end;
}

/* Decides about one interpreted frame, or one native frame. Returns true at the end. */
static inline bool merge_one(struct rt_py_merge *m)
{
	struct rt_py *p = m->py;
	uint64_t native = p->native, at = p->at;
	const struct rt_py_frame *f;

	if (native >= m->n || native >= RT_PY_FRAMES)
		return true;
	f = &p->frame[merge_index(at)];
	if (at < p->n && f->entry && f->entry < merge_top(m, native)) {
		p->at = at + 1;
		if (f->entry < m->sp[merge_index(native)])
			return false;
		if (f->at)
			merge_put(m, f->at);
		p->replaced = 1;
		return false;
	}
	if (!p->replaced && p->more && at >= p->n) {
		p->cut = p->keep != RT_PY_MARK;
		p->replaced = 1;
	}
	if (p->cut)
		return true;
	if (!p->replaced || p->keep)
		merge_put(m, m->pc[merge_index(native)] | (p->replaced && p->keep == RT_PY_MARK ? RT_PY_REPLACED : 0));
	p->replaced = 0;
	p->native = native + 1;
	return false;
}

static long merge_step(uint64_t i, void *state)
{
	(void)i;
	for (unsigned k = 0; k < RT_PY_EACH; k++)
		if (merge_one(state))
			return 1;
	return 0;
}

void rt_py_merge(struct rt_py_merge *m)
{
	struct rt_py *p = m->py;

	p->nout = p->native = p->at = p->replaced = p->cut = 0;
	rt_loop(2 * RT_PY_FRAMES / RT_PY_EACH, merge_step, m);
}
