/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/output/recorder.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "engine/host/wall.h"
#include "engine/output/printer.h"
#include "engine/output/seen.h"
#include "engine/output/write.h"
#include "engine/sample/recorded.h"
#include "providers/profile/profile.h"

/* What is in a block longer than this is written. */
#define BLOCK_NS 250000000ull

/* A place in a file that a sample pointed to: whose name is looked for at the end. */
struct spot {
	uint32_t object, pid;
	uint64_t off, addr, at;
};

/* Names of addresses, ready to be written. */
struct names_out {
	struct arena *arena;		/* NULL: not looked for yet */
	struct map at;			/* object and start -> number + 1 */
	VEC(struct record_symbol) v;
};

struct recorder {
	struct dtr_recording what;
	struct record_info info;
	struct record_writer *writer;
	struct arena arena;
	struct seen pages;		/* process and page: its mapping was written */
	struct seen kernel, user;	/* addresses of the kernel; objects and places in them */
	VEC(uint64_t) pcs;
	VEC(struct spot) spots;
	uint64_t whole;			/* so many bytes have left the output buffer */
	VEC(uint64_t) ends;		/* of the blocks that are in it, or were last */
	uint64_t first;			/* when the block being filled began; 0 = it is empty */
	uint64_t last;			/* time of the last sample */
	struct record_task told;	/* what a clause has told of the thread, */
	uint64_t told_at;		/* then, */
	int told_cpu;			/* there */
	struct names_out names;
};

/* ---- the script ---- */

/* The values of a sample, in the order in which record_fields takes them. */
#define BASIC "pid, tid, uid, gid, arg0, arg1, execname"
#define BASIC_FORMAT "%d%d%d%d%x%x%s"
/* Of threads that are ending some pointers are gone. IDs are those that dtr sees. */
#define MORE                                                                                                           \
	"(uint64_t)curthread, curthread->prio, curthread->static_prio, curthread->normal_prio, curthread->policy,"     \
	"curthread->rt_priority, _id(curthread->real_parent, 1),"                                                        \
	"this->s->pids[2] == 0 ? 0 : _id(curthread, 2),"                                                                 \
	"this->s->pids[3] == 0 ? 0 : _id(curthread, 3),"                                                                 \
	"curthread->cred->euid.val, curthread->cred->egid.val, this->s->nr_threads, curthread->start_time,"              \
	"stringof (curthread->group_leader->comm)"
#define MORE_FORMAT "%x%d%d%d%d%d%d%d%d%d%d%d%d%s"

enum { FIELDS_BASIC = 7, FIELDS_MORE = 14, FIELDS_ALL = FIELDS_BASIC + FIELDS_MORE };

#define THREAD "this->s = curthread->signal;"

static bool kernel_types(void)
{
	return access("/sys/kernel/btf/vmlinux", R_OK) == 0;
}

static bool in_kernel(const struct dtr *t)
{
	return t->ops == &backend_bpf;
}

/*
 * In the kernel one clause takes all: nothing of it can fault, and a drop is a sample. The rootless engine may know nothing
 * of a thread that has ended: there a clause of its own asks for that first, and its fault leaves the sample alone. It has
 * samples of the target and its children only.
 */
static const char *recorder_script(struct dtr *t, const struct dtr_recording *r)
{
	const char *stacks = r->stacks ? "stack(127); ustack(127);" : "";

	if (!kernel_types())
		return arena_printf(&t->arena, "profile-%s %s { printf(\"%s\", %s); %s }", r->rate,
				    t->env.target > 0 && in_kernel(t) ? "/pid == $target/" : "", BASIC_FORMAT, BASIC,
				    stacks);
	if (in_kernel(t))
		return arena_printf(&t->arena, "profile-%s %s { %s printf(\"%s\", %s); %s }", r->rate,
				    t->env.target > 0 ? "/progenyof($target)/" : "", THREAD, BASIC_FORMAT MORE_FORMAT,
				    BASIC ", " MORE, stacks);
	return arena_printf(&t->arena, "profile-%s { %s printf(\"%s\", %s); } profile-%s { printf(\"%s\", %s); %s }",
			    r->rate, THREAD, MORE_FORMAT, MORE, r->rate, BASIC_FORMAT, BASIC, stacks);
}

/* ---- a sample ---- */
static void name_take(char out[RECORD_COMM], const struct val_field *f, const uint8_t *rec)
{
	size_t n = strnlen((const char *)rec + f->off, f->size < RECORD_COMM ? f->size : RECORD_COMM - 1);

	memcpy(out, rec + f->off, n);
}

static void more_take(struct record_task *t, const struct val_field *f, const void *rec)
{
	t->more = 1;
	t->addr = (uint64_t)val_int(&f[0], rec);
	t->prio = (int32_t)val_int(&f[1], rec);
	t->static_prio = (int32_t)val_int(&f[2], rec);
	t->normal_prio = (int32_t)val_int(&f[3], rec);
	t->policy = (int32_t)val_int(&f[4], rec);
	t->rt_priority = (uint32_t)val_int(&f[5], rec);
	t->ppid = (uint32_t)val_int(&f[6], rec);
	t->pgid = (uint32_t)val_int(&f[7], rec);
	t->sid = (uint32_t)val_int(&f[8], rec);
	t->euid = (uint32_t)val_int(&f[9], rec);
	t->egid = (uint32_t)val_int(&f[10], rec);
	t->nthreads = (uint32_t)val_int(&f[11], rec);
	t->start = (uint64_t)val_int(&f[12], rec);
	name_take(t->leader, &f[13], rec);
}

static void fields_take(struct record_sample *s, struct record_task *t, const struct rec_act *a, const void *rec)
{
	const struct val_field *f = a->fields;
	uint64_t kernel, user;

	if (a->nfields < FIELDS_BASIC)
		return;
	t->pid = (uint32_t)val_int(&f[0], rec);
	t->tid = (uint32_t)val_int(&f[1], rec);
	t->uid = (uint32_t)val_int(&f[2], rec);
	t->gid = (uint32_t)val_int(&f[3], rec);
	kernel = (uint64_t)val_int(&f[4], rec);
	user = (uint64_t)val_int(&f[5], rec);
	name_take(t->comm, &f[6], rec);
	if (a->nfields == FIELDS_ALL)
		more_take(t, f + FIELDS_BASIC, rec);
	s->pc = kernel ? kernel : user;
	s->user = !kernel && user;
}

static void stack_take(struct record_stack *s, const struct val_field *f, const uint8_t *rec)
{
	unsigned skip = f->kind == VAL_USTACK;

	s->pc = (const uint64_t *)(rec + f->off) + skip;
	s->n = 0;
	while (s->n < f->size / 8 - skip && s->pc[s->n] && s->pc[s->n] != VAL_CUT)
		s->n++;
	s->cut = s->n < f->size / 8 - skip && s->pc[s->n] == VAL_CUT;
}

/* ---- what its addresses mean ---- */
static void kernel_note(struct recorder *r, uint64_t pc)
{
	if (pc && seen_add(&r->kernel, pc, 0) && r->pcs.n < SEEN_MAX)
		*VEC_ADD(&r->arena, &r->pcs) = pc;
}

static uint32_t object_put(struct recorder *r, const struct symbol_mapping *m)
{
	struct record_object o = { .path = m->path, .dev = m->dev, .ino = m->ino, .idlen = m->idlen };

	memcpy(o.id, m->id, m->idlen);
	return record_put_object(r->writer, &o);
}

/* What lies there is written once. */
static void map_note(struct recorder *r, uint32_t pid, const struct symbol_mapping *m, uint32_t object)
{
	const struct { uint64_t pid, since, begun; } which = { pid, m->since, m->begun };
	uint64_t key = hash_bytes(&which, sizeof which), since = m->since > m->begun ? m->since : m->begun;

	if (m->begun && seen_add(&r->pages, pid, m->begun))
		record_put_image(r->writer, pid, m->begun);
	if (m->end && seen_add(&r->pages, m->start | 1, key))
		record_put_map(r->writer, &(struct record_map){ .pid = pid, .start = m->start, .end = m->end,
								.off = m->off, .since = since, .object = object });
}

/* epoch: tells a process from one of the same ID, and from itself when its addresses meant something else. */
static void user_note(struct dtr *t, const struct record_task *task, uint64_t pc, uint64_t epoch, uint64_t ts)
{
	struct recorder *r = t->recorder;
	struct symbol_mapping m;
	uint32_t object;
	bool file;

	if (!pc || !seen_add(&r->user, pc, epoch))
		return;
	t->symbols.at = ts;
	file = names_mapping(&t->symbols, task->pid, pc, &m);
	object = file ? object_put(r, &m) : RECORD_NO_OBJECT;
	map_note(r, task->pid, &m, object);
	if (file && r->spots.n < SEEN_MAX)
		*VEC_ADD(&r->arena, &r->spots) = (struct spot){ object, task->pid, pc - m.start + m.off, pc, ts };
}

static void addresses_note(struct dtr *t, const struct record_sample *s)
{
	struct { uint64_t pid, start, changed; char comm[RECORD_COMM]; } who = { s->task->pid, s->task->start, 0, "" };
	uint64_t epoch;

	t->symbols.at = s->ts;
	who.changed = names_changed(&t->symbols, s->task->pid);
	memcpy(who.comm, s->task->comm, sizeof who.comm);
	epoch = hash_bytes(&who, sizeof who);
	for (uint32_t i = 0; i < s->stack.n; i++)
		kernel_note(t->recorder, s->stack.pc[i]);
	for (uint32_t i = 0; i < s->ustack.n; i++)
		user_note(t, s->task, s->ustack.pc[i], epoch, s->ts);
	if (s->user)
		user_note(t, s->task, s->pc, epoch, s->ts);
	else
		kernel_note(t->recorder, s->pc);
}

/* ---- the printer ---- */
static void recorder_block_ended(struct dtr *t)
{
	struct recorder *r = t->recorder;

	r->first = 0;
	*VEC_ADD(&r->arena, &r->ends) = r->writer->written;
}

/* It takes the place of what the file held. */
static void recorder_empty(struct dtr *t)
{
	int fd = fileno(t->cfg.out);
	struct stat st;

	if (!t->recorder->what.stream && fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && ftruncate(fd, 0) < 0)
		t->out.failed = true;
}

/* Not before the session works: a command that cannot be executed leaves an older recording alone. */
static bool recorder_open(struct dtr *t)
{
	struct recorder *r = t->recorder;

	if (r->writer)
		return true;
	recorder_empty(t);
	r->writer = record_writer_open(&t->out, &r->info, r->what.compress, t->cfg.oom, t->cfg.arg);
	if (r->writer)
		recorder_block_ended(t);
	else
		t->out.failed = true;
	return r->writer;
}

static void recorder_record(struct dtr *t, int cpu, const struct rec_hdr *rec, const struct epid_desc *e)
{
	struct recorder *r = t->recorder;
	struct record_task task = { 0 };
	struct record_sample s = { .ts = rec->ts, .cpu = (uint32_t)cpu, .task = &task };
	uint64_t written;

	if (!recorder_open(t))
		return;
	if (e->acts[0].nfields == FIELDS_MORE) {
		r->told = task;
		more_take(&r->told, e->acts[0].fields, rec);
		r->told_at = rec->ts;
		r->told_cpu = cpu;
		return;
	}
	if (r->told.more && r->told_at == rec->ts && r->told_cpu == cpu)
		task = r->told;
	r->told.more = 0;
	for (unsigned i = 0; i < e->nacts; i++) {
		const struct val_field *f = e->acts[i].fields;

		if (e->acts[i].nfields != 1)
			fields_take(&s, &task, &e->acts[i], rec);
		else if (f->kind == VAL_STACK)
			stack_take(&s.stack, f, (const uint8_t *)rec);
		else if (f->kind == VAL_USTACK)
			stack_take(&s.ustack, f, (const uint8_t *)rec);
	}
	written = r->writer->written;
	addresses_note(t, &s);
	record_put_sample(r->writer, &s);
	r->last = rec->ts;
	if (!r->first)
		r->first = rec->ts;
	if (r->writer->written != written)
		recorder_block_ended(t);
}

/* Actions are taken from the record as a whole. */
static void recorder_action(struct dtr *t, const struct rec_hdr *rec, const struct rec_act *a)
{
	(void)t, (void)rec, (void)a;
}

static void recorder_flush(struct dtr *t)
{
	struct recorder *r = t->recorder;

	if (t->gone || !t->working || !recorder_open(t))
		return;
	if (!t->out.len) {
		r->whole = r->writer->written;
		r->ends.n = 0;
	}
	if (!r->first || (!t->finished && clock_now() - r->first < BLOCK_NS))
		return;
	record_flush(r->writer);
	recorder_block_ended(t);
}

/* Where the samples come from, if it is not the kernel's engine. */
static void recorder_describe(struct dtr *t)
{
	struct buf b = { 0 };

	if (t->ops->describe && !t->recorder->what.quiet) {
		t->ops->describe(t->backend, &b);
		session_tell(t, "%s", buf_str(&b));
	}
	buf_free(&b);
}

/* The clocks that are kept at ticks tell how long one is. */
static uint64_t ticks_a_second(void)
{
	struct timespec tick;

	if (clock_getres(CLOCK_MONOTONIC_COARSE, &tick) || tick.tv_nsec <= 0)
		return 0;
	return (1000000000 + (uint64_t)tick.tv_nsec / 2) / (uint64_t)tick.tv_nsec;
}

static void recorder_begin(struct dtr *t)
{
	struct recorder *r = t->recorder;
	struct utsname u;

	uname(&u);
	r->info.begin = clock_now();
	r->info.wall = wall_offset();
	r->info.hz = ticks_a_second();
	r->info.cpus = (uint64_t)sysconf(_SC_NPROCESSORS_CONF);
	r->info.known = RECORD_K_PC | RECORD_K_UID | (r->what.stacks ? RECORD_K_STACKS : 0) |
			(kernel_types() ? RECORD_K_PRIO | RECORD_K_TASK : 0);
	if (t->ops->blind && t->ops->blind(t->backend))
		r->info.known &= ~(uint64_t)(RECORD_K_PC | RECORD_K_STACKS);
	record_boot(r->info.boot);
	snprintf(r->info.release, sizeof r->info.release, "%s", u.release);
	snprintf(r->info.machine, sizeof r->info.machine, "%s", u.machine);
	snprintf(r->info.target, sizeof r->info.target, "%s", *t->about.subject ? t->about.subject : "all processes");
	snprintf(r->info.host, sizeof r->info.host, "%s", t->about.host);
	snprintf(r->info.program, sizeof r->info.program, "%s", t->about.program);
	snprintf(r->info.engine, sizeof r->info.engine, "%s", t->ops->name);
	r->last = r->info.begin;
	recorder_describe(t);
}

static void recorder_drop(struct dtr *t, const struct drop *d)
{
	struct recorder *r = t->recorder;
	struct record_loss l = { .ts = r->last, .n = d->n, .cpu = d->cpu < 0 ? 0 : (uint32_t)d->cpu };

	if (!recorder_open(t))
		return;
	snprintf(l.kind, sizeof l.kind, "%s", d->tag);
	record_put_loss(r->writer, &l);
	r->first = r->first ? r->first : r->last;
}

/* ---- the end ---- */
static void name_put(struct names_out *o, uint32_t object, uint64_t start, uint64_t addr, const struct symbol *s)
{
	const struct { uint64_t object, start; } key = { object, start };
	void **p = map_put(&o->at, &key, sizeof key);
	struct record_symbol *out;

	if (!*p) {
		*VEC_ADD(o->arena, &o->v) = (struct record_symbol){
			.object = object, .start = start, .last = start, .base = object ? 0 : s->base,
			.module = object || !s->object ? "" : arena_strdup(o->arena, s->object),
			.name = s->name ? arena_strdup(o->arena, s->name) : "",
		};
		*p = (void *)(uintptr_t)o->v.n;
	}
	out = &o->v.v[(uintptr_t)*p - 1];
	out->last = addr > out->last ? addr : out->last;
}

/* What has no name is known when the session says what it lacks. */
static void names_find(struct dtr *t)
{
	struct recorder *r = t->recorder;
	struct names_out *out = &r->names;
	struct symbol s;

	if (out->arena)
		return;
	out->arena = &r->arena;
	map_init(&out->at, &r->arena);
	for (size_t i = 0; i < r->pcs.n; i++) {
		names_symbol(&t->symbols, -1, r->pcs.v[i], &s);
		if (s.object)
			name_put(out, 0, s.name ? s.start : r->pcs.v[i], r->pcs.v[i], &s);
	}
	for (size_t i = 0; i < r->spots.n; i++) {
		const struct spot *p = &r->spots.v[i];

		t->symbols.at = p->at;
		names_symbol(&t->symbols, p->pid, p->addr, &s);
		if (s.name && p->addr - s.start <= p->off)
			name_put(out, p->object + 1, p->off - (p->addr - s.start), p->off, &s);
	}
}

static void recorder_rest_end(struct dtr *t, bool any)
{
	(void)any;
	names_find(t);
}

/* Where not all could be written, the file ends with the last block that was. */
static void recorder_cut(struct dtr *t)
{
	struct recorder *r = t->recorder;
	int fd = fileno(t->cfg.out);
	uint64_t end = r->whole;
	struct stat st;

	if (r->what.stream || fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return;
	for (size_t i = 0; i < r->ends.n; i++)
		if (r->ends.v[i] <= (uint64_t)st.st_size)
			end = r->ends.v[i];
	if (end && ftruncate(fd, (off_t)end) < 0)
		session_message(t, "the recording ends in the middle of a block");
}

static void recorder_end(struct dtr *t)
{
	struct recorder *r = t->recorder;
	uint64_t now = clock_now();

	if ((!t->finished && !r->writer) || !recorder_open(t))
		return;
	if (t->gone) {
		recorder_cut(t);
		return;
	}
	names_find(t);
	record_put_symbols(r->writer, r->names.v.v, r->names.v.n);
	record_finish(r->writer, now > r->last ? now : r->last);
	recorder_block_ended(t);
	r->first = 0;
	consumer_flush(t);
	if (t->gone)
		recorder_cut(t);
	else if (!r->what.quiet)
		session_tell(t, "%" PRIu64 " samples, %" PRIu64 " lost, %" PRIu64 " bytes", r->writer->samples,
			     r->writer->losses, r->writer->written);
}

static void recorder_probe(struct dtr *t, const struct probe *p, bool verbose)
{
	(void)t, (void)p, (void)verbose;
}

static void recorder_note(struct dtr *t, const char *what, const struct buf *text)
{
	(void)t, (void)what, (void)text;
}

static const struct printer printer_record = {
	.name = "record",
	.pure = true,
	.silent = true,
	.begin = recorder_begin,
	.record = recorder_record,
	.action = recorder_action,
	.rest_end = recorder_rest_end,
	.drop = recorder_drop,
	.end = recorder_end,
	.flush = recorder_flush,
	.probe = recorder_probe,
	.note = recorder_note,
};

/* Which processes are children of the target the kernel's engine only knows by the kernel's types; the rootless engine needs
 * none for that. */
static int recorder_engine(struct dtr *t)
{
	session_engine(t);
	if (kernel_types() || t->env.target <= 0 || !in_kernel(t))
		return 0;
	if (t->opts.engine == ENGINE_AUTO)
		return dtr_option(t, "engine", "user") < 0 ? -1 : (session_engine(t), 0);
	session_message(t, "warning: children of the process are not recorded: this kernel offers no type information "
			"(/sys/kernel/btf/vmlinux)");
	return 0;
}

int dtr_record(struct dtr *t, const struct dtr_recording *r)
{
	char why[256];
	uint64_t interval;

	if (profile_parse_interval(r->rate, &interval, why, sizeof why) < 0) {
		session_message(t, "invalid rate %s: %s", r->rate, why);
		return -1;
	}
	t->recorder = arena_alloc(&t->arena, sizeof *t->recorder);
	t->recorder->what = *r;
	t->recorder->info.interval = interval;
	arena_init(&t->recorder->arena, t->cfg.oom, t->cfg.arg);
	t->printer = &printer_record;
	if (dtr_option(t, "quiet", NULL) < 0 || recorder_engine(t) < 0)
		return -1;
	return dtr_add_text(t, recorder_script(t, r), "recording");
}

void recorder_close(struct dtr *t)
{
	struct recorder *r = t->recorder;

	if (!r)
		return;
	record_writer_close(r->writer);
	r->writer = NULL;
	seen_free(&r->pages);
	seen_free(&r->kernel);
	seen_free(&r->user);
	arena_free(&r->arena);
}
