/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/symbols/jit.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "engine/symbols/jit_file.h"
#include "engine/symbols/object.h"

enum {
	OPEN_MAX = 128,			/* descriptors kept, of all processes */
	CHANGES_MAX = 1 << 16,		/* times remembered for each process */
	TAIL = 32,			/* bytes before the end of what was read, to notice that a file was rewritten */
};
#define FRESH_NS 100000000ull
/* Offsets of code with times begin here: above all addresses, which are the offsets of code without. */
#define JIT_TIMED (1ull << 60)
#define SIZE_MAX_READ (256ull << 20)	/* of a perf-PID.map */

/* A file that is read as it grows. */
struct jit_source {
	uint64_t dev, ino, off;		/* off: what follows has not been read */
	uint8_t tail[TAIL];		/* the last bytes before `off` */
	struct jit_codes codes;
};

struct jit_process {
	struct jit_process *next;		/* in its hash chain, newest first */
	struct jit_process *older, *newer;	/* list of ended processes */
	int64_t pid, inner;		/* inner: its ID in its own PID name space; 0 = unknown */
	uint64_t since, until, serial;		/* ns; until: only if it has ended */
	uid_t uid[2];			/* real and effective */
	bool known;			/* inner and uid */
	bool announced;			/* it has written a file that describes its code */
	bool ended, replaced;		/* replaced: it executed another program */
	bool done;			/* it has ended, and its files were read */
	int root;			/* its root directory, -1: not open */
	int map_fd;			/* its map after its end, -1: not open */
	int dump_fd;
	uint64_t turn, read_at;
	uint64_t *change;		/* when memory was made executable, in order; n of them */
	uint32_t nchange, room;
	struct address_ranges memory;	/* that it has made executable */
	struct jit_source map, dump;
};

/* ---- descriptors ---- */
static void fd_drop(struct jits *j, int *fd)
{
	if (*fd < 0)
		return;
	close(*fd);
	*fd = -1;
	j->open--;
}

static void fd_room(struct jits *j);

/* Keeps a descriptor unless running processes have too many. */
static void fd_keep(struct jits *j, int *to, int fd)
{
	fd_drop(j, to);
	if (fd >= 0)
		fd_room(j);
	if (fd >= 0 && j->open < OPEN_MAX) {
		*to = fd;
		j->open++;
	} else if (fd >= 0) {
		close(fd);
	}
}

/* ---- processes ---- */
/* The process that had this ID at a time (0: the newest). */
static struct jit_process *process_at(const struct jits *j, int64_t pid, uint64_t at)
{
	struct jit_process *p = j->process[(uint64_t)pid % JIT_HASH], *first = NULL;

	for (; p; p = p->next) {
		if (p->pid != pid)
			continue;
		first = p;
		if (!at || p->since <= at)
			break;
	}
	return first;
}

static void process_free(struct jits *j, struct jit_process *p)
{
	struct jit_process **slot = &j->process[(uint64_t)p->pid % JIT_HASH];

	while (*slot != p)
		slot = &(*slot)->next;
	*slot = p->next;
	if (p->ended) {
		*(p->older ? &p->older->newer : &j->oldest) = p->newer;
		*(p->newer ? &p->newer->older : &j->newest) = p->older;
		j->ended--;
	}
	fd_drop(j, &p->root);
	fd_drop(j, &p->map_fd);
	fd_drop(j, &p->dump_fd);
	jit_codes_free(&p->map.codes);
	jit_codes_free(&p->dump.codes);
	free(p->change);
	ranges_free(&p->memory);
	free(p);
}

void jits_close(struct jits *j)
{
	for (unsigned i = 0; i < JIT_HASH; i++)
		while (j->process[i])
			process_free(j, j->process[i]);
}

/* Returns the running process with this ID. NULL if memory runs out. */
static struct jit_process *process_get(struct jits *j, int64_t pid)
{
	struct jit_process *last = process_at(j, pid, 0), *p, **slot = &j->process[(uint64_t)pid % JIT_HASH];

	if (last && !last->ended)
		return last;
	p = calloc(1, sizeof *p);
	j->nomem |= !p;
	if (!p)
		return NULL;
	*p = (struct jit_process){ .next = *slot, .pid = pid, .since = last ? last->until : 0, .serial = ++j->serial,
				   .root = -1, .map_fd = -1, .dump_fd = -1 };
	return *slot = p;
}

/* Reads the process's users and its ID in its own PID name space. */
static void status_read(struct jit_process *p)
{
	char path[64], line[256];
	FILE *f;

	snprintf(path, sizeof path, "/proc/%" PRId64 "/status", p->pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof line, f)) {
		const char *last = strrchr(line, '\t');

		if (!strncmp(line, "NSpid:", 6) && last && atoll(last) > 0)
			p->inner = atoll(last);
		else if (sscanf(line, "Uid: %u %u", &p->uid[0], &p->uid[1]) == 2)
			p->known = true;
	}
	if (f)
		fclose(f);
}

/* The root directory is kept, because it can no longer be reached when the process has ended. */
static void process_look(struct jits *j, struct jit_process *p)
{
	char path[64];
	int fd;

	status_read(p);
	snprintf(path, sizeof path, "/proc/%" PRId64 "/root", p->pid);
	fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		fd_keep(j, &p->root, fd);
}

/* ---- opening ---- */
static void file_report(struct jits *j, const char *path, int err, const char *why)
{
	j->err = err;
	j->why = why;
	snprintf(j->path, sizeof j->path, "%s", path);
}

/* Returns why a file is not used, or NULL. */
static const char *file_refused(const struct jit_process *p, const struct stat *st)
{
	if (!S_ISREG(st->st_mode))
		return "not a regular file";
	if (!st->st_uid || (p->known ? st->st_uid == p->uid[0] || st->st_uid == p->uid[1] : st->st_uid == geteuid()))
		return NULL;
	return "it belongs to another user than the process";
}

/* Closes the file and returns -1 if it must not be used. */
static int file_check(struct jits *j, const struct jit_process *p, int fd, const char *path)
{
	const char *why;
	struct stat st;

	if (fd < 0 && (errno == EACCES || errno == ELOOP))
		file_report(j, path, errno, errno == ELOOP ? "it is a symbolic link" : NULL);
	if (fd < 0)
		return -1;
	why = fstat(fd, &st) ? "" : file_refused(p, &st);
	if (!why)
		return fd;
	file_report(j, path, EPERM, why);
	close(fd);
	return -1;
}

/* Opens the process's map as the process itself would. No link and no device leads out of its root directory, or makes
 * this process wait. */
static int map_open_inner(struct jits *j, const struct jit_process *p)
{
	struct open_how how = { .flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
				.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	char path[64];
	int fd;

	if (p->root < 0 || !p->inner)
		return -1;
	snprintf(path, sizeof path, "/tmp/perf-%" PRId64 ".map", p->inner);
	fd = (int)syscall(SYS_openat2, p->root, path, &how, sizeof how);
	return file_check(j, p, fd, path);
}

static int map_open(struct jits *j, const struct jit_process *p)
{
	int fd = p->map_fd >= 0 ? fcntl(p->map_fd, F_DUPFD_CLOEXEC, 0) : map_open_inner(j, p);
	char path[64];

	if (fd >= 0)
		return fd;
	snprintf(path, sizeof path, "/tmp/perf-%" PRId64 ".map", p->pid);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	return file_check(j, p, fd, path);
}

/* ---- reading ---- */

/* True if the file is still the one that was read so far; otherwise forgets what was read. */
static void source_check(struct jit_source *s, struct jit_reader *r, const struct stat *st)
{
	size_t n = s->off < TAIL ? (size_t)s->off : TAIL;
	const uint8_t *tail = jit_reader_at(r, s->off - n, n);

	if (s->dev == st->st_dev && s->ino == st->st_ino && tail && !memcmp(tail, s->tail, n))
		return;
	jit_codes_free(&s->codes);
	s->off = 0;
	s->dev = st->st_dev;
	s->ino = st->st_ino;
}

static void source_tail(struct jit_source *s, struct jit_reader *r)
{
	size_t n = s->off < TAIL ? (size_t)s->off : TAIL;
	const uint8_t *tail = jit_reader_at(r, s->off - n, n);

	if (tail)
		memcpy(s->tail, tail, n);
}

static void codes_report(struct jits *j, struct jit_process *p, const struct jit_codes *c, const char *form)
{
	char path[64];

	snprintf(path, sizeof path, form, p->inner ? p->inner : p->pid);
	j->nomem |= c->nomem;
	if (c->full)
		file_report(j, path, EFBIG, "it is too large");
}

static void map_refresh(struct jits *j, struct jit_process *p)
{
	struct jit_reader r = { .fd = map_open(j, p) };
	int fd = r.fd;
	struct stat st;

	if (fd < 0)
		return;
	p->announced = true;
	if (!fstat(fd, &st)) {
		r.size = (uint64_t)st.st_size < SIZE_MAX_READ ? (uint64_t)st.st_size : SIZE_MAX_READ;
		source_check(&p->map, &r, &st);
		p->map.off = jit_map_read(&p->map.codes, &r, p->map.off, p->ended);
		p->map.codes.full |= (uint64_t)st.st_size > SIZE_MAX_READ;
		source_tail(&p->map, &r);
		j->nomem |= r.nomem;
	}
	codes_report(j, p, &p->map.codes, "/tmp/perf-%" PRId64 ".map");
	jit_reader_close(&r);
	close(fd);
}

static void dump_refresh(struct jits *j, struct jit_process *p)
{
	struct jit_reader r = { .fd = p->dump_fd };
	struct stat st;

	if (p->dump_fd < 0 || fstat(p->dump_fd, &st))
		return;
	r.size = (uint64_t)st.st_size;
	p->dump.off = jit_dump_read(&p->dump.codes, &r, p->dump.off);
	j->nomem |= r.nomem;
	codes_report(j, p, &p->dump.codes, "jit-%" PRId64 ".dump");
	jit_reader_close(&r);
	if (p->dump.off == UINT64_MAX || p->dump.codes.full)
		fd_drop(j, &p->dump_fd);
}

/* Reads what was added to the files. A sample that is newer than what was read needs it at once; this happens only once
 * for all samples that are shown together. */
static void process_refresh(struct jits *j, struct jit_process *p, uint64_t at)
{
	uint64_t now = clock_now();

	if (p->done || (p->turn == j->turn && at < p->read_at && now - p->read_at < FRESH_NS))
		return;
	p->turn = j->turn;
	p->read_at = now;
	if (!p->ended)
		process_look(j, p);
	dump_refresh(j, p);
	map_refresh(j, p);
	if (!p->ended)
		return;
	p->done = true;
	fd_drop(j, &p->root);
	fd_drop(j, &p->map_fd);
	fd_drop(j, &p->dump_fd);
}

/* Reads the files of processes that have ended, oldest first, until there is room for another descriptor. */
static void fd_room(struct jits *j)
{
	for (struct jit_process *p = j->oldest; p && j->open >= OPEN_MAX; p = p->newer)
		if (p->map_fd >= 0 || p->dump_fd >= 0)
			process_refresh(j, p, 0);
}

/* ---- events ---- */
bool jit_is_dump(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t digits = !strncmp(name, "jit-", 4) ? strspn(name + 4, "0123456789") : 0;

	return digits && !strncmp(name + 4 + digits, ".dump", 5);
}

static void change_add(struct jits *j, struct jit_process *p, uint64_t time)
{
	uint32_t room = p->room ? 2 * p->room : 64, at = p->nchange;
	uint64_t *bigger;

	if (p->nchange >= CHANGES_MAX)
		return;
	if (p->nchange == p->room) {
		bigger = realloc(p->change, room * sizeof *bigger);
		j->nomem |= !bigger;
		if (!bigger)
			return;
		p->change = bigger;
		p->room = room;
	}
	for (; at > 0 && p->change[at - 1] > time; at--)
		p->change[at] = p->change[at - 1];
	p->change[at] = time;
	p->nchange++;
}

bool jits_seen(struct jits *j, int64_t pid, uint64_t start, uint64_t end, uint64_t time)
{
	struct jit_process *p = process_get(j, pid);

	if (p)
		ranges_add(&p->memory, start, end);
	if (p && !p->known)
		process_look(j, p);
	if (!p || (p->dump_fd < 0 && !p->dump.codes.n))
		return false;
	if (time)
		change_add(j, p, time);
	return true;
}

void jits_dump(struct jits *j, int64_t pid, const struct object *o, uint64_t start, uint64_t end)
{
	struct jit_process *p = process_get(j, pid);
	int fd;

	if (!p || p->dump_fd >= 0 || p->dump.off == UINT64_MAX)
		return;
	if (!p->known)
		process_look(j, p);
	fd = o->fd >= 0 ? fcntl(o->fd, F_DUPFD_CLOEXEC, 0) : object_open(o, pid, start, end);
	fd_keep(j, &p->dump_fd, file_check(j, p, fd, o->path));
	p->announced |= p->dump_fd >= 0;
}

/* Opens the map now, because a later process with the same ID may replace it. */
void jits_ended(struct jits *j, int64_t pid, uint64_t time)
{
	struct jit_process *p = process_at(j, pid, 0);
	int map;

	if (!p || p->ended)
		return;
	p->read_at = 0;
	map = map_open(j, p);
	fd_drop(j, &p->root);
	fd_keep(j, &p->map_fd, map);
	p->until = time ? time : clock_now();
	p->ended = true;
	p->older = j->newest;
	*(j->newest ? &j->newest->newer : &j->oldest) = p;
	j->newest = p;
	j->ended++;
	while (j->ended > (j->keep ? j->keep : JIT_KEEP))
		process_free(j, j->oldest);
}

void jits_begun(struct jits *j, int64_t pid, uint64_t time)
{
	struct jit_process *p;

	jits_ended(j, pid, time);
	p = process_at(j, pid, 0);
	if (p)
		p->replaced = true;
}

void jits_forked(struct jits *j, int64_t pid, int64_t parent)
{
	const struct address_ranges *from = jits_memory(j, parent, 0);
	struct jit_process *p = from && from->n ? process_get(j, pid) : NULL;

	if (p)
		ranges_join(&p->memory, from);
}

/* ---- queries ---- */
const struct address_ranges *jits_memory(const struct jits *j, int64_t pid, uint64_t at)
{
	const struct jit_process *p = process_at(j, pid, at);

	return p && !(at ? p->ended && p->until <= at : p->replaced) ? &p->memory : NULL;
}

bool jits_find(struct jits *j, int64_t pid, uint64_t addr, uint64_t at, struct jit_found *out)
{
	struct jit_process *p = process_at(j, pid, at);
	const struct jit_code *x;
	struct jit_codes *c;

	*out = (struct jit_found){ 0 };
	if (pid > 0 && (!p || (at ? p->ended && p->until <= at : p->replaced)))
		p = process_get(j, pid);
	if (!p)
		return false;
	process_refresh(j, p, at);
	c = &p->dump.codes;
	x = jit_codes_find(c, addr, at);
	if (!x) {
		c = &p->map.codes;
		x = jit_codes_find(c, addr, at);
	}
	j->nomem |= c->nomem;
	out->process = p->announced ? p->serial : 0;
	if (!x)
		return false;
	*out = (struct jit_found){ .name = jit_codes_name(c, x), .start = x->start, .end = x->end, .since = x->since,
				   .off = JIT_TIMED + x->off, .process = p->serial };
	return true;
}

bool jits_known(const struct jits *j, int64_t pid)
{
	return process_at(j, pid, 0);
}

uint64_t jits_until(const struct jits *j, int64_t pid, uint64_t at)
{
	const struct jit_process *p = process_at(j, pid, at);
	uint32_t lo = 0, hi = p ? p->nchange : 0;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (p->change[mid] <= at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return p && lo < p->nchange ? p->change[lo] : UINT64_MAX;
}

uint64_t jits_changed(struct jits *j, int64_t pid, uint64_t at)
{
	struct jit_process *p = process_at(j, pid, at);

	if (!p)
		return 0;
	process_refresh(j, p, at);
	return jit_codes_changed(&p->dump.codes, at);
}
