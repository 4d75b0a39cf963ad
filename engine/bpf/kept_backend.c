/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Kept sessions: their programs. Starts them, or finds the data of those that were started before. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "engine/bpf/code/bpf.h"
#include "engine/bpf/code/layout.h"
#include "engine/bpf/code/params.h"
#include "engine/bpf/code/rows.h"
#include "engine/bpf/kept.h"
#include "engine/bpf/load/load.h"
#include "engine/bpf/pins.h"
#include "engine/bpf/snapshot.h"
#include "engine/bpf/stacks.h"
#include "engine/host/cpus.h"
#include "engine/run/backend.h"
#include "providers/links.h"
#include "providers/provider.h"

struct kept_engine {
	struct arena *arena;
	const struct d_prog *prog;
	const struct dtr_kept_args *args;
	struct dtr_kept *k, own;		/* own: of a new session */
	struct bpf_image image;
	struct bpf_loaded loaded;
	struct stacks stacks;
	struct attach_env *env;		/* by enabled probe */
	bool *attached;
	int *cpus;
	unsigned ncpus, nlinks;
	struct drop_counts *reported;	/* by CPU */
};

static struct kept_engine *kept_engine(struct backend *handle)
{
	return (struct kept_engine *)handle;
}

static const char *pin_name(struct kept_engine *b, const char *kind, size_t i)
{
	return arena_printf(b->arena, "%s%zu", kind, i);
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

static int *no_fds(struct arena *a, size_t n)
{
	int *v = arena_calloc(a, n + 1, sizeof *v);

	memset(v, 0xff, (n + 1) * sizeof *v);
	return v;
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
	struct bpf_loaded *l = &b->loaded;
	const struct bpf_image *im = &b->image;
	int r;

	*l = (struct bpf_loaded){ .im = im, .mapfd = no_fds(b->arena, im->maps.n),
				  .progfd = no_fds(b->arena, im->codes.n),
				  .ringfd = no_fds(b->arena, im->par.ncpus), .btf.fd = -1 };
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
	const struct bpf_image *im = &b->image;
	struct kept_record *r = b->k->record;
	int err;

	r->shape = shape_of(im);
	r->cpus = b->ncpus;
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
		r = pin_all(b, KEPT_MAP, b->loaded.mapfd, b->image.maps.n, reason);
	if (!r)
		r = pin_all(b, KEPT_PROG, b->loaded.progfd, b->image.codes.n, reason);
	if (!r)
		r = kept_map(b->k, reason);
	if (!r)
		atomic_store(&b->k->record->complete, 1);
	return r;
}

/* ---- probes ---- */

static void *global_object(struct attach_env *env, const char *name)
{
	struct kept_engine *b = env->arg;
	int64_t obj = ir_obj_find(b->prog->ir, name);

	return obj < 0 ? NULL : bpf_object(&b->loaded, (uint32_t)obj);
}

static int pin_links(struct kept_engine *b, const struct links *l, char *reason)
{
	for (size_t i = 0; i < l->n; i++) {
		int r = pins_put(b->k->path, pin_name(b, KEPT_LINK, b->nlinks++), l->fd[i]);

		if (r)
			return kept_failed(reason, r, "failed to pin links in", b->k->path);
	}
	return 0;
}

static int attach_one(struct kept_engine *b, size_t i, struct diags *d, char *reason)
{
	const struct enabled_probe *e = &b->prog->probes.v[i];
	struct probe *p = e->probe;
	struct attach_env *env = &b->env[i];
	const struct bpf_code *c = bpf_code_find(&b->image, e->func);
	int r;

	if (!p->prov->links || !p->prov->attach || !c) {
		snprintf(reason, DTR_KEPT_REASON, "probe %s:%s needs dtr itself", p->provname, p->name);
		return -EOPNOTSUPP;
	}
	*env = (struct attach_env){
		.prog_fd = b->loaded.progfd[c - b->image.codes.v], .alt_fd = -1, .cpus = b->cpus, .ncpus = b->ncpus,
		.prog = b->prog->ir, .site = e->site, .typed = c->typed, .turns = c->turns, .lasting = true,
		.global = global_object, .arg = b,
	};
	r = p->prov->attach(p, env);
	if (r) {
		snprintf(reason, DTR_KEPT_REASON, "failed to enable probe %s:%s:%s:%s: %s", p->provname, p->mod,
			 p->func, p->name, env->reason[0] ? env->reason : strerror(-r));
		return r;
	}
	b->attached[i] = true;
	if (env->warning[0])
		diag_warn(d, (struct loc){ 0 }, D_PROC_CREATEFAIL, "%s", env->warning);
	if (p->prov->links(p))
		return pin_links(b, p->prov->links(p), reason);
	snprintf(reason, DTR_KEPT_REASON, "probe %s:%s needs dtr itself", p->provname, p->name);
	return -EOPNOTSUPP;
}

static int attach_all(struct kept_engine *b, struct diags *d, char *reason)
{
	int r = 0;

	for (size_t i = 0; i < b->prog->probes.n && !r; i++)
		if (b->prog->probes.v[i].func)
			r = attach_one(b, i, d, reason);
	return r;
}

static void detach_all(struct kept_engine *b)
{
	for (size_t i = 0; b->attached && i < b->prog->probes.n; i++) {
		if (b->attached[i])
			b->prog->probes.v[i].probe->prov->detach(b->prog->probes.v[i].probe);
		b->attached[i] = false;
	}
}

/* ---- the engine ---- */

static int use_session(struct kept_engine *b, struct diags *d)
{
	const bool starts = b->args->use != DTR_KEPT_READ;
	char reason[DTR_KEPT_REASON] = "";
	int r;

	if (b->args->use == DTR_KEPT_START) {
		if (bpf_load(&b->loaded, &b->image, d))
			return -1;
		r = create_session(b, reason);
	} else {
		b->k = b->args->kept;
		r = load_pinned(b, starts, reason);
	}
	if (!r && starts)
		r = attach_all(b, d, reason);
	if (!r)
		return 0;
	if (starts && r != -EEXIST && b->k->dir >= 0) {
		char ignored[DTR_KEPT_REASON];

		b->args->use == DTR_KEPT_START ? kept_remove(b->k, ignored) : kept_stop(b->k, ignored);
	}
	return diag(d, (struct loc){ 0 }, D_BPF, "%s", reason);
}

static int kept_backend_open(struct backend **out, const struct backend_args *args, struct diags *d)
{
	struct kept_engine *b = arena_alloc(args->arena, sizeof *b);
	struct bpf_params par = params_of(args->prog, args->opts);

	*out = (struct backend *)b;
	b->arena = args->arena;
	b->prog = args->prog;
	b->args = args->input;
	b->own.dir = -1;
	if (getrandom(&par.seed, sizeof par.seed, GRND_NONBLOCK) != sizeof par.seed)
		par.seed = clock_now();
	libbpf_set_print(NULL);
	if (bpf_generate(&b->image, b->arena, b->prog->ir, &par, d))
		return -1;
	b->env = arena_calloc(b->arena, b->prog->probes.n + 1, sizeof *b->env);
	b->attached = arena_calloc(b->arena, b->prog->probes.n + 1, sizeof *b->attached);
	b->reported = arena_calloc(b->arena, par.ncpus, sizeof *b->reported);
	b->cpus = arena_calloc(b->arena, par.ncpus, sizeof *b->cpus);
	b->ncpus = cpus_online(b->cpus, par.ncpus);
	if (use_session(b, d))
		return -1;
	stacks_init(&b->stacks, &b->loaded);
	return 0;
}

static void kept_backend_close(struct backend *handle)
{
	struct kept_engine *b = kept_engine(handle);

	if (!b)
		return;
	detach_all(b);
	stacks_close(&b->stacks);
	bpf_unload(&b->loaded);
	kept_close(&b->own);
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

static int kept_snapshot(struct backend *handle, struct agg_table *const *tables, unsigned n)
{
	struct kept_engine *b = kept_engine(handle);
	int err = 0;

	for (unsigned i = 0; i < n && !err; i++) {
		tables[i]->frames = stacks_frames;
		tables[i]->frames_arg = &b->stacks;
		err = snapshot_read(&b->loaded, tables[i], 0, NULL);
		err = err ? err : b->stacks.err;
	}
	return err;
}

static void *kept_object(struct backend *handle, uint32_t obj)
{
	return bpf_object(&kept_engine(handle)->loaded, obj);
}

static bool kept_drops(struct backend *handle, int cpu, struct drop_counts *out)
{
	struct kept_engine *b = kept_engine(handle);
	const uint64_t *now;

	if (cpu < 0 || (unsigned)cpu >= b->image.par.ncpus)
		return false;
	now = (const uint64_t *)(b->loaded.data + b->image.off_drops + (size_t)cpu * CACHE_LINE);
	*out = (struct drop_counts){ 0 };
	for (int i = 0; i < IR_DROP_NESTED; i++) {
		out->n[i] = __atomic_load_n(&now[i], __ATOMIC_RELAXED) - b->reported[cpu].n[i];
		b->reported[cpu].n[i] += out->n[i];
	}
	return true;
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
	.object = kept_object,
	.drops = kept_drops,
	.refresh = kept_nothing,
	.wake = kept_nothing,
};
