/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Types from the kernel's BTF. Only lang/types.c uses this.
 *
 * Ownership: t->btf, until btf_close. Errors: opening (t->error tells why), finding.
 */
#ifndef LANG_BTF_H
#define LANG_BTF_H

#include "lang/types.h"

/* "struct task_struct", "union x", "enum x", "pid_t". NULL with t->error where there is no BTF at all. */
struct type *btf_lookup(struct types *t, const char *name);
/* The same, in the modules that are loaded. */
struct type *btf_lookup_modules(struct types *t, const char *name);
/* A variable or function; module NULL: of the kernel itself. False: there is none of which the type is known. */
bool btf_variable(struct types *t, const char *module, const char *name, struct type **type, bool *percpu);
/* Fills in s->members. False: the kernel only declares it. */
bool btf_members_load(struct types *t, struct type *s);
/* The name of an enumeration's value, or NULL. */
const char *btf_enumerator(const struct type *t, int64_t value);
/* The other way round. False: the enumeration has no such name. */
bool btf_enum_value(const struct type *t, const char *name, int64_t *value);
void btf_close(struct types *t);

#endif
