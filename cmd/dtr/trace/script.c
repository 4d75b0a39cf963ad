/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/trace/script.h"

#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/map.h"

/* Clauses with the same actions are one clause with many probes: a firing tests a bit for each clause. */
struct clauses {
	struct trace_options *o;
	struct buf *out;
	struct map by_text;		/* predicate and actions -> struct buf: the probes */
	unsigned round;			/* of memory arguments */
	bool returns;
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

/* Writes the clauses so far: what is added later comes later, even if its text is the same. */
static void clauses_write(struct clauses *c)
{
	for (size_t i = 0; i < c->by_text.n; i++) {
		struct buf *probes = c->by_text.entries[i].value;

		buf_printf(c->out, "\n%s\n%s", buf_str(probes), (const char *)c->by_text.entries[i].key);
		buf_free(probes);
	}
	map_init(&c->by_text, c->o->arena);
}

static const char *probe_name(const struct clauses *c)
{
	return c->returns ? "return" : "entry";
}

/* The call's argument, at its entry or return. */
static const char *argument_text(const struct clauses *c, unsigned i)
{
	return arena_printf(c->o->arena, "arg%u", c->returns ? i + 2 : i);
}

/* /the process is traced && MORE/ */
static const char *predicate(const struct clauses *c, const char *more)
{
	return arena_printf(c->o->arena, "/%s%s%s/\n", c->o->follow ? "traced[pid]" : "pid == $target",
			    *more ? " && " : "", more);
}

/* ---- memory ---- */

/*
 * The memory of arguments is copied in rounds: the first argument of each call that has memory, then the second one,
 * and so on. In a round, small clauses set this->p to the address (0: nothing is copied), this->w to the first word of
 * the record and this->n to the number of bytes; then a clause for each class of sizes makes the record. So there are
 * few long clauses: the kernel's verifier takes longer for them than all the rest of dtr.
 */

static unsigned most_of(const struct clauses *c, const struct call_kind *k)
{
	return k->most ? k->most : k->size > 1 ? MOST_ENTRIES * k->size : c->o->strsize;
}

/* The size of a record's bytes: the next larger one of a few, and that of -s. */
static unsigned size_class(const struct clauses *c, const struct call_kind *k)
{
	static const unsigned sizes[] = { 16, 32, 144, 1024 };
	const unsigned most = most_of(c, k);

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes && most != c->o->strsize; i++)
		if (most <= sizes[i])
			return sizes[i];
	return most;
}

/* A string whose page is not in memory yet at the entry is read again at the return. */
static bool is_read_again(const struct call_kind *k)
{
	return k->how == STRING || k->how == WORDS;
}

static bool is_copied(const struct clauses *c, const struct call_kind *k)
{
	if (k->how == NOTHING)
		return false;
	if (c->returns)
		return is_read_again(k) || k->when == RETURN || k->when == FAILURE || k->when == BOTH;
	return k->when == ENTRY || k->when == BOTH;
}

/* The argument that is copied in this round, or -1. */
static int argument_of_round(const struct clauses *c, const struct call *call)
{
	unsigned n = 0;

	for (unsigned i = 0; i < call->nargs; i++)
		if (is_copied(c, kind_of(call->arg[i].kind)) && n++ == c->round)
			return (int)i;
	return -1;
}

/* When this->p is set at a return. After execve() the memory is that of another program. */
static const char *copied_when(const struct clauses *c, const struct call_kind *k, unsigned i)
{
	if (k->how == STRING)
		return arena_printf(c->o->arena, "this->missed & %u", 1u << i);
	if (k->how == WORDS)
		return arena_printf(c->o->arena, "errno && this->missed & %u", 1u << i);
	if (k->when == FAILURE)
		return "arg0 < 0";
	return k->how == RESULT || k->how == LENGTH || k->how == VECTOR ? "arg0 > 0" : "arg0 >= 0";
}

static void add_address(struct clauses *c, const struct call *call)
{
	struct arena *a = c->o->arena;
	const int i = argument_of_round(c, call);
	const struct call_kind *k;
	const char *text;

	if (i < 0)
		return;
	k = kind_of(call->arg[i].kind);
	text = argument_text(c, (unsigned)i);
	if (c->returns)
		text = arena_printf(a, "%s ? %s : 0", copied_when(c, k, (unsigned)i), text);
	if (!c->returns && is_read_again(k))
		text = arena_printf(a, "%s;\n\tthis->missed |= %u; this->now = %u", text, 1u << i, 1u << i);
	clause_add(c, call->name, probe_name(c),
		   arena_printf(a, "/this->t/\n{\n\tthis->w = this->t | %u;\n\tthis->p = %s;\n}\n",
				TAG_MEMORY | (unsigned)i << TAG_ARG_SHIFT, text));
}

/* this->n: how many bytes, or entries of a vector. */
static void add_size(struct clauses *c, const struct call *call)
{
	struct arena *a = c->o->arena;
	const int i = argument_of_round(c, call);
	const struct call_kind *k = i < 0 ? NULL : kind_of(call->arg[i].kind);
	const char *size;

	if (i < 0 || is_read_again(k) || k->how == MESSAGE)
		return;
	size = argument_text(c, call->arg[i].length);
	switch (k->how) {
	case VECTOR:
		break;
	case LENGTH:
		size = arena_printf(a, "%u * (uint64_t)%s", k->size, size);
		break;
	case RESULT:
		size = arena_printf(a, "%u * arg0", k->size);
		break;
	case POINTED:	/* copies nothing if it cannot be read, which ends the clause */
		size = arena_printf(a, "0; this->m = this->p; this->p = 0;\n\t"
				    "this->n = *(userland uint32_t *)%s; this->p = this->m", size);
		break;
	default:
		size = arena_printf(a, "%u", k->size);
		break;
	}
	size = arena_printf(a, "\tthis->n = (uint64_t)%s;\n", size);
	if (k->how != VECTOR && most_of(c, k) < size_class(c, k))
		size = arena_printf(a, "%s\tthis->n = this->n < %u ? this->n : %u;\n", size, most_of(c, k),
				    most_of(c, k));
	clause_add(c, call->name, probe_name(c), arena_printf(a, "/this->p/\n{\n%s}\n", size));
}

/* Records up to `most` bytes. */
static const char *bytes_text(const struct clauses *c, const char *address, unsigned most)
{
	return arena_printf(c->o->arena, "\tthis->n = this->n < %u ? this->n : %u;\n"
			    "\ttrace(this->n); tracemem(copyin(%s, this->n), %u);\n", most, most, address, most);
}

/* Word i of an array of the process. Not by copyin(): memory that it allocates takes the verifier ten times as long. */
static const char *word_at(struct arena *a, const char *address, unsigned i)
{
	return arena_printf(a, "*(userland uint64_t *)(%s + %u)", address, 8 * i);
}

static const char *words_text(const struct clauses *c)
{
	struct arena *a = c->o->arena;
	const char *text = "\tthis->q = 1;\n\ttrace(this->w);\n";

	for (unsigned k = 0; k < MOST_WORDS; k++)
		text = arena_printf(a, "%s\tthis->q = this->q ? %s : 0;\n\ttrace(this->q != 0);\n"
				    "\ttrace(this->q ? copyinstr(this->q, 127) : \"\");\n", text,
				    word_at(a, "this->p", k));
	return arena_printf(a, "%s\tthis->q = this->q ? %s : 0;\n\ttrace(this->q != 0);\n", text,
			    word_at(a, "this->p", MOST_WORDS));
}

/* Copies an array of struct iovec, then the beginnings of its buffers. At a return they have `arg0` bytes. */
static const char *vector_text(const struct clauses *c)
{
	enum { ENTRY_SIZE = 16 };
	struct arena *a = c->o->arena;
	const char *text = arena_printf(a, "\tthis->m = %u * (this->n < %u ? this->n : %u);\n"
					"\ttrace(this->w); trace(this->m); tracemem(copyin(this->p, this->m), %u);\n",
					ENTRY_SIZE, MOST_BUFFERS, MOST_BUFFERS, ENTRY_SIZE * MOST_BUFFERS);

	if (c->returns)
		text = arena_printf(a, "%s\tthis->left = arg0;\n", text);
	for (unsigned k = 0; k < MOST_BUFFERS; k++) {
		text = arena_printf(a, "%s\tthis->q = this->m > %u ? %s : 0;\n\tthis->n = this->m > %u ? %s : 0;\n",
				    text, ENTRY_SIZE * k, word_at(a, "this->p", 2 * k), ENTRY_SIZE * k,
				    word_at(a, "this->p", 2 * k + 1));
		if (c->returns)
			text = arena_printf(a, "%s\tthis->n = this->n < this->left ? this->n : this->left;\n"
					    "\tthis->left -= this->n;\n", text);
		text = arena_printf(a, "%s%s", text, bytes_text(c, "this->q", c->o->strsize));
	}
	return text;
}

/* Copies what word `at` of the message points to; word `length`, cut to 32 bits, is its size. */
static const char *message_part(const struct clauses *c, unsigned at, unsigned length, unsigned most)
{
	struct arena *a = c->o->arena;

	return arena_printf(a, "\tthis->q = %s;\n\tthis->n = this->q ? (uint64_t)(uint32_t)%s : 0;\n%s",
			    word_at(a, "this->m", at), word_at(a, "this->m", length),
			    bytes_text(c, "this->q", most));
}

/* struct msghdr is seven words: name, its length, buffers, their number, control data, its length, flags. The vector
 * follows in a record of its own, unless the message cannot be read, which ends the clause. */
static const char *message_text(const struct clauses *c)
{
	enum { SIZE = 56, MOST_CONTROL = 64 };

	struct arena *a = c->o->arena;

	return arena_printf(a, "\tthis->m = this->p; this->p = 0;\n"
			    "\ttrace(this->w); trace((uint64_t)%u); tracemem(copyin(this->m, %u), %u);\n%s%s"
			    "\tthis->w |= %u;\n\tthis->n = %s;\n\tthis->p = %s;\n",
			    SIZE, SIZE, SIZE, message_part(c, 0, 1, MOST_ADDRESS),
			    message_part(c, 4, 5, MOST_CONTROL), 1u << TAG_MORE_SHIFT, word_at(a, "this->m", 3),
			    word_at(a, "this->m", 2));
}

/* Not of a vector: see add_vector. */
static const char *record_text(const struct clauses *c, const struct call_kind *k)
{
	switch (k->how) {
	case STRING:
		return "\ttrace(this->w); trace(copyinstr(this->p));\n";
	case WORDS:
		return words_text(c);
	case MESSAGE:
		return message_text(c);
	default:
		return arena_printf(c->o->arena, "\ttrace(this->w);\n%s",
				    bytes_text(c, "this->p", size_class(c, k)));
	}
}

static void add_record(struct clauses *c, const struct call *call)
{
	const int i = argument_of_round(c, call);
	const struct call_kind *k = i < 0 ? NULL : kind_of(call->arg[i].kind);
	const char *text;

	if (i < 0 || k->how == VECTOR)
		return;
	text = record_text(c, k);
	if (!c->returns && is_read_again(k))
		text = arena_printf(c->o->arena, "%s\tthis->missed &= ~this->now;\n", text);
	clause_add(c, call->name, probe_name(c), arena_printf(c->o->arena, "/this->p/\n{\n%s}\n", text));
}

/* After the messages, which have vectors too. */
static void add_vector(struct clauses *c, const struct call *call)
{
	const int i = argument_of_round(c, call);

	if (i >= 0 && (kind_of(call->arg[i].kind)->how == VECTOR || kind_of(call->arg[i].kind)->how == MESSAGE))
		clause_add(c, call->name, probe_name(c),
			   arena_printf(c->o->arena, "/this->p/\n{\n%s}\n", vector_text(c)));
}

static bool has_strings(const struct call *call)
{
	bool has = false;

	for (unsigned i = 0; i < call->nargs; i++)
		has |= is_read_again(kind_of(call->arg[i].kind));
	return has;
}

static void add_missed(struct clauses *c, const struct call *call)
{
	if (has_strings(call))
		clause_add(c, call->name, probe_name(c), c->returns ?
			   "/this->t && self->missed/\n{\n\tthis->missed = self->missed; self->missed = 0;\n}\n" :
			   "/this->missed/\n{\n\tself->missed = this->missed;\n}\n");
}

/* ---- entries and returns ---- */

/* TAG_PROCESS_SHIFT, TAG_THREAD_SHIFT */
static const char first_word[] = "\tthis->t = (uint64_t)tid << 32 | (uint64_t)pid << 10;\n";

static void add_entry(struct clauses *c, const struct call *call)
{
	struct arena *a = c->o->arena;
	const char *text = arena_printf(a, "%s{\n%s\ttrace(this->t | %u);", predicate(c, ""), first_word, TAG_ENTRY);
	const unsigned n = call->nargs < 2 ? call->nargs : call->nargs < 4 ? 3 : CALL_ARGS;

	for (unsigned i = 0; i < n; i++)
		text = arena_printf(a, "%s trace(arg%u);", text, i);
	clause_add(c, call->name, "entry", arena_printf(a, "%s\n}\n", text));
}

static void add_begin_return(struct clauses *c, const struct call *call)
{
	clause_add(c, call->name, "return",
		   arena_printf(c->o->arena, "%s{\n%s}\n", predicate(c, ""), first_word));
}

static void add_return(struct clauses *c, const struct call *call)
{
	clause_add(c, call->name, "return", arena_printf(c->o->arena, "/this->t/\n{\n\ttrace(this->t | %u); "
							 "trace(arg0);\n}\n", TAG_RETURN));
}

/* The path of a descriptor; of pipes and sockets, which have none, the kind and the inode. */
static const char *path_text(const struct clauses *c, unsigned at, const char *fd)
{
	return arena_printf(c->o->arena, "/this->t && (int)%s >= 0/\n{\n\tthis->f = curthread->files == 0 || "
			    "(uint_t)%s >= curthread->files->fdt->max_fds ? (struct file *)0 :\n"
			    "\t    curthread->files->fdt->fd[(int)%s];\n"
			    "\ttrace(this->t | %u); trace(fds[(int)%s].fi_pathname);\n"
			    "\ttrace(this->f == 0 ? 0 : (uint64_t)this->f->f_inode->i_mode);\n"
			    "\ttrace(this->f == 0 ? 0 : (uint64_t)this->f->f_inode->i_ino);\n}\n",
			    fd, fd, fd, TAG_PATH | at << TAG_ARG_SHIFT, fd);
}

static void add_paths(struct clauses *c, const struct call *call)
{
	for (unsigned i = 0; i < call->nargs; i++)
		if (call->arg[i].kind == KIND_fd || call->arg[i].kind == KIND_dirfd)
			clause_add(c, call->name, "entry", path_text(c, i, argument_text(c, i)));
}

static void add_result_path(struct clauses *c, const struct call *call)
{
	if (call->result == 'f')
		clause_add(c, call->name, "return", path_text(c, CALL_ARGS, "arg0"));
}

/* These return in the new process, too, where no call began. */
static bool returns_twice(const struct call *call)
{
	static const char *const names[] = { "clone", "clone3", "fork", "vfork" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(names[i], call->name))
			return true;
	return false;
}

/* In user space a summary would cost two records for each call. */
static void add_counts(struct clauses *c, const struct call *call)
{
	struct arena *a = c->o->arena;
	const char *when = returns_twice(call) ? "(arg0 || self->since)" : "";

	clause_add(c, call->name, "entry", arena_printf(a, "%s{\n\tself->since = timestamp;\n}\n",
							predicate(c, "")));
	clause_add(c, call->name, "return",
		   arena_printf(a, "%s{\n\t@calls[probefunc] = count();\n"
				"\t@ns[probefunc] = sum(self->since ? timestamp - self->since : 0);\n"
				"\tself->since = 0;\n}\n", predicate(c, when)));
	clause_add(c, call->name, "return", arena_printf(a, "%s{\n\t@errors[probefunc] = count();\n}\n",
							 predicate(c, "errno")));
}

static void each_call(struct clauses *c, void (*add)(struct clauses *c, const struct call *call))
{
	for (size_t i = 0; i < c->o->ncalls; i++)
		if (c->o->on[i])
			add(c, &c->o->calls[i]);
}

/* Until no call has memory left to copy. */
static void add_memory(struct clauses *c)
{
	size_t before;

	for (c->round = 0;; c->round++) {
		before = c->out->len;
		each_call(c, add_address);
		each_call(c, add_size);
		each_call(c, add_record);
		each_call(c, add_vector);
		clauses_write(c);
		if (c->out->len == before)
			return;
	}
}

static void add_lines(struct clauses *c)
{
	each_call(c, add_entry);
	if (c->o->paths)
		each_call(c, add_paths);
	add_memory(c);
	each_call(c, add_missed);
	c->returns = true;
	each_call(c, add_begin_return);
	each_call(c, add_missed);
	if (c->o->paths)
		each_call(c, add_result_path);
	clauses_write(c);
	add_memory(c);
	each_call(c, add_return);
	clauses_write(c);
}

/* The fixed part, which is in a file of its own; with --summary only its first clauses. */
static int script_head(struct trace_options *o, struct buf *out)
{
	const char *path = arena_printf(o->arena, "%s/tools/trace.d", o->share);
	int r = buf_read_file(out, path);

	if (r >= 0)
		return 0;
	command_failed(o->line, "failed to read %s: %s", path, strerror(-r));
	return -1;
}

const char *trace_script(struct trace_options *o)
{
	struct buf out = { 0 };
	struct clauses c = { .o = o, .out = &out };
	const char *text;

	map_init(&c.by_text, o->arena);
	for (size_t i = 0; i < o->ncalls; i++)
		if (!o->calls[i].parsed)
			call_parse(&o->calls[i]);
	if (script_head(o, &out) < 0)
		return NULL;
	/* a program that does nothing but system calls fills 16 MB in 100 ms */
	buf_puts(&out, "\n#pragma D option bufsize=16m\n#pragma D option bufqueue=256m\n");
	if (o->summary) {
		each_call(&c, add_counts);
		clauses_write(&c);
	} else {
		add_lines(&c);
	}
	text = arena_strdup(o->arena, buf_str(&out));
	buf_free(&out);
	return text;
}
