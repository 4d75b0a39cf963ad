/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Types by name, and the members of structures and enumerations: those of the script and, when they are needed, those
 * of the kernel's BTF.
 *
 * Ownership: the arena of the types owns everything; types_close frees the BTF.
 * Errors: lookups return NULL or false, with the reason in t->error if there are no kernel types.
 */
#ifndef LANG_TYPE_FIND_H
#define LANG_TYPE_FIND_H

#include "lang/types.h"

/* Frees the BTF. Idempotent. */
void types_close(struct types *t);

/* "int", "uint64_t", "struct task_struct", "pid_t", "lwpsinfo_t" ...: built-in names first, then what the script
 * declared, then the kernel's BTF. NULL: no such type (error = NULL) or no kernel types at all (error says why). */
struct type *type_lookup(struct types *t, const char *name);

/* A type of any module that is loaded. Opens the modules one after the other: only for what is nowhere else. */
struct type *type_lookup_modules(struct types *t, const char *name);

/* Loads the members of a structure from BTF if necessary. Returns false if it is declared but not defined. */
bool type_members(struct types *t, struct type *s);
/* Finds a member, also inside anonymous ones; *bitoff: bits from the start of s. Returns NULL if there is none. */
const struct member *type_member(struct types *t, struct type *s, const char *name, uint64_t *bitoff);

/* The name of an enumeration's value, or NULL. */
const char *type_enumerator(const struct type *t, int64_t value);
/* The value of an enumerator. Returns false if there is none of that name. */
bool type_enum_value(const struct type *t, const char *name, int64_t *value);

/* Alignment in bytes, at least 1. */
uint32_t type_align(struct types *t, struct type *ty);
/* True if its size is not known (yet): a tag without a body, or an array of such. */
bool type_is_incomplete(struct types *t, struct type *ty);

#endif
