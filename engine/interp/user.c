/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/interp/user.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/host/cpus.h"
#include "engine/interp/engine.h"
#include "engine/interp/kernel_reads.h"
#include "engine/run/options.h"
#include "engine/sample/uregs.h"
#include "lang/types/type_find.h"

/* Ticks of the kernel's clock: their length is the resolution of the coarse clocks. */
static void user_ticks(struct interp_engine *b)
{
	struct timespec tick;

	if (!clock_getres(CLOCK_MONOTONIC_COARSE, &tick) && tick.tv_nsec > 0)
		interp_ticks(b, (uint64_t)tick.tv_nsec,
			     (1000000000u + (uint64_t)tick.tv_nsec / 2) / (uint64_t)tick.tv_nsec);
}

/* Checks that the CPU in -x cpu is online. */
static int user_cpu(const struct options *o, struct diags *d)
{
	unsigned possible = cpus_possible(), n;
	int *cpus = calloc(possible, sizeof *cpus);
	bool found;

	n = cpus ? cpus_online(cpus, possible) : 0;
	found = !cpus || o->d.cpu < 0 || cpus_has(cpus, n, o->d.cpu);
	free(cpus);
	return found ? 0 : diag(d, (struct loc){ 0 }, D_PRAGMA_OPTSET, "option 'cpu': CPU %d is not online", o->d.cpu);
}

/* Samples are timed by the run times of threads. */
static int user_source(const struct options *o, struct diags *d)
{
	if (!o->clock_source || !strcmp(o->clock_source, "cpu-clock"))
		return 0;
	return diag(d, (struct loc){ 0 }, D_PRAGMA_OPTSET, "option 'profsrc': only cpu-clock is available without BPF");
}

static struct symbols *user_names(struct interp_engine *b)
{
	if (!b->symbols)
		b->symbols = symbols_open();
	return b->symbols;
}

static int user_sees_no_code(const struct interp_engine *b, const char *why, struct diags *d)
{
	if (b->opts->needpc)
		return diag(d, (struct loc){ 0 }, D_ENGINE, "samples have neither program counters nor stacks: %s",
			    why);
	diag_warn(d, (struct loc){ 0 }, D_ENGINE, "no program counters (arg0 and arg1 are 0), no stacks: %s", why);
	return 0;
}

/* No source has what the script asks for: neither perf events nor ptrace(2) are permitted. */
static int user_without_code(struct interp_engine *b, const char *why, struct diags *d)
{
	*b->chains.reason = '\0';	/* there are no stacks at all */
	b->blind = true;
	if (b->want.uregs)
		return diag(d, (struct loc){ 0 }, D_ENGINE, "uregs[]: registers need perf events or ptrace(2): %s",
			    why);
	if (b->opts->unwind == UNWIND_TABLES && b->want.unwind)
		return diag(d, (struct loc){ 0 }, D_ENGINE, "-x unwind=tables: %s", why);
	b->want.unwind = 0;
	return user_sees_no_code(b, why, d);
}

/* Opens the best source available to this process. */
static int user_best(struct interp_engine *b, struct diags *d)
{
	static const struct source_ops *const ops[] = { &source_perf, &source_ptrace, &source_proc };
	char reason[256] = "", why[600] = "";

	if (b->world.prog->ntargets > 1)
		return diag(d, (struct loc){ 0 }, D_ENGINE, "several processes (-p) need the kernel engine");
	if (user_names(b) && chains_want(&b->chains, &b->want, b->symbols) < 0)
		return diag(d, (struct loc){ 0 }, D_ENGINE, "stacks cannot be unwound: %s", b->chains.reason);
	for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
		size_t n = strlen(why);

		if (!chains_source(&b->chains, ops[i], &b->source, &b->want, reason, sizeof reason)) {
			b->ops = ops[i];
			if (ops[i]->blind)
				return user_without_code(b, why, d);
			b->lesser = n ? arena_strdup(b->arena, why) : NULL;
			return 0;
		}
		ops[i]->close(b->source);
		b->source = NULL;
		snprintf(why + n, sizeof why - n, "%s%s", n ? "; " : "", reason);
	}
	return diag(d, (struct loc){ 0 }, D_ENGINE, "no samples are available: %s", why);
}

/* Refuses a program that needs data which this engine does not have. */
static int user_check(struct interp_engine *b, struct diags *d)
{
	const struct ir_prog *p = b->world.prog->ir;
	const char *lack = types_lack(b->world.prog->types);
	char text[320], unknown[320];

	snprintf(text, sizeof text, "is available only with BPF (%s)", b->reason);
	snprintf(unknown, sizeof unknown, "is not known: %s", lack ? lack : "");
	if (interp_has(p, IR_GOID, -1, 0))
		return diag(d, (struct loc){ 0 }, D_ENGINE, "goid %s", text);
	if (ir_obj_find(p, "chilled@") >= 0)
		return diag(d, (struct loc){ 0 }, D_ENGINE, "chill() %s", text);
	if (kernel_reads_check(b->world.prog, b->memory.image, lack ? unknown : text, d) < 0)
		return -1;
	for (int64_t i = 0; i < UREGS_MOST; i++)
		if (!uregs_has(i) && interp_has(p, IR_UREG, 0, i))
			return diag(d, (struct loc){ 0 }, D_ENGINE, "uregs[%d] %s", (int)i, text);
	return 0;
}

static int user_open(struct backend **out, const struct backend_args *args, struct diags *d)
{
	struct interp_engine *b = interp_new(args);
	char refusal[400];

	*out = (struct backend *)b;
	snprintf(refusal, sizeof refusal, "without BPF only BEGIN, END, ERROR, profile-N and tick-N are available (%s)",
		 args->reason);
	user_ticks(b);
	interp_wall(b);
	interp_self(b);
	if (interp_opened(b, d) < 0 || user_cpu(b->opts, d) < 0 || user_source(b->opts, d) < 0 ||
	    interp_probes(b, refusal, d) < 0 || user_check(b, d) < 0 ||
	    (b->nrates && user_best(b, d) < 0) || govern_open(b, d) < 0)
		return -1;
	b->world.clock = interp_clock(b);
	return 0;
}

static void user_describe(struct backend *handle, struct buf *out)
{
	struct interp_engine *b = interp_engine(handle);

	if (b->opts->engine == ENGINE_AUTO)
		buf_printf(out, "%s; ", b->reason);
	interp_describe(handle, out);
	if (b->lesser)
		buf_printf(out, " (no perf events: %s)", b->lesser);
}

static bool user_stops(struct backend *handle)
{
	struct interp_engine *b = interp_engine(handle);

	return b->ops && b->ops->stops;
}

static bool user_unwound(struct backend *handle)
{
	return interp_engine(handle)->want.unwind;
}

static void user_kernel_name(void *arg, uint64_t addr, struct symbol *out)
{
	const struct interp_engine *b = arg;

	if (addr == SAMPLE_HIDDEN_PC)
		*out = (struct symbol){ .object = "kernel", .name = "[hidden]", .start = addr, .base = addr };
	else
		symbols_ops.kernel(b->symbols, addr, out);
}

static void user_name(void *arg, int64_t pid, uint64_t addr, uint64_t at, struct symbol *out)
{
	const struct interp_engine *b = arg;

	symbols_ops.user(b->symbols, pid, addr, at, out);
}

static bool user_mapping(void *arg, int64_t pid, uint64_t addr, uint64_t at, struct symbol_mapping *out)
{
	const struct interp_engine *b = arg;

	return symbols_ops.mapping(b->symbols, pid, addr, at, out);
}

static bool user_code(void *arg, int64_t pid, uint64_t addr, uint64_t at, struct symbol_code *out)
{
	const struct interp_engine *b = arg;

	return symbols_ops.code(b->symbols, pid, addr, at, out);
}

static const char *user_program(void *arg, int64_t pid, uint64_t at)
{
	const struct interp_engine *b = arg;

	return symbols_ops.program(b->symbols, pid, at);
}

static bool user_nowhere(void *arg, int64_t pid, uint64_t addr, uint64_t at)
{
	const struct interp_engine *b = arg;

	return symbols_ops.nowhere(b->symbols, pid, addr, at);
}

static void user_names_lack(void *arg, struct symbol_lacks *out)
{
	const struct interp_engine *b = arg;

	symbols_ops.lacks(b->symbols, out);
}

static uint64_t user_settle(void *arg, int64_t pid, const struct symbol_addresses *addr, uint64_t from, uint64_t at)
{
	const struct interp_engine *b = arg;

	return symbols_ops.settle(b->symbols, pid, addr, from, at);
}

static uint64_t user_next(void *arg, int64_t pid, uint64_t at)
{
	const struct interp_engine *b = arg;

	return symbols_ops.next(b->symbols, pid, at);
}

static uint64_t user_changed(void *arg, int64_t pid, uint64_t at)
{
	const struct interp_engine *b = arg;

	return symbols_ops.changed(b->symbols, pid, at);
}

static const struct symbol_ops *user_symbols(struct backend *handle, void **arg)
{
	struct interp_engine *b = interp_engine(handle);
	static const struct symbol_ops ops = {
		.kernel = user_kernel_name, .user = user_name, .mapping = user_mapping, .code = user_code,
		.program = user_program, .nowhere = user_nowhere,
		.settle = user_settle, .next = user_next, .changed = user_changed, .lacks = user_names_lack,
	};

	*arg = b;
	return user_names(b) ? &ops : NULL;
}

/* New groups are seen when a sample is of them. */
static int user_watch_groups(struct backend *handle, char *reason, size_t n)
{
	(void)handle, (void)reason, (void)n;
	return 0;
}

static bool user_group_created(struct backend *handle, struct backend_cgroup *out)
{
	struct interp_engine *b = interp_engine(handle);

	return b->memory.image && image_group_created(b->memory.image, out);
}

const struct backend_ops backend_user = {
	.name = "user",
	.open = user_open,
	.run = interp_run,
	.start = interp_start,
	.disarm = interp_disarm,
	.set_state = interp_set_state,
	.state = interp_state,
	.exit_status = interp_exit_status,
	.poll = interp_poll,
	.snapshot = interp_snapshot,
	.drops = interp_drops,
	.wake = interp_wake,
	.close = interp_close,
	.object = interp_object,
	.symbols = &(const struct backend_symbols){ .symbols = user_symbols, .owners = interp_owners },
	.report = &(const struct backend_report){ .describe = user_describe, .blind = interp_blind, .stops = user_stops,
		.unwound = user_unwound, .lacks = interp_lacks },
	.governor = &(const struct backend_governor){ .pass = govern_engine_pass, .spent = govern_engine_spent,
		.thinned = govern_engine_thinned },
	.accounts = &(const struct backend_accounts){ .account = interp_account, .stacks = interp_stacks },
	.cgroups = &(const struct backend_cgroups){ .watch = user_watch_groups, .created = user_group_created },
};

