/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/symbols/symbols.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sysmacros.h>

#include "engine/symbols/demangle.h"
#include "engine/symbols/kallsyms.h"
#include "engine/symbols/proc_events.h"

enum { NAME_BYTES = 4096 };

struct symbols {
	struct kallsyms *kernel;
	const struct object *unread;	/* a file that could not be read */
	bool kernel_tried, nomem;
	int kernel_err;
	char unread_maps[64];
	struct maps maps;
	struct proc_events *events;
	struct demangler demangler;
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

void symbols_refresh(struct symbols *s)
{
	s->maps.turn++;
	proc_events_read(s->events, &s->maps);
}

void symbols_cpus(struct symbols *s)
{
	proc_events_refresh(s->events, &s->maps);
}

bool symbols_mapped(struct symbols *s, int64_t pid, uint64_t time, const struct symbol_file *f)
{
	struct mapping x = { .start = f->start, .end = f->start + f->size, .off = f->offset };

	return maps_add(&s->maps, pid, time, f->path, makedev(f->major, f->minor), f->inode, &x);
}

void symbols_forked(struct symbols *s, int64_t pid, int64_t parent, uint64_t time)
{
	spaces_fork(&s->maps.spaces, pid, parent, time);
}

void symbols_execed(struct symbols *s, int64_t pid, uint64_t time)
{
	spaces_exec(&s->maps.spaces, pid, time);
}

void symbols_ended(struct symbols *s, int64_t pid)
{
	spaces_exit(&s->maps.spaces, pid);
}

void symbols_read_all(struct symbols *s)
{
	maps_read_all(&s->maps);
}

static void find_kernel(void *arg, uint64_t addr, struct symbol *out)
{
	struct symbols *s = arg;

	if (!s->kernel_tried)
		s->kernel = kallsyms_open("/proc/kallsyms", &s->kernel_err);
	s->kernel_tried = true;
	*out = (struct symbol){ 0 };
	if (s->kernel)
		kallsyms_find(s->kernel, addr, out);
}

static const struct symbol_space *space_of(struct symbols *s, int64_t pid)
{
	return spaces_get(&s->maps.spaces, pid, false);
}

static void find_user(void *arg, int64_t pid, uint64_t addr, uint64_t at, struct symbol *out)
{
	struct symbols *s = arg;
	const struct mapping *x = maps_find(&s->maps, pid, addr, at);
	struct object *o;
	uint64_t distance;
	bool found;

	*out = (struct symbol){ 0 };
	if (!x)
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

static bool find_mapping(void *arg, int64_t pid, uint64_t addr, uint64_t at, struct symbol_mapping *out)
{
	struct symbols *s = arg;
	const struct mapping *x = maps_find(&s->maps, pid, addr, at);
	const struct symbol_space *p = space_of(s, pid);
	struct object *o;

	x = x ? x : spaces_find(p, addr, at);
	*out = (struct symbol_mapping){ .begun = spaces_begun(p, at) };
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

static bool find_code(void *arg, int64_t pid, uint64_t addr, uint64_t at, struct symbol_code *out)
{
	struct symbols *s = arg;
	const struct mapping *x = maps_find(&s->maps, pid, addr, at);
	struct object *o = x ? x->file : NULL;

	if (!o)
		return false;
	*out = (struct symbol_code){ .object = o, .path = o->path, .start = x->start, .off = x->off };
	return true;
}

static uint64_t settle(void *arg, int64_t pid, const uint64_t *addr, uint32_t n, uint64_t from, uint64_t at)
{
	struct symbols *s = arg;

	return spaces_settle(&s->maps.spaces, space_of(s, pid), addr, n, from, at);
}

static uint64_t next(void *arg, int64_t pid, uint64_t at)
{
	return spaces_next(space_of(arg, pid), at);
}

static uint64_t changed(void *arg, int64_t pid, uint64_t at)
{
	return spaces_changed(space_of(arg, pid), at);
}

static void find_lacks(void *arg, struct symbol_lacks *out)
{
	struct symbols *s = arg;

	*out = (struct symbol_lacks){
		.kernel = s->kernel_err == ENOMEM ? 0 : s->kernel_err,
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
	}
}

const struct symbol_ops symbols_ops = {
	.kernel = find_kernel, .user = find_user, .mapping = find_mapping, .code = find_code,
	.settle = settle, .next = next, .changed = changed, .lacks = find_lacks,
};
