/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of the kernel's addresses, one at a time, from the kernel: a program formats an address by "%pS". Reading all
 * of /proc/kallsyms takes 40 ms and 8 MB, one address 2 us. The names are the same, those that the kernel prints.
 *
 * Ownership: the struct owns descriptors until ksyms_close (idempotent), its arena the rest. A name is valid until the
 * next call.
 * Errors: ksyms_find returns false if the kernel has no such program (before Linux 5.13), if there is no memory, after
 * so many calls that reading the file would have been faster, or where the system hides them (CAP_SYSLOG,
 * kernel.kptr_restrict): then the file decides what is shown.
 */
#ifndef ENGINE_BPF_KSYMS_H
#define ENGINE_BPF_KSYMS_H

#include <stdbool.h>
#include <stdint.h>

#include "rt/programs/ksym.h"

struct arena;
struct symbol;

struct ksyms {
	struct arena *arena;
	bool tried;
	int prog, map, format;		/* descriptors */
	uint32_t calls;
	char text[KSYM_TEXT];
};

void ksyms_init(struct ksyms *k, struct arena *a);
/* Describes an address; out->base is 0. An address without a symbol has no object. */
bool ksyms_find(struct ksyms *k, uint64_t addr, struct symbol *out);
void ksyms_close(struct ksyms *k);

#endif
