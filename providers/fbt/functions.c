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
	VEC(struct fbt_function) others;
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

static void list_add(struct list *l, const char *module, const char *name, uint64_t place)
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

/* addrs: the lines have addresses. */
static void read_lines(struct list *l, FILE *f, bool addrs)
{
	char *line = NULL;
	size_t n = 0;

	while (getline(&line, &n, f) > 0) {
		char *name = line, *module;
		uint64_t place = addrs ? strtoull(line, &name, 16) : 0;

		name += strspn(name, " ");
		module = strchr(name, '[');
		name[strcspn(name, " \t\n")] = '\0';
		if (!*name || !strncmp(name, INVALID, strlen(INVALID)))
			continue;
		if (module)
			module[strcspn(module, "]")] = '\0';
		list_add(l, module ? module + 1 : "vmlinux", name, place);
	}
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

/* A symbol is the address of the function to whose place it belongs, or of the next one of its name; or a name that the
 * list does not have. */
static bool take_symbol(void *arg, const struct kallsyms_line *s)
{
	struct list *l = arg;
	struct fbt_function *first;

	if (!kallsyms_is_code(s->kind))
		return false;
	first = *place_of(l, s->module, s->name);
	for (struct fbt_function *f = first; f; f = f->same) {
		if (is_at(f, s->addr)) {
			f->addr = s->addr;
			return false;
		}
	}
	if (!first)
		*VEC_ADD(l->arena, &l->others) = (struct fbt_function){
			.name = arena_strdup(l->arena, s->name), .module = module_name(l, s->module), .addr = s->addr,
		};
	return false;
}

/* Finds the functions of the list that the other names mean. */
static void find_aliases(struct list *l)
{
	struct map at;

	map_init(&at, l->arena);
	for (size_t i = 0; i < l->v.n; i++)
		for (struct fbt_function *f = l->v.v[i]; f; f = f->same)
			if (f->addr)
				*map_put(&at, &f->addr, sizeof f->addr) = f;
	for (size_t i = 0; i < l->others.n; i++) {
		struct fbt_function *f = &l->others.v[i];
		void **of = map_find(&at, &f->addr, sizeof f->addr);

		f->alias_of = of ? *of : NULL;
	}
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
		kallsyms_each(NULL, take_symbol, &l);
	find_aliases(&l);
	out->v = l.v.v;
	out->n = l.v.n;
	out->other = l.others.v;
	out->nothers = l.others.n;
}
