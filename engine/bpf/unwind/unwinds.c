/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/bpf/unwind/unwinds.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/arch/arch.h"
#include "base/clock.h"
#include "engine/bpf/code/bpf.h"
#include "engine/bpf/load/loaded.h"
#include "engine/host/cpus.h"
#include "rt/unwind.h"

enum { MOST_FRAMES = 1024, PAGE = 4096, KEPT_MAX = 4096 };

static int map_fd(const struct unwinds *u, enum bpf_role role)
{
	return u->loaded->mapfd[u->loaded->im->map_of[role]];
}

void unwinds_fds(const struct unwinds *u, int fd[UNWINDS_FDS])
{
	fd[0] = u->shared ? map_fd(u, BPF_MAP_UNWIND_RING) : -1;
	fd[1] = frame_loader_fd(&u->files.loader);
}

/* ---- a stack that was handed over ---- */
/* The registers in the order of perf's mask. Returns the mask. */
static uint64_t perf_regs(const struct unwind_machine *m, const uint64_t *reg, uint64_t *out)
{
	uint64_t mask = 0, left;
	unsigned n = 0;

	for (unsigned i = 0; i < m->nregs; i++)
		mask |= 1ull << m->perf[i];
	for (left = mask; left; left &= left - 1)
		for (unsigned i = 0; i < m->nregs; i++)
			if (m->perf[i] == __builtin_ctzll(left))
				out[n++] = reg[rule_register(m, i)];
	return mask;
}

/* The copy of a stack ends where its memory could not be read, not where there was no more room. */
static bool copy_ends_early(const struct unwind_handover *h)
{
	return h->bytes <= UNWIND_COPY - PAGE;
}

/* Merging with interpreted frames needs all frames. */
static uint32_t most_frames(const struct unwind_handover *h)
{
	if (h->interpreted)
		return RT_PY_FRAMES;
	return h->frames < MOST_FRAMES ? h->frames : MOST_FRAMES;
}

static uint32_t stack_unwind(struct unwinds *u, const struct unwind_handover *h, bool *cut)
{
	const struct unwind_machine *m = machine_of(8 * h->word);
	uint64_t regs[UNWIND_REGS];
	struct unwind_start start = {
		.bits = 8 * h->word, .regs = (const uint8_t *)regs, .stack = h->stack, .size = h->bytes,
		.below = (uint32_t)h->below, .more = h->parts ? parts_read : NULL,
		.more_arg = h->parts ? parts_of(&u->parts, h->parts) : NULL,
	};
	struct unwind_stack stack = { .pc = u->pc, .sp = u->sp, .max = most_frames(h) };
	const struct unwind_counts *c = unwinder_counts(u->unwinder);
	uint64_t before = c->cut;
	uint32_t n;

	*cut = true;
	if (!m)
		return 0;
	start.mask = perf_regs(m, h->reg, regs);
	n = unwinder_run(u->unwinder, h->pid, h->time, &start, &stack);
	*cut = stack.cut;
	if (copy_ends_early(h))
		u->unreadable += c->cut - before;
	return n;
}

/* Begins to load the tables of the files with these frames. */
static void frames_load(struct unwinds *u, const struct unwind_handover *h, uint32_t n)
{
	struct symbol_code code;

	for (uint32_t i = 0; i < n; i++)
		if (symbols_ops.code(u->symbols, h->pid, u->pc[i] - (i > 0), h->time, &code) && code.object)
			files_load(&u->files, spaces_piece(&u->spaces, code.object,
							   u->pc[i] - (i > 0) - code.start + code.off));
}

static void on_notice(struct unwinds *u, const struct unwind_notice *n)
{
	u->refreshed = clock_now();
	symbols_refresh(u->symbols);
	spaces_publish(&u->spaces, (uint32_t)n->pid, true);
}

static void on_handover(void *arg, const void *data, size_t size)
{
	struct unwinds *u = arg;
	const struct unwind_handover *h = data;
	uint32_t n;
	bool cut;

	if (u->unwinder && size == sizeof(struct unwind_notice))
		on_notice(u, data);
	if (size < sizeof *h || !u->unwinder)
		return;
	if (h->why == UNWIND_PART) {
		parts_add(&u->parts, data, size);
		return;
	}
	if (h->why == V8STACK_CODE) {
		jstacks_code_v8(&u->jstacks, data, size);
		return;
	}
	if (h->why == V8STACK_FUNCTION) {
		jstacks_function_v8(&u->jstacks, data, size);
		return;
	}
	if (h->why == JSTACK_FUNCTION || h->why == JSTACK_FRAMES || h->why == V8STACK_FRAMES) {
		if (h->why == JSTACK_FUNCTION)
			jstacks_function(&u->jstacks, data, size);
		else
			jstacks_frames(&u->jstacks, data, size);
		return;
	}
	/* Until a table is loaded, each stack that needs it is handed over. Many may wait already. */
	if (frame_loader_ready(&u->files.loader))
		files_take(&u->files, false);
	if (h->time >= u->refreshed) {	/* its mappings may be newer than the process events read so far */
		u->refreshed = clock_now();
		symbols_refresh(u->symbols);
	}
	if (h->why == UNWIND_NO_SPACE)
		spaces_publish(&u->spaces, h->pid, false);
	n = stack_unwind(u, h, &cut);
	if (h->why != UNWIND_NO_RULE)
		frames_load(u, h, n);
	if (h->interpreted)
		n = jstacks_merge(&u->jstacks, h, u->pc, u->sp, n, &cut);
	else if (h->flags & UNWIND_INTERPRETED)
		n = jstacks_read(&u->jstacks, h, u->pc, u->sp, n, &cut);
	if (n > h->frames) {
		n = h->frames;
		cut = true;
	}
	cut = cut && h->flags & UNWIND_MARK;
	if (cut)
		u->pc[n] = UNWIND_CUT;
	if (h->number) {
		pending_add(&u->pending, h->number, u->pc, n + cut);
		u->kept++;
	}
	if (h->why == UNWIND_NO_PIECE)
		files_load(&u->files, h->piece);
}

int unwinds_take(struct unwinds *u)
{
	int r;

	if (!u->reader.taken)
		return 0;
	r = reader_take(&u->reader, on_handover, u);
	files_take(&u->files, false);
	return r;
}

/* ---- a session ---- */
/* The number of stacks, each with a row of its own, that leaves most rows of each table to others. */
static uint32_t room_for_kept(const struct bpf_image *im)
{
	uint32_t room = KEPT_MAX;

	for (size_t i = 0; i < im->maps.n; i++) {
		const struct bpf_mapdef *m = &im->maps.v[i];
		const struct ir_obj *o = &im->prog->objs.v[m->obj];

		if ((m->role == BPF_MAP_CELLS || (m->role == BPF_MAP_DYN && o->stacks)) && o->generations &&
		    m->entries / 4 < room)
			room = m->entries / 4;
	}
	return room ? room : 1;
}

int unwinds_open(struct unwinds *u, struct bpf_loaded *l, uint64_t limit, void (*barrier)(void *arg), void *arg,
		 char *reason, size_t n)
{
	int64_t owners = ir_obj_find(l->im->prog, "owners");
	int err;

	*u = (struct unwinds){ .loaded = l, .pc = calloc(MOST_FRAMES + 1, sizeof *u->pc),
			       .sp = calloc(MOST_FRAMES + 1, sizeof *u->sp) };
	u->room = room_for_kept(l->im);
	u->shared = mmap(NULL, sizeof *u->shared, PROT_READ | PROT_WRITE, MAP_SHARED, map_fd(u, BPF_MAP_UNWIND), 0);
	if (u->shared == MAP_FAILED) {
		u->shared = NULL;
		snprintf(reason, n, "%s", strerror(errno));
		return -errno;
	}
	u->shared->epoch = 1;
	u->shared->pidns_dev = l->im->par.pidns_dev;
	u->shared->mm = l->im->par.task.mm;
	u->shared->start_stack = l->im->par.task.start_stack;
	u->shared->fsbase = l->im->par.task.fsbase;
	u->shared->signal_stack = l->im->par.task.signal_stack;
	u->shared->signal_size = l->im->par.task.signal_size;
	u->shared->uprobe = l->im->par.task.uprobe;
	u->shared->uprobe_addr = l->im->par.task.uprobe_addr;
	u->shared->uprobe_slot = l->im->par.task.uprobe_slot;
	u->shared->uprobes = ARCH_UPROBES;
	u->shared->pidns_ino = l->im->par.pidns_ino;
	err = memory_open(&u->memory, l, limit);
	if (!err && (!u->pc || !u->sp || owners < 0))
		err = -ENOMEM;
	if (!err)
		err = files_open(&u->files, u->shared, &u->memory);
	if (!err && l->im->par.interpreted)
		err = jstacks_open(&u->jstacks, l);
	u->files.barrier = barrier;
	u->files.arg = arg;
	if (!err)
		err = reader_open(&u->reader, map_fd(u, BPF_MAP_UNWIND_RING));
	if (err)
		snprintf(reason, n, "%s", strerror(-err));
	else
		u->spaces = (struct unwind_spaces){ .shared = u->shared, .files = &u->files,
						    .owners = bpf_object(l, (uint32_t)owners) };
	return err;
}

void unwinds_begin(struct unwinds *u, struct symbols *s)
{
	u->unwinder = unwinder_open(&symbols_ops, s, u->failed, sizeof u->failed);
	if (u->unwinder && u->jstacks.shared && jstacks_begin(&u->jstacks, s) == 0)
		u->spaces.jstacks = &u->jstacks;
	u->symbols = u->spaces.symbols = s;
}

static void library_prepare(void *arg, struct object *o)
{
	struct unwinds *u = arg;

	files_prepare(&u->files, o);
}

void unwinds_prepare(struct unwinds *u, int64_t pid)
{
	if (!u->unwinder)
		return;
	spaces_publish(&u->spaces, (uint32_t)pid, true);
	symbols_needed(u->symbols, pid, library_prepare, u);
	files_take(&u->files, true);
}

void unwinds_refresh(struct unwinds *u)
{
	if (!u->unwinder)
		return;
	u->shared->epoch++;
	spaces_sweep(&u->spaces, u->turn++);
}

bool unwinds_later(struct unwinds *u, uint64_t word, uint64_t *pc, uint32_t max)
{
	return u->shared && pending_frames(&u->pending, word, pc, max);
}

bool unwinds_shown(struct unwinds *u, const uint64_t *words, uint64_t *pc, uint32_t max)
{
	uint64_t later[MOST_FRAMES];
	bool pending;
	uint32_t n;

	if (max > MOST_FRAMES || !max)
		return false;
	pending = unwinds_later(u, words[0], later, max);
	if (!u->jstacks.codes) {
		memcpy(pc, later, pending ? max * sizeof *pc : 0);
		return pending;
	}
	n = codes_frames(u->jstacks.codes, pending ? later : words, max, pc, max);
	memset(pc + n, 0, (max - n) * sizeof *pc);
	return pending || memcmp(pc, words, max * sizeof *pc);
}

bool unwinds_crowded(const struct unwinds *u)
{
	return u->shared && u->kept >= u->room;
}

void unwinds_turn(struct unwinds *u)
{
	u->kept = 0;
}

void unwinds_close(struct unwinds *u)
{
	reader_close(&u->reader);
	unwinder_close(u->unwinder);
	pending_close(&u->pending);
	parts_close(&u->parts);
	if (u->shared)
		files_close(&u->files);
	memory_close(&u->memory);
	if (u->shared)
		munmap(u->shared, sizeof *u->shared);
	jstacks_close(&u->jstacks);
	free(u->pc);
	free(u->sp);
	*u = (struct unwinds){ 0 };
}

/* ---- the account ---- */
/* Number of walks by how they ended. */
static void walks_count(const struct unwinds *u, uint64_t out[UNWIND_NENDS])
{
	unsigned ncpus = u->loaded->im->par.ncpus;
	struct unwind_slot *v = calloc(ncpus + 1, sizeof *v);

	memset(out, 0, UNWIND_NENDS * sizeof *out);
	for (uint32_t level = 0; v && level < UNWIND_LEVELS; level++) {
		if (bpf_map_lookup_elem(map_fd(u, BPF_MAP_UNWIND_SLOTS), &level, v))
			continue;
		for (unsigned cpu = 0; cpu < ncpus; cpu++)
			for (unsigned i = 0; i < UNWIND_NENDS; i++)
				out[i] += v[cpu].end[i];
	}
	free(v);
}

bool unwinds_counts(const struct unwinds *u, struct dtr_stacks *out)
{
	const struct unwind_counts *c = u->unwinder ? unwinder_counts(u->unwinder) : NULL;
	uint64_t end[UNWIND_NENDS], handed;

	*out = (struct dtr_stacks){ 0 };
	if (!u->shared)
		return false;
	walks_count(u, end);
	handed = end[UNWIND_NO_SPACE] + end[UNWIND_NO_PIECE] + end[UNWIND_NO_RULE];
	out->unwound = handed - end[UNWIND_LOST_HANDOVER];
	out->lacking[DTR_STACK_BROKEN] = end[UNWIND_BROKEN] + (c ? c->lost : 0);
	out->lacking[DTR_STACK_INVALID] = end[UNWIND_INVALID] + (c ? c->invalid : 0);
	out->lacking[DTR_STACK_UNREADABLE] = end[UNWIND_UNREADABLE] + u->unreadable;
	out->lacking[DTR_STACK_LONG] = c ? c->cut - u->unreadable : 0;
	out->lacking[DTR_STACK_ELSEWHERE] = c ? c->elsewhere : 0;
	out->lacking[DTR_STACK_DROPPED] = u->pending.lost;
	out->lacking[DTR_STACK_MANY] = end[UNWIND_LOST_HANDOVER];
	out->lacking[DTR_STACK_NESTED] = __atomic_load_n(&u->shared->nested, __ATOMIC_RELAXED);
	for (unsigned i = 0; i <= UNWIND_INVALID; i++)
		out->walked += end[i];
	out->all = out->walked + handed + out->lacking[DTR_STACK_NESTED];
	return true;
}

bool unwinds_lacks(const struct unwinds *u, struct buf *out)
{
	const struct unwind_counts *c = u->unwinder ? unwinder_counts(u->unwinder) : NULL;
	struct dtr_stacks n;

	if (!unwinds_counts(u, &n))
		return true;
	if (*u->failed) {
		buf_printf(out, "user stacks lack frames: %s", u->failed);
		return false;
	}
	if (u->pending.nomem || u->jstacks.nomem || u->files.nomem || u->spaces.nomem || (c && c->nomem)) {
		buf_puts(out, "out of memory: user stacks lack frames");
		return false;
	}
	jstacks_lacks(&u->jstacks, out);
	if (stacks_lacking(&n) <= n.all / 200)
		return true;
	buf_printf(out, "%swarning: %" PRIu64 " of %" PRIu64 " user stacks lack frames (", out->len ? "; " : "",
		   stacks_lacking(&n), n.all);
	stacks_text(&n, out);
	buf_putc(out, ')');
	return true;
}
