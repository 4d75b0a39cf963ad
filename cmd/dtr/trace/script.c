/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/trace/script.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/map.h"

/* Clauses with the same actions are one clause with many probes: a firing tests a bit for each clause. */
struct clauses {
	struct trace_options *o;
	struct map by_text;		/* predicate and actions -> struct buf: the probes */
};

static void clause_add(struct clauses *c, const char *call, const char *probe, const char *text)
{
	void **at = map_put(&c->by_text, text, strlen(text) + 1);
	struct buf *probes;

	if (!*at) {
		probes = arena_calloc(c->o->arena, 1, sizeof *probes);
		*at = probes;
	}
	probes = *at;
	buf_printf(probes, "%ssyscall::%s:%s", probes->len ? ",\n" : "", call, probe);
}

/* /the process is traced && MORE/ */
static const char *predicate(const struct clauses *c, const char *more)
{
	return arena_printf(c->o->arena, "/%s%s%s/\n", c->o->follow ? "traced[pid]" : "pid == $target",
			    *more ? " && " : "", more);
}

static const char *memory_head(const struct clauses *c, unsigned arg)
{
	return arena_printf(c->o->arena, "trace(%d); trace(tid);", TAG_MEMORY | arg << TAG_ARG_SHIFT);
}

/* Copies this->n bytes from an address; at most `most`, a constant. */
static const char *copy(const struct clauses *c, const char *address, unsigned most)
{
	return arena_printf(c->o->arena, "\tthis->b = (uint64_t *)alloca(%u);\n\tcopyinto(%s, this->n, this->b);\n",
			    most, address);
}

static const char *show(const struct clauses *c, unsigned most)
{
	return arena_printf(c->o->arena, "trace(this->n); tracemem(this->b, %u);", most);
}

/* ---- kinds of memory ---- */

/* If the page is not in memory yet, the string is read again at the return. */
static void add_string(struct clauses *c, const struct call *call, unsigned i)
{
	struct arena *a = c->o->arena;

	clause_add(c, call->name, "entry",
		   arena_printf(a, "%s{\n\tself->p%u = arg%u;\n\t%s trace(copyinstr(arg%u));\n\tself->p%u = 0;\n}\n",
				predicate(c, ""), i, i, memory_head(c, i), i, i));
	clause_add(c, call->name, "return",
		   arena_printf(a, "%s{\n\t%s trace(copyinstr(self->p%u));\n\tself->p%u = 0;\n}\n",
				predicate(c, arena_printf(a, "self->p%u", i)), memory_head(c, i), i, i));
}

static const char *words_text(const struct clauses *c, unsigned i, const char *from)
{
	struct arena *a = c->o->arena;
	const char *text = arena_printf(a, "\tthis->q0 = *(uint64_t *)copyin(%s%u, 8);\n", from, i);

	for (unsigned k = 1; k <= MOST_WORDS; k++)
		text = arena_printf(a, "%s\tthis->q%u = this->q%u ? *(uint64_t *)copyin(%s%u + %u, 8) : 0;\n", text, k,
				    k - 1, from, i, 8 * k);
	text = arena_printf(a, "%s\t%s\n", text, memory_head(c, i));
	for (unsigned k = 0; k < MOST_WORDS; k++)
		text = arena_printf(a, "%s\ttrace(this->q%u != 0);\n"
				    "\ttrace(this->q%u ? copyinstr(this->q%u, 127) : \"\");\n", text, k, k, k);
	return arena_printf(a, "%s\ttrace(this->q%u != 0);\n\tself->p%u = 0;\n}\n", text, MOST_WORDS, i);
}

/* At the return too if the call has failed; otherwise that memory is gone. */
static void add_words(struct clauses *c, const struct call *call, unsigned i)
{
	struct arena *a = c->o->arena;

	clause_add(c, call->name, "entry", arena_printf(a, "%s{\n\tself->p%u = arg%u;\n%s", predicate(c, ""), i, i,
							words_text(c, i, "arg")));
	clause_add(c, call->name, "return",
		   arena_printf(a, "%s{\n%s", predicate(c, arena_printf(a, "errno && self->p%u", i)),
				words_text(c, i, "self->p")));
}

/* Copies an array of struct iovec, then the beginnings of its buffers. At a return they have `arg0` bytes. */
static const char *vector_text(const struct clauses *c, const char *from, const char *count, bool returns)
{
	struct arena *a = c->o->arena;
	const unsigned most = c->o->strsize;
	const char *text = arena_printf(a, "\tthis->n = 16 * ((uint64_t)%s < %u ? (uint64_t)%s : %u);\n", count,
					MOST_BUFFERS, count, MOST_BUFFERS);

	text = arena_printf(a, "%s\tthis->v = (uint64_t *)alloca(%u);\n\tif (this->n) "
			    "{ copyinto(%s, this->n, this->v); }\n", text, 16 * MOST_BUFFERS, from);
	text = arena_printf(a, "%s\tthis->m = this->n;\n\ttrace(this->n); tracemem(this->v, %u);\n", text,
			    16 * MOST_BUFFERS);
	if (returns)
		text = arena_printf(a, "%s\tthis->left = arg0;\n", text);
	for (unsigned k = 0; k < MOST_BUFFERS; k++) {
		const char *size = arena_printf(a, "this->v[%u]", 2 * k + 1);

		text = arena_printf(a, "%s\tthis->b = (uint64_t *)alloca(%u);\n\tthis->n = this->m > %u ? %s : 0;\n",
				    text, most, 16 * k, size);
		if (returns)
			text = arena_printf(a, "%s\tthis->n = this->n < this->left ? this->n : this->left;\n"
					    "\tthis->left -= this->n;\n", text);
		text = arena_printf(a, "%s\tthis->n = this->n < %u ? this->n : %u;\n"
				    "\tif (this->n) { copyinto(this->v[%u], this->n, this->b); }\n"
				    "\ttrace(this->n); tracemem(this->b, %u);\n", text, most, most, 2 * k, most);
	}
	return text;
}

static void add_vector(struct clauses *c, const struct call *call, unsigned i, bool returns)
{
	struct arena *a = c->o->arena;
	const char *from = returns ? "self->a" : "arg";

	clause_add(c, call->name, returns ? "return" : "entry",
		   arena_printf(a, "%s{\n\t%s\n%s}\n",
				predicate(c, returns ? arena_printf(a, "arg0 > 0 && self->a%u", i) : ""),
				memory_head(c, i),
				vector_text(c, arena_printf(a, "%s%u", from, i),
					    arena_printf(a, "%s%u", from, call->arg[i].length), returns)));
}

/* Copies what word `at` of this->h points to; word `length`, cut to 32 bits, is its size. */
static const char *message_part(const struct clauses *c, unsigned at, unsigned length, unsigned most)
{
	return arena_printf(c->o->arena, "\tthis->n = (uint64_t)(uint32_t)this->h[%u];\n"
			    "\tthis->n = this->h[%u] == 0 ? 0 : this->n < %u ? this->n : %u;\n"
			    "\tthis->b = (uint64_t *)alloca(%u);\n"
			    "\tif (this->n) { copyinto(this->h[%u], this->n, this->b); }\n"
			    "\ttrace(this->n); tracemem(this->b, %u);\n", length, at, most, most, most, at, most);
}

/* struct msghdr is seven words: name, its length, buffers, their number, control data, its length, flags. */
static void add_message(struct clauses *c, const struct call *call, unsigned i, bool returns)
{
	enum { SIZE = 56, MOST_CONTROL = 64 };
	struct arena *a = c->o->arena;
	const char *from = arena_printf(a, returns ? "self->a%u" : "arg%u", i);

	clause_add(c, call->name, returns ? "return" : "entry",
		   arena_printf(a, "%s{\n\tthis->h = (uint64_t *)alloca(%u);\n\tcopyinto(%s, %u, this->h);\n"
				"\t%s trace((uint64_t)%u); tracemem(this->h, %u);\n%s%s%s}\n",
				predicate(c, arena_printf(a, returns ? "arg0 >= 0 && %s" : "%s", from)),
				SIZE, from, SIZE, memory_head(c, i), SIZE, SIZE,
				message_part(c, 0, 1, MOST_ADDRESS), message_part(c, 4, 5, MOST_CONTROL),
				vector_text(c, "this->h[2]", "this->h[3]", returns)));
}

static const char *at_most(const struct clauses *c, const char *n, unsigned most)
{
	return arena_printf(c->o->arena, "\tthis->n = (uint64_t)(%s);\n\tthis->n = this->n < %u ? this->n : %u;\n", n,
			    most, most);
}

static unsigned most_of(const struct clauses *c, const struct call_kind *k)
{
	return k->most ? k->most : k->size > 1 ? MOST_ENTRIES * k->size : c->o->strsize;
}

/* How many bytes, in D. */
static const char *size_of(const struct clauses *c, const struct call_arg *g, const struct call_kind *k, bool returns)
{
	struct arena *a = c->o->arena;

	switch (k->how) {
	case LENGTH:
		return arena_printf(a, "%u * (uint64_t)%s%u", k->size, returns ? "self->a" : "arg", g->length);
	case RESULT:
		return arena_printf(a, "%u * arg0", k->size);
	case POINTED:
		return arena_printf(a, "*(uint32_t *)copyin(self->a%u, 4)", g->length);
	default:
		return arena_printf(a, "%u", k->size);
	}
}

static void add_bytes(struct clauses *c, const struct call *call, unsigned i, bool returns)
{
	struct arena *a = c->o->arena;
	const struct call_arg *g = &call->arg[i];
	const struct call_kind *k = kind_of(g->kind);
	const char *from = arena_printf(a, returns ? "self->a%u" : "arg%u", i);
	const char *when = !returns ? "" : k->when == FAILURE ? "arg0 < 0 && " :
			   k->how == RESULT || k->when == BOTH ? "arg0 > 0 && " : "arg0 >= 0 && ";
	const unsigned most = most_of(c, k);

	clause_add(c, call->name, returns ? "return" : "entry",
		   arena_printf(a, "%s{\n%s%s\t%s %s\n}\n", predicate(c, arena_printf(a, "%s%s", when, from)),
				at_most(c, size_of(c, g, k, returns), most), copy(c, from, most), memory_head(c, i),
				show(c, most)));
}

static bool at_return(const struct call_kind *k)
{
	return k->when == RETURN || k->when == FAILURE || k->when == BOTH;
}

static void add_argument(struct clauses *c, const struct call *call, unsigned i)
{
	const struct call_kind *k = kind_of(call->arg[i].kind);

	if (k->how == STRING)
		add_string(c, call, i);
	else if (k->how == WORDS)
		add_words(c, call, i);
	else if (k->how == VECTOR)
		add_vector(c, call, i, k->when == RETURN);
	else if (k->how == MESSAGE)
		add_message(c, call, i, k->when == RETURN);
	else if (k->how != NOTHING && (k->when == ENTRY || k->when == BOTH))
		add_bytes(c, call, i, false);
	if ((k->how >= FIXED && k->how <= POINTED) || k->how == MAYBE)
		if (at_return(k))
			add_bytes(c, call, i, true);
}

/* ---- entries and returns ---- */

static void add_entry(struct clauses *c, const struct call *call)
{
	struct arena *a = c->o->arena;
	const char *text = arena_printf(a, "%s{\n\ttrace(%d); trace(tid); trace(pid);", predicate(c, ""), TAG_ENTRY);

	for (unsigned i = 0; i < call->nargs; i++)
		text = arena_printf(a, "%s trace(arg%u);", text, i);
	clause_add(c, call->name, "entry", arena_printf(a, "%s\n}\n", text));
}

/* Arguments that the clauses at the return need. */
static void add_saved(struct clauses *c, const struct call *call)
{
	bool saved[CALL_ARGS] = { false };

	for (unsigned i = 0; i < call->nargs; i++) {
		const struct call_kind *k = kind_of(call->arg[i].kind);

		saved[i] |= at_return(k);
		if (at_return(k) && (k->how == POINTED || k->how == VECTOR || k->how == LENGTH))
			saved[call->arg[i].length] = true;
	}
	for (unsigned i = 0; i < CALL_ARGS; i++)
		if (saved[i])
			clause_add(c, call->name, "entry", arena_printf(c->o->arena, "%s{\n\tself->a%u = arg%u;\n}\n",
									predicate(c, ""), i, i));
}

/* The path of a descriptor; of pipes and sockets, which have none, the kind and the inode. */
static const char *path_text(const struct clauses *c, unsigned at, const char *fd, const char *more)
{
	return arena_printf(c->o->arena, "%s{\n\tthis->f = curthread->files == 0 || "
			    "(uint_t)%s >= curthread->files->fdt->max_fds ? (struct file *)0 :\n"
			    "\t    curthread->files->fdt->fd[(int)%s];\n"
			    "\ttrace(%d); trace(tid); trace(fds[(int)%s].fi_pathname);\n"
			    "\ttrace(this->f == 0 ? 0 : (uint64_t)this->f->f_inode->i_mode);\n"
			    "\ttrace(this->f == 0 ? 0 : (uint64_t)this->f->f_inode->i_ino);\n}\n",
			    predicate(c, more), fd, fd, TAG_PATH | at << TAG_ARG_SHIFT, fd);
}

static void add_paths(struct clauses *c, const struct call *call)
{
	for (unsigned i = 0; i < call->nargs; i++) {
		const char *fd = arena_printf(c->o->arena, "arg%u", i);

		if (call->arg[i].kind == KIND_fd || call->arg[i].kind == KIND_dirfd)
			clause_add(c, call->name, "entry",
				   path_text(c, i, fd, arena_printf(c->o->arena, "(int)%s >= 0", fd)));
	}
	if (call->result == 'f')
		clause_add(c, call->name, "return", path_text(c, CALL_ARGS, "arg0", "arg0 >= 0"));
}

static void add_return(struct clauses *c, const struct call *call)
{
	clause_add(c, call->name, "return", arena_printf(c->o->arena, "%s{\n\ttrace(%d); trace(tid); trace(pid); "
							 "trace(arg0);\n}\n", predicate(c, ""), TAG_RETURN));
}

/* In user space a summary would cost two records for each call. */
static void add_counts(struct clauses *c, const struct call *call)
{
	struct arena *a = c->o->arena;

	clause_add(c, call->name, "entry", arena_printf(a, "%s{\n\tself->since = timestamp;\n}\n", predicate(c, "")));
	clause_add(c, call->name, "return",
		   arena_printf(a, "%s{\n\t@calls[probefunc] = count();\n"
				"\t@ns[probefunc] = sum(self->since ? timestamp - self->since : 0);\n"
				"\tself->since = 0;\n}\n", predicate(c, "")));
	clause_add(c, call->name, "return", arena_printf(a, "%s{\n\t@errors[probefunc] = count();\n}\n",
							 predicate(c, "errno")));
}

static void each_call(struct clauses *c, void (*add)(struct clauses *c, const struct call *call))
{
	for (size_t i = 0; i < c->o->ncalls; i++)
		if (c->o->on[i])
			add(c, &c->o->calls[i]);
}

static void add_memory(struct clauses *c, const struct call *call)
{
	for (unsigned i = 0; i < call->nargs; i++)
		add_argument(c, call, i);
}

/* The fixed part, which is in a file of its own; with --summary only its first clauses. */
static int script_head(struct trace_options *o, struct buf *out)
{
	const char *path = arena_printf(o->arena, "%s/tools/trace.d", o->share);
	int r = buf_read_file(out, path);

	return r < 0 ? trace_error(o, arena_printf(o->arena, "failed to read %s: %s", path, strerror(-r))) : 0;
}

/*
 * A program that does nothing but system calls fills 8 MB in 40 ms. All buffers together have up to 128 MB, where
 * there are few CPUs, and each at least 8 MB.
 */
static unsigned buffer_megabytes(void)
{
	enum { ALL = 128, LEAST = 8, MOST = 64 };
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	const unsigned each = cpus > 0 ? ALL / (unsigned)cpus : LEAST;

	return each < LEAST ? LEAST : each > MOST ? MOST : each;
}

const char *trace_script(struct trace_options *o)
{
	struct clauses c = { .o = o };
	struct buf out = { 0 };
	const char *text;

	map_init(&c.by_text, o->arena);
	for (size_t i = 0; i < o->ncalls; i++)
		if (!o->calls[i].parsed)
			call_parse(&o->calls[i]);
	if (script_head(o, &out) < 0)
		return NULL;
	buf_printf(&out, "\n#pragma D option bufsize=%um\n", buffer_megabytes());
	if (o->summary) {
		each_call(&c, add_counts);
	} else {
		each_call(&c, add_entry);	/* first, and its return last: what is between belongs to it */
		each_call(&c, add_saved);
		if (o->paths)
			each_call(&c, add_paths);
		each_call(&c, add_memory);
		each_call(&c, add_return);
	}
	for (size_t i = 0; i < c.by_text.n; i++) {
		struct buf *probes = c.by_text.entries[i].value;

		buf_printf(&out, "\n%s\n%s", buf_str(probes), (const char *)c.by_text.entries[i].key);
		buf_free(probes);
	}
	text = arena_strdup(o->arena, buf_str(&out));
	buf_free(&out);
	return text;
}
