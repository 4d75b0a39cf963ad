/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/output/gmon/gmon_object.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/symbols/kallsyms.h"
#include "engine/symbols/object.h"

struct borders {
	struct gmon_object *object;
	bool nomem;
};

static int border_compare(const void *x, const void *y)
{
	const uint64_t *a = x, *b = y;

	return (*a > *b) - (*a < *b);
}

static bool border_add(struct gmon_object *o, uint64_t addr)
{
	if (o->nborders == o->room) {
		size_t room = o->room ? 2 * o->room : 1024;
		uint64_t *v = reallocarray(o->border, room, sizeof *v);

		if (!v)
			return false;
		o->border = v;
		o->room = room;
	}
	o->border[o->nborders++] = addr;
	return true;
}

static int gmon_object_done(struct gmon_object *o, int err)
{
	if (err)
		gmon_object_free(o);
	else if (o->nborders)
		qsort(o->border, o->nborders, sizeof *o->border, border_compare);
	return err;
}

void gmon_object_free(struct gmon_object *o)
{
	free(o->border);
	*o = (struct gmon_object){ 0 };
}

/* ---- files ---- */

/* gprof ignores some local symbols, and a part must not end within a symbol. */
static void take_symbol(void *arg, uint32_t i, const struct elf_sym *s)
{
	struct borders *b = arg;
	const struct gmon_object *o = b->object;

	(void)i;
	if (s->bind != STB_LOCAL && s->type == STT_FUNC && s->value > o->low && s->value < o->high)
		b->nomem |= !border_add(b->object, s->value);
}

int gmon_object_file(struct gmon_object *o, struct object *file)
{
	const struct elf *e = object_image(file);
	struct borders borders = { .object = o };

	*o = (struct gmon_object){ .low = UINT64_MAX };
	for (unsigned i = 0; e && i < e->nloads; i++) {
		const struct elf_load *l = &e->load[i];

		if (!l->code || !l->size)
			continue;
		o->low = l->vaddr < o->low ? l->vaddr : o->low;
		o->high = l->vaddr + l->size > o->high ? l->vaddr + l->size : o->high;
	}
	if (o->low >= o->high)
		return gmon_object_done(o, -ENOEXEC);
	o->is32 = !e->is64;
	for (unsigned i = 0; i < object_tables(file); i++)
		symtab_each(&file->table[i], take_symbol, &borders);
	return gmon_object_done(o, borders.nomem ? -ENOMEM : 0);
}

/* ---- the kernel ---- */

bool gmon_is_padding(const char *name)
{
	return !strncmp(name, "__pfx_", 6);
}

/* Makes the range include a function. */
static void take_range(void *arg, uint64_t addr, const char *name)
{
	struct gmon_object *o = arg;

	(void)name;
	o->low = addr < o->low ? addr : o->low;
	o->high = addr >= o->high ? addr + 1 : o->high;
}

static void take_border(void *arg, uint64_t addr, const char *name)
{
	struct borders *b = arg;
	struct gmon_object *o = b->object;

	addr -= o->slide;
	if (addr > o->low && addr < o->high && !gmon_is_padding(name) && !name[strcspn(name, ".$")])
		b->nomem |= !border_add(o, addr);
}

/* The address in memory less that in the file, by the defaults of CONFIG_PHYSICAL_START and _ALIGN. */
static uint64_t kernel_slide(uint64_t text)
{
#if defined(__x86_64__)
	const uint64_t linked = 0xffffffff81000000, step = 0x200000;

	return text >= linked && (text - linked) % step == 0 ? text - linked : 0;
#else
	(void)text;
	return 0;
#endif
}

int gmon_object_kernel(struct gmon_object *o, const struct kallsyms *k, const char *module)
{
	enum { PAGE = 4096 };
	struct borders borders = { .object = o };
	uint64_t text, end;

	*o = (struct gmon_object){ .low = UINT64_MAX };
	kallsyms_functions(k, module, take_range, o);
	if (o->low >= o->high)
		return gmon_object_done(o, -ENOENT);
	if (strcmp(module, "vmlinux")) {
		o->high = (o->high + PAGE - 1) / PAGE * PAGE;
	} else if (kallsyms_named(k, "_text", &text) && kallsyms_named(k, "_etext", &end) && text < end) {
		o->slide = kernel_slide(text);
		o->low = text - o->slide;
		o->high = end - o->slide;
	}
	kallsyms_functions(k, module, take_border, &borders);
	return gmon_object_done(o, borders.nomem ? -ENOMEM : 0);
}
