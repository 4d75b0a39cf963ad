/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lang/types/ksym.h"

#include <string.h>

#include "base/kallsyms_line.h"
#include "lang/types/btf.h"

/* What to find in one pass over kallsyms, and the result. */
struct ksym_search {
	const char *module;	/* NULL: anywhere, the kernel first; "vmlinux": only in the kernel */
	const char *name;
	uint64_t addr;
	char kind;		/* kallsyms' letter, 0 = not found */
	uint64_t areas;		/* address of __per_cpu_offset */
	bool hidden;		/* addresses are shown as 0 */
	bool data;		/* kallsyms lists variables */
};

static bool line_take(void *arg, const struct kallsyms_line *s)
{
	struct ksym_search *w = arg;
	bool own = !strcmp(s->module, KALLSYMS_KERNEL);

	w->hidden |= !s->addr && kallsyms_is_code(s->kind);
	w->data |= own && !strcmp(s->name, "init_task");	/* every kernel has this variable */
	if (own && !strcmp(s->name, "__per_cpu_offset"))
		w->areas = s->addr;
	/* the kernel's own symbol wins */
	if (!w->kind && !strcmp(s->name, w->name) && (!w->module || !strcmp(w->module, s->module))) {
		w->addr = s->addr;
		w->kind = s->kind;
	}
	return false;
}

static const char *not_found_reason(struct types *t, const struct ksym_search *w, bool typed)
{
	if (w->hidden)
		return "the kernel hides its addresses (CAP_SYSLOG is missing, or kernel.kptr_restrict is 2)";
	if (!w->data)
		return typed ? "this kernel does not expose variable addresses (built without CONFIG_KALLSYMS_ALL)" :
			       arena_printf(t->arena, "no function of that name; this kernel does not expose "
					"variable addresses (built without CONFIG_KALLSYMS_ALL)");
	return NULL;
}

struct ksym_value ksym_find(struct types *t, const char *path, const char *name)
{
	const char *tick = strchr(name, '`');
	struct ksym_search search = { .name = tick ? tick + 1 : name };
	struct ksym_value symbol = { .type = NULL };
	bool percpu = false;
	int err;

	if (tick)
		search.module = arena_strndup(t->arena, name, tick - name);
	/* BPF has a helper for jiffies, and reading kallsyms takes 0.1 s */
	if (!strcmp(search.name, "jiffies") && (!search.module || !strcmp(search.module, "vmlinux")))
		return (struct ksym_value){ .kind = KSYM_JIFFIES, .type = t->t_ulong };
	err = kallsyms_each(path, line_take, &search);
	btf_variable(t, search.module, search.name, &symbol.type, &percpu);
	if (err) {
		symbol.error = arena_printf(t->arena, "cannot read %s: %s", path ? path : KALLSYMS_PATH,
					    strerror(-err));
	} else if (search.kind && !search.hidden && (!percpu || search.areas)) {
		symbol.kind = percpu ? KSYM_PERCPU : KSYM_ADDRESS;
		symbol.addr = search.addr;
		symbol.areas = search.areas;
	} else {
		symbol.error = not_found_reason(t, &search, symbol.type);
		symbol.hidden = search.hidden;
	}
	if (!symbol.type)
		symbol.type = search.kind && kallsyms_is_code(search.kind) ? type_function(t, t->t_int) : t->t_ulong;
	return symbol;
}
