/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Prints what dtr finds for addresses of a file, as `addr2line -a -i -f -s` does: the address, then for each function
 * at it, innermost first, its name and its source line. Usage: where FILE <ADDRESSES, hexadecimal link addresses. The
 * name of a function that is not inlined is "-": it comes from the symbol table.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/symbols/lines.h"
#include "engine/symbols/object.h"

/* The file offset of a link address. */
static uint64_t offset_of(const struct elf *e, uint64_t addr)
{
	for (unsigned i = 0; i < e->nloads; i++)
		if (addr >= e->load[i].vaddr && addr - e->load[i].vaddr < e->load[i].size)
			return addr - e->load[i].vaddr + e->load[i].off;
	return UINT64_MAX;
}

static void show(const struct line_frame *f)
{
	const char *slash = f->file ? strrchr(f->file, '/') : NULL;

	printf("%s\n", f->name ? f->name : "-");
	if (f->file && f->line)
		printf("%s:%u\n", slash ? slash + 1 : f->file, f->line);
	else
		printf("%s:?\n", f->file ? slash ? slash + 1 : f->file : "??");
}

int main(int argc, char **argv)
{
	struct object *o = argc == 2 ? object_new(argv[1], 1, 1) : NULL;
	struct source_lines *l = lines_open();
	struct line_frame frame[LINES_MAX];
	char text[64];

	if (!o || !l)
		return 2;
	o->fd = open(argv[1], O_RDONLY | O_CLOEXEC);
	if (!object_image(o))
		return 2;
	while (fgets(text, sizeof text, stdin)) {
		uint64_t addr = strtoull(text, NULL, 16);
		unsigned n = lines_find(l, o, offset_of(&o->elf, addr), frame);

		printf("0x%016llx\n", (unsigned long long)addr);
		for (unsigned i = 0; i < n; i++)
			show(&frame[i]);
		if (!n)
			printf("-\n??:?\n");
	}
	if (lines_why(l))
		fprintf(stderr, "%s\n", lines_why(l));
	lines_close(l);
	object_free(o);
	return 0;
}
