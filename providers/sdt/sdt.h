/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tracepoints of the kernel and of its modules. Private to providers/sdt.
 *
 * Ownership: the arena of the set; a tracepoint's descriptor is the probe's.
 */
#ifndef PROVIDERS_SDT_SDT_H
#define PROVIDERS_SDT_SDT_H

#include "providers/provider.h"

struct btf;

enum { TRACEPOINT_MAXARGS = 12 };

struct tracepoint {
	const char *name;
	unsigned nargs;
	const char *arg[TRACEPOINT_MAXARGS];
	bool untyped;			/* its arguments are unknown: all can be read, as numbers */
	int fd;
	struct attach_env *env;		/* while it waits for its module */
};

/* Types of a module, or of the kernel itself. */
struct tracepoint_types {
	const char *module;		/* "vmlinux" */
	const struct btf *btf;
	uint32_t first;			/* the first type that is the module's own */
};

/* Adds a probe for each tracepoint that the types describe. */
void sdt_add_described(struct probe_set *s, const struct provider *self, const struct tracepoint_types *types);
/* Adds those of a module from its file of types (BTF that refers to the kernel's). *kernel: of the kernel; NULL: it is
 * loaded when it is needed, and the caller frees it. Returns 0 or -errno. */
int sdt_read_module(struct probe_set *s, const struct provider *self, const char *path, struct btf **kernel);

/* Could a description with this function and name mean a tracepoint? */
bool sdt_may_mean(const struct probe_spec *spec);
/* True if the description may mean tracepoints of modules. */
bool sdt_patterns(const struct probe_spec *spec);
bool rawtp_patterns(const struct probe_spec *spec);
int sdt_provide(const struct provider *self, struct probe_set *s, const struct probe_spec *spec, char *reason,
		size_t n);

unsigned sdt_args(const struct probe *p, struct arg_desc *out, unsigned max);
enum ir_ctx sdt_ctx(const struct probe *p);
ir_reg sdt_arg(struct ir_builder *b, const struct probe *p, unsigned n, bool alt);
int sdt_attach(struct probe *p, struct attach_env *env);
void sdt_detach(struct probe *p);

extern const struct provider_attr sdt_attr;

#define TRACEPOINT_CALLBACKS \
	.attr = &sdt_attr, .args = sdt_args, .ctx = sdt_ctx, .arg = sdt_arg, .detach = sdt_detach

#endif
