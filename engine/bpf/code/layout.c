/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The layout of the image: offsets in the data map, and the list of maps. */
#include "engine/bpf/code/layout.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "aggregation/agg.h"
#include "engine/bpf/code/link.h"
#include "engine/bpf/code/rows.h"
#include "engine/bpf/code/vars.h"
#include "rt/jstack.h"
#include "rt/unwind.h"

/* A hash reserves 16 bytes per possible element when it is created. KEYED_MAX limits this on machines with many
 * CPUs. */
enum { KEYED_MAX = 1 << 20, THREAD_MAX = 1 << 15 /* bytes of a thread's value */ };

enum { STACK_SHARE = 128, STACKS_MAX = 1 << 18 };	/* one stack per this many bytes of aggsize of all CPUs */

/* The verifier allows no larger map value (BPF_MAX_VAR_SIZ). */
#define DATA_MAX (1u << 29)

_Static_assert(IR_DROP_NESTED * sizeof(uint64_t) <= CACHE_LINE, "a CPU's drops are a cache line");

static uint64_t round_up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

/* True if the operation accesses an object at an offset that is known only at run time. */
static bool is_window(enum ir_op op)
{
	return op == IR_GET || op == IR_GETS || op == IR_PUT || op == IR_FILL || op == IR_UWRITE;
}

static void use_objects(struct bpf_image *im, const struct ir_func *f)
{
	for (size_t b = 0; b < f->blocks.n; b++) {
		for (size_t i = 0; i < f->blocks.v[b].ins.n; i++) {
			const struct ir_ins *ins = &f->blocks.v[b].ins.v[i];

			for (unsigned k = 0; k < ins->nargs; k++) {
				if (ins->arg[k].kind != IR_MEM && ins->arg[k].kind != IR_OBJ)
					continue;
				im->place[ins->arg[k].obj].used = true;
				im->place[ins->arg[k].obj].removed |= ins->op == IR_DYNDEL && k == 0;
				if (link_function(ins, im->par.unwind))
					im->place[ins->arg[k].obj].far = true;
				if (is_window(ins->op) && ins->arg[k].kind == IR_OBJ)
					im->place[ins->arg[k].obj].window = true;
				if (f->ctx == IR_C_ERROR)
					im->place[ins->arg[k].obj].shared = true;
				if (f->ctx != IR_C_PERF)
					im->place[ins->arg[k].obj].plain = false;
			}
		}
	}
}

static bool uses_op(const struct ir_prog *p, enum ir_op op)
{
	for (size_t n = 0; n < p->funcs.n; n++) {
		const struct ir_func *f = p->funcs.v[n];

		for (size_t b = 0; b < f->blocks.n; b++) {
			for (size_t i = 0; i < f->blocks.v[b].ins.n; i++) {
				/* inside the error function, a fault is only counted */
				if (f->blocks.v[b].ins.v[i].op == op && !(op == IR_FAULT && f->ctx == IR_C_ERROR))
					return true;
			}
		}
	}
	return false;
}

/* As many elements as the kernel's maps can have, well below the limit of its hash tables. */
static uint32_t map_entries(uint64_t n)
{
	enum { MOST = 1 << 26 };

	return n > MOST ? MOST : n ? (uint32_t)n : 1;
}

static void add_map(struct bpf_image *im, struct bpf_mapdef m, const char *name)
{
	snprintf(m.name, sizeof m.name, "dtr_%s", name);
	for (char *c = m.name; *c; c++) {
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", *c))
			*c = '_';
	}
	*VEC_ADD(im->arena, &im->maps) = m;
	im->map_of[m.role] = (uint32_t)im->maps.n - 1;
}

static void want_zeros(struct bpf_image *im, uint32_t size)
{
	if (im->zero_size < size)
		im->zero_size = size;
}

static void place_keyed(struct bpf_image *im, uint32_t obj)
{
	const struct ir_obj *o = &im->prog->objs.v[obj];
	struct bpf_place *pl = &im->place[obj];
	uint64_t each = im->par.aggsize / (o->keysize + o->size + AGG_ROW);
	uint64_t entries = (each ? each : 1) * im->par.ncpus;

	pl->rows = rows_count(im, o, each);
	im->gen_stride = (uint32_t)round_up(im->gen_stride, CACHE_LINE);
	pl->off = im->gen_stride + ROW_HEAD;
	im->gen_stride += rows_table(o, pl->rows);
	if (entries > KEYED_MAX)
		entries = each > KEYED_MAX ? each : KEYED_MAX;
	want_zeros(im, o->size);
	pl->map = (uint32_t)im->maps.n;
	for (int g = 0; g <= o->generations; g++)
		add_map(im, (struct bpf_mapdef){
			.role = BPF_MAP_CELLS, .type = BPF_MAP_TYPE_HASH, .keysize = o->keysize + 8,
			.valsize = o->size, .entries = map_entries(entries), .flags = BPF_F_NO_PREALLOC, .obj = obj,
		}, o->name);
}

static void place_gen(struct bpf_image *im, uint32_t obj, uint64_t *off)
{
	if (im->prog->objs.v[obj].generations) {
		im->place[obj].gen = (uint32_t)*off;
		*off += 8;
	}
}

static void place_stacks(struct bpf_image *im, uint32_t obj, uint64_t entries, uint64_t *off)
{
	const struct ir_obj *o = &im->prog->objs.v[obj];
	struct bpf_place *pl = &im->place[obj];

	pl->rows = rows_stacks(im, o, entries);
	if (!pl->rows)
		return;
	*off = round_up(*off, CACHE_LINE);
	pl->table = (uint32_t)*off;
	*off += (uint64_t)rows_table(o, pl->rows) << o->generations;
}

static void place_dyn(struct bpf_image *im, uint32_t obj, uint64_t *off)
{
	const struct ir_obj *o = &im->prog->objs.v[obj];
	uint64_t entries = im->par.dynvarsize / (o->keysize + o->size + IR_ELEMENT);

	/* aggsize is for rows: most stacks occur in many rows, and most stacks are short */
	if (o->stacks)
		entries = im->par.aggsize * im->par.ncpus / STACK_SHARE;
	if (o->stacks && entries > STACKS_MAX)
		entries = STACKS_MAX;
	place_stacks(im, obj, entries, off);
	want_zeros(im, o->size);
	im->place[obj].map = (uint32_t)im->maps.n;
	for (int g = 0; g <= o->generations; g++)
		add_map(im, (struct bpf_mapdef){
			.role = BPF_MAP_DYN, .type = BPF_MAP_TYPE_HASH, .keysize = o->keysize, .valsize = o->size,
			.entries = map_entries(entries), .flags = BPF_F_NO_PREALLOC, .obj = obj,
		}, o->name);
}

uint32_t layout_cell_size(const struct ir_obj *o)
{
	return o->size + (o->cells ? CELL_HEAD : 0);
}

static void place_agg(struct bpf_image *im, uint32_t obj, uint64_t *off)
{
	const struct ir_obj *o = &im->prog->objs.v[obj];

	place_gen(im, obj, off);
	if (o->keysize && !o->cells) {
		place_keyed(im, obj);
	} else {
		im->place[obj].off = im->gen_stride;
		im->gen_stride += (o->cells ? o->cells : 1) * layout_cell_size(o);
	}
}

/* Each CPU may have its own element of an array, so the array shares no cache lines with other variables. */
static void place_global(struct bpf_image *im, uint32_t obj, uint64_t *off)
{
	const struct ir_obj *o = &im->prog->objs.v[obj];
	unsigned line = o->kind == IR_O_GLOBAL && o->size >= 2 * CACHE_LINE ? CACHE_LINE : 8;

	*off = round_up(*off, line);
	im->place[obj].off = (uint32_t)*off;
	*off += round_up(o->size, line);
}

static void place_object(struct bpf_image *im, uint32_t obj, uint64_t *off)
{
	const struct ir_obj *o = &im->prog->objs.v[obj];

	switch (o->kind) {
	case IR_O_CONST:
	case IR_O_GLOBAL:
		place_global(im, obj, off);
		break;
	case IR_O_DYN:
		place_gen(im, obj, off);
		place_dyn(im, obj, off);
		break;
	case IR_O_AGG:
		place_agg(im, obj, off);
		break;
	default:
		break;
	}
}

enum object_use { CONSTANT, WRITTEN };

/* Places the objects that programs write apart from the others: if one CPU writes to a cache line, readers on other
 * CPUs miss it in their caches. */
static uint64_t place_objects(struct bpf_image *im, enum object_use use, uint64_t off)
{
	const struct ir_prog *p = im->prog;

	for (uint32_t i = 0; i < p->objs.n && off < DATA_MAX; i++) {
		bool global = p->objs.v[i].kind == IR_O_GLOBAL;

		/* user space may read a GLOBAL that no program uses */
		if (global == (use == WRITTEN) && (im->place[i].used || global))
			place_object(im, i, &off);
	}
	return off;
}

static void place_rest(struct bpf_image *im, uint64_t off)
{
	bool gens = false;

	for (size_t i = 0; i < im->prog->objs.n; i++)
		gens |= im->place[i].used && im->prog->objs.v[i].kind == IR_O_AGG && im->prog->objs.v[i].generations;
	im->off_zero = (uint32_t)(off = round_up(off, CACHE_LINE));
	im->off_drops = (uint32_t)(off = round_up(off + im->zero_size, CACHE_LINE));
	im->off_cells = (uint32_t)(off += (uint64_t)im->cpuslots * CACHE_LINE);
	im->gen_stride = (uint32_t)round_up(im->gen_stride, CACHE_LINE);
	im->cell_stride = im->gen_stride << gens;
	im->data_size = off + (uint64_t)im->cpuslots * im->cell_stride;
}

/* Every ring must hold the longest record; otherwise such a record would always be dropped. */
static uint64_t longest_record(const struct bpf_image *im)
{
	enum { RECORD_HEADER = 8 };	/* the kernel's header in the ring (BPF_RINGBUF_HDR_SZ) */
	uint64_t most = 0;

	for (size_t i = 0; i < im->prog->objs.n; i++) {
		const struct ir_obj *o = &im->prog->objs.v[i];

		if (o->kind == IR_O_REC && o->size + RECORD_HEADER > most)
			most = o->size + RECORD_HEADER;
	}
	return most;
}

/* The size of a ring is a power of two and a multiple of the page size. */
static uint32_t ring_bytes(uint64_t want)
{
	uint64_t size = (uint64_t)sysconf(_SC_PAGESIZE);

	while (size < want && size < 1u << 30)
		size *= 2;
	return (uint32_t)size;
}

static uint64_t ring_wanted(const struct bpf_image *im, uint64_t longest)
{
	enum { MOST = 4 << 20 };
	uint64_t want = longest * im->par.records;

	if (want > MOST)
		want = MOST;
	if (want < im->par.bufsize)
		want = im->par.bufsize;
	return want > longest ? want : longest;
}

static void add_rings(struct bpf_image *im)
{
	uint64_t most = longest_record(im);
	char name[16];

	im->ring_least = ring_bytes(most);
	im->ring_size = ring_bytes(ring_wanted(im, most));
	if (im->par.ncpus > RINGS_NAMED) {
		add_map(im, (struct bpf_mapdef){
			.role = BPF_MAP_RINGS, .type = BPF_MAP_TYPE_ARRAY_OF_MAPS, .keysize = 4, .valsize = 4,
			.entries = im->par.ncpus,
		}, "rings");
		return;
	}
	for (unsigned cpu = 0; cpu < im->par.ncpus; cpu++) {
		snprintf(name, sizeof name, "ring%u", cpu);
		add_map(im, (struct bpf_mapdef){
			.role = BPF_MAP_RING, .type = BPF_MAP_TYPE_RINGBUF, .entries = im->ring_size,
		}, name);
	}
	im->map_of[BPF_MAP_RING] -= im->par.ncpus - 1;
}

/* Several variables share one map value, up to the largest block of memory that the kernel provides. */
static void add_thread_maps(struct bpf_image *im)
{
	struct bpf_mapdef *m = NULL;

	for (uint32_t i = 0; i < im->prog->objs.n; i++) {
		const struct ir_obj *o = &im->prog->objs.v[i];

		if (o->kind != IR_O_THREAD || !im->place[i].used)
			continue;
		if (!m || m->valsize + o->size > THREAD_MAX) {
			add_map(im, (struct bpf_mapdef){
				.role = BPF_MAP_THREAD, .type = BPF_MAP_TYPE_TASK_STORAGE, .keysize = 4,
				.flags = BPF_F_NO_PREALLOC,
			}, "self");
			m = &im->maps.v[im->maps.n - 1];
		}
		im->place[i].map = im->map_of[BPF_MAP_THREAD];
		im->place[i].off = m->valsize;
		m->valsize += o->size;
	}
}

/* The maps of unwinding tables (rt/unwind.h). */
static void add_unwind_maps(struct bpf_image *im)
{
	add_map(im, (struct bpf_mapdef){
		.role = BPF_MAP_UNWIND, .type = BPF_MAP_TYPE_ARRAY, .keysize = 4,
		.valsize = sizeof(struct unwind_shared), .entries = 1, .flags = BPF_F_MMAPABLE,
	}, "unwind");
	add_map(im, (struct bpf_mapdef){
		.role = BPF_MAP_UNWIND_SLOTS, .type = BPF_MAP_TYPE_PERCPU_ARRAY, .keysize = 4,
		.valsize = sizeof(struct unwind_slot), .entries = UNWIND_LEVELS,
	}, "unwind_slots");
	add_map(im, (struct bpf_mapdef){
		.role = BPF_MAP_UNWIND_FIRST, .type = BPF_MAP_TYPE_ARRAY, .keysize = 4, .valsize = UNWIND_CHUNK,
		.entries = 1, .flags = BPF_F_MMAPABLE,
	}, "unwind_first");
	add_map(im, (struct bpf_mapdef){
		.role = BPF_MAP_UNWIND_CHUNKS, .type = BPF_MAP_TYPE_ARRAY_OF_MAPS, .keysize = 4, .valsize = 4,
		.entries = UNWIND_CHUNKS,
	}, "unwind_chunks");
	add_map(im, (struct bpf_mapdef){
		.role = BPF_MAP_UNWIND_RING, .type = BPF_MAP_TYPE_RINGBUF, .entries = UNWIND_RING,
	}, "unwind_ring");
	if (im->par.interpreted)
		add_map(im, (struct bpf_mapdef){
			.role = BPF_MAP_JSTACK, .type = BPF_MAP_TYPE_ARRAY, .keysize = 4,
			.valsize = sizeof(struct jstack_shared), .entries = 1, .flags = BPF_F_MMAPABLE,
		}, "jstack");
}

/* Finds out which kinds of user stacks the program uses. */
static void find_stacks(struct bpf_image *im)
{
	const struct ir_prog *p = im->prog;
	bool possible = im->par.unwind;

	im->par.unwind = false;
	for (size_t n = 0; possible && n < p->funcs.n; n++)
		for (size_t b = 0; b < p->funcs.v[n]->blocks.n; b++)
			for (size_t i = 0; i < p->funcs.v[n]->blocks.v[b].ins.n; i++) {
				const struct ir_ins *ins = &p->funcs.v[n]->blocks.v[b].ins.v[i];

				im->par.unwind |= link_unwinds(ins);
				im->par.interpreted |= link_unwinds(ins) && ins->op == IR_STACK &&
						       ins->arg[2].imm & IR_STACK_INTERPRETED;
			}
}

void layout_externals(const struct bpf_image *im, struct rt_link *l)
{
	static const struct { const char *name; enum bpf_role role; bool value; const char *obj; } known[] = {
		{ "map_unwind", BPF_MAP_UNWIND, .value = true },
		{ .name = "map_unwind_slots", .role = BPF_MAP_UNWIND_SLOTS },
		{ "map_unwind_first", BPF_MAP_UNWIND_FIRST, .value = true },
		{ .name = "map_unwind_chunks", .role = BPF_MAP_UNWIND_CHUNKS },
		{ .name = "map_unwind_ring", .role = BPF_MAP_UNWIND_RING },
		{ "map_jstack", BPF_MAP_JSTACK, .value = true },
		{ "map_owners", BPF_MAP_DATA, .value = true, .obj = "owners" },
	};

	for (uint32_t i = 0; l->lib && i < l->lib->nexterns; i++) {
		for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
			int64_t obj = known[k].obj ? ir_obj_find(im->prog, known[k].obj) : -1;

			if (!strcmp(l->lib->extern_name[i], known[k].name))
				l->external[i] = (struct rt_place){ .map = im->map_of[known[k].role],
					.value = known[k].value, .off = obj >= 0 ? im->place[obj].off : 0 };
		}
	}
}

static void add_special_maps(struct bpf_image *im)
{
	if (im->par.unwind)
		add_unwind_maps(im);
	if (im->par.want_exit)
		add_map(im, (struct bpf_mapdef){
			.role = BPF_MAP_WAKE, .type = BPF_MAP_TYPE_RINGBUF, .entries = ring_bytes(1),
		}, "wake");
	if (im->faults || uses_op(im->prog, IR_COMMIT) || uses_op(im->prog, IR_COMMITN))
		add_rings(im);
	add_thread_maps(im);
}

uint32_t layout_add_walkers(struct bpf_image *im)
{
	add_map(im, (struct bpf_mapdef){
		.role = BPF_MAP_WALKERS, .type = BPF_MAP_TYPE_PROG_ARRAY, .keysize = 4, .valsize = 4,
		.entries = LINK_WALKERS,
	}, "walkers");
	return im->map_of[BPF_MAP_WALKERS];
}

uint32_t layout_walkers(struct bpf_image *im, enum ir_ctx ctx)
{
	uint32_t *map = &im->walkers_map[ctx == IR_C_RUN ? IR_C_RAWTP : ctx];	/* programs of the same type */

	if (*map == UINT32_MAX)
		*map = layout_add_walkers(im);
	return *map;
}

uint32_t layout_add_chain(struct bpf_image *im, uint32_t parts)
{
	add_map(im, (struct bpf_mapdef){
		.role = BPF_MAP_CHAIN, .type = BPF_MAP_TYPE_PROG_ARRAY, .keysize = 4, .valsize = 4, .entries = parts,
	}, "chain");
	return im->map_of[BPF_MAP_CHAIN];
}

/* The notes about ended threads (ended.h). */
static void place_ended(struct bpf_image *im)
{
	const struct ir_prog *p = im->prog;
	uint64_t arrays = 0;

	for (size_t i = 0; i < p->objs.n; i++)
		arrays += p->objs.v[i].threads && im->place[i].used;
	im->off_ended = round_up(im->data_size, CACHE_LINE);
	im->ended_size = arrays ? (uint32_t)((1 + arrays) * CACHE_LINE + ENDED_SLOTS * 8) : 0;
}

int layout_image(struct bpf_image *im, struct diags *d)
{
	const struct ir_prog *p = im->prog;
	uint64_t off = sizeof(struct bpf_words);

	im->place = arena_calloc(im->arena, p->objs.n + 1, sizeof *im->place);
	memset(im->map_of, 0xff, sizeof im->map_of);
	for (im->cpuslots = 1; im->cpuslots < im->par.ncpus; im->cpuslots *= 2)
		;
	find_stacks(im);
	for (size_t i = 0; i < p->objs.n; i++)
		im->place[i].plain = true;
	for (size_t i = 0; i < p->funcs.n; i++) {
		use_objects(im, p->funcs.v[i]);
		if (p->funcs.v[i]->ctx == IR_C_ERROR)
			im->error = p->funcs.v[i];
	}
	im->faults = uses_op(p, IR_FAULT);
	im->table = rows_share(im);
	add_map(im, (struct bpf_mapdef){
		.role = BPF_MAP_DATA, .type = BPF_MAP_TYPE_ARRAY, .keysize = 4, .entries = 1, .flags = BPF_F_MMAPABLE,
	}, "data");
	off = place_objects(im, CONSTANT, off);
	off = place_objects(im, WRITTEN, round_up(off, CACHE_LINE));
	place_rest(im, off);
	add_special_maps(im);
	place_ended(im);
	im->off_vars = round_up(im->off_ended + im->ended_size, CACHE_LINE);
	vars_place(im);
	return layout_finish(im, d);
}

int layout_finish(struct bpf_image *im, struct diags *d)
{
	uint64_t base = im->off_vars + im->vars_size;

	im->slot_size = (uint32_t)round_up(im->slot_size, CACHE_LINE);
	im->data_size = base + (uint64_t)im->cpuslots * SCRATCH_ALL * im->slot_size + im->own_size;
	if (im->data_size > DATA_MAX)
		return diag(d, (struct loc){ 0 }, D_LIMIT,
			    "the program's data needs %llu bytes for %u CPUs; the maximum is %u",
			    (unsigned long long)im->data_size, im->par.ncpus, DATA_MAX);
	im->off_scratch = (uint32_t)base;
	im->off_own = (uint32_t)im->data_size - im->own_size;
	im->maps.v[im->map_of[BPF_MAP_DATA]].valsize = (uint32_t)im->data_size;
	return 0;
}
