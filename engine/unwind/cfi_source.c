/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/unwind/cfi_source.h"

static bool section_open(struct cfi_source *f, const struct elf *e, bool eh_frame)
{
	const char *name = eh_frame ? ".eh_frame" : ".debug_frame";
	struct image_part p = { name, image_section(e, name) };
	const struct unwind_machine *m = machine_of(e->is64 ? 64 : 32);
	Elf_Data *data = NULL;

	if (!p.from || !m || m->elf != e->machine)
		return false;
	if (image_make(&f->image, e, &p, 1, &f->nomem))
		data = image_data(&f->image, 0);
	if (data)
		f->section = (struct cfi_section){ .machine = m, .data = data->d_buf, .size = data->d_size,
			.addr = p.from->addr, .eh_frame = eh_frame };
	else
		cfi_close(f);
	return data;
}

bool cfi_open(struct cfi_source *f, struct object *o, bool eh_frame)
{
	const struct elf *e = object_image(o);

	*f = (struct cfi_source){ .nomem = false };
	if (!e)
		return false;
	if (section_open(f, e, eh_frame))
		return true;
	e = eh_frame ? NULL : object_debug(o);
	return e && section_open(f, e, eh_frame);
}

void cfi_close(struct cfi_source *f)
{
	image_close(&f->image);
	*f = (struct cfi_source){ .nomem = f->nomem };
}
