/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Creates the maps of an image, and fills the data map. */
#include "engine/bpf/load/maps.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/diag.h"
#include "engine/bpf/code/bpf.h"
#include "engine/bpf/load/loaded.h"
#include "engine/host/cpus.h"
#include "engine/host/create.h"
#include "engine/host/refusal.h"
#include "ir/ir.h"
#include "rt/unwind.h"

static const char *type_name(enum bpf_map_type type)
{
	switch (type) {
	case BPF_MAP_TYPE_RINGBUF:
		return "ring buffers (BPF_MAP_TYPE_RINGBUF, Linux 5.8)";
	case BPF_MAP_TYPE_TASK_STORAGE:
		return "task storage for thread variables (BPF_MAP_TYPE_TASK_STORAGE, Linux 5.11)";
	case BPF_MAP_TYPE_PROG_ARRAY:
		return "tail calls (BPF_MAP_TYPE_PROG_ARRAY)";
	case BPF_MAP_TYPE_ARRAY_OF_MAPS:
		return "arrays of maps (BPF_MAP_TYPE_ARRAY_OF_MAPS, Linux 4.12)";
	default:
		return "mappable maps (BPF_F_MMAPABLE, Linux 5.5)";
	}
}

static int map_failed(struct diags *d, const struct bpf_mapdef *m, int err)
{
	char what[64], reason[256];

	snprintf(what, sizeof what, "creating map %s", m->name);
	refusal_bpf(reason, sizeof reason, err, what);
	if (err == -EINVAL)
		return diag(d, (struct loc){ 0 }, D_BPF, "%s: this kernel seems to lack %s", what, type_name(m->type));
	return diag(d, (struct loc){ 0 }, D_BPF, "%s", reason);
}

/* Creates the BTF of the key and the value that task storage requires: an int and an array of bytes. Returns a
 * descriptor. */
static int storage_btf(uint32_t size, uint32_t *key, uint32_t *value)
{
	struct btf *btf = btf__new_empty();
	const void *raw;
	uint32_t len;
	int fd = -ENOMEM, byte;

	if (!btf)
		return -ENOMEM;
	*key = (uint32_t)btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	byte = btf__add_int(btf, "char", 1, 0);
	*value = (uint32_t)btf__add_array(btf, (int)*key, byte, size);
	raw = btf__raw_data(btf, &len);
	if (raw) {
		fd = create_btf(raw, len);
		if (fd < 0)
			fd = -errno;
	}
	btf__free(btf);
	return fd;
}

static int map_create(const struct bpf_mapdef *m, int inner)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = m->flags);
	int fd, err, btf = -1;

	if (m->type == BPF_MAP_TYPE_ARRAY_OF_MAPS)
		opts.inner_map_fd = (uint32_t)inner;
	if (m->type == BPF_MAP_TYPE_TASK_STORAGE) {
		btf = storage_btf(m->valsize, &opts.btf_key_type_id, &opts.btf_value_type_id);
		if (btf < 0)
			return btf;
		opts.btf_fd = (uint32_t)btf;
	}
	fd = create_map(m->type, m->name, m->keysize, m->valsize, m->entries, &opts);
	err = fd < 0 ? -errno : 0;
	if (btf >= 0)
		close(btf);
	return fd < 0 ? err : fd;
}

/* Creates a ring of the requested size, or the largest for which the kernel has memory. */
static int ring_fit(struct bpf_loaded *l, const struct bpf_mapdef *wanted)
{
	struct bpf_mapdef m = *wanted;
	int fd = map_create(&m, -1);

	while (fd == -ENOMEM && l->im->par.resize && m.entries / 2 >= l->im->ring_least) {
		m.entries /= 2;
		fd = map_create(&m, -1);
	}
	if (fd >= 0 && (!l->ring_size || m.entries < l->ring_size))
		l->ring_size = m.entries;
	return fd;
}

static int ring_create(struct bpf_loaded *l, int cpu)
{
	struct bpf_mapdef m = { .type = BPF_MAP_TYPE_RINGBUF, .entries = l->im->ring_size };

	snprintf(m.name, sizeof m.name, "dtr_ring%d", cpu);
	return ring_fit(l, &m);
}

int bpf_ring(const struct bpf_loaded *l, int cpu)
{
	uint32_t first = l->im->map_of[BPF_MAP_RING];

	return first != UINT32_MAX ? l->mapfd[first + (unsigned)cpu] : l->ringfd[cpu];
}

int bpf_ring_add(struct bpf_loaded *l, int cpu)
{
	uint32_t outer = l->im->map_of[BPF_MAP_RINGS];
	int fd;

	if (outer == UINT32_MAX || l->ringfd[cpu] >= 0)
		return 0;
	fd = ring_create(l, cpu);
	if (fd < 0)
		return fd;
	if (bpf_map_update_elem(l->mapfd[outer], &cpu, &fd, BPF_ANY)) {
		int err = -errno;

		close(fd);
		return err;
	}
	l->ringfd[cpu] = fd;
	return 0;
}

/* Adds all rings in one call, because each system call that changes an array of maps waits for a grace period. */
static int fill_rings(struct bpf_loaded *l, int outer, const int *cpus, unsigned n)
{
	int *fds = arena_calloc(l->im->arena, n, sizeof *fds), err = 0;
	uint32_t count = n;

	for (unsigned i = 0; i < n; i++)
		fds[i] = l->ringfd[cpus[i]];
	if (!bpf_map_update_batch(outer, cpus, fds, &count, NULL))
		return 0;
	for (unsigned i = 0; i < n && !err; i++)
		err = bpf_map_update_elem(outer, &cpus[i], &fds[i], BPF_ANY) ? -errno : 0;
	return err;
}

/* Creating the outer map requires an example of a ring. CPUs that come online later get their rings from
 * bpf_ring_add. */
static int make_rings(struct bpf_loaded *l, uint32_t map, struct diags *d)
{
	const struct bpf_mapdef *m = &l->im->maps.v[map];
	struct bpf_mapdef ring = { .type = BPF_MAP_TYPE_RINGBUF, .name = "dtr_ring" };
	int *cpus = arena_calloc(l->im->arena, l->im->par.ncpus, sizeof *cpus), err;
	unsigned n = cpus_online(cpus, l->im->par.ncpus);

	while (n > 1 && cpus[n - 1] >= (int)l->im->par.ncpus)
		n--;
	for (unsigned i = 0; i < n; i++) {
		l->ringfd[cpus[i]] = ring_create(l, cpus[i]);
		if (l->ringfd[cpus[i]] < 0)
			return map_failed(d, &ring, l->ringfd[cpus[i]]);
	}
	l->mapfd[map] = map_create(m, n ? l->ringfd[cpus[0]] : -1);
	if (l->mapfd[map] < 0)
		return map_failed(d, m, l->mapfd[map]);
	err = fill_rings(l, l->mapfd[map], cpus, n);
	return err ? map_failed(d, m, err) : 0;
}

static void fill_data(struct bpf_loaded *l)
{
	const struct bpf_image *im = l->im;

	for (uint32_t i = 0; i < im->prog->objs.n; i++) {
		const struct ir_obj *o = &im->prog->objs.v[i];

		if (o->init && bpf_object(l, i))
			memcpy(bpf_object(l, i), o->init, o->size);
	}
	for (uint64_t i = 0; im->slot_size && i < (uint64_t)im->cpuslots * SCRATCH_ALL; i++) {
		uint64_t *header = (uint64_t *)(l->data + im->off_scratch + i * im->slot_size);

		header[1] = i % SCRATCH_ALL;
	}
}

int chunk_create(void)
{
	const struct bpf_mapdef m = { .type = BPF_MAP_TYPE_ARRAY, .keysize = 4, .valsize = UNWIND_CHUNK, .entries = 1,
				      .flags = BPF_F_MMAPABLE, .name = "dtr_chunk" };

	return map_create(&m, -1);
}

static int map_data(struct bpf_loaded *l, struct diags *d)
{
	const struct bpf_mapdef *m = &l->im->maps.v[l->im->map_of[BPF_MAP_DATA]];
	size_t page = (size_t)sysconf(_SC_PAGESIZE), len = (m->valsize + page - 1) / page * page;
	void *p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, l->mapfd[l->im->map_of[BPF_MAP_DATA]], 0);

	if (p == MAP_FAILED)
		return map_failed(d, m, -errno);
	l->data = p;
	l->data_len = len;
	fill_data(l);
	return 0;
}

/* Inserts and removes one element in every map that allocates on demand. */
static int prime_here(const struct bpf_loaded *l, const uint8_t *zeros, struct diags *d)
{
	for (uint32_t i = 0; i < l->im->maps.n; i++) {
		const struct bpf_mapdef *m = &l->im->maps.v[i];

		if (m->type != BPF_MAP_TYPE_HASH || !(m->flags & BPF_F_NO_PREALLOC))
			continue;
		if (bpf_map_update_elem(l->mapfd[i], zeros, zeros, BPF_ANY))
			continue;
		/* a key that no firing created must not be printed */
		if (bpf_map_delete_elem(l->mapfd[i], zeros))
			return map_failed(d, m, -errno);
	}
	return 0;
}

/*
 * A hash that allocates on demand takes its elements from a per-CPU cache. This cache holds very few elements until its
 * first use, and it is refilled only after the interrupt that used it. So each CPU uses it once here. Otherwise a first
 * firing that creates several keys would drop some of them.
 */
static int prime_maps(const struct bpf_loaded *l, struct diags *d)
{
	int cpus[CPU_SETSIZE];
	unsigned n;
	cpu_set_t before, one;
	uint32_t most = 0;
	const uint8_t *zeros;
	int r = 0;

	for (uint32_t i = 0; i < l->im->maps.n; i++) {
		const struct bpf_mapdef *m = &l->im->maps.v[i];

		if (m->type == BPF_MAP_TYPE_HASH && most < m->keysize + m->valsize)
			most = m->keysize + m->valsize;
	}
	if (!most || sched_getaffinity(0, sizeof before, &before))
		return 0;
	zeros = arena_alloc(l->im->arena, most);
	n = cpus_online(cpus, CPU_SETSIZE);
	for (unsigned i = 0; i < n && !r; i++) {
		CPU_ZERO(&one);
		CPU_SET(cpus[i], &one);
		if (!sched_setaffinity(0, sizeof one, &one))
			r = prime_here(l, zeros, d);
	}
	sched_setaffinity(0, sizeof before, &before);
	return r;
}

int maps_make(struct bpf_loaded *l, struct diags *d)
{
	for (uint32_t i = 0; i < l->im->maps.n; i++) {
		const struct bpf_mapdef *m = &l->im->maps.v[i];

		if (m->role == BPF_MAP_RINGS) {
			if (make_rings(l, i, d))
				return -1;
			continue;
		}
		/* creating the array of chunks requires an example */
		l->mapfd[i] = m->role == BPF_MAP_RING ? ring_fit(l, m) :
			      map_create(m, m->role == BPF_MAP_UNWIND_CHUNKS ? l->mapfd[i - 1] : -1);
		if (l->mapfd[i] < 0)
			return map_failed(d, m, l->mapfd[i]);
	}
	if (prime_maps(l, d))
		return -1;
	return map_data(l, d);
}

struct bpf_words *bpf_words(const struct bpf_loaded *l)
{
	return (struct bpf_words *)l->data;
}

void *bpf_object(const struct bpf_loaded *l, uint32_t obj)
{
	enum ir_objkind kind = l->im->prog->objs.v[obj].kind;

	if (kind != IR_O_GLOBAL && !(kind == IR_O_CONST && l->im->place[obj].used))
		return NULL;
	return l->data + l->im->place[obj].off;
}

void *bpf_cell(const struct bpf_loaded *l, uint32_t obj, unsigned cpu)
{
	return l->data + l->im->off_cells + (size_t)cpu * l->im->cell_stride + l->im->place[obj].off;
}
