/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/output/profile/source.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FLAGS = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY };

/* Reads and closes a descriptor, which may be one of anything. needed: permissions that the file must have. */
static const char *read_regular(struct buf *out, int fd, mode_t needed)
{
	const char *why = NULL;
	struct stat st;
	int r;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		why = "it is not a regular file";
	else if ((st.st_mode & needed) != needed)
		why = "not everybody may read it: name its directory with --source";
	r = why ? 0 : buf_read_fd(out, fd);
	close(fd);
	return r < 0 ? strerror(-r) : why;
}

/* The file below the directory that the longest end of the path names; -1: none. */
static int open_below(const char *dir, const char *path)
{
	struct open_how how = { .flags = FLAGS, .resolve = RESOLVE_BENEATH };
	int at = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC), fd = -1;

	for (const char *end = path; at >= 0 && fd < 0 && end; end = strchr(end, '/')) {
		end += strspn(end, "/");
		fd = (int)syscall(SYS_openat2, at, end, &how, sizeof how);
	}
	if (at >= 0)
		close(at);
	return fd;
}

const char *source_read(struct buf *out, const struct opt_list *dirs, const char *path)
{
	int fd;

	for (unsigned i = 0; i < dirs->n; i++) {
		fd = open_below(dirs->v[i], path);
		if (fd >= 0)
			return read_regular(out, fd, 0);
	}
	if (*path != '/')
		return "its path is unknown: name its directory with --source";
	fd = open(path, FLAGS);
	return fd < 0 ? strerror(errno) : read_regular(out, fd, S_IROTH);
}
