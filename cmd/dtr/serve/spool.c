/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/serve/spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static int path_of(const struct spool *s, const struct spool_entry *e, const char *mark, char *out)
{
	int n = snprintf(out, PATH_MAX, "%s/%s%" PRIu64 "-%" PRIu64 ".%s", s->dir, mark, e->from, e->until, s->ending);

	return n < PATH_MAX ? 0 : -ENAMETOOLONG;
}

static int insert(struct spool *s, const struct spool_entry *e)
{
	size_t i = s->n;

	if (s->n == s->cap) {
		size_t cap = s->cap ? 2 * s->cap : 16;
		struct spool_entry *v = realloc(s->v, cap * sizeof *v);

		if (!v)
			return -ENOMEM;
		s->v = v;
		s->cap = cap;
	}
	for (; i > 0 && s->v[i - 1].from > e->from; i--)
		s->v[i] = s->v[i - 1];
	s->v[i] = *e;
	s->n++;
	s->size += e->size;
	return 0;
}

static void discard(struct spool *s, size_t i)
{
	struct spool_entry *e = &s->v[i];
	char path[PATH_MAX];

	if (!e->data && path_of(s, e, "", path) == 0)
		unlink(path);
	free(e->data);
	s->size -= e->size;
	memmove(e, e + 1, (--s->n - i) * sizeof *e);
}

static void shrink(struct spool *s)
{
	while (s->n && s->size > s->most) {
		discard(s, 0);
		s->dropped++;
	}
}

/* A file of the queue, by its name. */
static bool parse(const struct spool *s, const char *name, struct spool_entry *e)
{
	char path[PATH_MAX], again[PATH_MAX];
	struct stat st;

	*e = (struct spool_entry){ 0 };
	if (sscanf(name, "%" SCNu64 "-%" SCNu64, &e->from, &e->until) != 2 || path_of(s, e, "", path) < 0 ||
	    snprintf(again, sizeof again, "%s/%s", s->dir, name) >= PATH_MAX || strcmp(path, again) ||
	    lstat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return false;
	e->size = (uint64_t)st.st_size;
	return true;
}

static int read_folder(struct spool *s)
{
	DIR *d = opendir(s->dir);
	struct dirent *f;
	struct spool_entry e;
	int r = d ? 0 : -errno;

	while (d && !r && (f = readdir(d)))
		if (parse(s, f->d_name, &e))
			r = insert(s, &e);
	if (d)
		closedir(d);
	return r;
}

int spool_open(struct spool *s, const char *dir, const char *ending, uint64_t most)
{
	int r;

	*s = (struct spool){ .dir = dir, .ending = ending, .most = most, .lock = -1 };
	if (!dir)
		return 0;
	if (mkdir(dir, 0700) < 0 && errno != EEXIST)
		return -errno;
	s->lock = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->lock < 0 || access(dir, W_OK | X_OK) < 0 || flock(s->lock, LOCK_EX | LOCK_NB) < 0)
		return -errno;
	r = read_folder(s);
	shrink(s);
	return r;
}

static int write_file(const struct spool *s, const struct spool_entry *e, const char *data, size_t size)
{
	char path[PATH_MAX], unfinished[PATH_MAX];
	int fd, r = path_of(s, e, "", path);

	if (!r)
		r = path_of(s, e, ".", unfinished);
	if (r)
		return r;
	fd = open(unfinished, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	r = buf_write_fd(fd, data, size);
	if (close(fd) < 0 && !r)
		r = -errno;
	if (!r && rename(unfinished, path) < 0)
		r = -errno;
	if (r)
		unlink(unfinished);
	return r;
}

int spool_add(struct spool *s, uint64_t from, uint64_t until, const char *data, size_t size)
{
	struct spool_entry e = { .from = from, .until = until, .size = size };
	int r = 0;

	if (s->dir) {
		r = write_file(s, &e, data, size);
	} else {
		e.data = malloc(size);
		r = e.data ? 0 : -ENOMEM;
		if (!r)
			memcpy(e.data, data, size);
	}
	if (!r)
		r = insert(s, &e);
	if (r) {
		free(e.data);
		s->dropped++;
		return r;
	}
	shrink(s);
	return 0;
}

int spool_first(struct spool *s, struct buf *out, uint64_t *from, uint64_t *until)
{
	char path[PATH_MAX];
	int r = 0;

	if (!s->n)
		return 0;
	*from = s->v[0].from;
	*until = s->v[0].until;
	if (s->v[0].data)
		buf_put(out, s->v[0].data, s->v[0].size);
	else if (!(r = path_of(s, &s->v[0], "", path)))
		r = buf_read_file(out, path);
	if (!r && out->failed)
		r = -ENOMEM;
	if (r < 0) {
		discard(s, 0);
		s->dropped++;
	}
	return r < 0 ? r : 1;
}

void spool_remove(struct spool *s, uint64_t from, uint64_t until)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].from == from && s->v[i].until == until) {
			discard(s, i);
			return;
		}
}

void spool_close(struct spool *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->v[i].data);
	free(s->v);
	if (s->lock >= 0)
		close(s->lock);
	*s = (struct spool){ .lock = -1 };
}
