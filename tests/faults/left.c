/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "tests/faults/left.h"

#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST 4096

struct ids {
	unsigned int n;
	__u32 id[MOST];
};

/* Objects that processes hold through their descriptors and the programs to which these refer. */
struct held_object {
	struct ids progs, maps;
};

static void ids_add(struct ids *s, __u32 id)
{
	if (s->n < MOST)
		s->id[s->n++] = id;
}

static bool ids_have(const struct ids *s, __u32 id)
{
	for (unsigned int i = 0; i < s->n; i++)
		if (s->id[i] == id)
			return true;
	return false;
}

static void held_file(struct held_object *h, const char *path)
{
	FILE *f = fopen(path, "re");
	char line[128];
	__u32 id;

	while (f && fgets(line, sizeof line, f)) {
		if (sscanf(line, "prog_id: %u", &id) == 1)
			ids_add(&h->progs, id);
		else if (sscanf(line, "map_id: %u", &id) == 1)
			ids_add(&h->maps, id);
	}
	if (f)
		fclose(f);
}

static void held_process(struct held_object *h, const char *pid)
{
	char dir[64], path[400];
	struct dirent *e;
	DIR *d;

	snprintf(dir, sizeof dir, "/proc/%.20s/fdinfo", pid);
	d = opendir(dir);
	while (d && (e = readdir(d))) {
		snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
		held_file(h, path);
	}
	if (d)
		closedir(d);
}

/* The maps of a held program need no descriptor. */
static void held_maps(struct held_object *h, int fd)
{
	__u32 ids[256], len;
	struct bpf_prog_info info = { .map_ids = (__u64)(unsigned long)ids, .nr_map_ids = 256 };

	len = sizeof info;
	if (bpf_obj_get_info_by_fd(fd, &info, &len) == 0)
		for (__u32 i = 0; i < info.nr_map_ids && i < 256; i++)
			ids_add(&h->maps, ids[i]);
}

/* Programs in a program array need no descriptor while the array has one. */
static void held_programs(struct held_object *h, __u32 map)
{
	struct bpf_map_info info = { 0 };
	__u32 len = sizeof info, id;
	int fd = bpf_map_get_fd_by_id(map);

	if (fd < 0)
		return;
	if (bpf_obj_get_info_by_fd(fd, &info, &len) == 0 && info.type == BPF_MAP_TYPE_PROG_ARRAY)
		for (__u32 key = 0; key < info.max_entries; key++)
			if (bpf_map_lookup_elem(fd, &key, &id) == 0)
				ids_add(&h->progs, id);
	close(fd);
}

static void held_find(struct held_object *h)
{
	DIR *d = opendir("/proc");
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (e->d_name[0] >= '1' && e->d_name[0] <= '9')
			held_process(h, e->d_name);
	if (d)
		closedir(d);
	for (unsigned int i = 0; i < h->maps.n; i++)
		held_programs(h, h->maps.id[i]);
	for (unsigned int i = 0; i < h->progs.n; i++) {
		int fd = bpf_prog_get_fd_by_id(h->progs.id[i]);

		if (fd >= 0) {
			held_maps(h, fd);
			close(fd);
		}
	}
}

static int left_program(__u32 id, char *what, size_t n)
{
	struct bpf_prog_info info = { 0 };
	__u32 len = sizeof info;
	int fd = bpf_prog_get_fd_by_id(id), ours;

	if (fd < 0)
		return 0;
	ours = bpf_obj_get_info_by_fd(fd, &info, &len) == 0 && !strncmp(info.name, "dtr_", 4);
	close(fd);
	if (ours)
		snprintf(what, n, "program %u %s", id, info.name);
	return ours;
}

/* Not program arrays: the kernel takes a reference for the work that empties one when its last descriptor is closed,
 * and never returns it if that work is pending already (prog_array_map_clear), as when left_map closes a descriptor of
 * its own. Programs in one would be left, too. */
static int left_map(__u32 id, char *what, size_t n)
{
	struct bpf_map_info info = { 0 };
	__u32 len = sizeof info;
	int fd = bpf_map_get_fd_by_id(id), ours;

	if (fd < 0)
		return 0;
	ours = bpf_obj_get_info_by_fd(fd, &info, &len) == 0 && !strncmp(info.name, "dtr_", 4) &&
	       info.type != BPF_MAP_TYPE_PROG_ARRAY;
	close(fd);
	if (ours)
		snprintf(what, n, "map %u %s", id, info.name);
	return ours;
}

struct left {
	struct ids progs, maps;
};

/* Keeps in `l` only objects that no process holds; `what` names the last. */
static unsigned int left_look(struct left *l, char *what, size_t n)
{
	struct held_object *h = calloc(1, sizeof *h);
	unsigned int progs = 0, maps = 0;

	if (!h)
		abort();
	held_find(h);
	for (unsigned int i = 0; i < l->progs.n; i++)
		if (!ids_have(&h->progs, l->progs.id[i]) && left_program(l->progs.id[i], what, n))
			l->progs.id[progs++] = l->progs.id[i];
	for (unsigned int i = 0; i < l->maps.n; i++)
		if (!ids_have(&h->maps, l->maps.id[i]) && left_map(l->maps.id[i], what, n))
			l->maps.id[maps++] = l->maps.id[i];
	l->progs.n = progs;
	l->maps.n = maps;
	free(h);
	return progs + maps;
}

/* Maps that no command under test makes: none keeps a session, whose objects no process holds, and whose record is the
 * newest of them. */
static const char *const foreign_maps[] = { "dtr_kept" };

static bool has_foreign(const struct ids *maps)
{
	char what[64];

	for (unsigned int i = 0; i < maps->n; i++)
		for (size_t k = 0; k < sizeof foreign_maps / sizeof *foreign_maps; k++)
			if (left_map(maps->id[i], what, sizeof what) && strstr(what, foreign_maps[k]))
				return true;
	return false;
}

struct left_mark left_mark(void)
{
	struct left_mark m = { 0 };

	for (__u32 id = 0; bpf_prog_get_next_id(id, &id) == 0;)
		m.prog = id;
	for (__u32 id = 0; bpf_map_get_next_id(id, &id) == 0;)
		m.map = id;
	return m;
}

/* Checks only objects that exist now, as others may run dtr in the meantime. IDs are not reused. */
int left_behind(struct left_mark since, unsigned int seconds, char *what, size_t n)
{
	struct left *l = calloc(1, sizeof *l);
	unsigned int left;

	if (!l)
		abort();
	for (__u32 id = since.prog; bpf_prog_get_next_id(id, &id) == 0;)
		ids_add(&l->progs, id);
	for (__u32 id = since.map; bpf_map_get_next_id(id, &id) == 0;)
		ids_add(&l->maps, id);
	left = left_look(l, what, n);
	for (unsigned int i = 0; left && i < seconds * 10; i++) {
		usleep(100000);
		left = left_look(l, what, n);
	}
	if (left && has_foreign(&l->maps)) {
		printf("# %u objects are left, but those of another dtr are among them: not judged\n", left);
		left = 0;
	}
	free(l);
	return left;
}
