/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/containers/hierarchy.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* True if a list, separated by commas, has the word. */
static bool list_has(const char *list, const char *word)
{
	const size_t n = strlen(word);

	for (const char *p = list; *p; p += strcspn(p, ","), p += *p == ',')
		if (!strncmp(p, word, n) && (p[n] == ',' || !p[n] || p[n] == '\n'))
			return true;
	return false;
}

/* The rest of a line of /proc/PID/cgroup, "NUMBER:CONTROLLERS:PATH", if it is of this hierarchy: the path. */
static const char *line_path(const char *line, const char *controller, unsigned *number)
{
	const char *list = strchr(line, ':'), *path = list ? strchr(list + 1, ':') : NULL;
	char names[256];

	if (!path || sscanf(line, "%u", number) != 1)
		return NULL;
	snprintf(names, sizeof names, "%.*s", (int)(path - list - 1), list + 1);
	return (*controller ? list_has(names, controller) : !*number && !*names) ? path + 1 : NULL;
}

/* Replaces \040 and the like. */
static void mount_unescape(char *s)
{
	char *to = s;

	for (; *s; s++)
		if (*s == '\\' && s[1] && s[2] && s[3]) {
			*to++ = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 | (s[3] - '0'));
			s += 3;
		} else {
			*to++ = *s;
		}
	*to = '\0';
}

/* Fills in mount and root if the line of mountinfo is a mount of the hierarchy. */
static bool mount_take(struct cgroup_hierarchy *h, const char *line)
{
	const char *dash = strstr(line, " - "), *options;
	char type[16];

	if (!dash || sscanf(dash, " - %15s", type) != 1 || strcmp(type, *h->controller ? "cgroup" : "cgroup2"))
		return false;
	options = strrchr(dash, ' ');
	if (*h->controller && !list_has(options + 1, h->controller))
		return false;
	if (sscanf(line, "%*u %*u %*s %4095s %4095s", h->root, h->mount) != 2)
		return false;
	mount_unescape(h->root);
	mount_unescape(h->mount);
	return true;
}

/* The first mount that shows the root; otherwise the first one. */
static bool hierarchy_mount(struct cgroup_hierarchy *h, const char *proc)
{
	char name[PATH_MAX], *line = NULL;
	struct cgroup_hierarchy one = *h;
	bool found = false;
	size_t cap = 0;
	FILE *f;

	snprintf(name, sizeof name, "%s/self/mountinfo", proc);
	f = fopen(name, "re");
	while (f && getline(&line, &cap, f) > 0) {
		if (!mount_take(&one, line))
			continue;
		if (!found || !strcmp(one.root, "/"))
			*h = one;
		found = true;
		if (!strcmp(h->root, "/"))
			break;
	}
	free(line);
	if (f)
		fclose(f);
	return found;
}

static bool hierarchy_number(struct cgroup_hierarchy *h, const char *proc)
{
	char name[PATH_MAX], *line = NULL;
	bool found = false;
	size_t cap = 0;
	FILE *f;

	snprintf(name, sizeof name, "%s/self/cgroup", proc);
	f = fopen(name, "re");
	while (f && !found && getline(&line, &cap, f) > 0)
		found = line_path(line, h->controller, &h->number);
	free(line);
	if (f)
		fclose(f);
	return found;
}

int cgroup_hierarchy_find(struct cgroup_hierarchy *out, const char *wanted, const char *proc, char *reason, size_t n)
{
	static const char *const usual[] = { "", "memory", "pids", "cpu", "cpuacct", "freezer", "devices", "blkio" };
	const char *const given[] = { wanted && strcmp(wanted, "v2") ? wanted : "" };
	const char *const *list = wanted ? given : usual;
	const size_t count = wanted ? 1 : sizeof usual / sizeof *usual;

	for (size_t i = 0; i < count; i++) {
		*out = (struct cgroup_hierarchy){ .number = 0 };
		snprintf(out->controller, sizeof out->controller, "%s", list[i]);
		if (hierarchy_number(out, proc) && hierarchy_mount(out, proc))
			return 0;
	}
	if (!wanted)
		snprintf(reason, n, "no file system of control groups is mounted");
	else if (!strcmp(wanted, "v2"))
		snprintf(reason, n, "no file system of control groups of version 2 is mounted");
	else
		snprintf(reason, n, "no controller of version 1 called '%s' is mounted", wanted);
	return -ENOENT;
}

int cgroup_directory(const struct cgroup_hierarchy *h, const char *path, char *out)
{
	const size_t n = strcmp(h->root, "/") ? strlen(h->root) : 0;

	if (strncmp(path, h->root, n) || (path[n] && path[n] != '/'))
		return -ENOENT;
	path += n;
	return snprintf(out, PATH_MAX, "%s%s", h->mount, strcmp(path, "/") ? path : "") < PATH_MAX ? 0 : -ENAMETOOLONG;
}

/* The numbers of the directories on the way to the one in path[], which is changed and restored. */
static int chain_ids(const struct cgroup_hierarchy *h, struct cgroup_chain *out)
{
	char directory[PATH_MAX];
	int err = cgroup_directory(h, out->path, directory);
	const size_t top = strlen(h->mount);
	struct stat st;

	for (size_t at = top; !err; at++) {
		const char c = directory[at];

		if (c && c != '/')
			continue;
		directory[at] = '\0';
		if (out->n == HIERARCHY_DEPTH || stat(directory, &st))
			return out->n == HIERARCHY_DEPTH ? -E2BIG : -errno;
		out->id[out->n++] = st.st_ino;
		directory[at] = c;
		if (!c)
			break;
	}
	return err;
}

int cgroup_chain_read(const struct cgroup_hierarchy *h, const char *proc, uint64_t pid, uint64_t tid,
		      struct cgroup_chain *out)
{
	char name[PATH_MAX], *line = NULL;
	const char *path = NULL;
	unsigned number;
	size_t cap = 0;
	FILE *f;

	out->n = 0;
	if (!pid) {	/* the idle threads */
		snprintf(out->path, sizeof out->path, "/");
		return chain_ids(h, out);
	}
	snprintf(name, sizeof name, "%s/%" PRIu64 "/task/%" PRIu64 "/cgroup", proc, pid, tid);
	f = fopen(name, "re");
	if (!f)
		return -errno;
	while (!path && getline(&line, &cap, f) > 0)
		path = line_path(line, h->controller, &number);
	if (path)
		snprintf(out->path, sizeof out->path, "%.*s", (int)strcspn(path, "\n"), path);
	free(line);
	fclose(f);
	return path ? chain_ids(h, out) : -ENOENT;
}
