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
	return arena_printf(c->o->arena, "/is_traced%s%s/\n", *more ? " && " : "", more);
}

/* ---- memory ---- */

static unsigned most_of(const struct clauses *c, const struct call_kind *k)
{
	return k->most ? k->most : k->size > 1 ? MOST_ENTRIES * k->size : c->o->strsize;
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

/* When memory is copied at a return, as a letter of _gather(). After execve() the memory is that of another program. */
static char copied_when(const struct clauses *c, const struct call_kind *k)
{
	if (!c->returns)
		return 'a';
	if (is_read_again(k))
		return k->how == STRING ? 'm' : 'e';
	if (k->when == FAILURE)
		return 'f';
	return k->how == RESULT || k->how == LENGTH || k->how == VECTOR ? 'p' : 's';
}

/* In decimal. There are thousands of them: buf_printf() takes longer for these than the compiler for the script. */
static void number_put(struct buf *out, uint64_t number)
{
	char digits[20], *at = digits + sizeof digits;

	do
		*--at = (char)('0' + number % 10);
	while (number /= 10);
	buf_put(out, at, (size_t)(digits + sizeof digits - at));
}

/* How memory is copied, as _gather() has it (lang/func/gather.c). */
static void argument_describe(const struct clauses *c, const struct call_arg *arg, struct buf *out)
{
	static const char how[] = {
		[STRING] = 't', [FIXED] = 'b', [LENGTH] = 'n', [RESULT] = 'r', [POINTED] = 'a', [WORDS] = 'w',
		[VECTOR] = 'v', [MESSAGE] = 'm', [MAYBE] = 'b',
	};
	const struct call_kind *k = kind_of(arg->kind);
	unsigned size = k->size, most = k->how == VECTOR || k->how == MESSAGE ? c->o->strsize : most_of(c, k);

	if (!is_copied(c, k))
		return;
	if (k->how == STRING) {
		size = 0;
		most = TRACE_PATH;
	} else if (k->how == WORDS) {
		size = TRACE_WORD;
		most = MOST_WORDS;
	}
	buf_putc(out, how[k->how]);
	buf_putc(out, copied_when(c, k));
	number_put(out, arg->length);
	buf_putc(out, '.');
	number_put(out, size);
	buf_putc(out, '.');
	number_put(out, most);
}

/* The calls and their arguments, as _gather() has them. At the return the arguments themselves are known. */
static const char *calls_describe(const struct clauses *c)
{
	struct buf text = { 0 };
	const char *all;

	for (size_t i = 0; i < c->o->ncalls; i++) {
		const struct call *call = &c->o->calls[i];
		size_t end;

		if (!c->o->on[i])
			continue;
		buf_puts(&text, text.len ? ";" : "");
		buf_puts(&text, call->name);
		buf_putc(&text, '=');
		number_put(&text, c->returns ? 0 : call->nargs);
		buf_putc(&text, ':');
		end = text.len;
		for (unsigned k = 0; k < call->nargs; k++) {
			size_t before = text.len;

			argument_describe(c, &call->arg[k], &text);
			end = text.len > before ? text.len : end;
			buf_putc(&text, ',');
		}
		buf_cut(&text, end);
	}
	all = arena_strdup(c->o->arena, buf_str(&text));
	buf_free(&text);
	return all;
}

/* ---- entries and returns ---- */

/* TAG_PROCESS_SHIFT, TAG_THREAD_SHIFT */
static const char first_word[] = "\tthis->t = (uint64_t)tid << 32 | (uint64_t)pid << 10;\n";

/* A record with all that is known when a call begins. A thread whose texts could not be read has an element in
 * `missed`. */
static const char *entry_text(const struct clauses *c)
{
	return arena_printf(c->o->arena, "%s{\n%s\ttrace(this->t | %u);\n"
			    "\t_gather(\"%s\", 0, 0);\n"
			    "\tif (_gathered()) {\n\t\tmisses++;\n\t\tmissed[tid, 0] = _gathered();\n\t}\n}\n",
			    predicate(c, ""), first_word, TAG_ENTRY, calls_describe(c));
}

static const char *return_text(const struct clauses *c)
{
	return arena_printf(c->o->arena, "/this->t/\n{\n\tthis->missed = misses ? missed[tid, 0] : 0;\n"
			    "\ttrace(this->t | %u); trace(arg0);\n"
			    "\t_gather(\"%s\", this->missed, arg0);\n"
			    "\tif (this->missed) {\n\t\tmisses--;\n\t\tmissed[tid, 0] = 0;\n\t}\n}\n",
			    TAG_RETURN, calls_describe(c));
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

/* A clause for all calls. Naming them takes longer than a pattern. */
static void add_clause(struct clauses *c, const char *text)
{
	bool all = true;

	for (size_t i = 0; i < c->o->ncalls; i++)
		all &= c->o->on[i];
	if (all)
		clause_add(c, "", probe_name(c), text);
	for (size_t i = 0; !all && i < c->o->ncalls; i++)
		if (c->o->on[i])
			clause_add(c, c->o->calls[i].name, probe_name(c), text);
}

static void add_lines(struct clauses *c)
{
	add_clause(c, entry_text(c));
	if (c->o->paths)
		each_call(c, add_paths);
	clauses_write(c);
	c->returns = true;
	add_clause(c, arena_printf(c->o->arena, "%s{\n%s}\n", predicate(c, ""), first_word));
	if (c->o->paths)
		each_call(c, add_result_path);
	add_clause(c, return_text(c));
	clauses_write(c);
}

/* Which processes are traced: the target, and with -f those that it creates. */
static const char only_target[] = "\ninline int is_traced = pid == $target;\ninline int follows = 0;\n";
static const char with_children[] =
	"\nint traced[pid_t];\n\ninline int is_traced = traced[pid];\ninline int follows = 1;\n"
	"\nBEGIN\n{\n\ttraced[$target] = 1;\n}\n";

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
	buf_puts(&out, o->follow ? with_children : only_target);
	if (script_head(o, &out) < 0)
		return NULL;
	if (o->follow)
		buf_puts(&out, "\nproc:::create\n/is_traced/\n{\n\ttraced[args[0]->pr_pid] = 1;\n}\n");
	/* a program that does nothing but system calls fills 8 MB in 30 ms; switchrate is 20 ms */
	buf_puts(&out, "\n#pragma D option bufsize=8m\n#pragma D option bufqueue=256m\n");
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
