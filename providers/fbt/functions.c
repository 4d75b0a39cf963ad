/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The functions that the kernel can trace: available_filter_functions of tracefs, in a mount that nobody else sees; and
 * their addresses: available_filter_functions_addrs (6.5), or /proc/kallsyms.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "providers/fbt/fbt.h"

#define INVALID "__ftrace_invalid_address__"	/* of a function that was removed */

/* Returns the descriptor of a new mount of tracefs, or -errno. */
static int mount_tracefs(void)
{
	int fs = (int)syscall(SYS_fsopen, "tracefs", FSOPEN_CLOEXEC), mount = -1;

	if (fs < 0)
		return -errno;
	if (!syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		mount = (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, 0);
	mount = mount < 0 ? -errno : mount;
	close(fs);
	return mount;
}

/* NULL with the errno in *err. */
static FILE *open_below(int mount, const char *name, int *err)
{
	int fd = openat(mount, name, O_RDONLY | O_CLOEXEC);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");

	*err = f ? 0 : errno;
	if (!f && fd >= 0)
		close(fd);
	return f;
}

/* A line of such a list is "[ADDRESS ]NAME[ [MODULE]]". */
struct list {
	struct arena *arena;
	struct map modules;	/* name -> its only copy */
	struct map named;	/* "module`name" -> struct fbt_function *, the first one */
	VEC(struct fbt_function *) v;
};

static const char *module_name(struct list *l, const char *name)
{
	char *copy = map_gets(&l->modules, name);

	if (!copy) {
		copy = arena_strdup(l->arena, name);
		map_sets(&l->modules, copy, copy);
	}
	return copy;
}

/* Returns the place of the first function of this name. */
static void **place_of(struct list *l, const char *module, const char *name)
{
	char key[600];
	int n = snprintf(key, sizeof key, "%s`%s", module, name);

	return map_put(&l->named, key, (size_t)n < sizeof key ? (size_t)n : sizeof key - 1);
}

static void add(struct list *l, const char *module, const char *name, uint64_t place)
{
	struct fbt_function *f = arena_alloc(l->arena, sizeof *f), **last;
	void **first;

	*f = (struct fbt_function){
		.name = arena_strdup(l->arena, name), .module = module_name(l, module), .place = place,
	};
	first = place_of(l, module, name);
	if (!*first) {
		*first = *VEC_ADD(l->arena, &l->v) = f;
		return;
	}
	for (last = &((struct fbt_function *)*first)->same; *last; last = &(*last)->same)
		;
	*last = f;
}

static void line_take(struct list *l, char *line, bool addrs)
{
	uint64_t place = 0;
	char *name = line, *module;

	if (addrs)
		place = strtoull(line, &name, 16);
	name += strspn(name, " ");
	module = strchr(name, '[');
	name[strcspn(name, " \t\n")] = '\0';
	if (!*name || !strncmp(name, INVALID, strlen(INVALID)))
		return;
	if (module)
		module[strcspn(module, "]")] = '\0';
	add(l, module ? module + 1 : "vmlinux", name, place);
}

static void read_lines(struct list *l, FILE *f, bool addrs)
{
	char *line = NULL;
	size_t n = 0;

	while (getline(&line, &n, f) > 0)
		line_take(l, line, addrs);
	free(line);
	fclose(f);
}

/* Returns 0 or an errno. */
static int read_list(struct list *l)
{
	int mount = mount_tracefs(), err;
	bool addrs = true;
	FILE *f;

	if (mount < 0)
		return -mount;
	f = open_below(mount, "available_filter_functions_addrs", &err);
	if (!f) {
		addrs = false;
		f = open_below(mount, "available_filter_functions", &err);
	}
	if (f)
		read_lines(l, f, addrs);
	close(mount);
	return f ? 0 : err;
}

/* ---- addresses ---- */

/* The kernel replaces an instruction in the first bytes of a function. */
static bool is_at(const struct fbt_function *f, uint64_t addr)
{
	enum { FIRST_BYTES = 16 };

	return f->place ? f->place - addr < FIRST_BYTES : !f->addr;
}

/* A symbol; of several with one name, the one that belongs to the place, or the next one. */
static void set_address(struct list *l, const char *module, const char *name, uint64_t addr)
{
	struct fbt_function *f = *place_of(l, module, name);

	for (; f; f = f->same) {
		if (is_at(f, addr)) {
			f->addr = addr;
			return;
		}
	}
}

/* A function in /proc/kallsyms. */
struct symbol {
	uint64_t addr;
	const char *name, *module;
};

/* "ffffffff81000000 T name\t[module]". Returns false if it is not a function. */
static bool symbol_of(char *line, struct symbol *out)
{
	char *end, *name, *module;

	out->addr = strtoull(line, &end, 16);
	if (end[0] != ' ' || !end[1] || !strchr("tTwW", end[1]) || end[2] != ' ')
		return false;
	name = end + 3;
	module = strchr(name, '[');
	name[strcspn(name, "\t\n")] = '\0';
	if (module)
		module[strcspn(module, "]")] = '\0';
	out->name = name;
	out->module = module ? module + 1 : "vmlinux";
	return true;
}

/* Calls fn for each function until it returns true. Returns 0 or an errno. */
static int each_symbol(bool (*fn)(void *arg, const struct symbol *s), void *arg)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	struct symbol s;
	char *line = NULL;
	bool done = false;
	size_t n = 0;

	if (!f)
		return errno;
	while (!done && getline(&line, &n, f) > 0)
		done = symbol_of(line, &s) && fn(arg, &s);
	free(line);
	fclose(f);
	return 0;
}

static bool set_symbol(void *arg, const struct symbol *s)
{
	set_address(arg, s->module, s->name, s->addr);
	return false;
}

/* ---- other names ---- */
struct search {
	const struct probe_spec *spec;
	struct arena *arena;
	struct symbol found;
};

static bool is_wanted(void *arg, const struct symbol *s)
{
	struct search *x = arg;

	if (strcmp(s->name, x->spec->func) || !probe_glob(x->spec->mod, s->module))
		return false;
	x->found = (struct symbol){ s->addr, arena_strdup(x->arena, s->name), arena_strdup(x->arena, s->module) };
	return true;
}

struct fbt_function *fbt_functions_alias(const struct fbt_functions *list, struct arena *a,
					 const struct probe_spec *spec, bool *exists)
{
	struct search x = { .spec = spec, .arena = a };
	struct fbt_function *f;

	*exists = !each_symbol(is_wanted, &x) && x.found.addr;
	for (size_t i = 0; *exists && i < list->n; i++)
		for (const struct fbt_function *same = list->v[i]; same; same = same->same)
			if (same->addr == x.found.addr) {
				f = arena_alloc(a, sizeof *f);
				*f = (struct fbt_function){
					.name = x.found.name, .module = same->module, .addr = same->addr,
				};
				return f;
			}
	return NULL;
}

void fbt_functions_read(struct fbt_functions *out, struct arena *a)
{
	struct list l = { .arena = a };
	const char *lacks = kprobe_lacks();
	int err;

	if (lacks) {
		out->error = lacks;
		return;
	}
	map_init(&l.modules, a);
	map_init(&l.named, a);
	err = read_list(&l);
	if (err)
		out->error = arena_printf(a, "the kernel's list of functions (tracefs) cannot be read: %s",
					  strerror(err));
	else
		err = each_symbol(set_symbol, &l);
	out->v = l.v.v;
	out->n = l.v.n;
}
