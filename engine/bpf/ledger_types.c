/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Finds the offsets that the ledger needs in the kernel's BTF. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/btf_data.h"
#include "engine/bpf/ledger.h"

enum { MOST_NAMES = 16 };	/* typedefs and qualifiers of one type */

/* The structure or union that a type is, by whatever name; else NULL. */
static const struct btf_type *composite_of(struct btf_data *d, uint32_t id)
{
	for (unsigned i = 0; i < MOST_NAMES; i++) {
		const struct btf_type *t = btf_data_type(d, id);

		switch (t ? BTF_INFO_KIND(t->info) : BTF_KIND_UNKN) {
		case BTF_KIND_STRUCT: case BTF_KIND_UNION:
			return t;
		case BTF_KIND_TYPEDEF: case BTF_KIND_CONST: case BTF_KIND_VOLATILE: case BTF_KIND_RESTRICT:
		case BTF_KIND_TYPE_TAG:
			id = t->type;
			break;
		default:
			return NULL;
		}
	}
	return NULL;
}

/* Finds a member of the structure *type, or of an anonymous structure in it. Adds its offset in bytes to *off and sets
 * *type to its type. */
static bool find_member(struct btf_data *d, const char *name, uint32_t *type, int32_t *off)
{
	const struct btf_type *t = composite_of(d, *type);
	const struct btf_member *member = t ? (const struct btf_member *)(t + 1) : NULL;

	for (unsigned i = 0; t && i < BTF_INFO_VLEN(t->info); i++, member++) {
		uint32_t bits = BTF_INFO_KFLAG(t->info) ? BTF_MEMBER_BIT_OFFSET(member->offset) : member->offset;
		const char *found = btf_data_name(d, member->name_off);
		uint32_t of = member->type;

		if (strcmp(found, name) && (*found || !find_member(d, name, &of, off)))
			continue;
		*off += (int32_t)(bits / 8);
		*type = of;
		return true;
	}
	return false;
}

/* The offset of a path such as "hw.hrtimer" in a structure; -1 = not found. */
static int32_t path_offset(struct btf_data *d, const char *structure, const char *path)
{
	uint32_t type = btf_data_find(d, BTF_STRUCT, structure);
	char copy[64], *rest = copy, *name;
	int32_t off = 0;

	snprintf(copy, sizeof copy, "%s", path);
	while ((name = strsep(&rest, ".")))
		if (!type || !find_member(d, name, &type, &off))
			return -1;
	return off;
}

/* From one per-CPU variable to another; 0 = unknown. */
static int64_t percpu_distance(struct btf_data *d, const char *from, const char *to)
{
	const struct btf_type *section = NULL, *t;
	const struct btf_var_secinfo *var;
	int64_t from_off = -1, to_off = -1;
	struct btf_cursor c = { 0 };

	while (!section && (t = btf_data_next(d, &c)))
		if (BTF_INFO_KIND(t->info) == BTF_KIND_DATASEC &&
		    !strcmp(btf_data_name(d, t->name_off), ".data..percpu"))
			section = t;
	var = section ? (const struct btf_var_secinfo *)(section + 1) : NULL;
	for (unsigned i = 0; section && i < BTF_INFO_VLEN(section->info); i++, var++) {
		const struct btf_type *variable = btf_data_type(d, var->type);
		const char *name = variable ? btf_data_name(d, variable->name_off) : "";

		if (!strcmp(name, from))
			from_off = var->offset;
		else if (!strcmp(name, to))
			to_off = var->offset;
	}
	return from_off < 0 || to_off < 0 ? 0 : to_off - from_off;
}

int ledger_read_types(struct ledger_types *t, char *reason, size_t n)
{
	int32_t timer;
	const struct {
		const char *structure, *path;
		int32_t *to;
	} want[] = {
		{ "perf_event", "id", &t->id }, { "perf_event", "owner", &t->owner },
		{ "perf_event", "state", &t->state }, { "perf_event", "hw.interrupts", &t->interrupts },
		{ "perf_event", "hw.hrtimer", &timer }, { "hrtimer", "node.expires", &t->expires },
		{ "hrtimer", "base", &t->base }, { "hrtimer_clock_base", "cpu_base", &t->cpu_base },
	};
	struct btf_data d;
	int err = 0;

	if (btf_data_open(&d, "/sys/kernel/btf/vmlinux", NULL)) {
		snprintf(reason, n, "the kernel does not describe its types (/sys/kernel/btf/vmlinux)");
		return -ENOENT;
	}
	for (size_t i = 0; i < sizeof want / sizeof *want && !err; i++) {
		*want[i].to = path_offset(&d, want[i].structure, want[i].path);
		if (*want[i].to >= 0)
			continue;
		snprintf(reason, n, "the kernel's types have no %s.%s", want[i].structure, want[i].path);
		err = -ENOENT;
	}
	if (!err) {
		t->id -= timer;
		t->owner -= timer;
		t->state -= timer;
		t->interrupts -= timer;
	}
	t->active = percpu_distance(&d, "hrtimer_bases", "bpf_prog_active");
	btf_data_close(&d);
	return err;
}
