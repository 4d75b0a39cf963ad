/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Every tracepoint of the kernel, from its type information: a typedef btf_trace_NAME of a function whose first
 * parameter is not an argument. rawtp is the same under Oracle's name. modules.c has those of modules.
 */
#include "providers/sdt/sdt.h"

#include <bpf/btf.h>
#include <string.h>
#include <unistd.h>

#include "providers/kernel_types.h"
#include "providers/rawtp.h"
#include "providers/registry.h"

#define TYPEDEF "btf_trace_"

const struct provider_attr sdt_attr = {
	.provider = { ST_EVOLVING, ST_EVOLVING, SC_ISA },
	.module = { ST_PRIVATE, ST_PRIVATE, SC_UNKNOWN },
	.function = { ST_PRIVATE, ST_PRIVATE, SC_UNKNOWN },
	.probename = { ST_PRIVATE, ST_PRIVATE, SC_ISA },
	.args = { ST_PRIVATE, ST_PRIVATE, SC_ISA },
};

/* ---- tracepoints ---- */

/* The function type to which the typedef points, or NULL. */
static const struct btf_type *function_of(const struct btf *btf, const struct btf_type *def)
{
	const struct btf_type *t = btf__type_by_id(btf, def->type);

	t = t && btf_is_ptr(t) ? btf__type_by_id(btf, t->type) : NULL;
	return t && btf_is_func_proto(t) ? t : NULL;
}

void sdt_add_described(struct probe_set *s, const struct provider *self, const struct tracepoint_types *types)
{
	for (uint32_t id = types->first; id < btf__type_cnt(types->btf); id++) {
		const struct btf_type *def = btf__type_by_id(types->btf, id), *func;
		const char *name = btf_is_typedef(def) ? btf__name_by_offset(types->btf, def->name_off) : NULL;
		struct tracepoint *t;

		if (!name || strncmp(name, TYPEDEF, strlen(TYPEDEF)))
			continue;
		func = function_of(types->btf, def);
		if (!func)
			continue;
		t = arena_alloc(s->arena, sizeof *t);
		*t = (struct tracepoint){ .name = arena_strdup(s->arena, name + strlen(TYPEDEF)), .fd = -1 };
		for (unsigned i = 1; i < btf_vlen(func) && t->nargs < TRACEPOINT_MAXARGS; i++)
			t->arg[t->nargs++] = kernel_type_text(s->arena, types->btf, btf_params(func)[i].type);
		probe_add(s, self, &(struct probe_names){ .mod = types->module, .name = t->name }, t);
	}
}

static void sdt_enumerate(const struct provider *self, struct probe_set *s)
{
	struct btf *btf = kernel_types_load();

	if (btf)
		sdt_add_described(s, self, &(struct tracepoint_types){ "vmlinux", btf, 1 });
	btf__free(btf);
}

/* Those of sdt, which come before it in the registry. */
static void rawtp_enumerate(const struct provider *self, struct probe_set *s)
{
	for (size_t i = 0, n = s->list.n; i < n; i++) {
		const struct probe *p = s->list.v[i];

		if (p->prov == &provider_sdt)
			probe_add(s, self, &(struct probe_names){ NULL, p->mod, p->func, p->name },
				  arena_memdup(s->arena, p->data, sizeof(struct tracepoint)));
	}
}

/* Reading all types takes milliseconds: only for a description that says sdt or looks like the name of a tracepoint. */
bool sdt_may_mean(const struct probe_spec *spec)
{
	if (strchr(spec->name, '-') || *spec->func)
		return false;
	return *spec->prov || !*spec->name || strpbrk(spec->name, "_*?[");
}

static bool sdt_late(const struct provider *self, const struct probe_spec *spec)
{
	(void)self;
	return sdt_may_mean(spec) && probe_glob(spec->mod, "vmlinux");
}

static bool rawtp_late(const struct provider *self, const struct probe_spec *spec)
{
	(void)self;
	return *spec->prov && !probe_glob(spec->prov, provider_sdt.name) && probe_glob(spec->mod, "vmlinux");
}

unsigned sdt_args(const struct probe *p, struct arg_desc *out, unsigned max)
{
	const struct tracepoint *t = p->data;
	unsigned n = 0;

	for (; n < t->nargs && n < max; n++)
		out[n] = (struct arg_desc){ .native = t->arg[n] };
	return n;
}

enum ir_ctx sdt_ctx(const struct probe *p)
{
	(void)p;
	return IR_C_RAWTP;
}

ir_reg sdt_arg(struct ir_builder *b, const struct probe *p, unsigned n, bool alt)
{
	const struct tracepoint *t = p->data;

	(void)alt;
	return n < t->nargs || t->untyped ? ir_emit(b, IR_CTX, ir_i(8 * n)) : 0;
}

int sdt_attach(struct probe *p, struct attach_env *env)
{
	struct tracepoint *t = p->data;
	int fd = rawtp_open(t->name, env->prog_fd, env->reason, sizeof env->reason);

	if (fd >= 0)
		t->fd = fd;
	return fd < 0 ? fd : 0;
}

void sdt_detach(struct probe *p)
{
	struct tracepoint *t = p->data;

	if (t->fd >= 0)
		close(t->fd);
	t->fd = -1;
}

const struct provider provider_sdt = {
	.name = "sdt", .enumerate = sdt_enumerate, .late = sdt_late, .provide = sdt_provide,
	.attach = sdt_attach, TRACEPOINT_CALLBACKS,
	.matching = &(const struct provider_matching){ .patterns = sdt_patterns },
};

const struct provider provider_rawtp = {
	.name = "rawtp", .enumerate = rawtp_enumerate, .late = rawtp_late, .provide = sdt_provide,
	.attach = sdt_attach, TRACEPOINT_CALLBACKS,
	.matching = &(const struct provider_matching){ .patterns = rawtp_patterns },
};
