/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/trace/line.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "base/clock.h"
#include "base/json.h"
#include "cmd/dtr/trace/names.h"

enum { RESULT_COLUMN = 40 };	/* where strace has its results */

static const uint64_t second = 1000000000u;

void trace_lines_open(struct trace_lines *l, const struct trace_options *o)
{
	*l = (struct trace_lines){ .o = o, .arena = o->arena, .many = o->follow };
	map_init(&l->threads, o->arena);
	l->wall = (int64_t)(clock_read(CLOCK_REALTIME) - clock_now());
}

void trace_lines_close(struct trace_lines *l)
{
	for (size_t i = 0; i < l->threads.n; i++) {
		struct trace_thread *t = l->threads.entries[i].value;

		for (unsigned k = 0; k < CALL_ARGS; k++) {
			capture_free(&t->d.mem[k]);
			capture_free(&t->d.ready[k]);
		}
		for (unsigned k = 0; k <= CALL_ARGS; k++)
			buf_free(&t->d.path[k]);
	}
	buf_free(&l->out);
}

/* ---- values of records ---- */

static int64_t number(const struct dtr_record *r, unsigned i)
{
	int64_t v = 0;
	int v32;

	if (i >= r->n)
		return 0;
	if (r->values[i].size == sizeof v) {
		memcpy(&v, r->values[i].data, sizeof v);
		return v;
	}
	if (r->values[i].size == sizeof v32) {
		memcpy(&v32, r->values[i].data, sizeof v32);
		return v32;
	}
	return *(const unsigned char *)r->values[i].data;
}

static struct trace_thread *thread_get(struct trace_lines *l, int tid)
{
	void **at = map_put(&l->threads, &tid, sizeof tid);
	struct trace_thread *t = *at;

	if (!t) {
		*at = t = arena_calloc(l->arena, 1, sizeof *t);
		t->tid = t->pid = tid;
		l->many |= l->threads.n > 1;
	}
	return t;
}

/* A part of the record's first word. */
static unsigned word_part(const struct dtr_record *r, unsigned shift, unsigned bits)
{
	return (unsigned)((uint64_t)number(r, 0) >> shift) & ((1u << bits) - 1);
}

static struct trace_thread *thread_of(struct trace_lines *l, const struct dtr_record *r)
{
	struct trace_thread *t = thread_get(l, (int)word_part(r, TAG_THREAD_SHIFT, TAG_ID_BITS));

	t->pid = (int)word_part(r, TAG_PROCESS_SHIFT, TAG_ID_BITS);
	return t;
}

static const struct call *call_of(const struct trace_lines *l, const char *name)
{
	size_t low = 0, high = l->o->ncalls;

	while (low < high) {
		size_t middle = (low + high) / 2;
		int order = strcmp(name, l->o->calls[middle].name);

		if (!order)
			return &l->o->calls[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

/* ---- parts of lines ---- */

static void put_clock(struct trace_lines *l, uint64_t time)
{
	const int64_t ns = (int64_t)time + l->wall;
	const time_t s = ns / (int64_t)second;
	const int us = (int)(ns % (int64_t)second / 1000);
	char text[32];
	struct tm tm;

	strftime(text, sizeof text, "%H:%M:%S", localtime_r(&s, &tm));
	if (l->o->stamp == STAMP_EPOCH)
		buf_printf(&l->out, "%lld.%06d ", (long long)s, us);
	else if (l->o->stamp == STAMP_MICROSECONDS)
		buf_printf(&l->out, "%s.%06d ", text, us);
	else
		buf_printf(&l->out, "%s ", text);
}

/* What lines begin with. */
static void put_head(struct trace_lines *l, const struct trace_thread *t, uint64_t time)
{
	const uint64_t since = l->previous && time > l->previous ? time - l->previous : 0;

	if (l->many)
		buf_printf(&l->out, "[pid %5d] ", t->tid);
	if (l->o->stamp == STAMP_RELATIVE)
		buf_printf(&l->out, "%6" PRIu64 ".%06" PRIu64 " ", since / second, since % second / 1000);
	else if (l->o->stamp != STAMP_NONE)
		put_clock(l, time);
	l->previous = time;
}

static void put_args(struct trace_lines *l, struct trace_thread *t, unsigned end)
{
	for (; t->shown < end; t->shown++) {
		if (!decode_uses(&t->d, t->shown))
			continue;
		if (t->shown)
			buf_puts(&l->out, ", ");
		decode_arg(&l->out, &t->d, t->shown);
	}
}

/* The first argument that is only known at the return: a result, or text that was not in memory at the entry. */
static unsigned first_result(const struct decode *d)
{
	const unsigned n = decode_count(d);

	for (unsigned i = 0; i < n; i++) {
		const struct call_kind *k = kind_of(d->call->arg[i].kind);
		const bool text = k->how == STRING || k->how == WORDS;

		if (k->when == RETURN || k->when == FAILURE || (text && d->arg[i] && !d->mem[i].have))
			return i;
	}
	return n;
}

/* The line of a call whose return comes after other lines. */
static void halve(struct trace_lines *l, struct trace_thread *t, const char *why)
{
	put_head(l, t, t->began);
	buf_printf(&l->out, "%s(", t->d.call->name);
	put_args(l, t, first_result(&t->d));
	buf_printf(&l->out, "%s <%s ...>\n", t->shown && t->shown < decode_count(&t->d) ? "," : "", why);
	t->halved = true;
}

/* Another line begins. */
static void interrupt(struct trace_lines *l, const struct trace_thread *by)
{
	struct trace_thread *t = l->last;

	l->last = NULL;
	if (t && t != by && t->pending && !l->o->successful && !l->o->failed && !l->o->json)
		halve(l, t, "unfinished");
}

static void put_duration(struct trace_lines *l, uint64_t ns)
{
	buf_printf(&l->out, " <%" PRIu64 ".%06" PRIu64 ">", ns / second, ns % second / 1000);
}

static void put_call(struct trace_lines *l, struct trace_thread *t, uint64_t time)
{
	const size_t from = l->out.len;

	put_head(l, t, t->halved || !t->began ? time : t->began);
	if (t->halved || !t->began)
		buf_printf(&l->out, "<... %s resumed>", t->d.call->name);
	else
		buf_printf(&l->out, "%s(", t->d.call->name);
	if (t->began)
		put_args(l, t, decode_count(&t->d));
	buf_putc(&l->out, ')');
	while (l->out.len < from + RESULT_COLUMN - 1)
		buf_putc(&l->out, ' ');
	buf_puts(&l->out, " = ");
	if (t->d.returned)
		decode_result(&l->out, &t->d);
	else
		buf_putc(&l->out, '?');
	if (l->o->durations && t->d.returned && t->began && time > t->began)
		put_duration(l, time - t->began);
	buf_putc(&l->out, '\n');
}

/* ---- JSON ---- */

static void json_args(struct trace_lines *l, const struct trace_thread *t)
{
	struct buf text = { 0 };

	json_name(&l->out, "args");
	json_open(&l->out, '[');
	for (unsigned i = 0; t->began && i < decode_count(&t->d); i++) {
		if (!decode_uses(&t->d, i))
			continue;
		buf_reset(&text);
		decode_arg(&text, &t->d, i);
		json_string(&l->out, text.data, text.len);
	}
	json_close(&l->out, ']');
	buf_free(&text);
}

static void json_begin(struct trace_lines *l, const struct trace_thread *t, const char *type, uint64_t time)
{
	json_line_open(&l->out, type);
	json_member_uint(&l->out, "time", time);
	json_member_uint(&l->out, "pid", (uint64_t)t->pid);
	json_member_uint(&l->out, "tid", (uint64_t)t->tid);
}

static void json_call(struct trace_lines *l, const struct trace_thread *t, uint64_t time)
{
	json_begin(l, t, "call", t->began ? t->began : time);
	json_member_text(&l->out, "call", t->d.call->name);
	json_args(l, t);
	if (t->d.returned) {
		json_name(&l->out, "result");
		json_int(&l->out, t->d.result);
		if (decode_failed(t->d.result) && decode_error(-t->d.result))
			json_member_text(&l->out, "error", decode_error(-t->d.result));
		if (t->began && time > t->began)
			json_member_uint(&l->out, "duration", time - t->began);
	}
	json_line_close(&l->out);
}

/* ---- records ---- */

static void call_end(struct trace_lines *l, struct trace_thread *t, uint64_t time)
{
	const bool failed = t->d.returned && decode_failed(t->d.result);

	interrupt(l, t);
	t->pending = false;
	if ((l->o->successful && (failed || !t->d.returned)) || (l->o->failed && !failed))
		return;
	if (l->o->json)
		json_call(l, t, time);
	else
		put_call(l, t, time);
}

static void call_begin(struct trace_lines *l, struct trace_thread *t, const struct call *c, uint64_t time)
{
	t->pending = true;
	t->halved = false;
	t->shown = 0;
	t->began = time;
	t->d.call = c;
	t->d.returned = false;
	t->d.strsize = l->o->strsize;
	for (unsigned i = 0; i < CALL_ARGS; i++) {
		t->d.arg[i] = 0;
		capture_reset(&t->d.mem[i]);
		capture_reset(&t->d.ready[i]);
	}
	for (unsigned i = 0; i <= CALL_ARGS; i++)
		buf_reset(&t->d.path[i]);
}

static uint64_t word_at(const char *p, uint64_t at)
{
	uint64_t v;

	memcpy(&v, p + at, sizeof v);
	return v;
}

/*
 * What the program has gathered (rt/gather.h): arguments, and items of memory, each with the number of its argument and
 * its own size. Several items of an argument are the parts of what it points to.
 */
static void take_gathered(struct trace_thread *t, const struct dtr_value *v, unsigned nargs)
{
	enum { WORD = 8 };
	unsigned seen = 0;

	for (unsigned i = 0; i < nargs && WORD * (i + 1) <= v->size; i++)
		t->d.arg[i] = word_at(v->data, WORD * i);
	for (uint64_t at = WORD * nargs, n; at + WORD <= v->size; at += WORD + ((n + WORD - 1) & ~(WORD - 1ull))) {
		const uint64_t head = word_at(v->data, at);
		const unsigned i = (uint32_t)head % CALL_ARGS;
		struct capture *c;

		n = head >> 32;
		if (n > v->size - at - WORD)
			return;
		c = !nargs && t->d.call->arg[i].kind == KIND_fdset ? &t->d.ready[i] : &t->d.mem[i];
		if (!(seen & 1u << i))
			capture_reset(c);
		seen |= 1u << i;
		capture_add(c, (const char *)v->data + at + WORD, n);
		c->have = true;
	}
}

static void record_entry(struct trace_lines *l, const struct dtr_record *r)
{
	const struct call *c = call_of(l, r->function);
	struct trace_thread *t = thread_of(l, r);

	if (!c)
		return;
	if (t->pending) {	/* its return was dropped, or there is none */
		t->d.returned = false;
		call_end(l, t, r->time);
	}
	interrupt(l, t);
	call_begin(l, t, c, r->time);
	if (r->n > 1)
		take_gathered(t, &r->values[1], c->nargs);
	l->last = t;
}

static void record_return(struct trace_lines *l, const struct dtr_record *r)
{
	const struct call *c = call_of(l, r->function);
	struct trace_thread *t = thread_of(l, r);

	if (!c)
		return;
	if (!t->pending && !t->d.call && c->classes & PROCESS && !number(r, 1)) {
		t->d.call = c;		/* a new thread or process: the call is its creator's */
		return;
	}
	if (!t->pending || t->d.call != c) {	/* it began before tracing */
		t->pending = false;
		t->d.call = c;
		t->began = 0;
	}
	else if (r->n > 2)
		take_gathered(t, &r->values[2], 0);
	t->d.returned = true;
	t->d.result = number(r, 1);
	call_end(l, t, r->time);
}

static void record_path(struct trace_lines *l, const struct dtr_record *r)
{
	struct trace_thread *t = thread_of(l, r);
	const unsigned i = word_part(r, TAG_ARG_SHIFT, TAG_ARG_BITS);

	if (i > CALL_ARGS || r->n < 4 || !t->pending)
		return;
	buf_reset(&t->d.path[i]);
	/* "<unknown>": it has no path; "<none>": not open. The kernel's path of a socket is the protocol's name. */
	if (S_ISSOCK(number(r, 2)))
		buf_printf(&t->d.path[i], "socket:[%" PRIu64 "]", (uint64_t)number(r, 3));
	else if (*(const char *)r->values[1].data != '<')
		buf_put(&t->d.path[i], r->values[1].data, strnlen(r->values[1].data, r->values[1].size));
	else if (S_ISFIFO(number(r, 2)))
		buf_printf(&t->d.path[i], "pipe:[%" PRIu64 "]", (uint64_t)number(r, 3));
}

static void json_exit(struct trace_lines *l, const struct trace_thread *t, uint64_t time, int status)
{
	struct buf sig = { 0 };

	json_begin(l, t, "exit", time);
	if (WIFSIGNALED(status)) {
		names_put(&sig, NAMES_sig, (uint64_t)WTERMSIG(status));
		json_member_text(&l->out, "signal", buf_str(&sig));
	} else {
		json_member_uint(&l->out, "status", (uint64_t)WEXITSTATUS(status));
	}
	json_line_close(&l->out);
	buf_free(&sig);
}

static void record_exit(struct trace_lines *l, const struct dtr_record *r)
{
	struct trace_thread *t = thread_of(l, r);
	const int status = (int)number(r, 1);

	if (t->pending) {
		t->d.returned = false;
		call_end(l, t, r->time);
	}
	interrupt(l, t);
	if (l->o->json) {
		json_exit(l, t, r->time, status);
		return;
	}
	put_head(l, t, r->time);
	if (WIFSIGNALED(status)) {
		buf_puts(&l->out, "+++ killed by ");
		names_put(&l->out, NAMES_sig, (uint64_t)WTERMSIG(status));
		buf_puts(&l->out, WCOREDUMP(status) ? " (core dumped) +++\n" : " +++\n");
	} else {
		buf_printf(&l->out, "+++ exited with %d +++\n", WEXITSTATUS(status));
	}
}

/* Whether the kernel itself has sent it because of an instruction. */
static bool is_fault(int sig, int code)
{
	return code > 0 && (sig == SIGILL || sig == SIGTRAP || sig == SIGBUS || sig == SIGFPE || sig == SIGSEGV);
}

/* What follows si_code: a pair of numbers, and for some codes a value or a status. */
static void put_sender(struct trace_lines *l, const siginfo_t *s, int sig)
{
	const bool timer = s->si_code == SI_TIMER;

	buf_printf(&l->out, ", %s=%d, %s=%d", timer ? "si_timerid" : "si_pid", s->si_pid,
		   timer ? "si_overrun" : "si_uid", (int)s->si_uid);
	if (timer || s->si_code == SI_QUEUE || s->si_code == SI_MESGQ) {
		buf_printf(&l->out, ", si_int=%d, si_ptr=", s->si_int);
		value_address(&l->out, (uintptr_t)s->si_ptr);
	}
	if (sig == SIGCHLD && s->si_code > 0) {
		buf_puts(&l->out, ", si_status=");
		if (s->si_code == CLD_EXITED)
			buf_printf(&l->out, "%d", s->si_status);
		else
			names_put(&l->out, NAMES_sig, (uint64_t)s->si_status);
	}
}

/* Returns false if the record has none. The kernel's structure begins like that of the C library. */
static bool take_siginfo(const struct dtr_record *r, siginfo_t *s)
{
	memset(s, 0, sizeof *s);
	if (r->n < 3)
		return false;
	memcpy(s, r->values[2].data, r->values[2].size < sizeof *s ? r->values[2].size : sizeof *s);
	return true;
}

/* A signal that has ended the process may come without its siginfo: the kernel has not kept it. */
static void put_siginfo(struct trace_lines *l, const struct dtr_record *r)
{
	const int sig = (int)number(r, 1);
	siginfo_t info;
	const bool has = take_siginfo(r, &info);
	const int code = info.si_code;
	static const char *const child[] = {
		[1] = "CLD_EXITED", "CLD_KILLED", "CLD_DUMPED", "CLD_TRAPPED", "CLD_STOPPED", "CLD_CONTINUED",
	};

	buf_puts(&l->out, "{si_signo=");
	names_put(&l->out, NAMES_sig, (uint64_t)sig);
	if (!has) {
		buf_putc(&l->out, '}');
		return;
	}
	buf_puts(&l->out, ", si_code=");
	if (sig == SIGCHLD && code > 0 && code < 7)
		buf_puts(&l->out, child[code]);
	else if (code > 0 && code < 128)
		buf_printf(&l->out, "%d", code);
	else
		names_put(&l->out, NAMES_sicode, (uint64_t)(int64_t)code);
	if (is_fault(sig, code))
		buf_printf(&l->out, ", si_addr=0x%" PRIxPTR, (uintptr_t)info.si_addr);
	else if (code <= 0 || sig == SIGCHLD)
		put_sender(l, &info, sig);
	buf_putc(&l->out, '}');
}

/* SIGKILL has no line of its own: the end of the thread tells it. In the script, a predicate would have to find out
 * which signal it is, and the clause once more. */
static void record_signal(struct trace_lines *l, const struct dtr_record *r)
{
	struct trace_thread *t;
	struct buf name = { 0 };
	siginfo_t info;

	if (number(r, 1) == SIGKILL)
		return;
	t = thread_of(l, r);
	interrupt(l, NULL);
	names_put(&name, NAMES_sig, (uint64_t)number(r, 1));
	if (l->o->json) {
		json_begin(l, t, "signal", r->time);
		json_member_text(&l->out, "signal", buf_str(&name));
		if (take_siginfo(r, &info)) {
			json_name(&l->out, "code");
			json_int(&l->out, info.si_code);
		}
		json_line_close(&l->out);
	} else {
		put_head(l, t, r->time);
		buf_printf(&l->out, "--- %s ", buf_str(&name));
		put_siginfo(l, r);
		buf_puts(&l->out, " ---\n");
	}
	buf_free(&name);
}

/* Text as the script copies it: at most n - 1 bytes, then NULs. */
static void exec_text(struct capture *c, const char *text, size_t n)
{
	char copy[TRACE_PATH] = "";

	snprintf(copy, n, "%s", text);
	capture_add(c, copy, n);
}

void trace_lines_exec(struct trace_lines *l, const struct trace_exec *e)
{
	const struct call *c = call_of(l, "execve");
	struct trace_thread *t;
	unsigned variables = 0;

	if (!e->pid || !l->o->on[c - l->o->calls])
		return;
	t = thread_get(l, e->pid);
	call_begin(l, t, c, e->time);
	t->d.arg[2] = (uint64_t)(uintptr_t)e->environment;
	exec_text(&t->d.mem[0], e->path, TRACE_PATH);
	for (unsigned i = 0; i <= MOST_WORDS && e->words[i]; i++)
		exec_text(&t->d.mem[1], e->words[i], TRACE_WORD);
	while (e->environment && e->environment[variables])
		variables++;
	capture_add(&t->d.mem[2], &variables, sizeof variables);
	t->d.returned = true;
	t->d.result = 0;
	call_end(l, t, e->time);
}

void trace_lines_record(struct trace_lines *l, const struct dtr_record *r)
{
	static void (*const records[])(struct trace_lines *l, const struct dtr_record *r) = {
		[TAG_ENTRY] = record_entry, [TAG_RETURN] = record_return, [TAG_PATH] = record_path,
		[TAG_EXIT] = record_exit, [TAG_SIGNAL] = record_signal,
	};
	const unsigned tag = word_part(r, 0, TAG_ARG_SHIFT);

	if (tag < sizeof records / sizeof *records)
		records[tag](l, r);
}

void trace_lines_end(struct trace_lines *l)
{
	for (size_t i = 0; i < l->threads.n; i++) {
		struct trace_thread *t = l->threads.entries[i].value;

		if (!t->pending || t->halved || l->o->successful || l->o->failed)
			continue;
		if (l->o->json)
			json_call(l, t, 0);
		else
			halve(l, t, "detached");
	}
}
