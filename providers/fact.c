/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "providers/fact.h"

#include <linux/btf.h>
#include <stddef.h>
#include <stdio.h>

#include "base/btf_data.h"

enum fact_source { TRACEPOINT, FUNCTION };

static const struct fact_row {
	const char *what;
	uint8_t kind, parameters;
} facts[FACTS] = {
#define FACT(name, kind, what, parameters) [FACT_##name] = { what, kind, parameters },
#include "providers/fact.def"
#undef FACT
};

_Static_assert(FACTS <= 32, "a bit for each fact");

static bool has_function(struct btf_data *d, const struct fact_row *r)
{
	return btf_data_find(d, BTF_VALUE, r->what) != 0;
}

/* The type that programs see: a pointer to a function whose first parameter is not an argument. */
static bool has_tracepoint(struct btf_data *d, const struct fact_row *r)
{
	const struct btf_type *t;
	char name[64];
	uint32_t id;

	snprintf(name, sizeof name, "btf_trace_%s", r->what);
	id = btf_data_find(d, BTF_PLAIN, name);
	t = id ? btf_data_type(d, id) : NULL;
	if (!t || BTF_INFO_KIND(t->info) != BTF_KIND_TYPEDEF)
		return false;
	t = btf_data_type(d, t->type);
	if (!t || BTF_INFO_KIND(t->info) != BTF_KIND_PTR)
		return false;
	t = btf_data_type(d, t->type);
	return t && BTF_INFO_KIND(t->info) == BTF_KIND_FUNC_PROTO && BTF_INFO_VLEN(t->info) > r->parameters;
}

static bool kernel_has(const char *path, const struct fact_row *r)
{
	static bool (*const kinds[])(struct btf_data *d, const struct fact_row *r) = {
		[TRACEPOINT] = has_tracepoint, [FUNCTION] = has_function,
	};
	struct btf_data d;
	bool found;

	if (btf_data_open(&d, path ? path : "/sys/kernel/btf/vmlinux", NULL))
		return false;
	found = kinds[r->kind](&d, r);
	btf_data_close(&d);
	return found;
}

bool fact_holds(struct kernel_facts *f, enum kernel_fact which)
{
	uint32_t bit = 1u << which;

	if (which == FACT_NONE)
		return true;
	if (!(f->known & bit) && kernel_has(f->path, &facts[which]))
		f->held |= bit;
	f->known |= bit;
	return f->held & bit;
}
