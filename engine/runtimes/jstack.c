/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/runtimes/jstack.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "engine/runtimes/python/find.h"
#include "engine/runtimes/python/python.h"
#include "engine/runtimes/v8/v8.h"
#include "engine/symbols/mapping_index.h"
#include "engine/symbols/object.h"
#include "rt/jstack.h"

/* Sizes of the tables, in which a newer entry replaces an older one; powers of two. */
enum { FILES = 1 << 10, PROCESSES = 1 << 8, THREADS = 1 << 10, FUNCTIONS = 1 << 13 };

/* A file that was searched for an interpreter. */
struct searched_file {
	const struct object *object;	/* NULL: unused */
	bool python;
	struct python_file at;
};

/* An interpreter in a process. */
struct python_process {
	int64_t pid;			/* 0: unused */
	const struct object *file;
	uint64_t runtime;		/* address of _PyRuntime */
	uint32_t version;		/* Py_Version; 0: 3.10 or earlier */
	enum python_known known;	/* PYTHON_KNOWN: `layout` is valid */
	struct rt_py_layout layout;
};

struct python_thread {
	int64_t tid;			/* 0: unused */
	uint64_t inner;			/* its ID in its innermost PID name space */
	uint64_t state;			/* address of its state */
};

/* A function whose names were read. Its memory may be used for another one since. */
struct python_function {
	int64_t pid;			/* 0: unused */
	uint64_t code, name, file, lines;	/* addresses */
	uint32_t first;			/* line */
	uint32_t number;		/* 0: not shown */
};

enum { PAGES = 16, PAGE = 4096 };

/* A process's memory as it is now, except for the part of its stack that was copied with the sample. Pages are read
 * whole and kept for one stack: frames that follow each other in memory are then from the same moment. */
struct sampled_memory {
	int64_t pid;
	uint64_t low, size;		/* the copy; size 0: none */
	const uint8_t *copy;
	uint64_t page[PAGES];		/* addresses of pages; 0: none */
	uint8_t bytes[PAGES][PAGE];
};

struct jstack {
	const struct symbol_ops *ops;
	void *arg;
	struct codes *codes;
	struct v8_runtime *v8;
	struct searched_file files[FILES];
	struct python_process processes[PROCESSES];
	struct python_thread threads[THREADS];
	struct python_function functions[FUNCTIONS];
	struct rt_py walk;
	struct rt_py_copy copy;
	struct rt_v8 v8_walk;
	uint64_t merged[RT_PY_WORDS];
	struct python_text text;
	struct sampled_memory memory;
};

struct jstack *jstack_open(const struct symbol_ops *ops, void *arg, struct codes *codes)
{
	struct jstack *j = calloc(1, sizeof *j);

	if (!j)
		return NULL;
	j->ops = ops;
	j->arg = arg;
	j->codes = codes;
	j->v8 = v8_open(codes);
	if (j->v8)
		return j;
	free(j);
	return NULL;
}

void jstack_close(struct jstack *j)
{
	if (j)
		v8_close(j->v8);
	free(j);
}

/* ---- memory ---- */
static bool memory_read(const struct sampled_memory *m, uint64_t addr, void *buf, uint64_t n)
{
	struct iovec to = { buf, n }, from = { (void *)(uintptr_t)addr, n };

	return !n || process_vm_readv((pid_t)m->pid, &to, 1, &from, 1, 0) == (ssize_t)n;
}

static bool memory_now(void *arg, uint64_t addr, void *buf, uint64_t n)
{
	struct sampled_memory *m = arg;
	uint64_t page = addr & ~(uint64_t)(PAGE - 1), off = addr - page;
	unsigned i = page / PAGE % PAGES;

	if (n > PAGE - off || !page)
		return memory_read(m, addr, buf, n);
	if (m->page[i] != page && !memory_read(m, page, m->bytes[i], PAGE)) {
		m->page[i] = 0;
		return false;
	}
	m->page[i] = page;
	memcpy(buf, m->bytes[i] + off, n);
	return true;
}

static void memory_begin(struct sampled_memory *m, int64_t pid)
{
	m->pid = pid;
	m->size = 0;
	memset(m->page, 0, sizeof m->page);
}

static bool memory_sampled(void *arg, uint64_t addr, void *buf, uint64_t n)
{
	const struct sampled_memory *m = arg;
	uint64_t from = addr > m->low ? addr : m->low;
	uint64_t to = addr + n < m->low + m->size ? addr + n : m->low + m->size;

	if (addr + n < addr || ((from > addr || to < addr + n) && !memory_now(arg, addr, buf, n)))
		return false;
	if (from < to)
		memcpy((uint8_t *)buf + (from - addr), m->copy + (from - m->low), to - from);
	return true;
}

/* ---- which interpreter ---- */
static struct searched_file *file_of(struct jstack *j, struct object *o)
{
	struct searched_file *f = &j->files[(uintptr_t)o / 64 % FILES];
	const struct elf *e;

	if (f->object == o)
		return f;
	e = object_image(o);
	*f = (struct searched_file){ .object = o };
	f->python = e && python_find(e, &f->at);
	return f;
}

/* The interpreter of a stack: the file of a native frame, and by how much its addresses differ from link addresses. */
static const struct searched_file *stack_file(struct jstack *j, const struct jstack_thread *t,
					      const struct jstack_native *s, uint64_t *bias)
{
	const struct searched_file *f;
	struct symbol_code code;
	uint64_t vaddr;

	for (uint32_t i = 0; i < s->n; i++) {
		if (!j->ops->code || !j->ops->code(j->arg, t->pid, s->pc[i], t->at, &code) || !code.object)
			continue;
		f = file_of(j, code.object);
		if (!f->python || !elf_vaddr(object_image(code.object), s->pc[i] - code.start + code.off, &vaddr))
			continue;
		*bias = s->pc[i] - vaddr;
		return f;
	}
	return NULL;
}

/* NULL: its memory cannot be read. What is not as expected is read again next time: a library is first mapped whole,
 * then its data is put in place. */
static struct python_process *process_of(struct jstack *j, int64_t pid, const struct searched_file *f, uint64_t bias)
{
	struct python_process *p = &j->processes[(uint64_t)pid % PROCESSES];
	struct jstack_memory m = { memory_now, &j->memory };
	uint64_t runtime = f->at.runtime + bias, version = 0;

	if (p->pid == pid && p->runtime == runtime && p->file == f->object && p->known != PYTHON_UNREAD)
		return p;
	*p = (struct python_process){ 0 };
	if (f->at.version && !memory_now(&j->memory, f->at.version + bias, &version, sizeof version))
		return NULL;
	*p = (struct python_process){ .pid = pid, .file = f->object, .runtime = runtime, .version = (uint32_t)version };
	p->known = python_layout(&p->layout, p->version, runtime, &m);
	return p;
}

bool jstack_mapped(struct jstack *j, int64_t pid, const struct mapping *x, uint64_t *runtime,
		   struct rt_py_layout *layout)
{
	const struct searched_file *f = file_of(j, x->file);
	const struct python_process *p;
	uint64_t bias;

	if (!f->python || !elf_bias(object_image(x->file), x->start, x->off, &bias))
		return false;
	memory_begin(&j->memory, pid);
	p = process_of(j, pid, f, bias);
	if (!p || p->known != PYTHON_KNOWN)
		return false;
	*runtime = p->runtime;
	*layout = p->layout;
	return true;
}

bool jstack_mapped_v8(struct jstack *j, int64_t pid, const struct mapping *x, uint64_t *code,
		      struct rt_v8_layout *layout)
{
	const struct jstack_memory m = { memory_now, &j->memory };
	const struct elf *e = object_image(x->file);	/* NULL: not an ELF file, such as memory of a JIT compiler */
	uint64_t bias;

	memory_begin(&j->memory, pid);
	return e && elf_bias(e, x->start, x->off, &bias) &&
	       v8_mapped(j->v8, pid, x->file, bias, &m, code, layout);
}

bool jstack_function_v8(struct jstack *j, uint32_t number, int64_t pid, const struct rt_v8_function *f,
			const struct v8_copy *copy)
{
	const struct jstack_memory m = { memory_now, &j->memory };

	memory_begin(&j->memory, pid);
	return v8_function_put(j->v8, number, pid, f, copy, &m);
}

bool jstack_code_v8(struct jstack *j, const struct v8stack_code *c)
{
	const struct jstack_memory m = { memory_now, &j->memory };

	struct v8_compiled code = { .frame = c->frame, .code = c->code, .function = (uint32_t)c->function };

	for (unsigned i = 0; i < RT_V8_TABLES; i++) {
		code.tables[i].at = c->bytes[i] ? c->tables + i * c->room : NULL;
		code.tables[i].bytes = c->bytes[i];
	}
	memory_begin(&j->memory, c->pid);
	return v8_code_put(j->v8, (uint32_t)c->number, c->pid, &code, &m);
}

void jstack_lacks(const struct jstack *j, struct buf *out)
{
	const struct python_process *last = NULL;
	unsigned n = 0;

	for (unsigned i = 0; i < PROCESSES; i++) {
		const struct python_process *p = &j->processes[i];

		if (!p->pid || p->known == PYTHON_KNOWN)
			continue;
		last = p;
		n++;
	}
	v8_lacks(j->v8, out);
	if (!last)
		return;
	buf_printf(out, "%swarning: stacks of %u process%s show the native frames of Python", out->len ? "; " : "", n,
		   n > 1 ? "es" : "");
	if (last->version)
		buf_printf(out, " %u.%u", last->version >> 24, last->version >> 16 & 0xff);
	buf_puts(out, last->known == PYTHON_UNREAD ? ": its data is not as expected" :
		 last->version ? ": this version is not supported" : ": versions before 3.11 are not supported");
}

/* ---- the thread ---- */
/* The last number of a line is the ID in the innermost name space. */
static uint64_t inner_id(int64_t pid, int64_t tid)
{
	uint64_t id = (uint64_t)tid;
	char line[256], path[64], *last;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%" PRId64 "/task/%" PRId64 "/status", pid, tid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof line, f)) {
		if (strncmp(line, "NSpid:", 6))
			continue;
		last = strrchr(line, '\t');
		id = last ? strtoull(last, NULL, 10) : id;
		break;
	}
	if (f)
		fclose(f);
	return id;
}

static bool thread_find(struct jstack *j, const struct jstack_thread *t)
{
	struct python_thread *c = &j->threads[(uint64_t)t->tid % THREADS];

	if (c->tid == t->tid && c->state) {
		j->walk.tid = c->inner;
		j->walk.thread = c->state;
		if (rt_py_thread(&j->walk))
			return true;
	}
	*c = (struct python_thread){ .tid = t->tid, .inner = inner_id(t->pid, t->tid) };
	j->walk.tid = c->inner;
	j->walk.thread = 0;
	if (!rt_py_thread(&j->walk))
		return false;
	c->state = j->walk.thread;
	return true;
}

/* ---- frames ---- */
static bool function_same(const struct python_function *f, const struct rt_py_layout *l, const struct jstack_memory *m)
{
	uint64_t name, file, lines;
	uint32_t first;

	return m->read(m->arg, f->code + l->code_name, &name, 8) && name == f->name &&
	       m->read(m->arg, f->code + l->code_file, &file, 8) && file == f->file &&
	       m->read(m->arg, f->code + l->code_lines, &lines, 8) && lines == f->lines &&
	       m->read(m->arg, f->code + l->code_first, &first, sizeof first) && first == f->first;
}

static uint32_t function_number(struct jstack *j, int64_t pid, uint64_t code, const struct jstack_memory *m)
{
	struct python_function *f = &j->functions[(code / 16 ^ (uint64_t)pid << 4) % FUNCTIONS];
	const struct rt_py_layout *l = &j->walk.layout;
	struct code text;

	if (f->pid == pid && f->code == code && function_same(f, l, m))
		return f->number;
	*f = (struct python_function){ .pid = pid, .code = code };
	if (!m->read(m->arg, code + l->code_name, &f->name, 8) || !m->read(m->arg, code + l->code_file, &f->file, 8) ||
	    !m->read(m->arg, code + l->code_lines, &f->lines, 8) || !python_code(&text, &j->text, l, code, m))
		return 0;
	f->first = text.first;
	return f->number = codes_add(j->codes, &text);
}

/* True if the walk has found the first frame of the thread, or more frames than it stores. */
static bool walk_complete(const struct rt_py *w)
{
	return w->n && (w->more || w->frame[w->n - 1].entry);
}

/* If the thread has left the call of the interpreter that it was in, the copied words do not fit to the rest. Then the
 * present ones are better: they are still true for outer calls. */
static void frames_walk(struct jstack *j)
{
	const struct jstack_memory now = { memory_now, &j->memory };
	struct rt_py *w = &j->walk;

	w->read = memory_sampled;
	rt_py_walk(w, &j->copy);
	w->read = memory_now;
	if (!walk_complete(w))
		rt_py_walk(w, &j->copy);
	for (uint64_t i = 0; i < w->n; i++) {
		struct rt_py_frame *f = &w->frame[i];
		uint32_t number = function_number(j, j->memory.pid, f->code, &now);

		f->at = number ? codes_settle(j->codes, codes_word(number, python_offset(&w->layout, f))) : 0;
	}
}

static void words_store(struct jstack_words *out, const uint64_t *words, uint64_t n)
{
	out->cut = n > out->max;
	out->n = (uint32_t)(n < out->max ? n : out->max);
	memcpy(out->v, words, out->n * sizeof *out->v);
}

static void frames_merge(struct jstack *j, const struct jstack_native *s, struct jstack_words *out)
{
	struct rt_py_merge m = {
		.pc = s->pc, .sp = s->sp, .n = s->n < RT_PY_FRAMES ? s->n : RT_PY_FRAMES,
		.end = s->n > RT_PY_FRAMES ? s->sp[RT_PY_FRAMES] : s->end, .out = j->merged, .py = &j->walk,
	};

	j->walk.keep = s->keep;
	rt_py_merge(&m);
	out->n = codes_frames(j->codes, j->merged, (uint32_t)j->walk.nout, out->v, out->max);
	out->cut = j->walk.nout > out->max || (out->n == out->max && out->n > j->walk.nout);
	out->cut |= j->walk.cut || s->n > RT_PY_FRAMES;
}

/* ---- V8 ---- */
/* Finds V8 in a process by the files of its native frames. */
static bool v8_here(struct jstack *j, const struct jstack_thread *t, const struct jstack_native *s)
{
	const struct jstack_memory now = { memory_now, &j->memory };
	struct symbol_code code;
	uint64_t vaddr;

	for (uint32_t i = 0; i < s->n; i++)
		if (j->ops->code && j->ops->code(j->arg, t->pid, s->pc[i], t->at, &code) && code.object &&
		    object_image(code.object) &&
		    elf_vaddr(object_image(code.object), s->pc[i] - code.start + code.off, &vaddr) &&
		    v8_mapped(j->v8, t->pid, code.object, s->pc[i] - vaddr, &now, &j->v8_walk.code,
			      &j->v8_walk.layout))
			return true;
	return false;
}

static bool v8_begin(struct jstack *j, const struct jstack_thread *t, const struct jstack_native *s)
{
	memory_begin(&j->memory, t->pid);
	if (!s->n || !v8_here(j, t, s))
		return false;
	j->memory.low = s->sp[0];
	j->memory.size = t->size;
	j->memory.copy = t->stack;
	j->v8_walk.read = memory_sampled;
	j->v8_walk.arg = &j->memory;
	return true;
}

static bool v8_is_code(struct jstack *j, const struct jstack_thread *t, uint64_t pc)
{
	struct symbol_code code;

	return pc - j->v8_walk.code < j->v8_walk.layout.code_size ||
	       !j->ops->code(j->arg, t->pid, pc, t->at, &code) || !code.object;
}

/* V8's code has a frame pointer, two words below the next frame. */
static void v8_frames(struct jstack *j, const struct jstack_thread *t, const struct jstack_native *s)
{
	const struct jstack_memory now = { memory_now, &j->memory };
	struct rt_py *w = &j->walk;

	w->n = w->more = 0;
	for (uint32_t i = 0; i + 1 < s->n && i < RT_PY_FRAMES; i++) {
		struct rt_v8 *v = &j->v8_walk;
		uint64_t word, pc = s->pc[i] - (i > 0);

		if (!v8_is_code(j, t, s->pc[i]) || !rt_v8_frame(v, s->sp[i + 1] - 16, s->sp[i]) ||
		    !(rt_v8_still(v) || v8_seen(j->v8, t->pid, &v->frame)))
			continue;
		word = v8_word_at(j->v8, t->pid, v, pc, &now);
		if (word)
			w->frame[w->n++] = (struct rt_py_frame){ .code = v->frame.shared,
				.entry = s->sp[i + 1] - 8, .at = word };
	}
}

bool jstack_read_v8(struct jstack *j, const struct jstack_thread *t, const struct jstack_native *s,
		    struct jstack_words *out)
{
	if (!v8_begin(j, t, s))
		return false;
	v8_frames(j, t, s);
	frames_merge(j, s, out);
	return true;
}

/* A frame of compiled code whose position is not known: it is found if the function has not been moved since. */
static void v8_place(struct jstack *j, const struct jstack_thread *t, const struct jstack_native *s, uint32_t i,
		     struct rt_py_frame *f)
{
	const struct jstack_memory now = { memory_now, &j->memory };
	struct rt_v8 *v = &j->v8_walk;
	uint64_t word;

	if ((uint32_t)f->at != RT_V8_UNKNOWN || !rt_v8_frame(v, s->sp[i + 1] - 16, s->sp[i]) ||
	    v->frame.shared != f->code || !rt_v8_still(v))
		return;
	word = v8_word_at(j->v8, t->pid, v, s->pc[i] - (i > 0), &now);
	f->at = word ? word : f->at;
}

uint32_t jstack_choose_v8(struct jstack *j, const struct jstack_thread *t, const struct jstack_native *s,
			  struct rt_py_frame *frame, uint32_t n)
{
	uint32_t next = 0, kept = 0;

	if (!v8_begin(j, t, s))
		return 0;
	for (uint32_t i = 0; i + 1 < s->n; i++) {
		uint64_t entry = s->sp[i + 1] - 8;

		while (next < n && frame[next].entry < entry)
			next++;
		if (next == n || frame[next].entry != entry || !v8_is_code(j, t, s->pc[i]))
			continue;
		frame[kept] = frame[next];
		v8_place(j, t, s, i, &frame[kept++]);
	}
	return kept;
}

void jstack_read(struct jstack *j, const struct jstack_thread *t, const struct jstack_native *s,
		 struct jstack_words *out)
{
	const struct python_process *p;
	const struct searched_file *f;
	uint64_t bias;

	words_store(out, s->pc, s->n);
	f = stack_file(j, t, s, &bias);
	if (!f) {
		jstack_read_v8(j, t, s, out);
		return;
	}
	memory_begin(&j->memory, t->pid);
	p = process_of(j, t->pid, f, bias);
	if (!p || p->known != PYTHON_KNOWN)
		return;
	j->walk.layout = p->layout;
	j->walk.runtime = p->runtime;
	j->walk.read = memory_now;
	j->walk.arg = &j->memory;
	if (!thread_find(j, t))
		return;
	j->memory.low = s->sp[0];
	j->memory.size = t->size;
	j->memory.copy = t->stack;
	frames_walk(j);
	frames_merge(j, s, out);
}
