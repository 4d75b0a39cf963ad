/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/output/saved.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aggregation/set.h"

enum { RATE_LEAST = 10000000 };	/* ns between two files: saving must not take all the time */

/* ---- writing ---- */

static int write_buf(void *arg, int fd)
{
	const struct buf *b = arg;

	return buf_write_fd(fd, b->data, b->len);
}

/* For a pipe or a device, which cannot be replaced by another file. */
static int write_directly(const char *path, const struct saved_bytes *b)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), r;

	if (fd < 0)
		return -errno;
	r = b->put(b->arg, fd);
	if (close(fd) != 0 && !r)
		r = -errno;
	return r;
}

/* Opens a file without a name in the folder of `path`, so that nothing is left if dtr is killed. If the file system
 * does not support that, the file is named `temporary`. */
static int open_temporary(struct arena *a, const char *path, const char *temporary, bool *named)
{
	const char *slash = strrchr(path, '/');
	const char *folder = slash ? arena_strndup(a, path, (size_t)(slash + 1 - path)) : ".";
	int fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);

	*named = fd < 0;
	if (fd < 0)
		fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	return fd < 0 ? -errno : fd;
}

static int give_name(int fd, const char *temporary)
{
	char self[32];

	snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
	return linkat(AT_FDCWD, self, AT_FDCWD, temporary, AT_SYMLINK_FOLLOW) ? -errno : 0;
}

/* path.N, from 1: the newest of the earlier versions. */
static const char *version_name(struct arena *a, const char *path, unsigned i)
{
	return arena_printf(a, "%s.%u", path, i);
}

/* Keeps the current file as path.1, where it also remains under its name, and renames the earlier ones. Returns 0 or
 * -errno. */
static int versions_rotate(struct arena *a, const char *path, const char *temporary, unsigned keep)
{
	const char *first = version_name(a, path, 1);

	if (!keep || access(path, F_OK))
		return 0;
	for (unsigned i = keep; i > 1; i--)
		if (rename(version_name(a, path, i - 1), version_name(a, path, i)) && errno != ENOENT)
			return -errno;
	/* without hard links the name is missing for a moment */
	if (link(path, temporary) == 0 ? rename(temporary, first) : rename(path, first))
		return -errno;
	return 0;
}

/* A new file is for its owner only, because keys may be private; a file that is replaced keeps its mode. old: of that
 * file, or NULL. */
static int file_replace(struct arena *a, const char *path, const struct stat *old, const struct saved_bytes *b,
			unsigned keep)
{
	const char *temporary = arena_printf(a, "%s.%ld.new", path, (long)getpid());
	bool named;
	int fd = open_temporary(a, path, temporary, &named), r;

	if (fd < 0)
		return fd;
	r = b->put(b->arg, fd);
	if (!r && ((old && fchmod(fd, old->st_mode & 0777) != 0) || fsync(fd) != 0))
		r = -errno;
	if (!r && !named) {
		r = give_name(fd, temporary);
		named = !r;
	}
	if (close(fd) != 0 && !r)
		r = -errno;
	if (!r)
		r = versions_rotate(a, path, arena_printf(a, "%s.old", temporary), keep);
	if (!r && rename(temporary, path) != 0)
		r = -errno;
	if (r && named)
		unlink(temporary);
	return r;
}

/* The file that a symbolic link names, because the link is kept; it is created if it does not exist. The caller frees
 * the path. NULL: it cannot be found. */
static char *link_target(const char *path)
{
	char *real = realpath(path, NULL);
	struct stat st;
	int fd;

	if (real || lstat(path, &st) || !S_ISLNK(st.st_mode))
		return real;
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd >= 0)
		close(fd);
	return realpath(path, NULL);
}

/* Replaces the file atomically: readers see the old contents or the new. keep: number of earlier versions. */
static int file_write(struct arena *a, const char *path, const struct saved_bytes *b, unsigned keep)
{
	char *real = link_target(path);
	const char *to = real ? real : path;
	struct stat st;
	bool there = stat(to, &st) == 0;
	int r;

	if (there && !S_ISREG(st.st_mode))
		r = S_ISDIR(st.st_mode) ? -EISDIR : write_directly(to, b);
	else
		r = file_replace(a, to, there ? &st : NULL, b, keep);
	free(real);
	return r;
}

/* Returns 0 or -errno. */
static int set_write(struct arena *a, const struct agg_set *s, const char *path, unsigned keep)
{
	struct buf b = { 0 };
	int r = agg_save(&b, s);

	if (!r)
		r = file_write(a, path, &(struct saved_bytes){ write_buf, &b }, keep);
	buf_free(&b);
	return r;
}

static int or_fail(struct output *o, int r, const char *path)
{
	if (!r)
		return 0;
	o->failed = true;
	output_message(o, "failed to write %s: %s", path, strerror(-r));
	return -1;
}

static int write_or_fail(struct output *o, const struct agg_set *s, const char *path, unsigned keep)
{
	return or_fail(o, set_write(o->arena, s, path, keep), path);
}

int saved_write_bytes(struct output *o, const struct saved_bytes *b, const char *path)
{
	return or_fail(o, file_write(o->arena, path, b, 0), path);
}

int saved_write_set(struct output *o, const struct agg_set *s, const char *path)
{
	return write_or_fail(o, s, path, 0);
}

int saved_check(struct output *o)
{
	const char *path = o->opts->aggsave, *slash;
	struct stat st;
	int err = 0;

	if (!path && (o->opts->aggsaverate || o->opts->aggsavekeep)) {
		output_message(o, "-x aggsave%s needs -x aggsave=FILE", o->opts->aggsaverate ? "rate" : "keep");
		return -1;
	}
	if (!path)
		return 0;
	if (o->opts->aggsaverate && o->opts->aggsaverate < RATE_LEAST) {
		output_message(o, "-x aggsaverate: at least 10ms between two files");
		return -1;
	}
	if (o->opts->aggadd && o->opts->aggsaverate) {
		output_message(o, "-x aggadd adds to the file at the end: it cannot be used with -x aggsaverate");
		return -1;
	}
	slash = strrchr(path, '/');
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		err = S_ISDIR(st.st_mode) ? EISDIR : access(path, W_OK) ? errno : 0;
	else if (access(slash ? arena_strndup(o->arena, path, (size_t)(slash - path) + 1) : ".", W_OK | X_OK))
		err = errno;
	if (!err)
		return 0;
	output_message(o, "failed to write %s: %s", path, strerror(err));
	return -1;
}

/* Reads the file to which the aggregations are added. Returns 1, 0 if it does not exist, -1 after a message. */
static int read_old(struct output *o, struct agg_set *old, const struct agg_set *taken)
{
	const char *path = o->opts->aggsave;
	struct buf reason = { 0 };
	struct stat st;
	bool match;

	if (!o->opts->aggadd || stat(path, &st) != 0 || !S_ISREG(st.st_mode) || !st.st_size)
		return 0;
	if (saved_read_set(o, o->arena, old, path) < 0)
		return -1;
	match = agg_set_match(old, taken, &reason);
	if (!match)
		output_message(o, "nothing was added to %s: %s", path, reason.failed ? "out of memory" :
			       buf_str(&reason));
	buf_free(&reason);
	return match ? 1 : -1;
}

static int write_sum(struct output *o, struct agg_set *taken, struct agg_set *old)
{
	struct agg_set *sets[] = { taken, old }, sum = { 0 };
	int found = read_old(o, old, taken), r;

	if (found < 0) {
		o->failed = true;
		return -1;
	}
	r = agg_set_unite(&sum, o->arena, sets, found ? 2 : 1);
	if (!r)
		r = write_or_fail(o, &sum, o->opts->aggsave, o->opts->aggsavekeep);
	agg_set_close(&sum);
	return r;
}

static int take_tables(struct output *o, struct arena *a, struct agg_set *s, const struct agg_table *tables)
{
	int r;

	o->symbols->at = 0;		/* the addresses of a row can be from any time */
	r = agg_set_take(s, a, tables, o->ntables);
	s->name = "this run";
	s->program = o->program;
	s->program_len = o->program_len;
	s->host = o->about.host[0] ? o->about.host : NULL;
	return r;
}

int saved_write(struct output *o)
{
	struct agg_set taken, old = { 0 };
	int r;

	if (!o->opts->aggsave)
		return 0;
	r = take_tables(o, o->arena, &taken, o->tables);
	if (!r)
		r = write_sum(o, &taken, &old);
	if (r < -1) {
		output_message(o, "failed to save aggregations: %s", strerror(-r));
		o->failed = true;
	}
	agg_set_close(&taken);
	agg_set_close(&old);
	return r ? -1 : 0;
}

int saved_write_now(struct output *o, const struct agg_table *tables)
{
	struct agg_set taken, *one = &taken, sum = { 0 };
	struct arena a;
	int r;

	arena_init(&a, o->oom, o->arg);
	r = take_tables(o, &a, &taken, tables);
	if (!r)
		r = agg_set_unite(&sum, &a, &one, 1);
	if (!r)
		r = set_write(&a, &sum, o->opts->aggsave, o->opts->aggsavekeep);
	agg_set_close(&taken);
	agg_set_close(&sum);
	arena_free(&a);
	return r;
}

/* ---- reading ---- */

/* Reads what the file's headers announce, and a little more, which would be damage. */
static int file_read(struct buf *b, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err = 0;
	char chunk[16384];
	size_t at = 0;
	ssize_t n = 1;

	if (fd < 0)
		return -errno;
	while (!err && n && !b->failed && agg_load_wants(&at, buf_str(b), b->len) >= b->len) {
		n = read(fd, chunk, sizeof chunk);
		if (n < 0 && errno != EINTR)
			err = -errno;
		if (n > 0)
			buf_put(b, chunk, (size_t)n);
	}
	close(fd);
	return b->failed ? -ENOMEM : err;
}

int saved_read_set(struct output *o, struct arena *a, struct agg_set *s, const char *path)
{
	struct buf b = { 0 }, reason = { 0 };
	int err = file_read(&b, path), r = -1;

	if (err)
		output_message(o, "failed to read %s: %s", path, strerror(-err));
	else
		r = agg_load(s, a, buf_str(&b), b.len, &reason);
	if (!err && r < 0)
		output_message(o, "%s: %s", path, reason.failed ? "out of memory" : buf_str(&reason));
	s->name = path;
	s->indent = o->opts->stackindent;
	buf_free(&b);
	buf_free(&reason);
	return r;
}
