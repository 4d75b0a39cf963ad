/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lines of /proc/kallsyms: "ffffffff81000000 T name", in modules "name\t[module]".
 * Ownership: texts are in the line. Errors: kallsyms_each.
 */
#ifndef BASE_KALLSYMS_LINE_H
#define BASE_KALLSYMS_LINE_H

#include <stdbool.h>
#include <stdint.h>

#define KALLSYMS_PATH "/proc/kallsyms"
/* The module of the kernel's own symbols. */
#define KALLSYMS_KERNEL "vmlinux"

struct kallsyms_line {
	uint64_t addr;			/* 0 in all lines: the kernel hides its addresses */
	char kind;			/* t or T, w or W: a function */
	const char *name, *module;
};

/* Divides a line, which may end with a newline. Returns false if it is malformed. */
bool kallsyms_line(char *line, struct kallsyms_line *out);
/* True if it is a function. */
bool kallsyms_is_code(char kind);
/* Calls fn for each well-formed line until it returns true. path: NULL: KALLSYMS_PATH. Returns 0 or -errno: the file
 * cannot be opened. */
int kallsyms_each(const char *path, bool (*fn)(void *arg, const struct kallsyms_line *s), void *arg);

#endif
