/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Embeds the library's BPF object, compiled by clang, in the program. */
#include "rt/blob.h"

__asm__(".section .rodata\n"
	"	.balign 8\n"
	"	.globl rt_blob\n"
	"	.hidden rt_blob\n"
	"rt_blob:\n"
	"	.incbin \"rt/lib.bpf\"\n"
	"	.globl rt_blob_end\n"
	"	.hidden rt_blob_end\n"
	"rt_blob_end:\n"
	"	.byte 0\n"
	"	.text\n");
