/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Kept sessions: their programs. Starts them, or finds the data of those that were started before. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/diag.h"
#include "engine/bpf/code/layout.h"
#include "engine/bpf/code/rows.h"
#include "engine/bpf/engine.h"
#include "engine/bpf/kept.h"
#include "engine/bpf/pins.h"
#include "providers/links.h"
#include "providers/provider.h"

/* The kernel engine with what keeps its session. `engine` is the first member: engine_object and others take its
 * handle. */
struct kept_engine {
	struct bpf_engine engine;
	const struct dtr_kept_args *args;
	struct dtr_kept *k, own;		/* own: of a new session */
	unsigned nlinks;
};

static struct kept_engine *kept_engine(struct backend *handle)
{
	return (struct kept_engine *)handle;
}

static const char *pin_name(struct kept_engine *b, const char *kind, size_t i)
{
	return arena_printf(b->engine.arena, "%s%zu", kind, i);
}

/* ---- what is pinned ---- */

static int pin_all(struct kept_engine *b, const char *kind, const int *fds, size_t n, char *reason)
{
	for (size_t i = 0; i < n; i++) {
		int r = pins_put(b->k->path, pin_name(b, kind, i), fds[i]);

		if (r)
			return kept_failed(reason, r, "failed to pin objects in", b->k->path);
	}
	return 0;
}

static int get_all(struct kept_engine *b, const char *kind, int *fds, size_t n, char *reason)
{
	for (size_t i = 0; i < n; i++) {
		fds[i] = pins_get(b->k->path, pin_name(b, kind, i));
		if (fds[i] < 0)
			return kept_failed(reason, fds[i], "failed to open objects in", b->k->path);
	}
	return 0;
}

static uint64_t mix_hash(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
	return hash ^ hash >> 32;
}

/* A number for what is where: the same script and the same dtr have the same. */
static uint64_t shape_of(const struct bpf_image *im)
{
	uint64_t h = mix_hash(im->data_size, im->off_cells);

	h = mix_hash(mix_hash(h, im->off_drops), im->cell_stride);
	for (uint32_t i = 0; i < im->prog->objs.n; i++) {
		const struct bpf_place *p = &im->place[i];
		const struct ir_obj *o = &im->prog->objs.v[i];

		h = mix_hash(mix_hash(mix_hash(h, o->kind), o->size), o->keysize);
		h = mix_hash(mix_hash(mix_hash(h, p->off), p->map), mix_hash(p->rows, p->table));
	}
	for (size_t i = 0; i < im->maps.n; i++)
		h = mix_hash(mix_hash(mix_hash(h, im->maps.v[i].type), im->maps.v[i].keysize), im->maps.v[i].valsize);
	return h;
}

/* As bpf_load, with the maps of the session. programs: also open its programs. */
static int load_pinned(struct kept_engine *b, bool programs, char *reason)
{
	struct bpf_loaded *l = &b->engine.loaded;
	const struct bpf_image *im = &b->engine.image;
	int r;

	bpf_loaded_init(l, im);
	if (b->k->record->shape != shape_of(im)) {
		snprintf(reason, DTR_KEPT_REASON, "session '%s' was started by another build of dtr", b->k->name);
		return -EINVAL;
	}
	r = get_all(b, KEPT_MAP, l->mapfd, im->maps.n, reason);
	if (!r && programs)
		r = get_all(b, KEPT_PROG, l->progfd, im->codes.n, reason);
	if (r)
		return r;
	l->data_len = b->k->data_len;
	l->data = mmap(NULL, l->data_len, PROT_READ | PROT_WRITE, MAP_SHARED,
		       l->mapfd[im->map_of[BPF_MAP_DATA]], 0);
	if (l->data != MAP_FAILED)
		return 0;
	l->data = NULL;
	return kept_failed(reason, -errno, "failed to map the data of session", b->k->name);
}

/* ---- a new session ---- */

static int add_zero(struct kept_record *r, uint64_t off, uint64_t len)
{
	if (r->nzeros == KEPT_ZEROS)
		return -E2BIG;
	r->zero[r->nzeros].off = off;
	r->zero[r->nzeros++].len = len;
	return 0;
}

static int fill_record(struct kept_engine *b)
{
	const struct bpf_image *im = &b->engine.image;
	struct kept_record *r = b->k->record;
	int err;

	r->shape = shape_of(im);
	r->cpus = b->engine.ncpus;
	r->cpuslots = im->cpuslots;
	r->data_map = im->map_of[BPF_MAP_DATA];
	r->off_drops = im->off_drops;
	r->off_cells = im->off_cells;
	r->cell_stride = im->cell_stride;
	r->fired = UINT64_MAX;
	for (uint32_t i = 0; i < im->prog->objs.n; i++) {
		const char *name = im->prog->objs.v[i].name, *end = name ? strstr(name, PROBE_FIRED) : NULL;

		if (end && !strcmp(end, PROBE_FIRED) && im->place[i].used)
			r->fired = im->place[i].off;
	}
	err = add_zero(r, im->off_drops, (uint64_t)im->cpuslots * CACHE_LINE);
	if (!err)
		err = add_zero(r, im->off_cells, (uint64_t)im->cpuslots * im->cell_stride);
	for (uint32_t i = 0; i < im->prog->objs.n && !err; i++) {	/* rows of stacks, which all CPUs share */
		const struct ir_obj *o = &im->prog->objs.v[i];

		if (o->stacks && im->place[i].used && im->place[i].rows)
			err = add_zero(r, im->place[i].table, (o->generations ? 2 : 1) *
				       (uint64_t)rows_table(o, im->place[i].rows));
	}
	return err;
}

static int create_session(struct kept_engine *b, char *reason)
{
	int r = kept_create(&b->own, b->args->name, b->args->about, reason);

	b->k = &b->own;
	if (!r && fill_record(b)) {
		snprintf(reason, DTR_KEPT_REASON, "too many aggregations with stacks");
		r = -E2BIG;
	}
	if (!r)
		r = pin_all(b, KEPT_MAP, b->engine.loaded.mapfd, b->engine.image.maps.n, reason);
	if (!r)
		r = pin_all(b, KEPT_PROG, b->engine.loaded.progfd, b->engine.image.codes.n, reason);
	if (!r)
		r = kept_map(b->k, reason);
	if (!r)
		atomic_store(&b->k->record->complete, 1);
	return r;
}

/* ---- probes ---- */

static int pin_links(struct kept_engine *b, const struct links *l, char *reason)
{
	for (size_t i = 0; i < l->n; i++) {
		int r = pins_put(b->k->path, pin_name(b, KEPT_LINK, b->nlinks++), l->fd[i]);

		if (r)
			return kept_failed(reason, r, "failed to pin links in", b->k->path);
	}
	return 0;
}

static int attach_probe(struct kept_engine *b, size_t i, struct diags *d, char *reason)
{
	const struct enabled_probe *e = &b->engine.prog->probes.v[i];
	const struct probe *p = e->probe;
	const struct links *links;

	if (p->prov->attached && p->prov->attached->links && p->prov->attach &&
	    bpf_code_find(&b->engine.image, e->func)) {
		int r = engine_attach(&b->engine, i, d);

		links = r ? NULL : p->prov->attached->links(p);
		if (r || links)
			return r ? r : pin_links(b, links, reason);
	}
	snprintf(reason, DTR_KEPT_REASON, "probe %s:%s needs dtr itself", p->provname, p->name);
	return -EOPNOTSUPP;
}

static int attach_all(struct kept_engine *b, struct diags *d, char *reason)
{
	const struct d_prog *p = b->engine.prog;
	int r = 0;

	for (size_t i = 0; i < p->probes.n && !r; i++)
		if (p->probes.v[i].func)
			r = attach_probe(b, i, d, reason);
	return r;
}

/* ---- the engine ---- */

static int use_session(struct kept_engine *b, struct diags *d)
{
	const bool starts = b->args->use != DTR_KEPT_READ;
	char reason[DTR_KEPT_REASON] = "";
	int r;

	if (b->args->use == DTR_KEPT_START) {
		if (bpf_load(&b->engine.loaded, &b->engine.image, d))
			return -1;
		r = create_session(b, reason);
	} else {
		b->k = b->args->kept;
		r = load_pinned(b, starts, reason);
	}
	engine_loaded(&b->engine);
	if (!r && starts)
		r = attach_all(b, d, reason);
	if (!r)
		return 0;
	if (starts && r != -EEXIST && b->k->dir >= 0) {
		char ignored[DTR_KEPT_REASON];

		b->args->use == DTR_KEPT_START ? dtr_kept_remove(b->k, ignored) : dtr_kept_stop(b->k, ignored);
	}
	return *reason ? diag(d, (struct loc){ 0 }, D_BPF, "%s", reason) : -1;	/* else reported */
}

static int kept_backend_open(struct backend **out, const struct backend_args *args, struct diags *d)
{
	struct kept_engine *b = arena_alloc(args->arena, sizeof *b);

	*out = (struct backend *)b;
	b->engine.lasting = true;
	b->args = args->input;
	b->own.dir = -1;
	return engine_generate(&b->engine, args, d) ? -1 : use_session(b, d);
}

static void kept_backend_close(struct backend *handle)
{
	engine_close(handle);
	if (handle)
		kept_close(&kept_engine(handle)->own);
}

static int kept_start(struct backend *handle, struct diags *d)
{
	struct kept_engine *b = kept_engine(handle);

	(void)d;
	if (b->args->use != DTR_KEPT_READ)
		kept_begin(b->k);
	return 0;
}

/* BEGIN and END belong to no session that dtr does not attend. */
static int kept_run(struct backend *handle, const struct ir_func *f)
{
	(void)handle;
	(void)f;
	return 0;
}

static void kept_nothing(struct backend *handle)
{
	(void)handle;
}

static void kept_set_state(struct backend *handle, enum ir_state s)
{
	(void)handle;
	(void)s;
}

/* The session of dtr.h ends at once; the kept one does not. */
static enum ir_state kept_ended(struct backend *handle)
{
	(void)handle;
	return IR_S_ACTIVE;
}

static int64_t kept_exit_status(struct backend *handle)
{
	(void)handle;
	return 0;
}

static int kept_poll(struct backend *handle, uint64_t timeout_ns, record_fn fn, void *arg)
{
	(void)handle;
	(void)timeout_ns;
	(void)fn;
	(void)arg;
	return 0;
}

/* Reading does not change the session: the first generation, which a script without clear() has, is the only one. */
static int kept_snapshot(struct backend *handle, struct agg_table *const *tables, unsigned n)
{
	struct bpf_engine *b = &kept_engine(handle)->engine;

	return engine_read(b, tables, arena_calloc(b->arena, n + 1, sizeof(unsigned)), n, NULL);
}

const struct backend_ops backend_kept = {
	.name = "bpf",
	.open = kept_backend_open,
	.close = kept_backend_close,
	.run = kept_run,
	.start = kept_start,
	.disarm = kept_nothing,
	.set_state = kept_set_state,
	.state = kept_ended,
	.exit_status = kept_exit_status,
	.poll = kept_poll,
	.snapshot = kept_snapshot,
	.object = engine_object,
	.drops = engine_drops,
	.refresh = kept_nothing,
	.wake = kept_nothing,
};
