/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/host/boot.h"
#include "engine/sample/recorded.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/map.h"
#include "engine/containers/hierarchy.h"
#include "engine/sample/names.h"
#include "engine/sample/pipe.h"
#include "engine/sample/read.h"

/* A control group and those above it, from the root on. */
struct recorded_chain {
	uint32_t n;
	uint64_t id[HIERARCHY_DEPTH];
};

struct recorded_source {
	struct recording_file *recording;
	struct record_reader *reader;
	struct record_names *names;
	struct record_entry entry;
	struct sample_task task;
	struct record_task filled;	/* the task whose data are in `task` */
	VEC(struct containers_group) groups;
	struct map chains;		/* number of a group -> struct recorded_chain */
	uint64_t now;
};

static struct recorded_source *recorded_source(struct sample_source *handle)
{
	return (struct recorded_source *)handle;
}

/* ---- file, boot, rate ---- */

/* Returns the source for a file, by its first bytes. NULL: unknown format, or the error in errno. */
static const struct source_ops *recording_kind(int fd)
{
	static const struct { const char *magic; const struct source_ops *ops; } kinds[] = {
		{ RECORD_MAGIC, &source_record }, { "PERFILE2", &source_perfdata }, { "2ELIFREP", &source_perfdata },
	};
	char magic[RECORD_MAGIC_BYTES + 1] = "";

	errno = 0;
	if (pread(fd, magic, RECORD_MAGIC_BYTES, 0) < 0)
		return NULL;
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (!memcmp(magic, kinds[i].magic, RECORD_MAGIC_BYTES))
			return kinds[i].ops;
	return NULL;
}

/* Opens the file, or a copy of a pipe's contents. Returns its descriptor or -errno. */
static int recording_open(const char *path)
{
	int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : fcntl(0, F_DUPFD_CLOEXEC, 3), copy;
	struct stat st;

	if (fd < 0)
		return -errno;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		return fd;
	copy = record_pipe_copy(fd, RECORD_PIECE);
	close(fd);
	return copy;
}

const struct source_ops *record_source(struct recording_file *recording, char *reason, size_t n)
{
	recording->ops = NULL;
	recording->fd = recording_open(recording->path);
	errno = recording->fd < 0 ? -recording->fd : 0;
	if (recording->fd >= 0)
		recording->ops = recording_kind(recording->fd);
	if (!recording->ops)
		snprintf(reason, n, "%s", errno ? strerror(errno) : "offset 0: not a recording of dtr or perf");
	snprintf(recording->from, sizeof recording->from, "/proc/self/fd/%d", recording->fd);
	return recording->ops;
}

bool recording_is(const char *path)
{
	struct stat st;
	int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	const bool is = fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && recording_kind(fd);

	if (fd >= 0)
		close(fd);
	return is;
}

void recording_file_close(struct recording_file *recording)
{
	if (recording->fd >= 0)
		close(recording->fd);
	recording->fd = -1;
}

bool record_same_boot(const uint8_t boot[16])
{
	static const uint8_t none[16];
	uint8_t now[16];

	boot_id(now);
	return memcmp(now, none, 16) && !memcmp(now, boot, 16);
}

void record_rate_name(char *out, size_t n, uint64_t interval)
{
	uint64_t hz = interval ? (1000000000u + interval / 2) / interval : 0;

	if (hz && 1000000000u / hz == interval)
		snprintf(out, n, "profile-%" PRIu64, hz);
	else
		snprintf(out, n, "profile-%" PRIu64 "ns", interval);
}

int record_rates(uint64_t recorded, const uint64_t *interval, unsigned n, char *reason, size_t size)
{
	char has[64], wants[64];

	for (unsigned i = 0; i < n; i++) {
		if (interval[i] == recorded)
			continue;
		record_rate_name(has, sizeof has, recorded);
		record_rate_name(wants, sizeof wants, interval[i]);
		snprintf(reason, size, "the recording has samples of %s, not of %s", has, wants);
		return -1;
	}
	return 0;
}

/* ---- dtr's own format ---- */
static int file_wants(const struct recorded_source *s, const struct source_want *w, char *reason, size_t n)
{
	const struct record_info *i = &s->reader->info;

	if ((w->kstacks || w->ustacks) && !(i->known & RECORD_K_STACKS)) {
		snprintf(reason, n, "%s: no stacks were recorded: %s", s->recording->path, i->known & RECORD_K_PC ?
			 "use dtr record -g" : "they need perf events or ptrace(2)");
		return -1;
	}
	return 0;
}

static void file_close(struct sample_source *handle)
{
	struct recorded_source *s = recorded_source(handle);

	if (!s)
		return;
	record_close(s->reader);
	record_names_close(s->names);
	free(s);
}

static void group_take(void *arg, const struct containers_group *g)
{
	struct recorded_source *s = arg;
	struct arena *a = &s->reader->arena;
	void **above = map_find(&s->chains, &g->parent, sizeof g->parent), **place;
	const struct recorded_chain *from = above ? *above : NULL;
	struct recorded_chain *chain;

	if (!g->id || s->groups.n >= RECORD_GROUPS || (from && from->n == HIERARCHY_DEPTH))
		return;
	*VEC_ADD(a, &s->groups) = *g;
	place = map_put(&s->chains, &g->id, sizeof g->id);
	if (*place)
		return;
	*place = chain = arena_alloc(a, sizeof *chain);
	chain->n = from ? from->n : 0;
	if (from)
		memcpy(chain->id, from->id, from->n * sizeof *chain->id);
	chain->id[chain->n++] = g->id;
}

static int file_open(struct sample_source **out, const struct source_want *w, char *reason, size_t n)
{
	struct recording_file *recording = w->arg;
	struct recorded_source *s = calloc(1, sizeof *s);
	char text[200] = "out of memory";
	int fd = open(*recording->from ? recording->from : recording->path, O_RDONLY | O_CLOEXEC);

	*out = (struct sample_source *)s;
	if (fd < 0)
		snprintf(text, sizeof text, "%s", strerror(errno));
	if (s && fd >= 0)
		s->reader = record_open(fd, w->arena->oom, w->arena->oom_arg, text, sizeof text);
	if (s && s->reader)
		s->names = record_names_open(w->arena->oom, w->arena->oom_arg);
	if (!s || !s->reader || !s->names) {
		snprintf(reason, n, "%s: %s", recording->path, text);
		return -1;
	}
	s->recording = recording;
	s->now = s->reader->info.begin;
	if (record_same_boot(s->reader->info.boot))
		record_names_kernel(s->names);
	record_symbols(s->reader, &s->reader->arena, record_names_symbol, s->names);
	map_init(&s->chains, &s->reader->arena);
	if (w->groups)
		record_groups(s->reader, &s->reader->arena, group_take, s);
	return file_wants(s, w, reason, n);
}

static int file_start(struct sample_source *handle, const uint64_t *interval, unsigned n, char *reason, size_t size)
{
	struct recorded_source *s = recorded_source(handle);

	return record_rates(s->reader->info.interval, interval, n, reason, size);
}

static void task_fill(struct recorded_source *s, const struct record_task *t)
{
	struct sample_task *out = &s->task;

	s->filled = *t;
	*out = (struct sample_task){
		.prio = t->prio, .static_prio = t->static_prio, .normal_prio = t->normal_prio, .policy = t->policy,
		.rt_priority = t->rt_priority, .ppid = t->ppid, .pgid = t->pgid, .sid = t->sid, .nthreads = t->nthreads,
		.euid = t->euid, .egid = t->egid, .start_time = t->start, .state = 'R',
	};
	memcpy(out->leader_comm, t->leader, sizeof out->leader_comm);
}

static void sample_fill(struct recorded_source *s, const struct record_sample *r, struct sample *out)
{
	const struct record_task *t = r->task;
	void **groups = map_find(&s->chains, &t->group, sizeof t->group);
	const struct recorded_chain *chain = groups ? *groups : NULL;

	out->cpu = r->cpu;
	out->pid = t->pid;
	out->tid = t->tid;
	out->uid = t->uid;
	out->gid = t->gid;
	out->arg[0] = r->user ? 0 : r->pc;
	out->arg[1] = r->user ? r->pc : 0;
	memcpy(out->comm, t->comm, sizeof out->comm);
	out->mode = r->user ? SAMPLE_USER : r->pc ? SAMPLE_KERNEL : SAMPLE_MODE_UNKNOWN;
	out->stack = (struct frames){ r->stack.n, r->stack.pc, r->stack.cut };
	out->ustack = (struct frames){ r->ustack.n, r->ustack.pc, r->ustack.cut };
	out->jstack = (struct frames){ r->jstack.n, r->jstack.pc, r->jstack.cut };
	out->depth = r->stack.n;
	out->udepth = r->ustack.n;
	out->addr = t->addr;
	if (t->more && memcmp(&s->filled, t, sizeof *t))
		task_fill(s, t);
	out->task = t->more ? &s->task : NULL;
	if (chain) {
		out->groups.n = chain->n;
		out->groups.id = chain->id;
	}
}

static void file_end(struct recorded_source *s)
{
	struct record_reader *r = s->reader;

	if (r->whole && r->end > s->now && !*r->reason)
		s->now = r->end;
	if (*s->recording->damage)
		return;
	if (*r->reason)
		snprintf(s->recording->damage, sizeof s->recording->damage,
			 "offset %" PRIu64 ": %s; the data before it was used",
			 r->bad_at, r->reason);
	else if (!r->ended)
		snprintf(s->recording->damage, sizeof s->recording->damage,
			 "offset %" PRIu64 ": the recording was interrupted; "
			 "the data before it was used", r->off);
}

/* Applies an entry about mappings. Returns true if mappings changed, and stores an item that reports it. */
static bool map_fill(struct recorded_source *s, const struct record_entry *e, struct source_item *out)
{
	if (e->what == RECORD_IMAGE)
		record_names_exec(s->names, e->map.pid, e->map.since, true);
	else if (!record_names_map(s->names, &e->map))
		return false;
	*out = (struct source_item){ .kind = SOURCE_CHANGE, .sample = { .time = e->map.since, .pid = e->map.pid } };
	return true;
}

static int file_next(struct sample_source *handle, struct source_item *out)
{
	struct recorded_source *s = recorded_source(handle);
	const struct record_entry *e = &s->entry;

	for (;;) {
		switch (record_next(s->reader, &s->entry)) {
		case RECORD_SAMPLE:
			out->kind = SOURCE_SAMPLE;
			out->sample = (struct sample){ .time = e->sample.ts };
			sample_fill(s, &e->sample, &out->sample);
			s->now = e->sample.ts > s->now ? e->sample.ts : s->now;
			return 1;
		case RECORD_LOSS:
			out->kind = SOURCE_LOST;
			out->sample = (struct sample){ .time = s->now, .cpu = e->loss.cpu };
			out->lost = e->loss.n;
			return 1;
		case RECORD_MAP:
		case RECORD_IMAGE:
			if (!map_fill(s, e, out))
				break;
			return 1;
		case RECORD_OBJECT:
			record_names_object(s->names, &e->object);
			break;
		case RECORD_FUNCTION:
			record_names_function(s->names, &e->function);
			break;
		case RECORD_GROUP:	/* record_groups has read it */
			break;
		default:
			file_end(s);
			return -ENODATA;
		}
	}
}

static uint64_t file_now(struct sample_source *handle)
{
	struct recorded_source *s = recorded_source(handle);

	return s->now;
}

static void file_past(struct sample_source *handle, struct source_past *out)
{
	struct recorded_source *s = recorded_source(handle);
	const struct record_info *i = &s->reader->info;

	out->ncpus = i->cpus < RECORD_CPUS ? (unsigned)i->cpus : RECORD_CPUS;
	out->wall = (uint64_t)i->wall;
	out->about.began = i->begin;
	out->interval = i->interval;
	out->stacks = i->known & RECORD_K_STACKS;
	memcpy(out->about.host, i->host, sizeof out->about.host);
	memcpy(out->about.subject, i->target, sizeof out->about.subject);
	memcpy(out->about.program, i->program, sizeof out->about.program);
	memcpy(out->release, i->release, sizeof out->release);
	memcpy(out->machine, i->machine, sizeof out->machine);
	out->hz = i->hz;
	out->blind = !(i->known & RECORD_K_PC);
	out->uids = i->known & RECORD_K_UID;
	out->tasks = i->known & RECORD_K_PRIO;
	out->groups = i->known & RECORD_K_GROUPS;
	memcpy(out->hierarchy, i->hierarchy, sizeof out->hierarchy);
}

static void file_groups(struct sample_source *handle, record_group_fn fn, void *arg)
{
	struct recorded_source *s = recorded_source(handle);

	for (size_t i = 0; i < s->groups.n; i++)
		fn(arg, &s->groups.v[i]);
}

static const struct symbol_ops *file_symbols(struct sample_source *handle, void **arg)
{
	struct recorded_source *s = recorded_source(handle);

	*arg = s->names;
	return &record_symbol_ops;
}

static void file_describe(struct sample_source *handle, char *out, size_t n)
{
	struct recorded_source *s = recorded_source(handle);
	const struct record_info *i = &s->reader->info;

	snprintf(out, n, "the recording %s of %s", s->recording->path, i->target);
}

const struct source_ops source_record = {
	.name = "record",
	.open = file_open,
	.start = file_start,
	.next = file_next,
	.now = file_now,
	.past = file_past,
	.symbols = file_symbols,
	.groups = file_groups,
	.describe = file_describe,
	.close = file_close,
};
