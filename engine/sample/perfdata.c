/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Files of `perf record` as a sample source. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/kallsyms_line.h"
#include "base/map.h"
#include "engine/run/bytes.h"
#include "engine/sample/names.h"
#include "engine/sample/perffile.h"
#include "engine/sample/recorded.h"

/* Marks in a call chain: the frames after it are in the kernel, in the process. */
#define CONTEXT_MAX ((uint64_t)-4095)
#define CONTEXT_KERNEL ((uint64_t)-128)
#define CONTEXT_USER ((uint64_t)-512)

/* Frames of a call chain, if the file does not specify the limit. */
enum { DEFAULT_FRAMES = 127 };

/* A thread's name. */
struct thread {
	char comm[16];
};

struct perfdata_source {
	struct recording_file *recording;
	struct perf_file file;
	struct record_names *names;
	struct arena arena;
	struct map threads;		/* by thread ID */
	struct map objects;		/* path -> number + 1 */
	struct map ids;			/* path -> build ID, from the file's list */
	uint32_t nobjects;
	size_t next;
	uint64_t now, begin;
	uint64_t frames[2][SAMPLE_MAXFRAMES];
	bool kernel_checked;
	bool unwinds;			/* stacks can be unwound: they were recorded on a machine of this kind */
};

static struct perfdata_source *perfdata_source(struct sample_source *handle)
{
	return (struct perfdata_source *)handle;
}

struct build_id {
	unsigned len;
	uint8_t id[PERF_FILE_BUILD_ID];
};

/* ---- opening ---- */
static void file_close(struct sample_source *handle)
{
	struct perfdata_source *s = perfdata_source(handle);

	if (!s)
		return;
	perf_file_close(&s->file);
	record_names_close(s->names);
	arena_free(&s->arena);
	free(s);
}

/* Reads the list of build IDs, which is after the records; kernels may also report them with each mapping. */
static void ids_read(struct perfdata_source *s)
{
	uint64_t off = 0;
	struct build_id *b;
	const uint8_t *id;
	const char *name;
	unsigned len;

	while (perf_file_build_id(&s->file, &off, &name, &id, &len)) {
		b = arena_alloc(&s->arena, sizeof *b);
		b->len = len;
		memcpy(b->id, id, len);
		*map_put(&s->ids, name, strlen(name)) = b;
	}
}

static uint64_t first_sample(const struct perf_file *f)
{
	struct perf_record r;

	for (size_t i = 0; i < f->n; i++)
		if (perf_file_record(f, i, &r) && r.type == PERF_RECORD_SAMPLE)
			return r.time;
	return 0;
}

static bool machine_same(const struct perf_file *f)
{
	const char *machine = perf_file_text(f, PERF_FEATURE_MACHINE);
	struct utsname u;

	return !uname(&u) && (!machine || !strcmp(machine, u.machine));
}

static int file_wants(const struct perfdata_source *s, const struct source_want *w, char *reason, size_t n)
{
	bool chains = s->file.attr.sample_type & PERF_SAMPLE_CALLCHAIN;

	if ((!w->kstacks && !w->ustacks) || chains)
		return 0;
	snprintf(reason, n, "%s: no stacks were recorded: use perf record -g", s->recording->path);
	return -1;
}

static int file_open(struct sample_source **out, const struct source_want *w, char *reason, size_t n)
{
	struct recording_file *recording = w->arg;
	struct perfdata_source *s = calloc(1, sizeof *s);
	int fd = open(*recording->from ? recording->from : recording->path, O_RDONLY | O_CLOEXEC), err = errno;
	bool good;

	*out = (struct sample_source *)s;
	if (s)
		arena_init(&s->arena, w->arena->oom, w->arena->oom_arg);
	if (s && fd >= 0)
		s->names = record_names_open(w->arena->oom, w->arena->oom_arg);
	if (!s || fd < 0 || !s->names) {
		snprintf(reason, n, "%s: %s", recording->path, fd < 0 ? strerror(err) : "out of memory");
		return -1;
	}
	s->recording = recording;
	map_init(&s->threads, &s->arena);
	map_init(&s->objects, &s->arena);
	map_init(&s->ids, &s->arena);
	good = perf_file_open(&s->file, fd);
	close(fd);
	if (!good) {
		snprintf(reason, n, "%s: offset %" PRIu64 ": %s", recording->path, s->file.bad_at, s->file.reason);
		return -1;
	}
	ids_read(s);
	s->unwinds = machine_same(&s->file);
	s->now = s->begin = first_sample(&s->file);
	return file_wants(s, w, reason, n);
}

static int file_start(struct sample_source *handle, const uint64_t *interval, unsigned n, char *reason, size_t size)
{
	struct perfdata_source *s = perfdata_source(handle);

	return record_rates(s->file.interval, interval, n, reason, size);
}

/* ---- threads ---- */
static struct thread *thread_of(struct perfdata_source *s, uint32_t tid, bool make)
{
	void **p = make ? map_put(&s->threads, &tid, sizeof tid) : map_find(&s->threads, &tid, sizeof tid);

	if (p && !*p && make)
		*p = arena_alloc(&s->arena, sizeof(struct thread));
	return p ? *p : NULL;
}

static void name_set(struct thread *t, const char *name)
{
	memset(t->comm, 0, sizeof t->comm);
	memcpy(t->comm, name, strnlen(name, sizeof t->comm - 1));
}

/* Stores an item that reports changed mappings. Returns true. */
static bool change_fill(const struct perf_record *r, struct source_item *out)
{
	*out = (struct source_item){
		.kind = SOURCE_CHANGE, .sample = { .time = r->time, .cpu = r->cpu, .pid = r->pid },
	};
	return true;
}

static bool fork_add(struct perfdata_source *s, const struct perf_record *r, struct source_item *out)
{
	const struct thread *from = thread_of(s, r->ptid, false);

	if (from)
		*thread_of(s, r->tid, true) = *from;
	if (r->pid == r->ppid)
		return false;
	record_names_fork(s->names, r->pid, r->ppid, r->time);
	return change_fill(r, out);
}

static void comm_set(struct perfdata_source *s, const struct perf_record *r)
{
	name_set(thread_of(s, r->tid, true), r->name);
	if (r->misc & PERF_RECORD_MISC_COMM_EXEC)
		record_names_exec(s->names, r->pid, r->time, false);
}

/* ---- mappings ---- */

struct symbol_place {
	const char *name;
	uint64_t addr;
};

static bool take_place(void *arg, const struct kallsyms_line *s)
{
	struct symbol_place *place = arg;

	place->addr = strcmp(s->name, place->name) ? 0 : s->addr;
	return !strcmp(s->name, place->name);
}

/* Uses this machine's kernel symbols if the release and the start of the kernel's text are the same. */
static void kernel_check(struct perfdata_source *s, const struct perf_record *r)
{
	const char *release = perf_file_text(&s->file, PERF_FEATURE_RELEASE);
	struct utsname u;
	struct symbol_place start = { strstr(r->name, "_stext") ? "_stext" : "_text", 0 };

	if (s->kernel_checked || strncmp(r->name, "[kernel.kallsyms]", 17))
		return;
	s->kernel_checked = true;
	kallsyms_each(NULL, take_place, &start);
	if (release && !uname(&u) && !strcmp(release, u.release) && start.addr && start.addr == r->addr)
		record_names_kernel(s->names);
}

static uint32_t object_of(struct perfdata_source *s, const struct perf_record *r)
{
	struct record_object o = { .path = r->name, .dev = makedev(r->major, r->minor), .ino = r->ino };
	void **listed = map_find(&s->ids, r->name, strlen(r->name)), **p;
	const struct build_id *b = listed ? *listed : NULL;

	o.idlen = r->idlen ? r->idlen : b ? b->len : 0;
	if (o.idlen)
		memcpy(o.id, r->idlen ? r->id : b->id, o.idlen);
	p = map_put(&s->objects, r->name, strlen(r->name));
	if (!*p) {
		record_names_object(s->names, &o);
		*p = (void *)(uintptr_t)++s->nobjects;
	}
	return (uint32_t)((uintptr_t)*p - 1);
}

/* False for names such as "//anon" and "[heap]". */
static bool is_file(const char *name)
{
	return (*name == '/' && name[1] != '/') || !strcmp(name, "[vdso]");
}

static bool map_add(struct perfdata_source *s, const struct perf_record *r, struct source_item *out)
{
	struct record_map m = { .pid = r->pid, .start = r->addr, .end = r->addr + r->len, .off = r->off,
		.since = r->time };

	if ((r->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL || r->pid == UINT32_MAX) {
		kernel_check(s, r);
		return false;
	}
	if (!(r->prot & 4) || m.end <= m.start)
		return false;
	m.object = is_file(r->name) ? object_of(s, r) : RECORD_NO_OBJECT;
	return record_names_map(s->names, &m) && change_fill(r, out);
}

/* ---- samples ---- */

/* Stores the frames of one kind: those after its mark. If the chain has the maximum length (most), the frames of the
 * last kind are truncated. */
static struct frames frames_take(uint64_t *to, const struct perf_record *r, uint64_t context, uint64_t most)
{
	struct frames f = { .pc = to };
	uint64_t all = 0;
	bool in = false;

	for (uint64_t i = 0; i < r->nchain; i++) {
		uint64_t pc = get_le(r->chain + 8 * i, 8);

		if (pc >= CONTEXT_MAX)
			in = pc == context;
		else if (in && pc && f.n < SAMPLE_MAXFRAMES)
			to[f.n++] = pc;
		all += pc < CONTEXT_MAX;
	}
	f.cut = in && all >= most;
	return f;
}

static void sample_fill(struct perfdata_source *s, const struct perf_record *r, struct sample *out)
{
	bool user = (r->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER;
	uint64_t most = s->file.attr.sample_max_stack ? s->file.attr.sample_max_stack : DEFAULT_FRAMES;
	const struct thread *t = thread_of(s, r->tid, false);

	*out = (struct sample){ .time = r->time, .cpu = r->cpu, .pid = r->pid, .tid = r->tid };
	out->arg[!!user] = r->ip;
	out->mode = user ? SAMPLE_USER : SAMPLE_KERNEL;
	if (t)
		memcpy(out->comm, t->comm, sizeof out->comm);
	else if (!r->pid)
		memcpy(out->comm, "swapper", sizeof "swapper");
	else
		snprintf(out->comm, sizeof out->comm, ":%d", (int)r->tid);
	if (r->nchain) {
		out->stack = frames_take(s->frames[0], r, CONTEXT_KERNEL, most);
		out->ustack = frames_take(s->frames[1], r, CONTEXT_USER, most);
	}
	out->depth = out->stack.n;
	out->udepth = out->ustack.n;
	if (s->unwinds && !out->ustack.n)
		out->start = (struct unwind_start){ .bits = r->start.bits, .mask = r->start.mask, .regs = r->start.regs,
						    .stack = r->start.stack, .size = (uint32_t)r->start.size };
}

/* Returns 1 if *out is an item for the engine, 0 if the record was only processed here. */
static int record_take(struct perfdata_source *s, const struct perf_record *r, struct source_item *out)
{
	switch (r->type) {
	case PERF_RECORD_SAMPLE:
		out->kind = SOURCE_SAMPLE;
		sample_fill(s, r, &out->sample);
		return 1;
	case PERF_RECORD_LOST: case PERF_RECORD_LOST_SAMPLES:
		out->kind = SOURCE_LOST;
		out->sample = (struct sample){ .time = s->now, .cpu = r->cpu };
		out->lost = r->lost;
		return 1;
	case PERF_RECORD_COMM:
		comm_set(s, r);
		return 0;
	case PERF_RECORD_FORK:
		return fork_add(s, r, out);
	case PERF_RECORD_MMAP: case PERF_RECORD_MMAP2:
		return map_add(s, r, out);
	}
	return 0;
}

static int file_next(struct sample_source *handle, struct source_item *out)
{
	struct perfdata_source *s = perfdata_source(handle);
	struct perf_record r;

	while (s->next < s->file.n) {
		bool good = perf_file_record(&s->file, s->next++, &r);

		if (good && r.time > s->now)
			s->now = r.time;
		if (good && record_take(s, &r, out))
			return 1;
	}
	if (*s->file.reason && !*s->recording->damage)
		snprintf(s->recording->damage, sizeof s->recording->damage,
			 "offset %" PRIu64 ": %s; the data before it was used",
			 s->file.bad_at, s->file.reason);
	return -ENODATA;
}

/* ---- clock and origin ---- */
static uint64_t file_now(struct sample_source *handle)
{
	struct perfdata_source *s = perfdata_source(handle);

	return s->now;
}

/* perf's clock starts at boot; only with -k does the file relate it to the time of day. */
static bool file_wall(const struct perf_file *f, uint64_t *wall)
{
	const uint8_t *p = perf_file_feature(f, PERF_FEATURE_CLOCK, 0, 24);

	*wall = p ? get_le(p + 8, 8) - get_le(p + 16, 8) : 0;
	return p;
}

/* The command line that wrote the file: a number of words, each with its length. */
static void file_command(const struct perf_file *f, char *out, size_t n)
{
	const uint8_t *p = perf_file_feature(f, PERF_FEATURE_COMMAND, 0, 4), *word;
	uint64_t words = p ? get_le(p, 4) : 0, off = 4, len;
	size_t used = 0;

	*out = '\0';
	for (; words && used < n && (p = perf_file_feature(f, PERF_FEATURE_COMMAND, off, 4)); words--) {
		len = get_le(p, 4);
		word = perf_file_feature(f, PERF_FEATURE_COMMAND, off + 4, len);
		if (!word || len > INT32_MAX)
			return;
		used += (size_t)snprintf(out + used, n - used, "%s%.*s", used ? " " : "", (int)len, (const char *)word);
		off += 4 + len;
	}
}

static void file_text(const struct perf_file *f, enum perf_feature feature, char *out, size_t n)
{
	const char *text = perf_file_text(f, feature);

	snprintf(out, n, "%s", text ? text : "");
}

static void file_past(struct sample_source *handle, struct source_past *out)
{
	struct perfdata_source *s = perfdata_source(handle);
	const uint8_t *p = perf_file_feature(&s->file, PERF_FEATURE_CPUS, 0, 8);
	struct perf_record r;
	uint64_t cpus = p ? get_le(p, 4) > get_le(p + 4, 4) ? get_le(p, 4) : get_le(p + 4, 4) : 1;

	for (size_t i = 0; i < s->file.n; i++)
		if (perf_file_record(&s->file, i, &r) && r.cpu >= cpus)
			cpus = (uint64_t)r.cpu + 1;
	out->ncpus = cpus < RECORD_CPUS ? (unsigned)cpus : RECORD_CPUS;
	file_text(&s->file, PERF_FEATURE_HOST, out->about.host, sizeof out->about.host);
	file_text(&s->file, PERF_FEATURE_RELEASE, out->release, sizeof out->release);
	file_text(&s->file, PERF_FEATURE_MACHINE, out->machine, sizeof out->machine);
	file_command(&s->file, out->about.subject, sizeof out->about.subject);
	out->about.began = s->begin;
	out->interval = s->file.interval;
	out->stacks = s->file.attr.sample_type & PERF_SAMPLE_CALLCHAIN;
	if (!file_wall(&s->file, &out->wall))
		out->nowall = "use perf record -k mono";
	if (!(s->file.attr.sample_type & PERF_SAMPLE_CPU))
		out->nocpu = "use perf record --sample-cpu";
}

static const struct symbol_ops *file_symbols(struct sample_source *handle, void **arg)
{
	struct perfdata_source *s = perfdata_source(handle);

	*arg = s->names;
	return &record_symbol_ops;
}

static const char *event_name(const struct perf_event_attr *a)
{
	if (a->type == PERF_TYPE_SOFTWARE)
		return a->config == PERF_COUNT_SW_TASK_CLOCK ? "task-clock" : "cpu-clock";
	return a->type == PERF_TYPE_HARDWARE && a->config == PERF_COUNT_HW_CPU_CYCLES ? "cycles" : "by frequency";
}

static void file_describe(struct sample_source *handle, char *out, size_t n)
{
	struct perfdata_source *s = perfdata_source(handle);
	char which[96] = "";

	if (s->file.events > 1)
		snprintf(which, sizeof which, ": its event %u (%s), not the other%s", s->file.attr_number,
			 event_name(&s->file.attr), s->file.events > 2 ? "s" : "");
	snprintf(out, n, "%s, a file of perf record%s", s->recording->path, which);
}

const struct source_ops source_perfdata = {
	.name = "perf.data",
	.open = file_open,
	.start = file_start,
	.next = file_next,
	.now = file_now,
	.past = file_past,
	.symbols = file_symbols,
	.describe = file_describe,
	.close = file_close,
};
