/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "providers/syscall/types.h"

#include <stdlib.h>
#include <string.h>

/* Types and names alternate, each ended by NUL; an empty one ends the list. Without pointers, the table needs no
 * relocation at the start. */
struct call_row {
	char name[24];
	char args[168];
};

static const struct call_row rows[] = {
#define ARG(type, name) #type "\0" #name "\0"
#define USER(type, name) "userland " ARG(type, name)
#define NONE ""
#define CALL(name, args) { #name, args },
#include "providers/syscall/args.def"
#undef CALL
#undef NONE
#undef USER
#undef ARG
};

static int row_compare(const void *name, const void *row)
{
	return strcmp(name, ((const struct call_row *)row)->name);
}

int syscall_types(const char *call, struct arg_desc *out, unsigned max)
{
	const struct call_row *r = bsearch(call, rows, sizeof rows / sizeof *rows, sizeof *rows, row_compare);
	const char *s = r ? r->args : NULL;
	int n = 0;

	for (; s && *s && n < (int)max; n++) {
		out[n] = (struct arg_desc){ .native = s, .name = s + strlen(s) + 1 };
		s = out[n].name + strlen(out[n].name) + 1;
	}
	return r ? n : -1;
}

const char *syscall_result_type(const char *call)
{
	static const char *const addresses[] = { "brk", "mmap", "mremap", "shmat" };

	for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++)
		if (!strcmp(addresses[i], call))
			return "uintptr_t";
	return "long";
}
