/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/program.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int file_runs(const char *path)
{
	struct stat st;

	if (faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) < 0 || stat(path, &st) < 0)
		return -errno;
	return S_ISREG(st.st_mode) ? 0 : -EACCES;
}

/* An empty folder of the list is the current one. A file that may not be executed does not end the search; it is
 * reported only if no other folder has the file. */
static int search_folders(const char *folders, const char *name, char *path, size_t n)
{
	bool denied = false;

	for (;;) {
		const size_t len = strcspn(folders, ":");
		int need = snprintf(path, n, "%.*s/%s", len ? (int)len : 1, len ? folders : ".", name);
		int r = need < 0 || (size_t)need >= n ? -ENAMETOOLONG : file_runs(path);

		if (!r)
			return 0;
		denied |= r == -EACCES;
		if (!folders[len])
			return denied ? -EACCES : -ENOENT;
		folders += len + 1;
	}
}

int program_find(const char *name, char *path, size_t n)
{
	const char *folders = getenv("PATH");
	char standard[PATH_MAX];

	if (!*name)
		return -ENOENT;
	if (strchr(name, '/'))
		return (size_t)snprintf(path, n, "%s", name) >= n ? -ENAMETOOLONG : file_runs(path);
	if (!folders) {
		if (!confstr(_CS_PATH, standard, sizeof standard))
			return -ENOENT;
		folders = standard;
	}
	return search_folders(folders, name, path, n);
}
