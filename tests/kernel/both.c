/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "tests/kernel/both.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/bpf/code/layout.h"
#include "engine/bpf/code/rows.h"
#include "engine/bpf/code/vars.h"
#include "engine/bpf/ring.h"
#include "engine/host/cpus.h"
#include "lang/prog.h"

static void put_record(struct both_result *r, const void *rec, uint32_t size)
{
	struct error_rec e;

	buf_put(&r->records, &size, sizeof size);
	if (size == sizeof e)
		memcpy(&e, rec, sizeof e);
	if (size == sizeof e && !e.hdr.epid) {	/* the engine itself read the clock */
		e.hdr.ts = 0;
		buf_put(&r->records, &e, sizeof e);
	} else {
		buf_put(&r->records, rec, size);
	}
}

/* ---- the interpreter ---- */

struct spy {
	struct ir_test_world *w;
	struct both_result *r;
	struct ir_world real;
};

static struct spy *spy_of(void *arg)
{
	return arg;
}

static void *spy_mem(void *a, uint32_t o) { return spy_of(a)->real.mem(spy_of(a)->w, o); }
static uint64_t spy_read(void *a, enum ir_op op, int64_t i) { return spy_of(a)->real.read(spy_of(a)->w, op, i); }
static void *spy_cell(void *a, uint32_t o, const void *k) { return spy_of(a)->real.cell(spy_of(a)->w, o, k); }
static void *spy_dyn(void *a, uint32_t o, const void *k, bool m) { return spy_of(a)->real.dyn(spy_of(a)->w, o, k, m); }
static void spy_dyndel(void *a, uint32_t o, const void *k) { spy_of(a)->real.dyndel(spy_of(a)->w, o, k); }
static void *spy_tls(void *a, uint32_t o, bool m) { return spy_of(a)->real.tls(spy_of(a)->w, o, m); }

static void spy_commit(void *a, uint32_t o, const void *rec, uint32_t n)
{
	(void)o;
	put_record(spy_of(a)->r, rec, n);
}

static void spy_exit(void *a, int64_t status)
{
	struct both_result *r = spy_of(a)->r;

	if (!r->exited)
		r->status = status;
	r->exited = true;
}

static void spy_drop(void *a, enum ir_drop kind)
{
	spy_of(a)->r->drops[kind]++;
}

static void spy_fault(void *a, uint32_t epid, uint32_t action, enum ir_fault kind, uint64_t value)
{
	struct error_rec e = { .epid = epid, .action = action, .kind = kind, .value = value };

	put_record(spy_of(a)->r, &e, sizeof e);
}

static void run_interp(struct both *t)
{
	int64_t seed = ir_obj_find(t->prog, "seed");
	struct spy spy = { .w = &t->w, .r = &t->want };
	struct ir_world hooks = {
		.arg = &spy, .mem = spy_mem, .read = spy_read, .cell = spy_cell, .dyn = spy_dyn, .dyndel = spy_dyndel,
		.tls = spy_tls, .commit = spy_commit, .exit = spy_exit, .drop = spy_drop, .fault = spy_fault,
	};


	world_open(&t->w, t->prog, NULL);
	spy.real = t->w.hooks;
	t->want.prog = t->prog;
	for (size_t i = 0; i < t->nfirings; i++) {
		t->w.seed = &t->firings[i].seed;
		if (seed >= 0)
			memcpy(t->w.obj[seed], t->w.seed, sizeof *t->w.seed);
		ir_run(t->prog, t->firings[i].func, &hooks);
	}
}

/* ---- the kernel ---- */
static void on_record(void *arg, int cpu, const void *rec, uint32_t size)
{
	(void)cpu;
	put_record(arg, rec, size);
}

static int fire_all(struct both *t)
{
	int64_t seed = ir_obj_find(t->prog, "seed");
	int err = 0;

	for (size_t i = 0; !err && i < t->nfirings; i++) {
		const struct bpf_code *code = bpf_code_find(&t->im, t->firings[i].func);

		if (seed >= 0)
			memcpy(bpf_object(&t->l, (uint32_t)seed), &t->firings[i].seed, sizeof t->firings[i].seed);
		err = code ? bpf_run(t->l.progfd[code - t->im.codes.v], -1) : -ENOENT;
	}
	return err;
}

/* Offset of task_struct.start_time in this kernel. */
static uint32_t start_time(void)
{
	struct btf *btf = btf__load_vmlinux_btf();
	const struct btf_type *t = btf__type_by_id(btf, (uint32_t)btf__find_by_name_kind(btf, "task_struct",
											 BTF_KIND_STRUCT));
	uint32_t off = 0;

	for (uint16_t i = 0; t && i < btf_vlen(t); i++)
		if (!strcmp(btf__name_by_offset(btf, btf_members(t)[i].name_off), "start_time"))
			off = btf_member_bit_offset(t, i) / 8;
	btf__free(btf);
	return off;
}

static int run_kernel(struct both *t)
{
	/* every third one as on a large machine, where the ring buffers are in an array of maps */
	unsigned ncpus = t->number % 3 || cpus_possible() > 16 ? cpus_possible() : 16;
	/* no row table, or from 2 rows of 64 bytes, so that most keys do not fit, to the default */
	static const uint32_t tables[] = { 0, 128, 512, 4096, 256 << 10 };
	static uint32_t task_start;
	struct bpf_params par = { .ncpus = ncpus, .bufsize = 256 << 10, .aggsize = 64 << 10, .dynvarsize = 512 << 10,
				  .want_exit = true, .seed = t->number, .table = tables[t->number / 2 % 5],
				  .tables = 4 << 20, .vars = tables[t->number / 2 % 5], .all_vars = 2 << 20,
				  /* and every other one split into many programs */
				  .part_insns = t->number % 2 ? 128 : 0 };
	struct rings rings;
	int err;

	if (!task_start)
		task_start = start_time();
	par.task.start = task_start;
	if (bpf_generate(&t->im, &t->arena, t->prog, &par, &t->diags) || bpf_load(&t->l, &t->im, &t->diags)) {
		t->fail = "load";
		return -1;
	}
	err = rings_open(&rings, &t->arena, &t->l, false);
	if (!err)
		err = fire_all(t);
	if (!err)
		err = rings_poll(&rings, 0, on_record, &t->got) < 0;
	rings_close(&rings);
	for (unsigned cpu = 0; cpu < t->im.cpuslots; cpu++) {
		for (int k = 0; k < IR_DROP_NESTED; k++)
			t->got.drops[k] += ((uint64_t *)(t->l.data + t->im.off_drops + cpu * CACHE_LINE))[k];
	}
	t->got.exited = atomic_load(&bpf_words(&t->l)->exit_claim);
	t->got.status = atomic_load(&bpf_words(&t->l)->exit_status);
	if (err)
		t->fail = "run";
	if (err && !t->quiet)
		printf("# program %llu: run: %s\n", (unsigned long long)t->number, strerror(-err));
	return err;
}

/* ---- comparing ---- */
static void put_hex(const char *what, const uint8_t *p, size_t n)
{
	printf("#   %s ", what);
	for (size_t i = 0; i < n && i < 48; i++)
		printf("%02x", p[i]);
	putchar('\n');
}

/* Shows the bytes from the first one that differs. */
static void differ(struct both *t, const char *what, const void *want, const void *got, size_t n)
{
	size_t at = 0;

	if (!t->fail && !t->quiet)
		printf("# program %llu differs\n", (unsigned long long)t->number);
	t->fail = t->fail ? t->fail : what;
	if (t->quiet)
		return;
	while (want && got && at < n && ((const uint8_t *)want)[at] == ((const uint8_t *)got)[at])
		at++;
	printf("# %s (%zu bytes, from %zu)\n", what, n, at);
	if (!want || !got)
		return;
	put_hex("want", (const uint8_t *)want + at, n - at);
	put_hex("got ", (const uint8_t *)got + at, n - at);
}

static void compare_globals(struct both *t)
{
	for (uint32_t i = 0; i < t->prog->objs.n; i++) {
		const struct ir_obj *o = &t->prog->objs.v[i];
		void *mine = o->kind == IR_O_GLOBAL ? bpf_object(&t->l, i) : NULL;

		if (mine && memcmp(mine, t->w.obj[i], o->size))
			differ(t, o->name, t->w.obj[i], mine, o->size);
	}
}

static void compare_records(struct both *t)
{
	if (t->want.records.len != t->got.records.len) {
		if (!t->quiet)
			printf("# %zu bytes of records wanted, %zu got\n", t->want.records.len, t->got.records.len);
		differ(t, "records", NULL, NULL, 0);
	} else if (t->want.records.len && memcmp(t->want.records.data, t->got.records.data, t->want.records.len)) {
		differ(t, "records", t->want.records.data, t->got.records.data, t->want.records.len);
	}
	if (memcmp(t->want.drops, t->got.drops, sizeof t->want.drops))
		differ(t, "drops", t->want.drops, t->got.drops, sizeof t->want.drops);
	if (t->want.exited != t->got.exited || t->want.status != t->got.status)
		differ(t, "exit status", &t->want.status, &t->got.status, 8);
}

/* The place of a cell on a CPU if it is not an element of a map; a numbered cell is preceded by its "used" flag. */
static const uint8_t *cell_place(const struct both *t, const struct world_cell *c, unsigned cpu)
{
	const struct ir_obj *o = &t->prog->objs.v[c->obj];
	uint64_t n = 0;

	if (o->cells)
		memcpy(&n, c->key, sizeof n);
	return t->l.data + t->im.off_cells + cpu * t->im.cell_stride + t->im.place[c->obj].off +
	       n * layout_cell_size(o) + (o->cells ? CELL_HEAD : 0);
}

static bool fixed_cell(const struct both *t, const struct world_cell *c, uint8_t *out)
{
	const struct ir_obj *o = &t->prog->objs.v[c->obj];
	bool found = !o->cells;

	for (unsigned cpu = 0; cpu < t->im.cpuslots; cpu++) {
		const uint8_t *cell = cell_place(t, c, cpu);

		found |= o->cells && cell[-CELL_HEAD];
		for (uint32_t i = 0; i < o->size; i++)
			out[i] |= cell[i];
	}
	return found;
}

/* The number of used numbered cells of an aggregation, on one CPU, as the tests run on one. */
static uint64_t count_used(const struct both *t, uint32_t obj)
{
	const struct ir_obj *o = &t->prog->objs.v[obj];
	uint64_t used = 0;

	for (uint64_t n = 0; n < o->cells; n++) {
		struct world_cell c = { .obj = obj, .key = (uint8_t *)&n };
		bool any = false;

		for (unsigned cpu = 0; cpu < t->im.cpuslots; cpu++)
			any |= cell_place(t, &c, cpu)[-CELL_HEAD];
		used += any;
	}
	return used;
}

/* The first row of an aggregation's table on a CPU, or of the first generation of the table of stacks. */
static const uint64_t *table_of(const struct both *t, uint32_t obj, unsigned cpu)
{
	if (t->prog->objs.v[obj].stacks)
		return (const uint64_t *)(t->l.data + t->im.place[obj].table + ROW_HEAD);
	return (const uint64_t *)(t->l.data + t->im.off_cells + cpu * t->im.cell_stride + t->im.place[obj].off);
}

/* The value of a key's row in this CPU's table, or NULL. */
static const uint64_t *kernel_row(const struct both *t, const struct world_cell *c)
{
	const struct ir_obj *o = &t->prog->objs.v[c->obj];
	const uint64_t *row = table_of(t, c->obj, (unsigned)sched_getcpu());

	for (uint32_t i = 0; i < t->im.place[c->obj].rows; i++, row += rows_size(o) / 8)
		if (row[0] && !memcmp(row + ROW_TAG / 8, c->key, o->keysize))
			return row + (ROW_TAG + o->keysize) / 8;
	return NULL;
}

/* The value of the used row of an array's or the thread variables' table that has this tag (0: any tag), or NULL. */
static const uint64_t *var_value(const struct both *t, uint32_t obj, uint64_t tag)
{
	const struct bpf_place *pl = &t->im.place[obj];
	const uint64_t *row = (const uint64_t *)(t->l.data + pl->table + CACHE_LINE);

	for (uint32_t i = 0; i < pl->rows; i++, row += vars_row(&t->im, pl) / 8)
		if (row[0] && (!tag || row[0] == tag))
			return row + vars_value(&t->im, pl) / 8;
	return NULL;
}

static uint64_t count_vars(const struct both *t, uint32_t obj)
{
	const struct bpf_place *pl = &t->im.place[obj];
	const uint64_t *row = (const uint64_t *)(t->l.data + pl->table + CACHE_LINE);
	uint64_t n = 0;

	for (uint32_t i = 0; i < pl->rows; i++, row += vars_row(&t->im, pl) / 8)
		n += row[0] != 0;
	return n;
}

static uint64_t count_rows(const struct both *t, uint32_t obj)
{
	uint64_t n = 0;

	if (t->prog->objs.v[obj].kind == IR_O_DYN && !t->prog->objs.v[obj].stacks)
		return count_vars(t, obj);
	for (unsigned cpu = 0; cpu < (t->prog->objs.v[obj].stacks ? 1 : t->im.cpuslots); cpu++) {
		const uint64_t *row = table_of(t, obj, cpu);

		for (uint32_t i = 0; i < t->im.place[obj].rows; i++, row += rows_size(&t->prog->objs.v[obj]) / 8)
			n += row[0] != 0;
	}
	return n;
}

/* The value of one cell in the kernel, all CPUs and both generations or-ed together (one of them is not zero). */
static bool kernel_cell(struct both *t, const struct world_cell *c, uint8_t *out)
{
	const struct ir_obj *o = &t->prog->objs.v[c->obj];
	const struct bpf_place *pl = &t->im.place[c->obj];
	uint8_t *key, *v;
	const uint64_t *row;
	bool found;

	memset(out, 0, o->size);
	if (o->kind == IR_O_AGG && (!o->keysize || o->cells))
		return fixed_cell(t, c, out);
	if (o->kind == IR_O_AGG || o->stacks)
		row = kernel_row(t, c);
	else
		row = *(uint64_t *)c->key == UINT64_MAX ? NULL : var_value(t, c->obj, *(uint64_t *)c->key + 1);
	if (row) {
		memcpy(out, row, o->size);
		return true;
	}
	key = calloc(1, o->keysize + 8);
	v = calloc(1, o->size);
	memcpy(key, c->key, o->keysize);
	if (o->kind == IR_O_AGG)
		memcpy(key + o->keysize, &(uint64_t){ (uint64_t)sched_getcpu() }, 8);
	found = !bpf_map_lookup_elem(t->l.mapfd[pl->map], key, v);
	for (uint32_t i = 0; found && i < o->size; i++)
		out[i] |= v[i];
	free(key);
	free(v);
	return found;
}

static bool kernel_thread(struct both *t, const struct world_cell *c, uint8_t *out)
{
	const struct bpf_place *pl = &t->im.place[c->obj];
	uint8_t *v = calloc(1, t->im.maps.v[pl->map].valsize);
	int pidfd = (int)syscall(SYS_pidfd_open, getpid(), 0);
	const uint64_t *row = var_value(t, c->obj, 0);	/* the programs run only in this thread */
	bool found = row || !bpf_map_lookup_elem(t->l.mapfd[pl->map], &pidfd, v);

	memcpy(out, (row ? (const uint8_t *)row : v) + pl->off, t->prog->objs.v[c->obj].size);
	close(pidfd);
	free(v);
	return found;
}

static uint64_t count_keys(int fd, uint32_t keysize)
{
	uint8_t *key = calloc(2, keysize), *next = key + keysize;
	uint64_t n = 0;

	for (void *at = NULL; !bpf_map_get_next_key(fd, at, next); at = key, n++)
		memcpy(key, next, keysize);
	free(key);
	return n;
}

static void compare_cells(struct both *t)
{
	uint64_t *n = calloc(t->prog->objs.n + 1, sizeof *n);
	uint8_t *mine = malloc(65536);

	for (size_t i = 0; i < t->w.cells.n; i++) {
		const struct world_cell *c = &t->w.cells.v[i];
		const struct ir_obj *o = &t->prog->objs.v[c->obj];
		bool thread = o->kind == IR_O_THREAD, found;

		if (c->deleted)
			continue;
		n[c->obj]++;
		found = thread ? kernel_thread(t, c, mine) : kernel_cell(t, c, mine);
		if (!found)
			differ(t, "a missing cell", NULL, NULL, 0);
		else if (memcmp(mine, c->value, o->size))
			differ(t, o->name, c->value, mine, o->size);
	}
	for (uint32_t i = 0; i < t->prog->objs.n; i++)
		if (t->prog->objs.v[i].cells && t->im.place[i].used && count_used(t, i) != n[i])
			differ(t, "number of used cells", NULL, NULL, 0);
	for (size_t i = 0; i < t->im.maps.n; i++) {
		const struct bpf_mapdef *m = &t->im.maps.v[i];

		/* the first of two generations is in use */
		if ((m->role != BPF_MAP_DYN && m->role != BPF_MAP_CELLS) || t->im.place[m->obj].map != i)
			continue;
		if (count_keys(t->l.mapfd[i], m->keysize) + count_rows(t, m->obj) != n[m->obj])
			differ(t, "number of keys", NULL, NULL, 0);
	}
	free(n);
	free(mine);
}

/* ---- one program ---- */
void both_show(struct both *t)
{
	for (size_t i = 0; i < t->diags.list.n; i++) {
		const char *text = t->diags.list.v[i].text;

		printf("# program %llu: ", (unsigned long long)t->number);
		for (; *text; text++) {
			putchar(*text);
			if (*text == '\n')
				printf("#   ");
		}
		putchar('\n');
	}
}

void both_dump(struct both *t)
{
	struct buf b = { 0 };

	if (!getenv("DIFF_DUMP"))
		return;
	ir_print(&b, t->prog);
	if (t->im.prog)
		bpf_dump(&b, &t->im);
	fwrite(buf_str(&b), 1, b.len, stderr);
	buf_free(&b);
}

void both_open(struct both *t, uint64_t number)
{
	memset(t, 0, sizeof *t);
	t->number = number;
	arena_init(&t->arena, NULL, NULL);
	diags_init(&t->diags, &t->arena);
}

void both_close(struct both *t)
{
	bpf_unload(&t->l);
	if (t->w.prog)
		world_close(&t->w);
	t->w.prog = NULL;
	buf_free(&t->want.records);
	buf_free(&t->got.records);
	arena_free(&t->arena);
}

struct both_firing *both_fire(struct both *t, const struct ir_func *f)
{
	struct both_firing *old = t->firings;

	t->firings = arena_calloc(&t->arena, t->nfirings + 1, sizeof *old);
	if (t->nfirings)
		memcpy(t->firings, old, t->nfirings * sizeof *old);
	t->firings[t->nfirings].func = f;
	return &t->firings[t->nfirings++];
}

bool both_try(unsigned tries)
{
	enum { TRIES = 140, STEP_US = 1000 };

	if (tries)
		usleep(tries * STEP_US);
	return tries < TRIES;
}

bool both_run(struct both *t, bool *again)
{
	*again = false;
	if (ir_verify(t->prog, &t->diags)) {
		t->fail = "verify";
	} else if (!run_kernel(t)) {
		run_interp(t);
		*again = t->got.drops[IR_DROP_DYNAMIC] > t->want.drops[IR_DROP_DYNAMIC];
		if (*again)
			return true;
		compare_globals(t);
		compare_records(t);
		compare_cells(t);
	}
	return !t->fail;
}
