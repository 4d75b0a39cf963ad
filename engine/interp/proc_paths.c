/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/interp/proc_paths.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* ---- links ---- */
static void entry_name(char out[96], uint64_t pid, uint64_t tid, const char *what)
{
	snprintf(out, 96, "/proc/%" PRIu64 "/task/%" PRIu64 "/%s", pid, tid, what);
}

/* Removes what /proc adds to the path of a file that was removed or is outside the visible tree. */
static void link_plain(const char *entry, char *text)
{
	static const char gone[] = " (deleted)", far[] = "(unreachable)";
	size_t n = strlen(text);
	struct stat st;

	if (n >= sizeof gone && !strcmp(text + n - (sizeof gone - 1), gone) && !stat(entry, &st) && !st.st_nlink)
		text[n - (sizeof gone - 1)] = '\0';
	if (!strncmp(text, far, sizeof far - 1))
		memmove(text, text + sizeof far - 1, strlen(text + sizeof far - 1) + 1);
}

static int link_read(uint64_t pid, uint64_t tid, const char *what, char out[PATH_MAX])
{
	char entry[96];
	ssize_t n;

	entry_name(entry, pid, tid, what);
	n = readlink(entry, out, PATH_MAX - 1);
	if (n < 0)
		return -errno;
	out[n] = '\0';
	link_plain(entry, out);
	return 0;
}

/* Returns the part of the path after the directory, "" for the directory itself, or NULL if the path is not below
 * it. */
static const char *path_below(const char *path, const char *dir)
{
	size_t n = strcmp(dir, "/") ? strlen(dir) : 0;

	return !strncmp(path, dir, n) && (path[n] == '/' || !path[n]) ? path + n : NULL;
}

static void path_name(struct proc_path *p, size_t off, size_t len)
{
	if (p->n == PROC_PATH_NAMES) {
		memmove(p->off, p->off + 1, sizeof p->off - sizeof *p->off);
		memmove(p->len, p->len + 1, sizeof p->len - sizeof *p->len);
		p->n--;
	}
	p->off[p->n] = (uint16_t)off;
	p->len[p->n++] = (uint16_t)len;
}

static void path_set(struct proc_path *p, const char *text)
{
	size_t at = 0;

	p->n = 0;
	snprintf(p->text, sizeof p->text, "%s", text);
	while (p->text[at += strspn(p->text + at, "/")]) {
		size_t len = strcspn(p->text + at, "/");
		bool last = !p->text[at + len];

		p->text[at + len] = '\0';
		path_name(p, at, len);
		at += len + !last;
	}
}

static void path_one(struct proc_path *p, const char *name)
{
	p->n = 0;
	snprintf(p->text, sizeof p->text, "%s", name);
	if (*name)
		path_name(p, 0, strlen(p->text));
}

void proc_dirs_read(uint64_t pid, uint64_t tid, struct proc_dirs *out)
{
	char root[PATH_MAX], cwd[PATH_MAX];
	const char *rest;

	out->err = link_read(pid, tid, "root", root);
	if (!out->err)
		out->err = link_read(pid, tid, "cwd", cwd);
	if (out->err)
		return;
	rest = path_below(cwd, root);
	out->outside = !rest;
	path_set(&out->root, root);
	path_set(&out->cwd, rest ? rest : cwd);
}

int proc_uts_read(uint64_t pid, uint64_t tid, uint32_t *inum)
{
	char text[PATH_MAX];
	int err = link_read(pid, tid, "ns/uts", text);

	if (err)
		return err;
	return sscanf(text, "uts:[%" SCNu32 "]", inum) == 1 ? 0 : -EINVAL;
}

/* ---- files ---- */
struct mount {
	char point[PATH_MAX], fs[64];
};

/* Replaces octal escapes such as \040. */
static void path_unescape(char *s)
{
	char *to = s;

	for (; *s; s++) {
		if (*s == '\\' && s[1] && s[2] && s[3]) {
			*to++ = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 | (s[3] - '0'));
			s += 3;
		} else {
			*to++ = *s;
		}
	}
	*to = '\0';
}

static bool mount_find(uint64_t pid, uint64_t tid, unsigned id, struct mount *m)
{
	char entry[96], *line = NULL;
	size_t cap = 0;
	bool found = false;
	FILE *f;

	entry_name(entry, pid, tid, "mountinfo");
	f = fopen(entry, "re");
	while (f && !found && getline(&line, &cap, f) > 0) {
		const char *dash = strstr(line, " - ");
		unsigned number;

		found = dash && sscanf(line, "%u %*u %*s %*s %4095s", &number, m->point) == 2 && number == id &&
			sscanf(dash + 3, "%63s", m->fs) == 1;
	}
	free(line);
	if (f)
		fclose(f);
	if (found)
		path_unescape(m->point);
	return found;
}

/* Reads "pos:", "flags:" and "mnt_id:" from fdinfo. */
static int file_info(uint64_t pid, uint64_t tid, uint32_t fd, struct proc_file *out, unsigned *mount)
{
	char what[32], entry[96], line[128];
	FILE *f;

	snprintf(what, sizeof what, "fdinfo/%u", fd);
	entry_name(entry, pid, tid, what);
	f = fopen(entry, "re");
	if (!f)
		return -errno;
	out->pos = out->flags = *mount = 0;
	while (fgets(line, sizeof line, f)) {
		if (!strncmp(line, "pos:", 4))
			out->pos = strtoull(line + 4, NULL, 10);
		else if (!strncmp(line, "flags:", 6))
			out->flags = (uint32_t)strtoul(line + 6, NULL, 8);
		else if (!strncmp(line, "mnt_id:", 7))
			*mount = (unsigned)strtoul(line + 7, NULL, 10);
	}
	fclose(f);
	return 0;
}

/* Recognises files that are in no directory. Columns: the start of the link, the type of file system, whether a name
 * follows. */
static bool file_loose(const char *entry, const char *text, struct proc_file *out)
{
	static const struct { const char *head, *fs; bool named; } kinds[] = {
		{ "pipe:[", "pipefs", false }, { "socket:[", "sockfs", false }, { "anon_inode:", "anon_inodefs", true },
		{ "/memfd:", "tmpfs", true },
	};

	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		char name[64] = "";

		if (strncmp(text, kinds[i].head, strlen(kinds[i].head)))
			continue;
		if (*text == 's' && getxattr(entry, "system.sockprotoname", name, sizeof name - 1) < 0)
			*name = '\0';
		snprintf(out->fs, sizeof out->fs, "%s", kinds[i].fs);
		path_one(&out->name, !kinds[i].named ? name : *text == '/' ? text + 1 : text + strlen(kinds[i].head));
		return true;
	}
	return *text != '/';
}

static void file_place(const char *root, const char *text, const struct mount *m, struct proc_file *out)
{
	const char *rest = path_below(text, root), *inside = rest && m ? path_below(rest, m->point) : NULL;

	out->outside = !rest;
	out->mounted = inside && strcmp(m->point, "/") != 0;
	if (out->mounted)
		path_set(&out->mount, m->point);
	path_set(&out->name, out->mounted ? inside : rest ? rest : text);
	if (m)
		snprintf(out->fs, sizeof out->fs, "%s", m->fs);
}

void proc_file_read(uint64_t pid, uint64_t tid, uint32_t fd, struct proc_file *out)
{
	char what[32], entry[96], text[PATH_MAX], root[PATH_MAX];
	struct mount m;
	unsigned id = 0;

	snprintf(what, sizeof what, "fd/%u", fd);
	entry_name(entry, pid, tid, what);
	*out->fs = '\0';
	out->mount.n = out->name.n = 0;
	out->mounted = out->outside = false;
	out->err = link_read(pid, tid, what, text);
	if (!out->err)
		out->err = link_read(pid, tid, "root", root);
	if (!out->err)
		out->err = file_info(pid, tid, fd, out, &id);
	if (out->err)
		return;
	out->loose = file_loose(entry, text, out);
	if (!out->loose)
		file_place(root, text, mount_find(pid, tid, id, &m) ? &m : NULL, out);
}
