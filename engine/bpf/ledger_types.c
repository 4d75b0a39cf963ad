/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Finds the offsets that the ledger needs in the kernel's BTF. */
#include <bpf/btf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "engine/bpf/ledger.h"

/* The offset in bytes of a member of a structure, including members of anonymous structures in it; -1 = not found. */
static long member(const struct btf *btf, int id, const char *name, int *type)
{
	const struct btf_type *t = btf__type_by_id(btf, (__u32)btf__resolve_type(btf, (__u32)id));

	if (!t || !btf_is_composite(t))
		return -1;
	for (unsigned i = 0; i < btf_vlen(t); i++) {
		const struct btf_member *m = &btf_members(t)[i];
		const char *s = btf__name_by_offset(btf, m->name_off);
		long off = btf_member_bit_offset(t, i) / 8, in;

		if (s && !strcmp(s, name)) {
			*type = (int)m->type;
			return off;
		}
		in = s && *s ? -1 : member(btf, (int)m->type, name, type);
		if (in >= 0)
			return off + in;
	}
	return -1;
}

/* The offset of a path such as "hw.hrtimer" in a structure. */
static long path(const struct btf *btf, const char *in, const char *path)
{
	int id = btf__find_by_name_kind(btf, in, BTF_KIND_STRUCT);
	char copy[64], *rest = copy, *name;
	long sum = 0, off;

	snprintf(copy, sizeof copy, "%s", path);
	while (id > 0 && (name = strsep(&rest, "."))) {
		off = member(btf, id, name, &id);
		if (off < 0)
			return -1;
		sum += off;
	}
	return id > 0 ? sum : -1;
}

/* The offset of a per-CPU variable; -1 = unknown. */
static int64_t percpu(const struct btf *btf, const char *name)
{
	int sec = btf__find_by_name_kind(btf, ".data..percpu", BTF_KIND_DATASEC);
	int var = btf__find_by_name_kind(btf, name, BTF_KIND_VAR);
	const struct btf_type *t = sec > 0 ? btf__type_by_id(btf, (__u32)sec) : NULL;

	for (unsigned i = 0; t && var > 0 && i < btf_vlen(t); i++) {
		if (btf_var_secinfos(t)[i].type == (__u32)var)
			return btf_var_secinfos(t)[i].offset;
	}
	return -1;
}

static int find_all(const struct btf *btf, struct ledger_types *t, const char **missing)
{
	struct {
		const char *in, *path;
		int32_t *to;
		bool event;
	} want[] = {
		{ "perf_event", "id", &t->id, true }, { "perf_event", "owner", &t->owner, true },
		{ "perf_event", "state", &t->state, true }, { "perf_event", "hw.interrupts", &t->interrupts, true },
		{ "hrtimer", "node.expires", &t->expires, false }, { "hrtimer", "base", &t->base, false },
		{ "hrtimer_clock_base", "cpu_base", &t->cpu_base, false },
	};
	long timer = path(btf, "perf_event", "hw.hrtimer"), off;

	*missing = "perf_event.hw.hrtimer";
	for (size_t i = 0; timer >= 0 && i < sizeof want / sizeof *want; i++) {
		off = path(btf, want[i].in, want[i].path);
		*missing = want[i].path;
		if (off < 0)
			return -ENOENT;
		*want[i].to = (int32_t)(want[i].event ? off - timer : off);
	}
	return timer < 0 ? -ENOENT : 0;
}

int ledger_types(struct ledger_types *t, char *reason, size_t n)
{
	struct btf *btf = btf__load_vmlinux_btf();
	const char *missing;
	int64_t bases, active;
	int err;

	if (!btf) {
		snprintf(reason, n, "the kernel does not describe its types (/sys/kernel/btf/vmlinux)");
		return -ENOENT;
	}
	err = find_all(btf, t, &missing);
	if (err)
		snprintf(reason, n, "the kernel's types have no %s", missing);
	bases = percpu(btf, "hrtimer_bases");
	active = percpu(btf, "bpf_prog_active");
	t->active = bases < 0 || active < 0 ? 0 : active - bases;
	btf__free(btf);
	return err;
}
