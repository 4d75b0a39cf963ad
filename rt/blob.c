/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The library's BPF object, as clang made it, within the program. */
#include "rt/blob.h"

__asm__(".section .rodata\n"
	"	.balign 8\n"
	"	.globl rt_blob\n"
	"rt_blob:\n"
	"	.incbin \"rt/lib.bpf\"\n"
	"	.globl rt_blob_end\n"
	"rt_blob_end:\n"
	"	.byte 0\n"
	"	.text\n");
