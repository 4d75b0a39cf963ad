/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Types by name, and members of structures and enumerations, from the script and, when needed, from the kernel's BTF.
 *
 * Ownership: the arena of the types owns everything; types_close frees the BTF.
 * Errors: lookups return NULL or false; t->error has the reason if kernel types are not available.
 */
#ifndef LANG_TYPES_TYPE_FIND_H
#define LANG_TYPES_TYPE_FIND_H

#include "lang/types/types.h"

/* Frees the BTF. Idempotent. */
void types_close(struct types *t);

/* The reason why types and members of the kernel may be unknown: dtr's own description is used instead. NULL: it is not
 * used. */
const char *types_lack(const struct types *t);

/* "int", "uint64_t", "struct task_struct", "pid_t", "lwpsinfo_t" ...: built-in names first, then the script's
 * declarations, then the kernel's BTF. NULL: unknown type (error = NULL), or no kernel types available (error has the
 * reason). */
struct type *type_lookup(struct types *t, const char *name);

/* A type of any loaded module. Opens all modules in turn, so call it only for types that are not found otherwise. */
struct type *type_lookup_modules(struct types *t, const char *name);

/* Loads the names and offsets of a structure's members from BTF if necessary. Returns false if it is only declared. */
bool type_is_defined(struct types *t, struct type *s);
/* The same with their types, for callers that visit all members. */
bool type_members(struct types *t, struct type *s);
/* Finds a member, also inside anonymous ones; *bitoff: bits from the start of s. Returns NULL if s has no such
 * member. */
const struct member *type_member(struct types *t, struct type *s, const char *name, uint64_t *bitoff);

/* The offset in bytes of a member of a structure of the running kernel, whatever the script declares; or, if of_target
 * is not NULL, of that member of the structure that the member points to. 0: unknown. */
uint32_t type_kernel_offset(struct types *t, const char *tag, const char *member, const char *of_target);

/* The ID of a structure of the running kernel, or of a function, in the kernel's BTF. 0: unknown. */
uint32_t type_kernel_struct_id(struct types *t, const char *name);
uint32_t type_kernel_func_id(struct types *t, const char *name);

/* The name of a value of an enumeration, or NULL. */
const char *type_enumerator(const struct type *t, int64_t value);
/* The value of an enumerator. Returns false if the name is unknown. */
bool type_enum_value(const struct type *t, const char *name, int64_t *value);

/* Alignment in bytes, at least 1. */
uint32_t type_align(struct types *t, struct type *ty);
/* True if its size is not known (yet): a tag without a body, or an array of such types. */
bool type_is_incomplete(struct types *t, struct type *ty);

#endif
