/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Types of arguments, from the type information of the kernel and its modules. */
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <string.h>

#include "providers/fbt/fbt.h"
#include "providers/kernel_types.h"

static const struct fbt_types *types_make(struct arena *a, const struct btf *btf, const struct btf_type *proto)
{
	const struct btf_param *param = btf_params(proto);
	const struct btf_type *result = proto->type ? btf__type_by_id(btf, proto->type) : NULL;
	struct fbt_types *types = arena_calloc(a, 1, sizeof *types);

	for (unsigned i = 0; i < btf_vlen(proto) && types->n < FBT_ARGS && param[i].type; i++)
		types->arg[types->n++] = kernel_type_text(a, btf, param[i].type);
	types->result = result ? kernel_type_text(a, btf, proto->type) : NULL;
	return types;
}

/* The functions of the module that have probes, by name. */
static void functions_by_name(const struct fbt_state *st, const char *module, struct map *functions)
{
	for (unsigned k = 0; k < FBT_NKINDS; k++)
		for (size_t i = 0; i < st->gates[k].probes.n; i++) {
			struct fbt_function *f = fbt_of(st->gates[k].probes.v[i])->function;

			if (!strcmp(f->module, module)) {
				map_sets(functions, f->name, f);
				if (f->alias_of)
					map_sets(functions, f->alias_of->name, f);
			}
		}
}

/* Types of a module continue those of the kernel. */
static void read_types(const struct fbt_state *st, struct arena *a, const char *module, const struct btf *btf)
{
	struct map functions;

	map_init(&functions, a);
	functions_by_name(st, module, &functions);
	for (uint32_t id = 1; id < btf__type_cnt(btf); id++) {
		const struct btf_type *t = btf__type_by_id(btf, id), *proto;
		struct fbt_function *f = btf_is_func(t) ? map_gets(&functions, btf__name_by_offset(btf, t->name_off)) :
				 NULL;

		proto = f && !f->types ? btf__type_by_id(btf, t->type) : NULL;
		if (proto && btf_is_func_proto(proto))
			f->types = types_make(a, btf, proto);
	}
}

static void find_types(struct fbt_state *st, struct arena *a, const char *module)
{
	libbpf_print_fn_t print = libbpf_set_print(NULL);
	struct btf *kernel = btf__load_vmlinux_btf(), *btf = kernel;

	if (!libbpf_get_error(kernel) && strcmp(module, "vmlinux"))
		btf = btf__load_module_btf(module, kernel);
	libbpf_set_print(print);
	if (!libbpf_get_error(btf)) {
		read_types(st, a, module, btf);
		if (btf != kernel)
			btf__free(btf);
	}
	if (!libbpf_get_error(kernel))
		btf__free(kernel);
}

/* The name by which the type information may have a function that was found by another name. */
static const struct fbt_function *alias_of(struct fbt_state *st, const struct fbt_function *f)
{
	const struct fbt_functions *all = fbt_functions_of(st);

	for (size_t i = 0; i < all->nothers; i++)
		if (all->other[i].alias_of && all->other[i].addr == f->addr)
			return all->other[i].alias_of;
	return NULL;
}

/* All functions that have probes by then are looked up together. */
static const struct fbt_types *types_of(const struct probe *p)
{
	const struct fbt_probe *d = fbt_of(p);
	struct fbt_state *st = d->gate->state;
	struct fbt_function *f = d->function;

	if (f->types || f->untyped)
		return f->types;
	find_types(st, st->set->arena, f->module);
	if (!f->types && f->named && !f->alias_of) {
		f->alias_of = alias_of(st, f);
		if (f->alias_of)
			find_types(st, st->set->arena, f->module);
	}
	f->untyped = !f->types;
	return f->types;
}

/* Copies that the compiler has made for certain callers (f.isra.0) may lack parameters: they have no types. */
unsigned fbt_args(const struct probe *p, struct arg_desc *out, unsigned max)
{
	const struct fbt_types *t = types_of(p);
	unsigned n = 0;

	if (fbt_of(p)->gate->kind == FBT_ENTRY) {
		for (; t && n < t->n && n < max; n++)
			out[n] = (struct arg_desc){ .native = t->arg[n] };
		return n;
	}
	if (max > 0)
		out[n++] = (struct arg_desc){ .native = "uint64_t" };
	if (max > 1 && t && t->result)
		out[n++] = (struct arg_desc){ .native = t->result };
	return n;
}
