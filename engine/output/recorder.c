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
#include "engine/containers/containers.h"
#include "engine/containers/hierarchy.h"
#include "engine/host/boot.h"
#include "engine/host/wall.h"
#include "engine/output/number_set.h"
#include "engine/output/printer.h"
#include "engine/output/write.h"
#include "engine/symbols/codes.h"
#include "rt/python.h"

/* A block that has been filled for this long is written. */
#define BLOCK_NS 250000000ull

/* A place in a file that a sample pointed to. Its symbol is resolved at the end. */
struct recorder_place {
	uint32_t object, pid;
	uint64_t off, addr, at;
};

/* Resolved symbols, ready to be written. */
struct recorder_names {
	struct arena *arena;		/* NULL: not resolved yet */
	struct map at;			/* object and start -> number + 1 */
	VEC(struct record_symbol) v;
};

#define FRAMES 127			/* of a stack, at most, as the kernel collects */
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#define FRAMES_TEXT TEXT(FRAMES)

struct recorder {
	struct dtr_recording what;
	struct recorder_script script;
	struct record_info info;
	struct record_writer *writer;
	struct arena arena;
	struct number_set pages;	/* process and page: its mapping was written */
	struct number_set kernel, user;	/* addresses of the kernel; objects and places in them */
	VEC(uint64_t) pcs;
	VEC(struct recorder_place) places;
	uint64_t whole;			/* bytes written to the output file */
	VEC(uint64_t) ends;		/* of the blocks in the output buffer, or of the last ones written */
	uint64_t first;			/* when the block being filled began; 0 = it is empty */
	uint64_t last;			/* time of the last sample */
	struct record_task thread;	/* what the first of two clauses recorded of the thread, */
	uint64_t thread_time;	/* at this time, */
	int thread_cpu;			/* on this CPU */
	uint64_t native[FRAMES], interpreted[FRAMES];	/* the two user stacks of a sample */
	struct recorder_names names;
	struct map groups;		/* number of a control group -> the struct containers_group that was written */
	VEC(uint64_t) order;		/* these numbers */
};

static struct recorder *recorder_of(const struct output *o)
{
	return o->state;
}

/* ---- the script ---- */

/* The values of a sample, in the order in which record_fields takes them. */
#define BASIC "pid, tid, uid, gid, arg0, arg1, execname"
#define BASIC_FORMAT "%d%d%d%d%x%x%s"
/* A thread that is ending has lost some pointers. IDs are those of dtr's name space. */
#define MORE \
	"(uint64_t)curthread, curthread->prio, curthread->static_prio, curthread->normal_prio, curthread->policy," \
	"curthread->rt_priority, _id(curthread->real_parent, 1)," \
	"this->s->pids[2] == 0 ? 0 : _id(curthread, 2)," \
	"this->s->pids[3] == 0 ? 0 : _id(curthread, 3)," \
	"curthread->cred->euid.val, curthread->cred->egid.val, this->s->nr_threads, curthread->start_time," \
	"stringof (curthread->group_leader->comm)"
#define MORE_FORMAT "%x%d%d%d%d%d%d%d%d%d%d%d%d%s"
#define GROUP "cgroupid"
#define GROUP_FORMAT "%d"

/* A control group is the last of them. */
enum { FIELDS_BASIC = 7, FIELDS_MORE = 14, FIELDS_GROUP = 1 };

#define THREAD "this->s = curthread->signal;"

/*
 * In the kernel one clause records everything: nothing in it can fault, and each drop is one sample. The rootless
 * engine may know nothing of a thread that has ended, so a clause of its own reads that data first; its fault does not
 * affect the sample. That engine has only samples of the target and its children.
 */
const char *recorder_script(struct arena *a, const struct dtr_recording *r, const struct recorder_script *s)
{
	const char *stacks = r->stacks ? "stack(" FRAMES_TEXT "); jstack(" FRAMES_TEXT ");" : "";
	const char *more = s->groups ? MORE ", " GROUP : MORE;
	const char *more_format = s->groups ? MORE_FORMAT GROUP_FORMAT : MORE_FORMAT;
	const char *end = r->duration ? arena_printf(a, "tick-%s { exit(0); }", r->duration) : "";

	if (!s->more)
		return arena_printf(a, "profile-%s %s { printf(\"%s\", %s); %s } %s", r->rate,
				    s->in_kernel && s->target ? "/pid == $target/" : "", BASIC_FORMAT, BASIC, stacks,
				    end);
	if (s->in_kernel)
		return arena_printf(a, "profile-%s %s { %s printf(\"%s%s\", %s, %s); %s } %s", r->rate,
				    s->target ? "/progenyof($target)/" : "", THREAD, BASIC_FORMAT, more_format, BASIC,
				    more, stacks, end);
	return arena_printf(a, "profile-%s { %s printf(\"%s\", %s); } profile-%s { printf(\"%s\", %s); %s } %s",
			    r->rate, THREAD, more_format, more, r->rate, BASIC_FORMAT, BASIC, stacks, end);
}

/* ---- a sample ---- */
static void name_take(char out[RECORD_COMM], const struct val_field *f, const uint8_t *rec)
{
	size_t n = strnlen((const char *)rec + f->off, f->size < RECORD_COMM ? f->size : RECORD_COMM - 1);

	memcpy(out, rec + f->off, n);
}

static void more_take(struct record_task *t, const struct val_field *f, unsigned n, const void *rec)
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
	if (n > FIELDS_MORE)
		t->group = (uint64_t)val_int(&f[14], rec);
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
	if (a->nfields >= FIELDS_BASIC + FIELDS_MORE)
		more_take(t, f + FIELDS_BASIC, a->nfields - FIELDS_BASIC, rec);
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

/* ---- interpreted functions ---- */
/* The word of an interpreted frame in the recording; 0: it has too many functions. */
static uint64_t function_word(struct output *o, const struct record_task *t, uint64_t word)
{
	struct record_function f;
	struct symbol s;
	uint32_t number;

	names_symbol(o->symbols, t->pid, word, &s);
	f = (struct record_function){ s.name, s.file };
	number = record_put_function(recorder_of(o)->writer, &f);
	return number ? codes_word(number, (uint32_t)CODES_LINE | s.line) : 0;
}

/* Appends a frame, unless the stack has as many as are recorded. */
static void frame_add(struct record_stack *s, uint64_t *pc, uint64_t word)
{
	if (s->n < FRAMES)
		pc[s->n++] = word;
	else
		s->cut = true;
}

/* Divides a user stack with native and interpreted frames (RT_PY_REPLACED) into the two stacks of a sample. */
static void stacks_divide(struct output *o, struct record_sample *s)
{
	struct recorder *r = recorder_of(o);
	struct record_stack native = { .pc = r->native, .cut = s->ustack.cut };
	struct record_stack interpreted = { .pc = r->interpreted, .cut = s->ustack.cut };
	bool any = false, named = true, replaced = false;
	uint32_t known = 0;		/* frames of `interpreted` up to the last one that is not replaced */

	o->symbols->at = s->ts;
	for (uint32_t i = 0; i < s->ustack.n; i++) {
		uint64_t word = s->ustack.pc[i];
		bool function = codes_is_word(word);

		replaced = (word & RT_PY_MARKS) == RT_PY_REPLACED;
		any |= function;
		if (replaced)
			word &= ~RT_PY_MARKS;
		if (function)
			word = function_word(o, s->task, word);
		else
			frame_add(&native, r->native, word);
		if (!replaced || o->opts->d.runtimeframes)
			frame_add(&interpreted, r->interpreted, word);
		known = replaced ? known : interpreted.n;
		named &= word != 0;
	}
	s->ustack = native;
	/* if the outermost frame is marked, functions that were not read have called the last one that was */
	interpreted.cut |= replaced;
	interpreted.n = known;
	if (any && named)
		s->jstack = interpreted;
}

/* ---- addresses ---- */
static void kernel_record(struct recorder *r, uint64_t pc)
{
	if (pc && number_set_add(&r->kernel, pc, 0) && r->pcs.n < NUMBER_SET_MAX)
		*VEC_ADD(&r->arena, &r->pcs) = pc;
}

static uint32_t object_put(struct recorder *r, const struct symbol_mapping *m)
{
	struct record_object o = { .path = m->path, .dev = m->dev, .ino = m->ino, .idlen = m->idlen };

	if (m->idlen)
		memcpy(o.id, m->id, m->idlen);
	return record_put_object(r->writer, &o);
}

/* Writes each mapping once. */
static void map_record(struct recorder *r, uint32_t pid, const struct symbol_mapping *m, uint32_t object)
{
	const struct { uint64_t pid, since, begun; } which = { pid, m->since, m->begun };
	uint64_t key = hash_bytes(&which, sizeof which), since = m->since > m->begun ? m->since : m->begun;

	if (m->begun && number_set_add(&r->pages, pid, m->begun))
		record_put_image(r->writer, pid, m->begun);
	if (m->end && number_set_add(&r->pages, m->start | 1, key))
		record_put_map(r->writer, &(struct record_map){ .pid = pid, .start = m->start, .end = m->end,
								.off = m->off, .since = since, .object = object });
}

/* epoch: differs between processes with the same ID, and changes when the mappings of a process change. */
static void user_record(struct output *o, const struct record_task *task, uint64_t pc, uint64_t epoch, uint64_t ts)
{
	struct recorder *r = recorder_of(o);
	struct symbol_mapping m;
	uint32_t object;
	bool file;

	if (!pc || !number_set_add(&r->user, pc, epoch))
		return;
	o->symbols->at = ts;
	file = names_mapping(o->symbols, task->pid, pc, &m);
	object = file ? object_put(r, &m) : RECORD_NO_OBJECT;
	map_record(r, task->pid, &m, object);
	if (file && r->places.n < NUMBER_SET_MAX)
		*VEC_ADD(&r->arena, &r->places) = (struct recorder_place){
			object, task->pid, pc - m.start + m.off, pc, ts,
		};
}

static void addresses_record(struct output *o, const struct record_sample *s)
{
	struct { uint64_t pid, start, changed; char comm[RECORD_COMM]; } who = { s->task->pid, s->task->start, 0, "" };
	uint64_t epoch;

	o->symbols->at = s->ts;
	who.changed = names_changed(o->symbols, s->task->pid);
	memcpy(who.comm, s->task->comm, sizeof who.comm);
	epoch = hash_bytes(&who, sizeof who);
	for (uint32_t i = 0; i < s->stack.n; i++)
		kernel_record(recorder_of(o), s->stack.pc[i]);
	for (uint32_t i = 0; i < s->ustack.n; i++)
		user_record(o, s->task, s->ustack.pc[i], epoch, s->ts);
	if (s->user)
		user_record(o, s->task, s->pc, epoch, s->ts);
	else
		kernel_record(recorder_of(o), s->pc);
}

/* ---- control groups ---- */
static bool same_group(const struct containers_group *a, const struct containers_group *b)
{
	/* names are replaced, not changed */
	return a->path == b->path && a->container == b->container && a->pod == b->pod && a->image == b->image;
}

/* Writes what is known of a group, if that is new. */
static void group_write(struct output *o, const struct containers_group *g)
{
	struct recorder *r = recorder_of(o);
	void **place = map_put(&r->groups, &g->id, sizeof g->id);

	if (*place && same_group(*place, g))
		return;
	if (!*place) {
		*place = arena_alloc(&r->arena, sizeof *g);
		*VEC_ADD(&r->arena, &r->order) = g->id;
	}
	*(struct containers_group *)*place = *g;
	record_put_group(r->writer, g);
}

/* Writes a group after those above it. */
static void group_record(struct output *o, uint64_t id)
{
	struct containers_group chain[HIERARCHY_DEPTH + 1];
	struct containers *c = o->symbols->containers;
	unsigned n = 0;

	while (id && c && n <= HIERARCHY_DEPTH && containers_get(c, id, &chain[n]))
		id = chain[n++].parent;
	while (n > 0)
		group_write(o, &chain[--n]);
}

static void groups_finish(struct output *o)
{
	struct recorder *r = recorder_of(o);
	VEC(struct containers_group) all = { 0 };
	struct containers_group g;

	for (size_t i = 0; i < r->order.n; i++)
		if (containers_get(o->symbols->containers, r->order.v[i], &g))
			*VEC_ADD(&r->arena, &all) = g;
	record_put_groups(r->writer, all.v, all.n);
}

/* ---- the printer ---- */
static void recorder_block_ended(struct output *o)
{
	struct recorder *r = recorder_of(o);

	r->first = 0;
	*VEC_ADD(&r->arena, &r->ends) = r->writer->written;
}

/* Called when the session works, so that a command that cannot be executed leaves an older recording unchanged. */
static bool recorder_start(struct output *o)
{
	struct recorder *r = recorder_of(o);
	int fd = fileno(o->file);
	struct stat st;

	if (r->writer)
		return true;
	/* a recording replaces the contents of the file */
	if (!r->what.stream && fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && ftruncate(fd, 0) < 0)
		o->buf.failed = true;
	r->writer = record_writer_open(&o->buf, &r->info, r->what.compress, o->oom, o->arg);
	if (r->writer)
		recorder_block_ended(o);
	else
		o->buf.failed = true;
	return r->writer;
}

static void recorder_record(struct output *o, int cpu, const struct rec_hdr *rec, const struct epid_desc *e)
{
	struct recorder *r = recorder_of(o);
	struct record_task task = { 0 };
	struct record_sample s = { .ts = rec->ts, .cpu = (uint32_t)cpu, .task = &task };
	uint64_t written;

	if (!recorder_start(o))
		return;
	if (e->acts[0].nfields == FIELDS_MORE || e->acts[0].nfields == FIELDS_MORE + FIELDS_GROUP) {
		r->thread = task;
		more_take(&r->thread, e->acts[0].fields, e->acts[0].nfields, rec);
		r->thread_time = rec->ts;
		r->thread_cpu = cpu;
		return;
	}
	if (r->thread.more && r->thread_time == rec->ts && r->thread_cpu == cpu)
		task = r->thread;
	r->thread.more = 0;
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
	stacks_divide(o, &s);
	addresses_record(o, &s);
	group_record(o, task.group);
	record_put_sample(r->writer, &s);
	r->last = rec->ts;
	if (!r->first)
		r->first = rec->ts;
	if (r->writer->written != written)
		recorder_block_ended(o);
}

/* recorder_record reads all actions of the record. */
static void recorder_action(struct output *o, const struct rec_hdr *rec, const struct rec_act *a)
{
	(void)o, (void)rec, (void)a;
}

static void recorder_flush(struct output *o)
{
	struct recorder *r = recorder_of(o);

	if (o->closed || o->phase == OUTPUT_PENDING || !recorder_start(o))
		return;
	if (!o->buf.len) {
		r->whole = r->writer->written;
		r->ends.n = 0;
	}
	if (!r->first || (o->phase != OUTPUT_ENDING && clock_now() - r->first < BLOCK_NS))
		return;
	record_flush(r->writer);
	recorder_block_ended(o);
}

/* The resolution of the coarse clocks is the length of a tick. */
static uint64_t ticks_a_second(void)
{
	struct timespec tick;

	if (clock_getres(CLOCK_MONOTONIC_COARSE, &tick) || tick.tv_nsec <= 0)
		return 0;
	return (1000000000 + (uint64_t)tick.tv_nsec / 2) / (uint64_t)tick.tv_nsec;
}

static void hierarchy_name(const struct output *o, char *out, size_t n)
{
	const struct cgroup_hierarchy *h;
	char reason[160];

	h = o->symbols->containers ? containers_hierarchy(o->symbols->containers, reason, sizeof reason) : NULL;
	snprintf(out, n, "%s", h ? h->controller : "");
}

static void recorder_begin(struct output *o)
{
	struct recorder *r = recorder_of(o);
	struct utsname u;

	uname(&u);
	r->info.begin = clock_now();
	r->info.wall = wall_offset();
	r->info.hz = ticks_a_second();
	r->info.cpus = (uint64_t)sysconf(_SC_NPROCESSORS_CONF);
	r->info.known = RECORD_K_PC | RECORD_K_UID | (r->what.stacks ? RECORD_K_STACKS : 0) |
			(r->script.more ? RECORD_K_PRIO | RECORD_K_TASK : 0) |
			(r->script.groups ? RECORD_K_GROUPS : 0);
	if (o->blind)
		r->info.known &= ~(uint64_t)(RECORD_K_PC | RECORD_K_STACKS);
	boot_id(r->info.boot);
	snprintf(r->info.release, sizeof r->info.release, "%s", u.release);
	snprintf(r->info.machine, sizeof r->info.machine, "%s", u.machine);
	snprintf(r->info.target, sizeof r->info.target, "%s", *o->about.subject ? o->about.subject : "all processes");
	if (r->what.all && *o->about.subject)
		snprintf(r->info.target, sizeof r->info.target, "all processes during %.200s", o->about.subject);
	snprintf(r->info.host, sizeof r->info.host, "%s", o->about.host);
	snprintf(r->info.program, sizeof r->info.program, "%s", o->about.program);
	hierarchy_name(o, r->info.hierarchy, sizeof r->info.hierarchy);
	snprintf(r->info.engine, sizeof r->info.engine, "%s", o->engine);
	r->last = r->info.begin;
}

static void recorder_drop(struct output *o, const struct output_drop *d)
{
	struct recorder *r = recorder_of(o);
	struct record_loss l = { .ts = r->last, .n = d->n, .cpu = d->cpu < 0 ? 0 : (uint32_t)d->cpu };

	if (!recorder_start(o))
		return;
	snprintf(l.kind, sizeof l.kind, "%s", d->tag);
	record_put_loss(r->writer, &l);
	r->first = r->first ? r->first : r->last;
}

/* ---- the end ---- */
static void name_put(struct recorder_names *o, uint32_t object, uint64_t start, uint64_t addr, const struct symbol *s)
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

/* Resolved before the session reports which symbols were not available. */
static void symbols_resolve(struct output *o)
{
	struct recorder *r = recorder_of(o);
	struct recorder_names *out = &r->names;
	struct symbol s;

	if (out->arena)
		return;
	out->arena = &r->arena;
	map_init(&out->at, &r->arena);
	for (size_t i = 0; i < r->pcs.n; i++) {
		names_symbol(o->symbols, -1, r->pcs.v[i], &s);
		if (s.object)
			name_put(out, 0, s.name ? s.start : r->pcs.v[i], r->pcs.v[i], &s);
	}
	for (size_t i = 0; i < r->places.n; i++) {
		const struct recorder_place *p = &r->places.v[i];

		o->symbols->at = p->at;
		names_symbol(o->symbols, p->pid, p->addr, &s);
		if (s.name && p->addr - s.start <= p->off)
			name_put(out, p->object + 1, p->off - (p->addr - s.start), p->off, &s);
	}
}

static void recorder_rest_end(struct output *o, bool any)
{
	(void)any;
	symbols_resolve(o);
}

/* Truncates the file after the last complete block, if not all could be written. */
static void recorder_truncate(struct output *o)
{
	struct recorder *r = recorder_of(o);
	int fd = fileno(o->file);
	uint64_t end = r->whole;
	struct stat st;

	if (r->what.stream || fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return;
	for (size_t i = 0; i < r->ends.n; i++)
		if (r->ends.v[i] <= (uint64_t)st.st_size)
			end = r->ends.v[i];
	if (end && ftruncate(fd, (off_t)end) < 0)
		output_message(o, "the recording ends in the middle of a block");
}

static void recorder_end(struct output *o)
{
	struct recorder *r = recorder_of(o);
	uint64_t now = clock_now();

	if ((o->phase != OUTPUT_ENDING && !r->writer) || !recorder_start(o))
		return;
	if (o->closed) {
		recorder_truncate(o);
		return;
	}
	symbols_resolve(o);
	record_put_symbols(r->writer, r->names.v.v, r->names.v.n);
	groups_finish(o);
	record_finish(r->writer, now > r->last ? now : r->last);
	recorder_block_ended(o);
	r->first = 0;
	output_flush(o);
	if (o->closed)
		recorder_truncate(o);
	else if (!r->what.quiet)
		output_stderr(o, "%" PRIu64 " samples, %" PRIu64 " lost, %" PRIu64 " bytes", r->writer->samples,
			     r->writer->losses, r->writer->written);
}

static void recorder_probe(struct output *o, const struct probe *p, bool verbose)
{
	(void)o, (void)p, (void)verbose;
}

static void recorder_note(struct output *o, const char *what, const struct buf *text)
{
	(void)o, (void)what, (void)text;
}

static void recorder_close(struct output *o)
{
	struct recorder *r = recorder_of(o);

	record_writer_close(r->writer);
	number_set_free(&r->pages);
	number_set_free(&r->kernel);
	number_set_free(&r->user);
	arena_free(&r->arena);
}

static const struct printer printer_record = {
	.pure = true,
	.silent = true,
	.begin = recorder_begin,
	.record = recorder_record,
	.action = recorder_action,
	.rest_end = recorder_rest_end,
	.drop = recorder_drop,
	.end = recorder_end,
	.flush = recorder_flush,
	.close = recorder_close,
	.probe = recorder_probe,
	.note = recorder_note,
};

void recorder_open(struct output *o, const struct dtr_recording *what, uint64_t interval,
		   const struct recorder_script *script)
{
	struct recorder *r = arena_calloc(o->arena, 1, sizeof *r);

	r->what = *what;
	r->script = *script;
	r->info.interval = interval;
	arena_init(&r->arena, o->oom, o->arg);
	map_init(&r->groups, &r->arena);
	o->printer = &printer_record;
	o->state = r;
}
