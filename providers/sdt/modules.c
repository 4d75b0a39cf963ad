/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tracepoints of the kernel's modules, from the types of each module, which are read only for a description that may
 * mean them. One of a module that is not loaded yet can be named in full (-Z): the program waits for it. Its arguments
 * have no types, because nobody has described them yet.
 */
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "providers/kernel_types.h"
#include "providers/rawtp.h"
#include "providers/registry.h"
#include "providers/sdt/sdt.h"

#define TYPES_DIR "/sys/kernel/btf"
#define LOOK_NS 100000000	/* how often a probe looks for its module */

bool sdt_patterns(const struct probe_spec *spec)
{
	return probe_glob(spec->prov, "sdt") && strcmp(spec->mod, "vmlinux") && sdt_may_mean(spec);
}

/* A description that may mean sdt, too, means only sdt; a list has both. */
bool rawtp_patterns(const struct probe_spec *spec)
{
	if (!*spec->prov)
		return !*spec->mod && !*spec->func && !*spec->name;
	return probe_glob(spec->prov, "rawtp") && !probe_glob(spec->prov, "sdt") && strcmp(spec->mod, "vmlinux") &&
	       sdt_may_mean(spec);
}

/* ---- modules that are loaded ---- */

int sdt_read_module(struct probe_set *s, const struct provider *self, const char *path, struct btf **kernel)
{
	static const char typedefs[] = "btf_trace_";
	struct buf file = { 0 };
	int err = buf_read_file(&file, path);
	struct btf *btf = NULL;
	libbpf_print_fn_t print;

	/* most modules have no tracepoints */
	if (!err && file.len && memmem(file.data, file.len, typedefs, sizeof typedefs - 1)) {
		if (!*kernel)
			*kernel = kernel_types_load();
		print = libbpf_set_print(NULL);
		btf = *kernel ? btf__parse_raw_split(path, *kernel) : NULL;
		libbpf_set_print(print);
		btf = libbpf_get_error(btf) ? NULL : btf;
		err = btf ? 0 : -EINVAL;
	}
	if (btf)
		sdt_add_described(s, self, &(struct tracepoint_types){
			.module = arena_strdup(s->arena, strrchr(path, '/') + 1), .btf = btf,
			.first = btf__type_cnt(*kernel),
		});
	btf__free(btf);
	buf_free(&file);
	return err;
}

/* Reads the modules that the description may mean and that have not been read. */
static void read_modules(const struct provider *self, struct probe_set *s, const char *module)
{
	struct map *seen = *probe_state_of(s, self);
	struct btf *kernel = NULL;
	DIR *dir = opendir(TYPES_DIR);

	if (!seen) {
		seen = arena_alloc(s->arena, sizeof *seen);
		map_init(seen, s->arena);
		*probe_state_of(s, self) = seen;
	}
	for (const struct dirent *e; dir && (e = readdir(dir)) != NULL;) {
		if (*e->d_name == '.' || !strcmp(e->d_name, "vmlinux") || !probe_glob(module, e->d_name) ||
		    map_gets(seen, e->d_name))
			continue;
		map_sets(seen, arena_strdup(s->arena, e->d_name), seen);
		sdt_read_module(s, self, arena_printf(s->arena, TYPES_DIR "/%s", e->d_name), &kernel);
	}
	if (dir)
		closedir(dir);
	btf__free(kernel);
}

/* ---- modules that are loaded later ---- */

static int later_attach(struct probe *p, struct attach_env *env)
{
	struct tracepoint *t = p->data;
	int err = sdt_attach(p, env);

	t->env = env;
	return err == -ENOENT ? 0 : err;
}

/* Returns when to look again. The kernel keeps a module as long as one of its tracepoints is traced. */
static uint64_t later_look(struct probe *p, uint64_t now)
{
	struct tracepoint *t = p->data;
	int err;

	if (t->fd >= 0)
		return 0;
	err = sdt_attach(p, t->env);
	if (err && err != -ENOENT)
		memcpy(t->env->warning, t->env->reason, sizeof t->env->warning);
	return err == -ENOENT ? now + LOOK_NS : 0;
}

static bool later_due(struct probe *p, uint64_t end, struct probe_due *out)
{
	(void)p, (void)end, (void)out;
	return false;
}

static bool later_interval(struct probe *p, struct attach_env *env, struct probe_due *out)
{
	(void)p, (void)env, (void)out;
	return false;
}

static const struct provider_clock later_clock = {
	.pace = later_look, .due = later_due, .interval = later_interval,
};

/* Those of probes that wait: they need a thread that looks for the module. */
static const struct provider later_sdt = {
	.name = "sdt", .clock = &later_clock, .attach = later_attach, TRACEPOINT_CALLBACKS,
};
static const struct provider later_rawtp = {
	.name = "rawtp", .clock = &later_clock, .attach = later_attach, TRACEPOINT_CALLBACKS,
};

static void add_untyped(struct probe_set *s, const struct provider *self, const struct probe_spec *spec)
{
	struct tracepoint *t = arena_alloc(s->arena, sizeof *t);

	*t = (struct tracepoint){ .name = arena_strdup(s->arena, spec->name), .untyped = true, .fd = -1 };
	probe_add(s, self, &(struct probe_names){ .mod = arena_strdup(s->arena, spec->mod), .name = t->name }, t);
}

/* ---- descriptions ---- */

/* Is there a file /sys/.../MODULE...? */
static bool has_file(struct probe_set *s, const char *dir, const char *module, const char *file)
{
	return !access(arena_printf(s->arena, "%s/%s%s", dir, module, file), F_OK);
}

/* A module that is named but has no types. */
static int provide_named(const struct provider *self, struct probe_set *s, const struct probe_spec *spec,
			 const struct probe_answer *to)
{
	bool exact = !strcmp(spec->prov, self->name) && *spec->name && !probe_is_glob(spec->name);

	if (has_file(s, "/sys/module", spec->mod, "/initstate")) {
		if (exact)	/* whether it exists is known when it is attached */
			add_untyped(s, self, spec);
		return exact;
	}
	if (s->waits && exact) {
		add_untyped(s, self == &provider_sdt ? &later_sdt : &later_rawtp, spec);
		return 1;
	}
	if (!strcmp(spec->prov, self->name))
		snprintf(to->reason, to->room, "module %.56s is not loaded%s; tracepoints of the kernel itself are "
			 "%s:vmlinux::", spec->mod, exact ? " (with -Z, dtr waits for it)" : "", self->name);
	return 0;
}

/* Called only for descriptions that sdt_patterns or rawtp_patterns accepts, and for hints. */
int sdt_provide(const struct provider *self, struct probe_set *s, const struct probe_spec *spec, char *reason,
		size_t n)
{
	bool named = *spec->mod && !probe_is_glob(spec->mod);

	if (!sdt_may_mean(spec) || !strcmp(spec->mod, "vmlinux"))
		return 0;
	if (!*spec->mod && probe_named(s, &(struct probe_names){ self->name, "vmlinux", "", spec->name }))
		return 0;	/* modules have other names: need not be read */
	read_modules(self, s, spec->mod);
	if (named && !has_file(s, TYPES_DIR, spec->mod, ""))
		return provide_named(self, s, spec, &(struct probe_answer){ s, reason, n });
	if (probe_is_glob(spec->name) && !strcmp(spec->prov, self->name))
		snprintf(reason, n, "no tracepoint of this kernel and its loaded modules has such a name");
	return 0;
}
