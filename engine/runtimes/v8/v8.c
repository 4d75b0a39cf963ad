/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/runtimes/v8/v8.h"

#include <stdlib.h>
#include <string.h>

/* Sizes of the tables, in which a newer entry replaces an older one; powers of two. */
enum { FILES = 1 << 10, PROCESSES = 1 << 8, FUNCTIONS = 1 << 13 };

/* A file that was searched. */
struct v8_searched {
	const struct object *object;	/* NULL: unused */
	bool found;
	struct v8_file at;
};

/* A process with V8. */
struct v8_process {
	int64_t pid;			/* 0: unused */
	enum v8_known known;
	uint32_t major, minor;
	struct rt_v8_layout layout;	/* V8_KNOWN */
	const uint8_t *sizes;		/* of bytecodes (struct v8_file) */
	uint32_t nsizes;
};

/* A function whose names were read. */
struct v8_named {
	int64_t pid;			/* 0: unused */
	struct rt_v8_frame frame;	/* without its position */
	uint32_t number;		/* 0: not shown */
};

struct v8_named_code {
	int64_t pid;			/* 0: unused */
	struct rt_v8_code code;
	uint32_t function, number;
};

struct v8_runtime {
	struct codes *codes;
	struct v8_named_code compiled[FUNCTIONS];
	struct v8_code_text code;
	struct v8_named functions[FUNCTIONS];
	uint8_t table[V8_TABLE];
	struct v8_searched files[FILES];
	struct v8_process processes[PROCESSES];
	struct v8_scripts scripts;
	struct v8_function_text text;
};

struct v8_runtime *v8_open(struct codes *codes)
{
	struct v8_runtime *r = calloc(1, sizeof *r);

	if (r)
		r->codes = codes;
	return r;
}

void v8_close(struct v8_runtime *r)
{
	if (!r)
		return;
	v8_scripts_close(&r->scripts);
	free(r);
}

/* NULL: V8 is not in the file. */
static const struct v8_file *file_of(struct v8_runtime *r, struct object *o)
{
	struct v8_searched *f = &r->files[(uintptr_t)o / 64 % FILES];
	const struct elf *e;

	if (f->object != o) {
		e = object_image(o);
		*f = (struct v8_searched){ .object = o };
		f->found = e && v8_find(e, &f->at);
	}
	return f->found ? &f->at : NULL;
}

static struct v8_process *process_of(struct v8_runtime *r, int64_t pid)
{
	return &r->processes[(uint64_t)pid % PROCESSES];
}

bool v8_mapped(struct v8_runtime *r, int64_t pid, struct object *o, uint64_t bias, const struct jstack_memory *m,
	       uint64_t *code, struct rt_v8_layout *layout)
{
	const struct v8_file *f = file_of(r, o);
	struct v8_process *p = process_of(r, pid);

	if (!f)
		return false;
	*p = (struct v8_process){ .pid = pid, .known = f->known, .major = f->major, .minor = f->minor };
	p->layout = f->layout;
	p->sizes = f->sizes;
	p->nsizes = f->nsizes;
	if (f->known != V8_KNOWN)
		return false;
	if (!v8_code(f, bias, m, code, &p->layout.code_size))
		return false;
	*layout = p->layout;
	return true;
}

bool v8_function_put(struct v8_runtime *r, uint32_t number, int64_t pid, const struct rt_v8_function *f,
		     const struct v8_copy *copy, const struct jstack_memory *m)
{
	const struct v8_process *p = process_of(r, pid);
	struct rt_v8 v = { .layout = p->layout, .read = m->read, .arg = m->arg };
	struct code code;

	if (p->pid != pid)
		return true;
	v8_describe(&code, &r->text, f, copy, &r->scripts, pid, &v);
	return codes_put(r->codes, number, &code);
}

static uint64_t function_slot(int64_t pid, const struct rt_v8_frame *f)
{
	return (f->shared / 16 ^ (uint64_t)pid << 4) % FUNCTIONS;
}

bool v8_seen(const struct v8_runtime *r, int64_t pid, const struct rt_v8_frame *f)
{
	const struct v8_named *x = &r->functions[function_slot(pid, f)];

	return x->pid == pid && x->frame.shared == f->shared && x->frame.script == f->script &&
	       x->frame.ids == f->ids && x->number;
}

/* The number of the function v->frame; 0: it has none. */
static uint32_t function_number(struct v8_runtime *r, int64_t pid, struct rt_v8 *v, const struct jstack_memory *m)
{
	const struct rt_v8_frame *f = &v->frame;
	struct v8_named *x = &r->functions[function_slot(pid, f)];
	struct code code;

	if (v8_seen(r, pid, f))
		return x->number;
	*x = (struct v8_named){ .pid = pid, .frame = *f };
	if (!rt_v8_function(v))
		return 0;
	if (v->function.bytes > V8_TABLE || !m->read(m->arg, v->function.table, r->table, v->function.bytes))
		v->function.bytes = 0;
	v8_describe(&code, &r->text, &v->function, &(struct v8_copy){ .table = r->table }, &r->scripts, pid, v);
	return x->number = codes_add(r->codes, &code);
}

struct inlined_arg {
	struct v8_runtime *r;
	int64_t pid;
	const struct jstack_memory *m;
};

static uint32_t inlined_number(void *arg, struct rt_v8 *v)
{
	struct inlined_arg *a = arg;

	return function_number(a->r, a->pid, v, a->m);
}

static uint32_t inlined_line(void *arg, const struct rt_v8_frame *f, uint32_t position)
{
	struct inlined_arg *a = arg;

	return v8_position_line(&a->r->scripts, a->pid, f, position);
}

static void code_describe(struct v8_runtime *r, struct code *out, int64_t pid, const struct v8_compiled *c,
			  const struct jstack_memory *m)
{
	const struct v8_process *p = process_of(r, pid);
	struct inlined_arg arg = { r, pid, m };
	struct v8_code_reader reader = {
		.v = { .layout = p->layout, .read = m->read, .arg = m->arg }, .sizes = p->sizes, .nsizes = p->nsizes,
		.number = inlined_number, .line = inlined_line, .arg = &arg,
	};

	v8_describe_code(out, &r->code, c, &reader);
}

bool v8_code_put(struct v8_runtime *r, uint32_t number, int64_t pid, const struct v8_compiled *c,
		 const struct jstack_memory *m)
{
	struct code code;

	if (process_of(r, pid)->pid != pid)
		return true;
	code_describe(r, &code, pid, c, m);
	return codes_put(r->codes, number, &code);
}

/* The number of code; 0: it has none. */
static uint32_t code_number(struct v8_runtime *r, int64_t pid, const struct v8_compiled *c,
			    const struct jstack_memory *m)
{
	struct v8_named_code *x = &r->compiled[(c->code.at / 16 ^ (uint64_t)pid << 4) % FUNCTIONS];
	struct code code;

	if (x->pid == pid && !memcmp(&x->code, &c->code, sizeof x->code) && x->function == c->function)
		return x->number;
	code_describe(r, &code, pid, c, m);
	*x = (struct v8_named_code){ pid, c->code, c->function, codes_add(r->codes, &code) };
	return x->number;
}

uint64_t v8_word_at(struct v8_runtime *r, int64_t pid, struct rt_v8 *v, uint64_t pc, const struct jstack_memory *m)
{
	struct v8_compiled c = { .frame = v->frame };
	uint32_t position = (uint32_t)v->frame.position, compiled = 0;

	if (process_of(r, pid)->pid != pid)
		return 0;
	c.function = function_number(r, pid, v, m);
	if (c.function && position == RT_V8_UNKNOWN && rt_v8_code(v, pc)) {
		c.code = v->compiled;
		compiled = code_number(r, pid, &c, m);
	}
	if (compiled)
		return codes_word(compiled, (uint32_t)(pc - c.code.start));
	return c.function ? codes_word(c.function, position) : 0;
}

void v8_lacks(const struct v8_runtime *r, struct buf *out)
{
	const struct v8_process *last = NULL;
	unsigned n = 0;

	for (unsigned i = 0; i < PROCESSES; i++) {
		const struct v8_process *p = &r->processes[i];

		if (!p->pid || p->known == V8_KNOWN)
			continue;
		last = p;
		n++;
	}
	if (last)
		buf_printf(out, "%swarning: stacks of %u process%s show the native frames of V8 %u.%u: %s",
			   out->len ? "; " : "", n, n > 1 ? "es" : "", last->major, last->minor,
			   last->known == V8_UNKNOWN ? "this version is not supported" :
			   "its constants are not as expected");
}
