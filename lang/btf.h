/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Types from the kernel's BTF. Private to lang/types.c.
 *
 * Ownership: t->btf, until btf_close. Errors: NULL or false; t->error has the reason if there is no BTF.
 */
#ifndef LANG_BTF_H
#define LANG_BTF_H

#include "lang/types.h"

/* "struct task_struct", "union x", "enum x", "pid_t". NULL with t->error if there is no BTF. */
struct type *btf_lookup(struct types *t, const char *name);
/* The same in loaded modules. */
struct type *btf_lookup_modules(struct types *t, const char *name);
/* The type of a variable or function; module NULL: of the kernel. Returns false if it is unknown. */
bool btf_variable(struct types *t, const char *module, const char *name, struct type **type, bool *percpu);
/* Loads s->members. Returns false if the kernel only declares it. */
bool btf_members_load(struct types *t, struct type *s);
/* The name of an enumeration's value, or NULL. */
const char *btf_enumerator(const struct type *t, int64_t value);
/* The value of an enumerator. Returns false if there is none of that name. */
bool btf_enum_value(const struct type *t, const char *name, int64_t *value);
void btf_close(struct types *t);

#endif
