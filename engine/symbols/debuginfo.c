/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/symbols/debuginfo.h"

#include <dwarf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "engine/symbols/object.h"

enum {
	RANGES_MAX = 1 << 16,		/* address ranges of an entry */
	TYPE_NAMES_MAX = 64,		/* typedefs of a type; untrusted files may have cycles */
};

void debuginfo_close(struct debuginfo *d)
{
	for (unsigned i = 0; i < DEBUGINFO_HASH; i++) {
		while (d->file[i]) {
			struct debuginfo_file *f = d->file[i];

			d->file[i] = f->next;
			if (f->dwarf)
				d->dw.end(f->dwarf);
			elf_end(f->elf);
			if (f->fd >= 0)
				close(f->fd);
			free(f);
		}
	}
	dwinfo_close(&d->dw);
	*d = (struct debuginfo){ 0 };
}

const char *debuginfo_why(const struct debuginfo *d)
{
	return *d->why ? d->why : NULL;
}

static bool has_info(const struct elf *e)
{
	return e && e->fd >= 0 && (elf_section_named(e, ".debug_info") || elf_section_named(e, ".zdebug_info"));
}

/* A descriptor of the file that has the information, or -1. */
static int info_open(struct debuginfo *d, struct object *o)
{
	const struct elf *e = object_image(o);
	uint8_t id[ELF_BUILDID];
	unsigned idlen;
	int fd;

	if (!e)
		return -1;
	idlen = elf_build_id(e, id);
	if (!has_info(e))
		e = object_debug(o);
	if (has_info(e))
		return fcntl(e->fd, F_DUPFD_CLOEXEC, 0);
	fd = dwinfo_request(id, idlen, d->why, sizeof d->why);
	if (fd >= 0)
		object_use_debug(o, fd);
	return fd;
}

const struct debuginfo_file *debuginfo_find(struct debuginfo *d, struct object *o)
{
	struct debuginfo_file **slot = &d->file[o->ino % DEBUGINFO_HASH], *f;

	for (f = *slot; f; f = f->next)
		if (f->object == o)
			return f;
	if (!d->tried)
		dwinfo_open(&d->dw, d->why, sizeof d->why);
	d->tried = true;
	f = d->dw.lib ? calloc(1, sizeof *f) : NULL;
	if (!f)
		return NULL;
	f->object = o;
	elf_version(EV_CURRENT);
	f->fd = info_open(d, o);
	f->elf = f->fd >= 0 ? elf_begin(f->fd, ELF_C_READ, NULL) : NULL;
	f->dwarf = f->elf ? d->dw.begin_elf(f->elf, DWARF_C_READ, NULL) : NULL;
	if (f->dwarf)	/* a supplementary file is not read: an untrusted file could name any */
		d->dw.setalt(f->dwarf, NULL);
	f->next = *slot;
	return *slot = f;
}

void debuginfo_units(const struct debuginfo *d, const struct debuginfo_file *f, void (*fn)(void *arg, Dwarf_Die *unit),
		     void *arg)
{
	Dwarf_Off off = 0, next;
	size_t head;
	Dwarf_Die die;

	if (!f->dwarf)
		return;
	while (d->dw.nextcu(f->dwarf, off, &next, &head, NULL, NULL, NULL) == 0 && next > off) {
		if (d->dw.offdie(f->dwarf, off + head, &die))
			fn(arg, &die);
		off = next;
	}
}

/* Entries of a valid file have increasing offsets. */
bool debuginfo_next(const struct debuginfo *d, Dwarf_Die *die)
{
	Dwarf_Off before = d->dw.dieoffset(die);

	return d->dw.siblingof(die, die) == 0 && d->dw.dieoffset(die) > before;
}

bool debuginfo_number(const struct debuginfo *d, Dwarf_Die *die, unsigned attr, uint64_t *out)
{
	Dwarf_Attribute a;
	Dwarf_Word v;

	if (!d->dw.attr_integrate(die, attr, &a) || d->dw.formudata(&a, &v) != 0)
		return false;
	*out = v;
	return true;
}

bool debuginfo_type(const struct debuginfo *d, const Dwarf_Die *die, Dwarf_Die *out)
{
	Dwarf_Die at = *die;
	Dwarf_Attribute a;
	int tag;

	for (unsigned i = 0; i < TYPE_NAMES_MAX; i++) {
		if (!d->dw.attr_integrate(&at, DW_AT_type, &a) || !d->dw.formref_die(&a, out))
			return false;
		tag = d->dw.tag(out);
		if (tag != DW_TAG_typedef && tag != DW_TAG_const_type && tag != DW_TAG_volatile_type &&
		    tag != DW_TAG_atomic_type && tag != DW_TAG_restrict_type)
			return true;
		at = *out;
	}
	return false;
}

void debuginfo_spans(const struct debuginfo *d, Dwarf_Die *die, struct code_spans *to)
{
	uint64_t off = d->dw.dieoffset(die);
	Dwarf_Addr base = 0, start, end;
	ptrdiff_t at = 0;

	for (unsigned i = 0; i < RANGES_MAX && (at = d->dw.ranges(die, at, &base, &start, &end)) > 0; i++)
		spans_add(to, start, end, off);
}
