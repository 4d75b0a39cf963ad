/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/unwind/cfi_source.h"

#include "engine/symbols/gotab.h"

static const char eh_name[] = ".eh_frame", debug_name[] = ".debug_frame";

bool cfi_section_of(const struct frame_image *t, const struct frame_part *p, unsigned i, struct cfi_section *out)
{
	Elf_Data *data = image_data(t, i);

	if (!data)
		return false;
	*out = (struct cfi_section){ .machine = machine_of(gelf_getclass(t->elf) == ELFCLASS64 ? 64 : 32),
		.data = data->d_buf, .size = data->d_size, .addr = p[i].from->addr,
		.eh_frame = !strcmp(p[i].name, eh_name) };
	return out->machine;
}

static bool section_open(struct cfi_source *f, const struct elf *e, const char *name)
{
	struct frame_part p = { name, image_section(e, name) };
	const struct unwind_machine *m = machine_of(e->is64 ? 64 : 32);

	if (!p.from || !m || m->elf != e->machine)
		return false;
	if (image_make(&f->image, e, &p, 1, &f->nomem) && cfi_section_of(&f->image, &p, 0, &f->section))
		return true;
	cfi_close(f);
	return false;
}

bool cfi_open(struct cfi_source *f, struct object *o, enum cfi_kind kind)
{
	const struct elf *e = object_image(o);
	struct elf go;
	bool found;

	*f = (struct cfi_source){ .nomem = false };
	if (!e)
		return false;
	if (kind == CFI_EH_FRAME)
		return section_open(f, e, eh_name);
	found = gotab_frames(&go, e) && section_open(f, &go, debug_name);
	f->nomem |= go.nomem;
	elf_close(&go);
	if (found || section_open(f, e, debug_name))
		return true;
	e = object_debug(o);
	return e && section_open(f, e, debug_name);
}

void cfi_close(struct cfi_source *f)
{
	image_close(&f->image);
	*f = (struct cfi_source){ .nomem = f->nomem };
}
