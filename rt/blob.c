/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Embeds the BPF objects, compiled by clang, in the program. */
#include "rt/blob.h"

#define EMBED(name, file) \
	__asm__(".section .rodata\n" \
		"	.balign 8\n" \
		"	.globl " #name ", " #name "_end\n" \
		"	.hidden " #name ", " #name "_end\n" \
		#name ":\n" \
		"	.incbin \"" file "\"\n" \
		#name "_end:\n" \
		"	.byte 0\n" \
		"	.text\n")

EMBED(rt_library, "rt/lib.bpf");
EMBED(rt_programs, "rt/programs.bpf");
