/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/symbols/symbols.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/arch/arch.h"
#include "engine/symbols/codes.h"
#include "engine/symbols/demangle.h"
#include "engine/symbols/kallsyms.h"
#include "engine/symbols/proc_events.h"
#include "engine/symbols/vmlinux.h"

enum { NAME_BYTES = 4096 };

struct symbols {
	struct kallsyms *kernel;
	const struct object *unread;	/* a file that could not be read */
	bool kernel_tried, image_tried, nomem;
	int kernel_err;
	struct vmlinux image;		/* with the kernel's debugging information */
	char unread_maps[64];
	struct maps maps;
	struct proc_events *events;
	struct demangler demangler;
	const struct codes *codes;	/* NULL: none */
	char name[NAME_BYTES];
};

struct symbols *symbols_open(void)
{
	struct symbols *s = calloc(1, sizeof *s);

	if (s)
		maps_init(&s->maps);
	return s;
}

void symbols_close(struct symbols *s)
{
	if (!s)
		return;
	kallsyms_close(s->kernel);
	vmlinux_close(&s->image);
	proc_events_close(s->events);
	maps_close(&s->maps);
	demangler_close(&s->demangler);
	free(s);
}

/* Enables process events before reading the running processes, so that no mapping is lost in between. */
int symbols_watch(struct symbols *s)
{
	int err = proc_events_open(&s->events);

	if (!err)
		maps_read_all(&s->maps);
	return err;
}

bool symbols_fd(const struct symbols *s, unsigned i, int *fd)
{
	return proc_events_fd(s->events, i, fd);
}

void symbols_interpreted(struct symbols *s, const struct codes *c)
{
	s->codes = c;
}

void symbols_refresh(struct symbols *s)
{
	s->maps.jits.turn = ++s->maps.turn;
	proc_events_read(s->events, &s->maps);
}

void symbols_cpus(struct symbols *s)
{
	proc_events_refresh(s->events, &s->maps);
}

bool symbols_mapped(struct symbols *s, int64_t pid, uint64_t time, const struct symbol_file *f)
{
	const struct maps_file file = { f->path, makedev(f->major, f->minor), f->inode };
	const struct mapping where = { .start = f->start, .end = f->start + f->size, .off = f->offset };

	return maps_add(&s->maps, pid, time, &file, &where);
}

void symbols_forked(struct symbols *s, int64_t pid, int64_t parent, uint64_t time)
{
	maps_fork(&s->maps, pid, parent, time);
}

void symbols_execed(struct symbols *s, int64_t pid, uint64_t time)
{
	maps_exec(&s->maps, pid, time);
}

void symbols_ended(struct symbols *s, int64_t pid)
{
	maps_exit(&s->maps, pid, 0);
}

void symbols_read_all(struct symbols *s)
{
	maps_read_all(&s->maps);
}

int symbols_code(struct symbols *s, int64_t pid, void (*fn)(void *arg, const struct mapping *x), void *arg)
{
	return maps_code(&s->maps, pid, fn, arg);
}

const struct address_ranges *symbols_generated(const struct symbols *s, int64_t pid)
{
	return jits_memory(&s->maps.jits, pid, 0);
}

void symbols_needed(struct symbols *s, int64_t pid, void (*fn)(void *arg, struct object *o), void *arg)
{
	maps_needed(&s->maps, pid, fn, arg);
}

static void find_kernel(void *arg, uint64_t addr, struct symbol *out)
{
	struct symbols *s = arg;

	*out = (struct symbol){ 0 };
	if (!addr)
		return;		/* a sample without a program counter */
	if (!s->kernel_tried)
		s->kernel = kallsyms_open("/proc/kallsyms", &s->kernel_err);
	s->kernel_tried = true;
	if (s->kernel)
		kallsyms_find(s->kernel, addr, out);
}

static const struct symbol_space *space_of(struct symbols *s, int64_t pid)
{
	return spaces_process(&s->maps.spaces, pid);
}

/* True if the address is in memory that is in no ELF file: only there may a process have generated code. */
static bool is_elsewhere(const struct mapping *x)
{
	return !x || !x->file || !object_image(x->file);
}

/* True in the page in which the kernel runs the instructions of uprobes. No record reports that it is mapped. */
static bool in_uprobes(uint64_t addr)
{
	enum { SMALLEST_PAGE = 4096 };

	return addr >= ARCH_UPROBES && addr - ARCH_UPROBES < SMALLEST_PAGE;
}

static void find_user(void *arg, int64_t pid, uint64_t addr, uint64_t at, struct symbol *out)
{
	struct symbols *s = arg;
	const struct mapping *x;
	struct jit_found code;
	struct object *o;
	uint64_t distance;
	bool found;

	if (codes_is_word(addr)) {
		codes_find(s->codes, addr, out);
		return;
	}
	*out = (struct symbol){ 0 };
	x = maps_find(&s->maps, pid, addr, at);
	if (is_elsewhere(x) && jits_find(&s->maps.jits, pid, addr, at, &code)) {
		out->object = JIT_OBJECT;
		out->name = demangler_name(&s->demangler, code.name);
		out->start = out->base = code.start;
	}
	if (!x && !out->object && in_uprobes(addr)) {
		out->object = UPROBES_OBJECT;
		out->base = ARCH_UPROBES;
	}
	if (!x || out->object)
		return;
	o = x->file;
	out->object = o->name;
	out->base = spaces_base(space_of(s, pid), x, at);
	found = object_find(o, addr - x->start + x->off, &distance, s->name, sizeof s->name);
	s->nomem |= o->nomem;
	if (o->err)
		s->unread = o;
	if (!found)
		return;
	out->name = demangler_name(&s->demangler, s->name);
	out->start = addr - distance;
}

/* Describes generated code as a file of its process. If loads have times, each is a place of its own in that file, so
 * that loads at the same address differ. Otherwise, or if the code is not described yet, the place is the address. */
static void generated_mapping(const struct jit_found *code, uint64_t addr, struct symbol_mapping *out)
{
	enum { PAGE = 4096 };

	out->path = JIT_OBJECT;
	out->ino = code->process;
	out->start = addr & ~(uint64_t)(PAGE - 1);
	out->end = out->start + PAGE;
	out->off = out->start;
	if (!code->since)
		return;
	out->start = code->start;
	out->end = code->end;
	out->off = code->off;
	out->since = code->since;
}

static bool find_mapping(void *arg, int64_t pid, uint64_t addr, uint64_t at, struct symbol_mapping *out)
{
	struct symbols *s = arg;
	const struct mapping *x = maps_find(&s->maps, pid, addr, at);
	const struct symbol_space *p = space_of(s, pid);
	struct jit_found code = { 0 };
	struct object *o;

	*out = (struct symbol_mapping){ .begun = spaces_begun(p, at) };
	if (is_elsewhere(x) && (jits_find(&s->maps.jits, pid, addr, at, &code) || code.process)) {
		generated_mapping(&code, addr, out);
		return true;
	}
	x = x ? x : spaces_find(p, addr, at);
	if (!x)
		return false;
	out->start = x->start;
	out->end = x->end;
	out->off = x->off;
	out->since = x->since;
	o = x->file;
	if (!o)
		return false;
	out->path = o->path;
	out->dev = o->dev;
	out->ino = o->ino;
	out->idlen = object_build_id(o, pid, x->start, x->end, &out->id);
	return true;
}

/* Modules are not searched. */
static bool find_kernel_code(struct symbols *s, uint64_t addr, struct symbol_code *out)
{
	struct symbol found;
	uint64_t off;

	find_kernel(s, addr, &found);
	if (!found.object || strcmp(found.object, "vmlinux"))
		return false;
	if (!s->image_tried)
		vmlinux_open_running(&s->image, s->kernel);
	s->image_tried = true;
	if (!vmlinux_offset(&s->image, addr, &off))
		return false;
	*out = (struct symbol_code){ .object = s->image.object, .path = s->image.object->path, .start = addr,
		.off = off };
	return true;
}

static bool find_code(void *arg, int64_t pid, uint64_t addr, uint64_t at, struct symbol_code *out)
{
	struct symbols *s = arg;
	const struct mapping *x = pid < 0 ? NULL : maps_find(&s->maps, pid, addr, at);
	struct object *o = x ? x->file : NULL;

	if (pid < 0)
		return find_kernel_code(s, addr, out);
	if (!o)
		return false;
	*out = (struct symbol_code){ .object = o, .path = o->path, .start = x->start, .off = x->off, .data = x->data };
	return true;
}

static bool object_executes(const void *file)
{
	const struct object *o = file;

	return object_is_program(o->path);
}

static const char *find_program(void *arg, int64_t pid, uint64_t at)
{
	const struct object *o = spaces_program(space_of(arg, pid), at, object_executes);

	return o ? o->path : NULL;
}

/* find_code has read the mappings. */
static bool find_nowhere(void *arg, int64_t pid, uint64_t addr, uint64_t at)
{
	struct symbols *s = arg;
	const struct address_ranges *memory = jits_memory(&s->maps.jits, pid, at);

	return spaces_known(space_of(s, pid), at) && !(memory && (memory->full || ranges_have(memory, addr)));
}

/* The time at which the code at an address was loaded, as far as it is known; 0 = not known. A compiler may describe
 * code after it has made the memory executable, so the end of the time in which the memory was unchanged counts. */
static uint64_t generated_since(struct symbols *s, int64_t pid, uint64_t addr, uint64_t at)
{
	const struct mapping *x = maps_find(&s->maps, pid, addr, at);
	uint64_t last = jits_until(&s->maps.jits, pid, at) - 1;
	struct jit_found code;

	if (!is_elsewhere(x))
		return 0;
	if (jits_find(&s->maps.jits, pid, addr, last, &code) && code.since <= last)
		return code.since;
	return jits_find(&s->maps.jits, pid, addr, at, &code) && code.since <= at ? code.since : 0;
}

static uint64_t settle_symbols(void *arg, int64_t pid, const struct symbol_addresses *addr, uint64_t from, uint64_t at)
{
	struct symbols *s = arg;
	uint64_t since = spaces_settle(&s->maps.spaces, space_of(s, pid), addr, from, at), code;

	for (uint32_t i = 0; i < addr->n && jits_known(&s->maps.jits, pid); i++) {
		code = generated_since(s, pid, addr->v[i], at);
		if (code > from && code > since)
			since = code;
	}
	return since;
}

static uint64_t find_next(void *arg, int64_t pid, uint64_t at)
{
	return spaces_next(space_of(arg, pid), at);
}

static uint64_t find_changed(void *arg, int64_t pid, uint64_t at)
{
	struct symbols *s = arg;
	uint64_t map = spaces_changed(space_of(s, pid), at), code = jits_changed(&s->maps.jits, pid, at);

	return code > map ? code : map;
}

static bool has_ended(void *arg, int64_t pid, uint64_t at)
{
	const struct symbol_space *p = space_of(arg, pid);

	return p && (p->ended || (at && spaces_next(p, at) != at));
}

static void find_lacks(void *arg, struct symbol_lacks *out)
{
	struct symbols *s = arg;

	*out = (struct symbol_lacks){
		.kernel = s->kernel_err == ENOMEM ? 0 : s->kernel_err,
		.lines = s->image_tried && !s->image.object ? s->image.why : NULL,
		.notes = proc_events_lost(s->events) + s->maps.spaces.forgotten,
		.nomem = s->nomem || maps_failed(&s->maps) || s->kernel_err == ENOMEM,
	};
	if (s->unread) {
		out->file = s->unread->err;
		out->path = s->unread->path;
	} else if (s->maps.unread) {
		snprintf(s->unread_maps, sizeof s->unread_maps, "/proc/%" PRId64 "/maps", s->maps.unread_pid);
		out->file = s->maps.unread;
		out->path = s->unread_maps;
	} else if (s->maps.jits.err) {
		out->file = s->maps.jits.err;
		out->path = s->maps.jits.path;
		out->why = s->maps.jits.why;
	}
}

const struct symbol_ops symbols_ops = {
	.kernel = find_kernel, .user = find_user, .mapping = find_mapping, .code = find_code, .nowhere = find_nowhere,
	.settle = settle_symbols, .next = find_next, .changed = find_changed, .ended = has_ended, .lacks = find_lacks,
	.program = find_program,
};
