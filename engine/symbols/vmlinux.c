/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/symbols/vmlinux.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "base/buf.h"

static const char anchor[] = "_stext";


static bool has_lines(const struct elf *e)
{
	return elf_section_named(e, ".debug_info") || elf_section_named(e, ".zdebug_info");
}

static bool same_id(const struct elf *e, const struct vmlinux_places *p)
{
	uint8_t id[ELF_BUILDID];

	return !p->idlen || (elf_build_id(e, id) == p->idlen && !memcmp(id, p->id, p->idlen));
}

/* Returns false if the file does not have the symbol that the kernel has, too. */
static bool find_slide(struct object *o, const struct kallsyms *k, uint64_t *slide)
{
	uint64_t there, here;

	for (unsigned i = 0; i < object_tables(o); i++)
		if (symtab_named(&o->table[i], anchor, strlen(anchor), &there) && kallsyms_named(k, anchor, &here)) {
			*slide = here - there;
			return true;
		}
	return false;
}

/* Returns the object, or NULL with a reason. */
static struct object *open_file(const char *path, const struct vmlinux_places *p, const struct kallsyms *k,
				uint64_t *slide, const char **why)
{
	struct object *o;
	struct stat st;

	*why = NULL;
	if (stat(path, &st) < 0)
		return NULL;
	o = object_new(path, st.st_dev, st.st_ino);
	if (!o)
		return NULL;
	o->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (!object_image(o))
		*why = "cannot be read";
	else if (!same_id(object_image(o), p))
		*why = "is of another build";
	else if (!has_lines(object_image(o)))
		*why = "has no debugging information";
	else if (!find_slide(o, k, slide))
		*why = "has other symbols";
	if (!*why)
		return o;
	object_free(o);
	return NULL;
}

bool vmlinux_open(struct vmlinux *v, const struct vmlinux_places *p, const struct kallsyms *k)
{
	char path[PATH_MAX];
	const char *why;

	*v = (struct vmlinux){ 0 };
	snprintf(v->why, sizeof v->why, "the kernel's debugging information (vmlinux-%.64s) is not installed",
		 p->release);
	for (unsigned i = 0; p->paths[i] && !v->object; i++) {
		snprintf(path, sizeof path, p->paths[i], p->release);
		v->object = open_file(path, p, k, &v->slide, &why);
		if (why)
			snprintf(v->why, sizeof v->why, "%.200s %s", path, why);
	}
	return v->object;
}

bool vmlinux_open_running(struct vmlinux *v, const struct kallsyms *k)
{
	static const char *const paths[] = {
		"/usr/lib/debug/boot/vmlinux-%s", "/boot/vmlinux-%s", "/usr/lib/debug/lib/modules/%s/vmlinux",
		"/usr/lib/debug/usr/lib/modules/%s/vmlinux", "/lib/modules/%s/vmlinux",
		"/lib/modules/%s/build/vmlinux", NULL,
	};
	struct buf notes = { 0 };
	uint8_t id[ELF_BUILDID];
	struct vmlinux_places p = { .paths = paths, .id = id };
	struct utsname name;
	bool found;

	p.release = uname(&name) == 0 ? name.release : "";
	if (buf_read_file(&notes, "/sys/kernel/notes") == 0)
		p.idlen = elf_notes_build_id(buf_str(&notes), notes.len, id);
	found = vmlinux_open(v, &p, k);
	buf_free(&notes);
	return found;
}

void vmlinux_close(struct vmlinux *v)
{
	object_free(v->object);
	*v = (struct vmlinux){ 0 };
}

bool vmlinux_offset(const struct vmlinux *v, uint64_t addr, uint64_t *off)
{
	return v->object && elf_offset(object_image(v->object), addr - v->slide, off);
}
