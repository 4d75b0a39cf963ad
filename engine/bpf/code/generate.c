/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Turns IR functions into programs: assigns places, emits instructions, and splits long functions into several
 * parts. */
#include <linux/version.h>
#include <string.h>

#include "base/kernel.h"
#include "engine/bpf/code/chain.h"
#include "engine/bpf/code/ended.h"
#include "engine/bpf/code/function.h"
#include "engine/bpf/code/link.h"
#include "engine/bpf/code/rewrite.h"
#include "engine/bpf/code/turns.h"

enum {
	FIRST_SPILLS = 64,	/* bytes reserved for spills before their number is known */
	/* See gen_hide(). Nothing but running a wrong program shows whether a verifier has the defect, so the version
	 * decides. Older kernels with the correction are not refused: their programs only have more instructions. */
	PRECISE = KERNEL_VERSION(6, 5, 0),
	BLOCK_MAX = 512,	/* operations in a block: a part of a chain can end only between blocks */
};

static unsigned env_flags(void *arg, const struct ir_ins *ins)
{
	return isel_flags(arg, ins);
}

static bool env_scratch(void *arg, const struct ir_ins *ins)
{
	return gen_in_scratch(arg, ins);
}

static void place_registers(struct bpf_gen *g)
{
	struct live_env env = { .flags = env_flags, .scratch = env_scratch, .arg = g, .claims = g->fr.claims,
				.cpu = g->chain, .turns = g->turns };

	live_scan(&g->ra, g->im->tmp, g->f, g->reached, &env);
	regalloc_run(&g->ra, g->im->tmp);
}

/*
 * Assigns places to the objects and registers of a function, or of the `n` parts of a chain. The parts of a chain share
 * the places of objects. More spills leave less stack for objects, and that may spill one register more.
 */
static bool place_parts(struct bpf_gen *parts, uint32_t n, const struct bpf_gen *whole, uint32_t limit)
{
	const struct frame_want want = { whole->f, whole->reached, whole->spill, parts->outer, parts->chain };
	uint32_t spills = FIRST_SPILLS;

	for (int tries = 0; tries < 8; tries++) {
		uint32_t room = HOME_SIZE + spills < limit ? limit - HOME_SIZE - spills : 0, most = 0;
		struct bpf_frame fr;

		layout_frame(&fr, parts->im, &want, room);
		for (uint32_t i = 0; i < n; i++) {
			parts[i].fr = fr;
			place_registers(&parts[i]);
			if (most < parts[i].ra.nslots)
				most = parts[i].ra.nslots;
		}
		if (HOME_SIZE + fr.objects + 8 * most <= limit)
			return true;
		spills = 8 * most + (tries > 3 ? 64 : 0);
	}
	return false;
}

/* Like place, for a whole function; if the stack is too small, registers are kept in scratch memory. */
static bool place_whole(struct bpf_gen *g, uint32_t limit)
{
	enum { MANY = 4 };	/* tries; what does not fit after these are pointers, which must stay on the stack */
	uint32_t obj = (uint32_t)g->im->prog->objs.n + XO_SPILL, *slot, n;

	for (int tries = 0; !place_parts(g, 1, g, limit); tries++) {
		slot = arena_calloc(g->im->tmp, g->f->nregs + 1, sizeof *slot);
		n = regalloc_memory(&g->ra, g->im->tmp, g->f->nregs, g->spill / 8 + 1, slot);
		if (!n || tries == MANY)
			return false;
		g->spill += 8 * n;
		g->f = rewrite_registers(g->im->arena, g->f, slot, obj);
	}
	return true;
}

static unsigned count_faults(const struct ir_func *f, const bool *reached)
{
	unsigned n = 0;

	for (size_t b = 0; b < f->blocks.n; b++) {
		const struct ir_block *k = &f->blocks.v[b];

		n += reached[b] && k->ins.n && k->ins.v[k->ins.n - 1].op == IR_FAULT;
	}
	return n;
}

static bool has_fault(const struct ir_func *f, const bool *reached)
{
	return count_faults(f, reached) > 0;
}

/* Stack bytes of the run-time library's functions that f calls; 0 if there are none. */
static uint32_t rt_stack(const struct bpf_image *im, const struct ir_func *f)
{
	uint32_t most = 0;

	for (size_t b = 0; im->lib && f && b < f->blocks.n; b++) {
		for (size_t i = 0; i < f->blocks.v[b].ins.n; i++) {
			const char *name = link_function(&f->blocks.v[b].ins.v[i], im->par.unwind);
			uint32_t n = name ? link_stack(im->lib, link_find(im->lib, name), im->late) : 0;

			if (n > most)
				most = n;
		}
	}
	return most;
}

/* Stack bytes of the error function itself. */
static uint32_t error_stack(const struct bpf_image *im)
{
	return rt_stack(im, im->error) ? STACK_ERROR_RT : STACK_ERROR;
}

static bool uses_rt(const struct bpf_image *im)
{
	const struct ir_prog *p = im->prog;

	for (size_t n = 0; n < p->funcs.n; n++) {
		const struct ir_func *f = p->funcs.v[n];

		for (size_t b = 0; b < f->blocks.n; b++) {
			for (size_t i = 0; i < f->blocks.v[b].ins.n; i++) {
				if (link_function(&f->blocks.v[b].ins.v[i], im->par.unwind))
					return true;
			}
		}
	}
	return false;
}

/* Task storage of other threads is accessible only through a pointer that the kernel trusts. */
static bool uses_tls(const struct ir_func *f)
{
	for (size_t b = 0; b < f->blocks.n; b++) {
		for (size_t i = 0; i < f->blocks.v[b].ins.n; i++) {
			if (f->blocks.v[b].ins.v[i].op == IR_TLS)
				return true;
		}
	}
	return false;
}

static int too_large(struct diags *d, const struct ir_func *f, const char *what)
{
	struct loc loc = { 0 };

	for (size_t b = 0; b < f->blocks.n && !loc.line; b++) {
		for (size_t i = 0; i < f->blocks.v[b].ins.n && !loc.line; i++)
			loc = f->blocks.v[b].ins.v[i].loc;
	}
	return diag(d, loc, D_LIMIT, "the program of probe %s is too large: %s", f->name, what);
}

/* Generates the error function after its caller, using the caller's places. */
static int emit_error(struct bpf_gen *outer, uint32_t label, struct diags *d)
{
	struct bpf_gen g = { .im = outer->im, .a = outer->a, .f = outer->im->error, .outer = &outer->fr,
			 .link = outer->link, .go_on = UINT32_MAX, .hide = outer->hide };

	g.reached = live_reach(g.im->tmp, g.f);
	if (!place_whole(&g, error_stack(g.im)))
		return too_large(d, g.f, "too many live values");
	asm_bind(g.a, label);
	asm_sub(g.a, "error");
	function_emit(&g);
	return 0;
}

/* The kernel would only report "Argument list too long", after thousands of maps were created. */
static int check_maps(const struct bpf_gen *g, const struct ir_func *f, struct diags *d)
{
	enum { MOST = 64 };	/* MAX_USED_MAPS in linux/bpf_verifier.h */
	const struct asm_buf *a = g->a;
	bool *seen = arena_calloc(g->im->tmp, g->im->maps.n + 1, sizeof *seen);
	unsigned n = 0;

	for (size_t r = 0; r < a->relocs.n; r++) {
		if (a->relocs.v[r].kind <= RELOC_MAPVAL && !seen[a->relocs.v[r].arg]) {
			seen[a->relocs.v[r].arg] = true;
			n++;
		}
	}
	return n > MOST ? too_large(d, f, "too many aggregations and associative arrays with keys") : 0;
}

/* Without an error function the reporter of faults depends on nothing of its caller, so it need not be verified again
 * at each call. Describing it to the kernel costs as much as verifying it a few times. */
static bool reports_once(const struct bpf_gen *g)
{
	enum { FEW = 4 };

	return !g->im->error && count_faults(g->f, g->reached) > FEW;
}

static void store_code(const struct bpf_gen *g, const struct ir_func *f)
{
	const struct asm_buf *a = g->a;
	struct arena *arena = g->im->arena;
	struct bpf_code *c = VEC_ADD(arena, &g->im->codes);

	*c = (struct bpf_code){
		.func = f,
		.part = g->part,
		.chain = g->chain ? g->map : UINT32_MAX,
		.typed = g->typed,
		.walkers = g->link->walkers,
		.turns = g->turns,
		.n = (uint32_t)a->code.n,
		.insns = arena_memdup(arena, a->code.v, a->code.n * sizeof *a->code.v),
		.src = arena_memdup(arena, a->src.v, a->src.n * sizeof *a->src.v),
		.nrelocs = a->relocs.n,
	};
	if (a->relocs.n)
		c->relocs = arena_memdup(arena, a->relocs.v, a->relocs.n * sizeof *a->relocs.v);
	/* if a helper calls a subprogram, or one is verified once, the kernel needs to know where they start */
	if (g->link->start != UINT32_MAX || g->turns || g->sweeps || reports_once(g)) {
		c->subs = arena_memdup(arena, a->subs.v, a->subs.n * sizeof *a->subs.v);
		c->nsubs = a->subs.n;
	}
}

/* Stack bytes available to a function, after those of the functions that it calls. */
static uint32_t stack_limit(const struct bpf_image *im, const struct ir_func *f, const bool *reached)
{
	uint32_t rt = rt_stack(im, f), fault = 0;

	if (has_fault(f, reached))
		fault = STACK_FAULT + (im->error ? error_stack(im) + rt_stack(im, im->error) : 0);
	return STACK_MAX - (rt > fault ? rt : fault) - (f->turns ? STACK_TURNS : 0);
}

/* What precedes the code of a function, or of a part of a chain. */
static void program_begin(struct bpf_gen *g, struct asm_buf *a)
{
	uint32_t turn;

	g->hide = kernel_version() < PRECISE && (has_fault(g->f, g->reached) || g->turns || rt_stack(g->im, g->f));
	asm_init(a, g->im->tmp);
	g->a = a;
	g->link = arena_alloc(g->im->tmp, sizeof *g->link);
	link_init(g->link, g->im->lib, g->im->tmp);
	if (g->im->late)
		g->link->walkers = g->typed ? layout_add_walkers(g->im) : layout_walkers(g->im, g->f->ctx);
	layout_externals(g->im, g->link);
	g->fault = asm_label(a);
	asm_sub(a, "probe");
	g->sweeper = asm_label(a);
	g->sweeps = ended_sweeps(g->f);
	if (g->turns) {		/* the function follows as a subprogram */
		turn = asm_label(a);
		turns_emit(g, turn);
		asm_sub(a, "turn");
		asm_bind(a, turn);
	}
}

/* The subprograms that follow it. */
static int program_end(struct bpf_gen *g, struct diags *d)
{
	if (g->sweeps)
		ended_sweeper(g);
	if (has_fault(g->f, g->reached)) {
		uint32_t error = asm_label(g->a);

		/* "fault" is verified once: see reports_once() */
		asm_sub(g->a, g->im->error ? "report" : "fault");
		function_emit_reporter(g, error);
		if (g->im->error && emit_error(g, error, d))
			return -1;
	}
	link_emit(g->link, g->a);
	return asm_finish(g->a) ? 0 : too_large(d, g->f, "a jump does not reach its target");
}

/* The number of instructions that the verifier checks in code [from, to); it checks subprograms again at each call. */
static struct block_cost cost_of(const struct bpf_gen *g, uint32_t from, uint32_t to, struct block_cost each_call)
{
	const struct block_cost library = { .insns = 500, .branches = 60 };	/* approximate cost of a call */
	struct block_cost c = { .insns = to - from };

	for (uint32_t i = from; i < to; i++) {
		const struct bpf_insn *insn = &g->a->code.v[i];

		uint8_t op = BPF_OP(insn->code);

		c.branches += BPF_CLASS(insn->code) == BPF_JMP && op != BPF_JA && op != BPF_CALL && op != BPF_EXIT;
		if (insn->code == (BPF_JMP | BPF_CALL) && insn->src_reg == BPF_PSEUDO_CALL) {
			bool rt = i + 1 + (uint32_t)insn->imm >= g->link->start;

			c.insns += rt ? library.insns : each_call.insns;
			c.branches += rt ? library.branches : each_call.branches;
		}
	}
	return c;
}

/* What each block costs, and the maps that it names; relocations are in code order. */
static struct block_cost *block_costs(const struct bpf_gen *g)
{
	const struct block_cost none = { 0 };
	size_t n = g->f->blocks.n;
	struct block_cost *c = arena_calloc(g->im->tmp, n + 1, sizeof *c);
	uint32_t all = g->link->start < g->a->code.n ? g->link->start : (uint32_t)g->a->code.n;
	struct block_cost subs = cost_of(g, g->start[n], all, none);
	uint32_t end = g->start[n], *map = arena_calloc(g->im->tmp, g->a->relocs.n + 1, sizeof *map);
	size_t r = 0;

	for (size_t b = n; b-- > 0;) {
		if (!g->reached[b])
			continue;
		c[b] = cost_of(g, g->start[b], end, subs);
		end = g->start[b];
	}
	for (size_t b = 0, next; b < n; b = next) {
		for (next = b + 1; next < n && !g->reached[next];)
			next++;
		c[b].map = map + r;
		for (; r < g->a->relocs.n && g->a->relocs.v[r].insn < g->start[next]; r++) {
			if (g->a->relocs.v[r].kind <= RELOC_MAPVAL)
				map[r] = g->a->relocs.v[r].arg;
		}
		c[b].nmaps = (uint32_t)(map + r - c[b].map);
	}
	return c;
}

/* Gives the chain per-CPU memory for what crosses a cut. */
static void reserve_memory(struct bpf_gen *parts, uint32_t n)
{
	struct bpf_image *im = parts->im;
	uint32_t stride = (SCRATCH_HEADER + parts->fr.scratch + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;

	for (uint32_t i = 0; i < n; i++) {
		parts[i].own = im->own_size;
		parts[i].own_stride = stride;
	}
	if (parts->fr.claims)
		im->own_size += im->cpuslots * stride;
}

/* Generates the parts of f. `whole` is the generator of the whole function. */
static int generate_chain(struct bpf_gen *whole, const struct ir_func *f, const struct chain *c, struct diags *d)
{
	struct bpf_image *im = whole->im;
	struct bpf_gen *parts = arena_calloc(im->tmp, c->n, sizeof *parts);
	uint32_t map = layout_add_chain(im, c->n);
	struct asm_buf a;

	for (uint32_t i = 0; i < c->n; i++) {
		struct bpf_gen *g = &parts[i];

		*g = (struct bpf_gen){ .im = im, .chain = c, .part = i, .map = map, .typed = whole->typed };
		/* in the image's arena, because the loader reports the source line of an instruction */
		g->f = chain_part(c, im->arena, i, (uint32_t)im->prog->objs.n + XO_SAVE, &g->go_on);
		g->reached = live_reach(im->tmp, g->f);
	}
	if (!place_parts(parts, c->n, whole, stack_limit(im, whole->f, whole->reached)))
		return too_large(d, whole->f, "too many live values");
	reserve_memory(parts, c->n);
	for (uint32_t i = 0; i < c->n; i++) {
		program_begin(&parts[i], &a);
		function_emit(&parts[i]);
		if (program_end(&parts[i], d) || check_maps(&parts[i], f, d))
			return -1;
		store_code(&parts[i], f);
	}
	return 0;
}

/* True if walkers can be called by tail calls. The kernel's compiler loses the count of those where a helper calls the
 * function. */
static bool walkers_late(const struct bpf_image *im, const struct ir_func *f, const struct bpf_gen *g)
{
	return im->par.unwind && im->par.interpreted && !im->par.linked && !g->turns && f->ctx != IR_C_CGROUP &&
	       !(im->error && rt_stack(im, im->error));
}

/* Turns one function into programs: all passes, in order. */
static int generate_function(struct bpf_image *im, const struct ir_func *f, struct diags *d)
{
	struct bpf_gen g = { .im = im, .f = rewrite_blocks(im->arena, f, BLOCK_MAX), .go_on = UINT32_MAX,
			 .typed = f->task && uses_tls(f), .turns = turns_possible(f) };
	struct chain chain;
	struct asm_buf a;

	im->late = walkers_late(im, f, &g);
	g.reached = live_reach(im->tmp, g.f);
	if (!place_whole(&g, stack_limit(im, g.f, g.reached)))
		return too_large(d, f, "too many live values");
	program_begin(&g, &a);
	function_emit(&g);
	if (program_end(&g, d))
		return -1;
	chain_plan(&chain, im->tmp, &(struct chain_want){
		.f = g.f, .reached = g.reached, .cost = block_costs(&g), .nmaps = (uint32_t)im->maps.n,
		.insns = im->par.part_insns ? im->par.part_insns : CHAIN_INSNS,
	});
	if (chain.n > 1)
		return generate_chain(&g, f, &chain, d);
	if (check_maps(&g, f, d))
		return -1;
	store_code(&g, f);
	return 0;
}

/* The walkers that programs have left out. */
static int generate_walkers(struct bpf_image *im, struct diags *d)
{
	bool called = false;

	for (size_t i = 0; i < im->codes.n; i++)
		called |= im->codes.v[i].walkers != UINT32_MAX;
	for (unsigned i = 0; called && i < LINK_WALKERS; i++) {
		struct bpf_code *c = VEC_ADD(im->arena, &im->walkers);
		struct rt_link link;
		struct asm_buf a;

		asm_init(&a, im->tmp);
		link_init(&link, im->lib, im->tmp);
		layout_externals(im, &link);
		link_emit_walker(&link, &a, i);
		if (!asm_finish(&a))
			return diag(d, (struct loc){ 0 }, D_LIMIT, "a program that reads stacks is too large");
		*c = (struct bpf_code){
			.chain = UINT32_MAX,
			.walkers = UINT32_MAX,
			.n = (uint32_t)a.code.n,
			.insns = arena_memdup(im->arena, a.code.v, a.code.n * sizeof *a.code.v),
			.relocs = arena_memdup(im->arena, a.relocs.v, a.relocs.n * sizeof *a.relocs.v),
			.nrelocs = a.relocs.n,
			.subs = arena_memdup(im->arena, a.subs.v, a.subs.n * sizeof *a.subs.v),
			.nsubs = a.subs.n,
		};
		arena_free(im->tmp);
	}
	return 0;
}

/* Fills in what is known only after all functions are generated. */
static void patch_late(struct bpf_image *im)
{
	for (size_t i = 0; i < im->codes.n; i++) {
		struct bpf_code *c = &im->codes.v[i];

		for (size_t r = 0; r < c->nrelocs; r++) {
			struct bpf_insn *insn = &c->insns[c->relocs[r].insn];

			if (c->relocs[r].kind == RELOC_SLOT)
				insn->imm = (int32_t)(c->relocs[r].arg * im->slot_size);
			if (c->relocs[r].kind == RELOC_OWN)
				insn[1].imm = (int32_t)(c->relocs[r].arg + im->off_own);
		}
	}
}

/*
 * The passes of the code generator in order, from optimised IR to BPF: the layout of objects in maps (layout_image);
 * for each function the split of long blocks (rewrite_blocks), reachability and live ranges (live_reach, live_scan),
 * register allocation (regalloc_run), instruction selection (function_emit), linking of the run-time library
 * (link_emit), jumps (asm_finish), the split of long programs into chains (chain_plan); then the final layout
 * (layout_finish).
 */
int bpf_generate(struct bpf_image *im, struct arena *a, const struct ir_prog *p, const struct bpf_params *par,
		 struct diags *d)
{
	struct arena tmp;
	int err = 0;

	memset(im, 0, sizeof *im);
	im->arena = a;
	im->prog = p;
	im->par = *par;
	im->hops = MOST_HOPS;
	memset(im->walkers_map, 0xff, sizeof im->walkers_map);
	if (layout_image(im, d))
		return -1;
	if (uses_rt(im) && !(im->lib = link_open(a, d)))
		return -1;
	arena_init(&tmp, a->oom, a->oom_arg);
	im->tmp = &tmp;
	for (size_t i = 0; i < p->funcs.n; i++) {
		if (p->funcs.v[i]->ctx != IR_C_ERROR && ended_possible(p->funcs.v[i]))
			err |= generate_function(im, p->funcs.v[i], d);
		arena_free(&tmp);
	}
	err |= generate_walkers(im, d);
	im->tmp = NULL;
	if (err || layout_finish(im, d))
		return -1;
	patch_late(im);
	return 0;
}

const struct bpf_code *bpf_code_find(const struct bpf_image *im, const struct ir_func *f)
{
	for (size_t i = 0; i < im->codes.n; i++) {
		if (im->codes.v[i].func == f)
			return &im->codes.v[i];
	}
	return NULL;
}
