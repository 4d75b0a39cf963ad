/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/bpf/pins.h"

#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define USUAL "/sys/fs/bpf"

int pins_mount(char *path, size_t n)
{
	FILE *f = setmntent("/proc/self/mounts", "re");
	char text[2 * PATH_MAX];
	bool found = false;
	struct mntent m;

	while (f && getmntent_r(f, &m, text, sizeof text)) {
		if (strcmp(m.mnt_type, "bpf") || strlen(m.mnt_dir) >= n || (found && strcmp(m.mnt_dir, USUAL)))
			continue;
		snprintf(path, n, "%s", m.mnt_dir);
		found = true;
	}
	if (f)
		endmntent(f);
	return found ? 0 : -ENOENT;
}

static bool same_file(int fd, const char *path)
{
	struct stat a, b;

	return !fstat(fd, &a) && !stat(path, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

int pins_lock(const char *path, int how)
{
	for (;;) {
		int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), err = 0;

		if (fd < 0)
			return -errno;
		while (flock(fd, how) && !err)
			err = errno == EINTR ? 0 : -errno;
		if (!err && same_file(fd, path))
			return fd;
		close(fd);	/* if without an error: it was removed while this waited */
		if (err)
			return err;
	}
}

static const char *path_in(char *path, const char *dir, const char *name)
{
	return snprintf(path, PATH_MAX, "%s/%s", dir, name) < PATH_MAX ? path : dir;
}

int pins_put(const char *dir, const char *name, int fd)
{
	char path[PATH_MAX];

	return bpf_obj_pin(fd, path_in(path, dir, name)) ? -errno : 0;
}

int pins_get(const char *dir, const char *name)
{
	char path[PATH_MAX];
	int fd = bpf_obj_get(path_in(path, dir, name));

	return fd < 0 ? -errno : fd;
}

static int is_entry(const struct dirent *e)
{
	return strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
}

int pins_each(const char *dir, int (*fn)(void *arg, const char *name), void *arg)
{
	struct dirent **v;
	int n = scandir(dir, &v, is_entry, alphasort), r = n < 0 ? -errno : 0;

	for (int i = 0; i < n; i++) {
		if (!r)
			r = fn(arg, v[i]->d_name);
		free(v[i]);
	}
	if (n >= 0)
		free(v);
	return r;
}

bool pins_is(const char *name, const char *prefix)
{
	size_t n = strlen(prefix);

	return !strncmp(name, prefix, n) && name[n] && !name[n + strspn(name + n, "0123456789")];
}

struct pins_removal {
	const char *dir, *prefix;
};

static int remove_one(void *arg, const char *name)
{
	const struct pins_removal *x = arg;
	char path[PATH_MAX];

	if (!pins_is(name, x->prefix))
		return 0;
	return unlink(path_in(path, x->dir, name)) && errno != ENOENT ? -errno : 0;
}

int pins_remove(const char *dir, const char *prefix)
{
	struct pins_removal x = { dir, prefix };

	return pins_each(dir, remove_one, &x);
}
