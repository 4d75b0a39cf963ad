/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/bpf/unwind/jstacks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "engine/bpf/code/bpf.h"
#include "engine/bpf/load/loaded.h"
#include "engine/bpf/load/walkers.h"
#include "engine/runtimes/python/python.h"
#include "engine/runtimes/v8/lines.h"
#include "engine/symbols/object.h"
#include "engine/symbols/spaces.h"

int jstacks_open(struct jstacks *j, struct bpf_loaded *l)
{
	const struct task_layout *t = &l->im->par.task;
	int fd = l->mapfd[l->im->map_of[BPF_MAP_JSTACK]];

	*j = (struct jstacks){ .shared = mmap(NULL, sizeof *j->shared, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) };
	if (j->shared == MAP_FAILED) {
		j->shared = NULL;
		return -errno;
	}
	j->loaded = l;
	if (t->pid_level && t->pid_numbers) {
		j->shared->thread_pid = t->thread_pid;
		j->shared->level = t->pid_level;
		j->shared->ids = t->pid_numbers;
	}
	if (t->parent && t->group) {
		j->shared->parent = t->parent;
		j->shared->group = t->group;
	}
	return 0;
}

void jstacks_close(struct jstacks *j)
{
	jstack_close(j->jstack);
	codes_close(j->codes);
	free(j->sent);
	if (j->shared)
		munmap(j->shared, sizeof *j->shared);
	*j = (struct jstacks){ 0 };
}

int jstacks_begin(struct jstacks *j, struct symbols *s)
{
	j->codes = codes_open();
	j->jstack = j->codes ? jstack_open(&symbols_ops, s, j->codes) : NULL;
	j->sent = calloc(JSTACKS_SENT, sizeof *j->sent);
	if (!j->jstack || !j->sent)
		return -ENOMEM;
	symbols_interpreted(s, j->codes);
	return 0;
}

void jstacks_lacks(const struct jstacks *j, struct buf *out)
{
	if (j->shared && j->shared->lost)
		buf_printf(out, "warning: %" PRIu64 " interpreted functions have no names: "
			   "the buffer for them was full", j->shared->lost);
	for (unsigned i = 0; i < LINK_WALKERS; i++)
		if (j->walker[i] < 0)
			buf_printf(out, "%swarning: functions of %s are not shown: the kernel refused the program that "
				   "reads their frames (%s)", out->len ? "; " : "", i == LINK_V8 ? "V8" : "Python",
				   strerror(-j->walker[i]));
	if (j->jstack)
		jstack_lacks(j->jstack, out);
}

/* Loads a walker when it is first needed. */
static bool walker_ready(struct jstacks *j, enum link_walker w)
{
	int err = j->walker[w];

	if (!err) {
		err = walker_load(j->loaded, w);
		j->walker[w] = err ? err : 1;
	}
	return j->walker[w] > 0;
}

/* Programs read layouts up to nlayouts. Returns the number of a layout; JSTACK_LAYOUTS: there are too many. */
static uint32_t layout_number(struct jstacks *j, const struct rt_py_layout *l)
{
	for (uint32_t i = 0; i < j->nlayouts; i++)
		if (!memcmp(&j->shared->layout[i], l, sizeof *l))
			return i;
	if (j->nlayouts == JSTACK_LAYOUTS)
		return JSTACK_LAYOUTS;
	j->shared->layout[j->nlayouts] = *l;
	return j->nlayouts++;
}

static void mapped_v8(struct jstacks *j, int64_t pid, const struct mapping *x, struct unwind_space *out)
{
	struct rt_v8_layout l = { 0 };
	uint64_t code;
	uint32_t i = 0;

	if (!jstack_mapped_v8(j->jstack, pid, x, &code, &l))
		return;
	while (i < j->nv8 && memcmp(&j->shared->v8[i], &l, sizeof l))
		i++;
	if (i == JSTACK_LAYOUTS)
		return;
	if (i == j->nv8)
		j->shared->v8[j->nv8++] = l;
	if (!walker_ready(j, LINK_V8))
		return;
	out->runtime = code;
	out->own = l.code_size;
	out->layout = V8STACK_LAYOUT | i;
}

void jstacks_mapped(struct jstacks *j, int64_t pid, const struct mapping *x, struct unwind_space *out)
{
	struct rt_py_layout layout;
	uint64_t runtime;
	uint32_t number;

	if (!j->jstack || !x->file)
		return;
	if (!jstack_mapped(j->jstack, pid, x, &runtime, &layout)) {
		mapped_v8(j, pid, x, out);
		return;
	}
	number = layout_number(j, &layout);
	if (number == JSTACK_LAYOUTS || !walker_ready(j, LINK_PYTHON))
		return;
	out->runtime = runtime;
	out->layout = number;
}

static void text_take(char *out, const struct jstack_text *t)
{
	unsigned kind = t->kind;

	*out = '\0';
	if ((kind == 1 || kind == 2 || kind == 4) && t->n <= JSTACK_TEXT / kind)
		python_utf8(out, PYTHON_NAME, t->at, t->n, kind);
}

void jstacks_function(struct jstacks *j, const struct jstack_function *f, size_t size)
{
	char name[PYTHON_NAME], file[PYTHON_NAME];
	struct code code = {
		.name = name, .file = file, .first = f->first & INT32_MAX, .lines = f->lines, .size = f->bytes,
		.line = python_line,
	};

	if (size < sizeof *f || f->bytes > size - sizeof *f || !j->codes)
		return;
	text_take(name, &f->name);
	text_take(file, &f->file);
	j->nomem |= !codes_put(j->codes, (uint32_t)f->number, &code);
}

void jstacks_code_v8(struct jstacks *j, const struct v8stack_code *c, size_t size)
{
	if (size < sizeof *c + RT_V8_TABLES * (size_t)c->room || !j->jstack)
		return;
	for (unsigned i = 0; i < RT_V8_TABLES; i++)
		if (c->bytes[i] > c->room)
			return;
	j->nomem |= !jstack_code_v8(j->jstack, c);
}

void jstacks_function_v8(struct jstacks *j, const struct v8stack_function *f, size_t size)
{
	struct v8_copy copy = { .table = f->data };

	if (size < sizeof *f + 2 * (size_t)f->half || f->function.bytes > f->half || f->copied > f->half || !j->jstack)
		return;
	if (f->copied)
		copy.source = f->data + f->half;
	j->nomem |= !jstack_function_v8(j->jstack, (uint32_t)f->number, f->pid, &f->function, &copy);
}

void jstacks_frames(struct jstacks *j, const struct jstack_frames *f, size_t size)
{
	if (j->sent && size >= sizeof *f && f->n <= RT_PY_FRAMES)
		memcpy(&j->sent[f->number % JSTACKS_SENT], f, sizeof *f);
}

static struct jstack_thread stack_thread(const struct unwind_handover *h)
{
	return (struct jstack_thread){
		.pid = h->pid, .at = h->time, .stack = h->stack + h->below,
		.size = h->bytes > h->below ? h->bytes - (uint32_t)h->below : 0,
	};
}

uint32_t jstacks_merge(struct jstacks *j, const struct unwind_handover *h, uint64_t *pc, const uint64_t *sp, uint32_t n,
		       bool *cut)
{
	const struct jstack_frames *f = j->sent ? &j->sent[h->interpreted % JSTACKS_SENT] : NULL;
	uint64_t out[RT_PY_WORDS];
	struct rt_py *py = f && f->number == h->interpreted ? calloc(1, sizeof *py) : NULL;
	struct rt_py_merge m = { .pc = pc, .sp = sp, .n = n, .out = out, .py = py };
	const struct jstack_thread thread = stack_thread(h);

	if (!py || !n || n > RT_PY_FRAMES) {
		free(py);
		return n;
	}
	m.end = *cut ? sp[0] + h->bytes - h->below : UINT64_MAX;
	py->n = f->n;
	py->more = f->more;
	memcpy(py->frame, f->frame, sizeof f->frame);
	if (f->why == V8STACK_FRAMES)
		py->n = jstack_choose_v8(j->jstack, &thread, &(struct jstack_native){ .pc = pc, .sp = sp, .n = n },
					 py->frame, (uint32_t)f->n);
	py->keep = h->flags & UNWIND_REPLACED ? RT_PY_MARK : h->flags & UNWIND_RUNTIME ? RT_PY_SHOW : RT_PY_OMIT;
	rt_py_merge(&m);
	n = (uint32_t)py->nout;
	*cut |= py->cut;
	memcpy(pc, out, n * sizeof *pc);
	free(py);
	return n;
}

uint32_t jstacks_read(struct jstacks *j, const struct unwind_handover *h, uint64_t *pc, const uint64_t *sp, uint32_t n,
		      bool *cut)
{
	uint64_t out[RT_PY_WORDS];
	const struct jstack_thread thread = stack_thread(h);
	const struct jstack_native native = {
		.pc = pc, .sp = sp, .n = n, .end = UINT64_MAX,
		.keep = h->flags & UNWIND_REPLACED ? RT_PY_MARK : h->flags & UNWIND_RUNTIME ? RT_PY_SHOW : RT_PY_OMIT,
	};
	struct jstack_words words = { .v = out, .max = RT_PY_WORDS };

	if (!j->jstack || !n || !jstack_read_v8(j->jstack, &thread, &native, &words))
		return n;
	*cut |= words.cut;
	memcpy(pc, out, words.n * sizeof *pc);
	return words.n;
}
