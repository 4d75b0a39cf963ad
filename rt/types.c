/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Embeds rt/task.c, compiled by clang for its .BTF section, in the program. */
#include "rt/types.h"

#include <elf.h>
#include <string.h>

__asm__(".section .rodata\n"
	"	.balign 8\n"
	"	.globl rt_task\n"
	"	.hidden rt_task\n"
	"rt_task:\n"
	"	.incbin \"rt/task.bpf\"\n"
	"	.byte 0\n"
	"	.text\n");

extern const uint8_t rt_task[] __attribute__((visibility("hidden")));

const uint8_t *rt_types(size_t *n)
{
	const Elf64_Ehdr *file = (const void *)rt_task;
	const Elf64_Shdr *sections = (const void *)(rt_task + file->e_shoff);
	const char *names = (const char *)rt_task + sections[file->e_shstrndx].sh_offset;
	unsigned i = 0;

	while (strcmp(names + sections[i].sh_name, ".BTF"))
		i++;	/* the build has made one */
	*n = sections[i].sh_size;
	return rt_task + sections[i].sh_offset;
}
