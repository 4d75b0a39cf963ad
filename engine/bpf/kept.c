/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Kept sessions: their folders and their state. */
#include "engine/bpf/kept.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "engine/bpf/barrier.h"
#include "engine/bpf/code/bpf.h"
#include "engine/bpf/pins.h"
#include "engine/host/cpus.h"
#include "engine/host/create.h"
#include "engine/host/refusal.h"
#include "providers/provider.h"

#define MAGIC "dtrkept1"
#define RECORD_NAME "dtr_kept"

int kept_failed(char *reason, int err, const char *what, const char *name)
{
	snprintf(reason, DTR_KEPT_REASON, "%s %s: %s", what, name, refusal_errno(-err));
	return err;
}

bool dtr_kept_name_valid(const char *name)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
	size_t n = strlen(name);

	return n && n < DTR_KEPT_NAME && *name != '-' && !name[strspn(name, letters)];
}

/* Stores MOUNT/dtr, the folder of all sessions, which may not exist. */
static int kept_root(char root[DTR_KEPT_PATH], char *reason)
{
	char mount[DTR_KEPT_PATH - 8];
	int r = pins_mount(mount, sizeof mount);

	if (r)
		snprintf(reason, DTR_KEPT_REASON, "no BPF file system is mounted, which keeps a session after dtr has "
			 "ended (mount -t bpf bpf /sys/fs/bpf)");
	else
		snprintf(root, DTR_KEPT_PATH, "%s/dtr", mount);
	return r ? -ENODEV : 0;
}

/* ---- opening ---- */

static size_t mapped_size(size_t n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (n + page - 1) / page * page;
}

static void *map_value(int fd, size_t n)
{
	void *p = mmap(NULL, mapped_size(n), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* Maps the pinned map "about" if it is dtr's. Without one, k->record stays NULL. */
static int open_record(struct dtr_kept *k)
{
	int fd = pins_get(k->path, KEPT_ABOUT), err = 0;
	struct bpf_map_info info = { 0 };
	uint32_t len = sizeof info;

	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		err = -errno;
	else if (!strcmp(info.name, RECORD_NAME) && info.value_size == sizeof *k->record)
		k->record = map_value(fd, sizeof *k->record);
	close(fd);
	return err;
}

int kept_map(struct dtr_kept *k, char *reason)
{
	struct bpf_map_info info = { 0 };
	uint32_t len = sizeof info;
	char name[32];
	int fd;

	snprintf(name, sizeof name, KEPT_MAP "%u", k->record->data_map);
	fd = pins_get(k->path, name);
	if (fd < 0)
		return kept_failed(reason, fd, "failed to open the data of session", k->name);
	if (!bpf_obj_get_info_by_fd(fd, &info, &len))
		k->data = map_value(fd, info.value_size);
	k->data_len = mapped_size(info.value_size);
	close(fd);
	return k->data ? 0 : kept_failed(reason, -errno, "failed to map the data of session", k->name);
}

static bool is_complete(const struct dtr_kept *k)
{
	return k->record && !memcmp(k->record->magic, MAGIC, sizeof k->record->magic) &&
	       atomic_load(&k->record->complete);
}

static int open_at(struct dtr_kept *k, const char *name, int how, char *reason)
{
	int r = kept_root(k->root, reason);

	k->dir = -1;
	if (r)
		return r;
	snprintf(k->name, sizeof k->name, "%s", name);
	snprintf(k->path, sizeof k->path, "%s/%s", k->root, name);
	k->dir = pins_lock(k->path, how);
	if (k->dir < 0) {
		snprintf(reason, DTR_KEPT_REASON, k->dir == -ENOENT ? "there is no session '%s'" :
			 "failed to open session '%s': %s", name, refusal_errno(-k->dir));
		return k->dir;
	}
	r = open_record(k);
	if (r)
		return kept_failed(reason, r, "failed to read session", name);
	return is_complete(k) ? kept_map(k, reason) : 0;
}

static int open_locked(struct dtr_kept *k, const char *name, char *reason)
{
	char path[DTR_KEPT_PATH];
	int root = -1, r;

	r = kept_root(path, reason);
	if (!r)
		root = pins_lock(path, LOCK_EX);
	if (!r)
		r = open_at(k, name, LOCK_EX, reason);
	if (r == -ENOENT)
		rmdir(path);	/* if a dtr that was killed left it empty */
	if (root >= 0)
		close(root);
	return r;
}

/* The folder of all sessions is locked meanwhile: a folder that create_folder() has just made is not found. */
int dtr_kept_open(struct dtr_kept **out, const char *name, char *reason)
{
	struct dtr_kept *k = malloc(sizeof *k);
	int r = -ENOMEM;

	if (k) {
		*k = (struct dtr_kept){ .dir = -1 };
		r = open_locked(k, name, reason);
	} else {
		snprintf(reason, DTR_KEPT_REASON, "out of memory");
	}
	*out = r ? NULL : k;
	if (r)
		dtr_kept_close(k);
	return r;
}

void kept_close(struct dtr_kept *k)
{
	if (k->record)
		munmap(k->record, mapped_size(sizeof *k->record));
	if (k->data)
		munmap(k->data, k->data_len);
	if (*k->name && k->dir >= 0)
		close(k->dir);
	*k = (struct dtr_kept){ .dir = -1 };
}

void dtr_kept_close(struct dtr_kept *k)
{
	if (k)
		kept_close(k);
	free(k);
}

const struct dtr_kept_about *dtr_kept_about(const struct dtr_kept *k)
{
	return is_complete(k) ? &k->record->about : NULL;
}

/* ---- creating ---- */

static int create_record(struct dtr_kept *k, const struct dtr_kept_about *about)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	int fd = create_map(BPF_MAP_TYPE_ARRAY, RECORD_NAME, 4, sizeof *k->record, 1, &opts), r;
	struct timespec now;

	if (fd < 0)
		return -errno;
	k->record = map_value(fd, sizeof *k->record);
	r = k->record ? 0 : -errno;
	if (!r) {
		clock_gettime(CLOCK_REALTIME, &now);
		memcpy(k->record->magic, MAGIC, sizeof k->record->magic);
		k->record->created = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
		k->record->about = *about;
		r = pins_put(k->path, KEPT_ABOUT, fd);
	}
	close(fd);
	return r;
}

/* Makes the folder. Returns -ENOENT if another dtr has just removed the one of all sessions. */
static int try_folder(struct dtr_kept *k)
{
	int root, r = 0;

	if (mkdir(k->root, 0700) && errno != EEXIST)
		return -errno;
	root = pins_lock(k->root, LOCK_EX);
	if (root < 0)
		return root;
	if (mkdir(k->path, 0700))
		r = -errno;
	else
		k->dir = pins_lock(k->path, LOCK_EX);
	close(root);
	return r ? r : k->dir < 0 ? k->dir : 0;
}

static int create_folder(struct dtr_kept *k)
{
	int r;

	do
		r = try_folder(k);
	while (r == -ENOENT);
	return r;
}

int kept_create(struct dtr_kept *k, const char *name, const struct dtr_kept_about *about, char *reason)
{
	int r;

	*k = (struct dtr_kept){ .dir = -1 };
	r = kept_root(k->root, reason);
	if (r)
		return r;
	snprintf(k->name, sizeof k->name, "%s", name);
	snprintf(k->path, sizeof k->path, "%s/%s", k->root, name);
	r = create_folder(k);
	if (r == -EEXIST) {
		snprintf(reason, DTR_KEPT_REASON, "there is already a session '%s'", name);
		return r;
	}
	if (r)
		return kept_failed(reason, r, "failed to create", k->path);
	r = create_record(k, about);
	return r ? kept_failed(reason, r, "failed to pin maps in", k->path) : 0;
}

/* ---- state ---- */

struct bpf_words *kept_words(const struct dtr_kept *k)
{
	return (struct bpf_words *)k->data;
}

static struct kept_span span_of(const struct dtr_kept *k)
{
	return k->record->span[atomic_load(&k->record->turn) & 1];
}

static void set_span(struct dtr_kept *k, struct kept_span s)
{
	uint64_t next = atomic_load(&k->record->turn) + 1;

	k->record->span[next & 1] = s;
	atomic_store(&k->record->turn, next);
}

/* The end of the last run, or now. */
static uint64_t active_time(const struct dtr_kept *k)
{
	struct kept_span s = span_of(k);
	uint64_t ended = atomic_load(&kept_words(k)->ended), end = ended ? ended : clock_now();

	return s.done + (s.begun && end > s.begun ? end - s.begun : 0);
}

void kept_begin(struct dtr_kept *k)
{
	set_span(k, (struct kept_span){ active_time(k), 0 });
	atomic_store(&kept_words(k)->ended, 0);
	set_span(k, (struct kept_span){ span_of(k).done, clock_now() });
	atomic_store(&kept_words(k)->state, IR_S_ACTIVE);
}

static int list_file(void *arg, const char *name)
{
	struct dtr_kept_state *s = arg;

	if (pins_is(name, KEPT_LINK))
		s->links++;
	else if (strcmp(name, KEPT_ABOUT) && !pins_is(name, KEPT_MAP) && !pins_is(name, KEPT_PROG))
		snprintf(s->foreign, sizeof s->foreign, "%s", name);
	return 0;
}

/* An empty folder that another user has made is not a start that was interrupted. */
static bool is_mine(const struct dtr_kept *k)
{
	struct stat st;

	return stat(k->path, &st) || st.st_uid == geteuid();
}

static enum dtr_kept_condition condition_of(const struct dtr_kept *k, const struct dtr_kept_state *s)
{
	if (!k->record)
		return s->links || *s->foreign || !is_mine(k) ? DTR_KEPT_FOREIGN : DTR_KEPT_PARTIAL;
	if (memcmp(k->record->magic, MAGIC, sizeof k->record->magic))
		return DTR_KEPT_OTHER;
	if (!is_complete(k))
		return DTR_KEPT_PARTIAL;
	if (atomic_load(&kept_words(k)->state) == IR_S_ACTIVE)
		return s->links ? DTR_KEPT_RUNNING : DTR_KEPT_INTERRUPTED;
	return s->links ? DTR_KEPT_INTERRUPTED : DTR_KEPT_STOPPED;
}

static void counts_of(const struct dtr_kept *k, struct dtr_kept_state *out)
{
	const struct kept_record *r = k->record;

	for (uint32_t cpu = 0; cpu < r->cpuslots; cpu++) {
		const uint64_t *drops = (const uint64_t *)(k->data + r->off_drops + (size_t)cpu * CACHE_LINE);
		const uint64_t *cell = (const uint64_t *)(k->data + r->off_cells + cpu * r->cell_stride + r->fired);

		for (int i = 0; i < IR_DROP_NESTED; i++)
			out->drops += __atomic_load_n(&drops[i], __ATOMIC_RELAXED);
		if (r->fired != UINT64_MAX)
			out->fired += __atomic_load_n(&cell[FIRED_SELF], __ATOMIC_RELAXED);
	}
}

void dtr_kept_state(const struct dtr_kept *k, struct dtr_kept_state *out)
{
	*out = (struct dtr_kept_state){ 0 };
	pins_each(k->path, list_file, out);
	out->condition = condition_of(k, out);
	if (out->condition < DTR_KEPT_INTERRUPTED)
		return;
	out->created = k->record->created;
	out->cpus = k->record->cpus;
	counts_of(k, out);
	out->active = active_time(k);	/* later: no sample is counted that is not due */
}

/* ---- changes ---- */

/* Waits until no program is running that saw the state before. */
static int settle_programs(void)
{
	int cpus[1024];
	struct barrier b;
	int r;

	barrier_init(&b, BARRIER_RCU);
	r = barrier_wait(&b, cpus, cpus_online(cpus, sizeof cpus / sizeof *cpus));
	barrier_close(&b);
	return r;
}

static int end_counting(struct dtr_kept *k)
{
	uint64_t active = IR_S_ACTIVE, never = 0;

	atomic_compare_exchange_strong(&kept_words(k)->ended, &never, clock_now());
	atomic_compare_exchange_strong(&kept_words(k)->state, &active, IR_S_STOPPED);
	return settle_programs();
}

int dtr_kept_stop(struct dtr_kept *k, char *reason)
{
	int r = end_counting(k);

	if (!r)
		r = pins_remove(k->path, KEPT_LINK);
	if (r)
		return kept_failed(reason, r, "failed to stop session", k->name);
	set_span(k, (struct kept_span){ active_time(k), 0 });
	return 0;
}

/* Empties a hash. */
static int clear_file(void *arg, const char *name)
{
	struct dtr_kept *k = arg;
	struct bpf_map_info info = { 0 };
	uint32_t len = sizeof info;
	uint8_t key[4096];
	int fd, r = 0;

	if (!pins_is(name, KEPT_MAP))
		return 0;
	fd = pins_get(k->path, name);
	if (fd < 0)
		return fd;
	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		r = -errno;
	else if (info.type == BPF_MAP_TYPE_HASH && info.key_size > sizeof key)
		r = -E2BIG;
	while (!r && info.type == BPF_MAP_TYPE_HASH && !bpf_map_get_next_key(fd, NULL, key))
		r = bpf_map_delete_elem(fd, key) && errno != ENOENT ? -errno : 0;
	close(fd);
	return r;
}

int dtr_kept_reset(struct dtr_kept *k, char *reason)
{
	bool running = atomic_load(&kept_words(k)->state) == IR_S_ACTIVE;
	int r = end_counting(k);

	if (!r)
		r = pins_each(k->path, clear_file, k);
	if (r)
		return kept_failed(reason, r, "failed to reset session", k->name);
	for (uint32_t i = 0; i < k->record->nzeros; i++)
		memset(k->data + k->record->zero[i].off, 0, k->record->zero[i].len);
	set_span(k, (struct kept_span){ 0 });
	if (running)
		kept_begin(k);
	return 0;
}

/* "about" is the last file: a folder with other files and without it is not dtr's. */
static int remove_folder(struct dtr_kept *k, const char *foreign, char *reason)
{
	char about[DTR_KEPT_PATH + DTR_KEPT_NAME + 8];

	if (*foreign) {
		snprintf(reason, DTR_KEPT_REASON, "%s/%s is not dtr's: the folder is not removed", k->path, foreign);
		return -ENOTEMPTY;
	}
	snprintf(about, sizeof about, "%s/" KEPT_ABOUT, k->path);
	if ((unlink(about) && errno != ENOENT) || rmdir(k->path))
		return kept_failed(reason, -errno, "failed to remove", k->path);
	rmdir(k->root);		/* if it was the last session */
	return 0;
}

int dtr_kept_remove(struct dtr_kept *k, char *reason)
{
	static const char *const kinds[] = { KEPT_LINK, KEPT_PROG, KEPT_MAP };
	struct dtr_kept_state s;
	int r = 0;

	dtr_kept_state(k, &s);
	if (s.condition == DTR_KEPT_FOREIGN) {
		snprintf(reason, DTR_KEPT_REASON, "%s is not a session of dtr", k->path);
		return -EINVAL;
	}
	if (faccessat(AT_FDCWD, k->path, W_OK, AT_EACCESS))
		return kept_failed(reason, -errno, "failed to remove", k->path);
	if (k->data) {
		end_counting(k);
		atomic_store(&k->record->complete, 0);
	}
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !r; i++)
		r = pins_remove(k->path, kinds[i]);
	return r ? kept_failed(reason, r, "failed to remove", k->path) : remove_folder(k, s.foreign, reason);
}

/* ---- listing ---- */

struct kept_listing {
	void (*fn)(void *arg, const char *name, const struct dtr_kept_about *about, const struct dtr_kept_state *s);
	void *arg;
	const char *root;
};

static int list_session(void *arg, const char *name)
{
	const struct kept_listing *x = arg;
	struct dtr_kept_state s = { .condition = DTR_KEPT_BUSY };
	struct dtr_kept k = { 0 };
	char reason[DTR_KEPT_REASON];
	int r;

	if (!dtr_kept_name_valid(name))
		return 0;
	r = open_at(&k, name, LOCK_SH | LOCK_NB, reason);
	if (!r)
		dtr_kept_state(&k, &s);
	if (!r || r == -EWOULDBLOCK)
		x->fn(x->arg, name, r ? NULL : dtr_kept_about(&k), &s);
	kept_close(&k);
	return 0;
}

int dtr_kept_each(void (*fn)(void *arg, const char *name, const struct dtr_kept_about *about,
			 const struct dtr_kept_state *s), void *arg, char *reason)
{
	char root[DTR_KEPT_PATH];
	struct kept_listing x = { fn, arg, root };
	int r = kept_root(root, reason);

	if (r)
		return r;
	r = pins_each(root, list_session, &x);
	return r && r != -ENOENT ? kept_failed(reason, r, "failed to read", root) : 0;
}
