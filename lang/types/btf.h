/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Types from the kernel's BTF. Private to lang/types/types.c.
 *
 * Ownership: t->btf, until btf_close. Errors: NULL or false; t->error has the reason if BTF is not available.
 */
#ifndef LANG_TYPES_BTF_H
#define LANG_TYPES_BTF_H

#include "lang/types/types.h"

/* "struct task_struct", "union x", "enum x", "pid_t". NULL with t->error if BTF is not available. */
struct type *btf_lookup(struct types *t, const char *name);
/* Searches loaded modules instead. */
struct type *btf_lookup_modules(struct types *t, const char *name);
/* The type of a variable or function, of the kernel itself if `module` is NULL. Returns false if it is unknown. */
bool btf_variable(struct types *t, const char *module, const char *name, struct type **type, bool *percpu);
/* Loads s->members, without their types. Returns false if the BTF has no definition of it. */
bool btf_members_load(struct types *t, struct type *s);
/* Finds the type of a member of `s`, and with it the final offset. */
void btf_member_resolve(struct types *t, const struct type *s, struct member *m);
/* See type_kernel_offset(). */
uint32_t btf_offset(struct types *t, const char *tag, const char *member, const char *of_target);
/* See type_kernel_struct_id(), type_kernel_func_id(). */
uint32_t btf_struct_id(struct types *t, const char *name);
uint32_t btf_func_id(struct types *t, const char *name);
/* The name of a value of an enumeration, or NULL. */
const char *btf_enumerator(const struct type *t, int64_t value);
/* The value of an enumerator. Returns false if the name is unknown. */
bool btf_enum_value(const struct type *t, const char *name, int64_t *value);
/* See types_lack(). */
const char *btf_lack(const struct types *t);
void btf_close(struct types *t);

#endif
