/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of constants in arguments of system calls.
 * Ownership: tables are constant. Errors: no memory (buf->failed).
 */
#ifndef CMD_DTR_TRACE_NAMES_H
#define CMD_DTR_TRACE_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

enum names_table {
#define TABLE(table) NAMES_##table,
#define ENUM(table, constant)
#define BIT(table, constant)
#define PART(table, mask, constant)
#define NAMED(table, mask, value, name)
#include "cmd/dtr/trace/names.def"
#undef TABLE
#undef ENUM
#undef BIT
#undef PART
#undef NAMED
	NAMES_TABLES
};

/* Appends the names of a value's parts, joined by '|'; what has no name in hexadecimal; 0 as "0". */
void names_put(struct buf *b, enum names_table t, uint64_t value);
/* Whether a row names exactly this value. */
bool names_has(enum names_table t, uint64_t value);
/* The number of a table of this name, or -1. */
int names_find(const char *table);

#endif
