/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* providers/: which probes match, their ids, what they emit. Nothing is armed. */
#include <errno.h>
#include <linux/bpf_perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ir/interp.h"
#include "providers/profile/profile.h"
#include "providers/profile/timer.h"
#include "providers/provider.h"

#define SEC 1000000000ull
#define COUNT(a) (sizeof(a) / sizeof *(a))

/* ---- matching ---- */

struct providers_world {
	struct arena arena;
	struct probe_set set;
	char why[256];
	const struct probe *last;
	uint32_t ids[1 << 17];
	unsigned n;
};

static int setup(void **state)
{
	struct providers_world *w = calloc(1, sizeof *w);

	arena_init(&w->arena, NULL, NULL);
	probe_set_init(&w->set, &w->arena);
	probe_set_enumerate(&w->set);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct providers_world *w = *state;

	arena_free(&w->arena);
	free(w);
	return 0;
}

static void found(void *arg, struct probe *p)
{
	struct providers_world *w = arg;

	if (w->n)
		assert_true(w->ids[w->n - 1] < p->id);
	assert_true(w->n < COUNT(w->ids));
	w->ids[w->n++] = p->id;
	w->last = p;
}

static unsigned match4(struct providers_world *w, const char *prov, const char *mod, const char *func, const char *name)
{
	struct probe_spec spec = { .prov = prov, .mod = mod, .func = func, .name = name, .text = name };

	unsigned n;

	w->n = 0;
	w->last = NULL;
	memset(w->why, 'x', sizeof w->why);
	n = probe_match(&w->set, &spec, &(struct probe_sink){ found, w }, w->why, sizeof w->why);
	assert_int_equal(n, w->n);
	return n;
}

static unsigned match(struct providers_world *w, const char *prov, const char *name)
{
	return match4(w, prov, "", "", name);
}

static unsigned match_id(struct providers_world *w, uint32_t id)
{
	struct probe_spec spec = { .prov = "", .mod = "", .func = "", .name = "", .text = "", .id = id };

	w->n = 0;
	w->last = NULL;
	return probe_match(&w->set, &spec, &(struct probe_sink){ found, w }, w->why, sizeof w->why);
}

static void test_canned(void **state)
{
	static const char *const names[] = {
		"BEGIN", "END", "ERROR", "profile-97", "profile-199", "profile-499", "profile-997", "profile-1999",
		"profile-4001", "profile-4999", "tick-1", "tick-10", "tick-100", "tick-500", "tick-1000", "tick-5000",
	};
	struct providers_world *w = *state;

	assert_int_equal(w->set.list.n, COUNT(names));
	for (size_t i = 0; i < COUNT(names); i++) {
		const struct probe *p = w->set.list.v[i];

		assert_string_equal(p->name, names[i]);
		assert_int_equal(p->id, i + 1);
		assert_string_equal(p->provname, i < 3 ? "dtrace" : "profile");
		assert_string_equal(p->mod, "");
		assert_string_equal(p->func, "");
		assert_int_equal(match_id(w, p->id), 1);
		assert_ptr_equal(w->last, p);
	}
	assert_int_equal(match(w, "profile", ""), 13);
	assert_int_equal(match(w, "dtrace", ""), 3);
	assert_int_equal(w->set.list.n, COUNT(names));
	/* the others are created on first use */
	assert_true(match(w, "", "") > COUNT(names));
	assert_int_equal(match(w, "*", "*"), w->set.list.n);
	assert_int_equal(match_id(w, 1000000), 0);
	assert_non_null(strstr(w->why, "no probe has the id 1000000"));
	assert_int_equal(match_id(w, UINT32_MAX), 0);
}

static bool only_elsewhere(const char *prov, const char *func)
{
	struct probe_spec spec = { .prov = prov, .mod = "", .func = func, .name = "entry", .text = "" };

	return probe_is_foreign(&spec) != NULL;
}

/* Scripts of other systems have other names for the same. */
static void test_elsewhere(void **state)
{
	struct providers_world *w = *state;

	assert_int_equal(match4(w, "syscall", "", "exece", "return"), 1);
	assert_string_equal(w->last->func, "execve");
	assert_string_equal(w->last->name, "return");
	assert_int_equal(match4(w, "syscall", "", "rexit", ""), 2);
	assert_string_equal(w->last->func, "exit_group");
	assert_true(match4(w, "syscall", "", "forksys", "entry") >= 2);	/* clone, clone3, and others where they exist */
	assert_int_equal(match4(w, "syscall", "freebsd", "sys_exit", "entry"), 1);
	assert_int_equal(match4(w, "syscall", "freebsd", "read", "entry"), 1);
	assert_string_equal(w->last->func, "read");
	assert_int_equal(match4(w, "sched", "unix", "resume", "on-cpu"), 1);
	assert_int_equal(match4(w, "proc", "", "proc_exit", "exit"), 1);
	/* ours first, patterns and others' providers as they are */
	assert_int_equal(match4(w, "syscall", "", "openat", "entry"), 1);
	assert_int_equal(match4(w, "syscall", "", "exec[e]", "entry"), 0);
	assert_int_equal(match4(w, "syscall", "", "resume", "entry"), 0);
	assert_int_equal(match4(w, "proc", "", "resume", "exit"), 0);
	assert_int_equal(match4(w, "profile", "unix", "", "tick-1"), 0);
	assert_int_equal(match4(w, "syscall", "", "acl", "entry"), 0);
	assert_true(only_elsewhere("syscall", "acl"));
	assert_false(only_elsewhere("syscall", "exece"));
	assert_false(only_elsewhere("syscall", "acll"));
	assert_false(only_elsewhere("proc", "acl"));
	assert_true(only_elsewhere("syscall", "*read*nocancel*"));
	assert_true(only_elsewhere("syscall", "*_nocancel"));
	assert_false(only_elsewhere("syscall", "*_nosuch"));
	assert_false(only_elsewhere("syscall", ""));
}

/* System calls are listed once a description can mean one of them. */
static void test_late(void **state)
{
	struct providers_world *w = *state;
	size_t before = w->set.list.n;
	unsigned n;

	assert_int_equal(match(w, "", "BEGIN"), 1);
	assert_int_equal(match(w, "prof*", "tick-1*"), 4);
	assert_int_equal(match4(w, "", "libc", "read", "entry"), 0);
	assert_int_equal(w->set.list.n, before);
	assert_int_equal(match4(w, "", "", "read", "entry"), 1);
	assert_string_equal(w->last->provname, "syscall");
	assert_string_equal(w->last->mod, "vmlinux");
	n = match(w, "syscall", "entry");
	assert_true(n > 300);
	assert_int_equal(match(w, "syscall", "return"), n);
	assert_int_equal(match(w, "syscall", ""), 2 * n);
	assert_int_equal(match4(w, "syscall", "vmlinux", "write*", ""), 4);
	assert_int_equal(match4(w, "syscall", "", "no_such_call", "entry"), 0);
}

static void test_lazy(void **state)
{
	struct providers_world *w = *state;
	size_t before = w->set.list.n;
	const struct probe *p;

	/* patterns create nothing */
	assert_int_equal(match(w, "", "profile-123*"), 0);
	assert_int_equal(match(w, "profile", "tick-[1]s"), 0);
	assert_non_null(strstr(w->why, "patterns match only existing probes"));
	assert_int_equal(w->set.list.n, before);

	/* an exact name does, once */
	assert_int_equal(match(w, "", "tick-1s"), 1);
	p = w->last;
	assert_int_equal(p->id, before + 1);
	assert_string_equal(p->provname, "profile");
	assert_int_equal(match(w, "profile", "tick-1s"), 1);
	assert_ptr_equal(w->last, p);
	assert_int_equal(match(w, "pro*", "tick-1s"), 1);
	assert_int_equal(match4(w, "", "*", "*", "tick-1s"), 1);
	assert_int_equal(w->set.list.n, before + 1);

	/* one period, several probes */
	assert_int_equal(match(w, "", "profile-97"), 1);
	assert_int_equal(match(w, "", "profile-97hz"), 1);
	assert_int_equal(match(w, "", "profile-0097"), 1);
	assert_int_equal(match(w, "", "profile-97HZ"), 1);
	assert_int_equal(w->set.list.n, before + 4);
	assert_int_equal(match(w, "", "profile-*97*"), 5);	/* and the canned profile-997 */
}

static void test_lazy_not(void **state)
{
	struct providers_world *w = *state;
	size_t before = w->set.list.n;

	/* not ours: another provider, a module, a function */
	assert_int_equal(match(w, "dtrace", "tick-7s"), 0);
	assert_string_equal(w->why, "the dtrace provider has no such probe");
	assert_int_equal(match4(w, "profile", "kernel", "", "tick-7s"), 0);
	assert_int_equal(match4(w, "profile", "", "f", "tick-7s"), 0);
	assert_int_equal(match(w, "", "Tick-7s"), 0);
	assert_int_equal(match(w, "", "tick7s"), 0);
	assert_int_equal(match(w, "", "xtick-7s"), 0);
	/* refused */
	assert_int_equal(match(w, "profile", "profile-1us"), 0);
	assert_string_equal(w->why, "interval 1000 ns is below the 200 us floor");
	assert_int_equal(match(w, "", "tick--5s"), 0);
	assert_non_null(strstr(w->why, "not a number with a unit"));
	assert_int_equal(match(w, "", "tick-1secs"), 0);
	assert_non_null(strstr(w->why, "unknown unit"));
	assert_int_equal(match(w, "", "profile-"), 0);
	assert_non_null(strstr(w->why, "not a number with a unit"));
	assert_int_equal(w->set.list.n, before);
}

static void test_hints(void **state)
{
	struct providers_world *w = *state;

	assert_int_equal(match(w, "nonesuch", ""), 0);
	assert_string_equal(w->why, "no such provider: nonesuch");
	assert_int_equal(match(w, "none*", ""), 0);
	assert_string_equal(w->why, "no such provider");
	assert_int_equal(match4(w, "nfsv4", "", "read", "entry"), 0);
	assert_string_equal(w->why, "the nfsv4 provider is not part of this version");
	assert_int_equal(match4(w, "plockstat", "", "", "mutex-block"), 0);
	assert_string_equal(w->why, "'plockstat' does not contain a valid pid");
	assert_int_equal(match4(w, "plockstat1234", "", "", "mutex-block"), 0);
	assert_string_equal(w->why, "failed to grab process 1234: not available here");
	assert_int_equal(match4(w, "pid1234", "libc.so", "malloc", "entry"), 0);
	assert_string_equal(w->why, "failed to grab process 1234: not available here");
	assert_int_equal(w->set.refused, D_PROC_GRAB);
	assert_int_equal(match4(w, "pid", "libc.so", "malloc", "entry"), 0);
	assert_string_equal(w->why, "'pid' does not contain a valid pid");
	assert_int_equal(w->set.refused, D_PROC_BADPID);
	assert_int_equal(match(w, "sched7", ""), 0);
	assert_string_equal(w->why, "no such provider: sched7");
	assert_int_equal(match(w, "", "begin"), 0);
	assert_string_equal(w->why, "");
	assert_int_equal(match(w, "profile", "begin"), 0);
	assert_string_equal(w->why, "the profile provider has no such probe");
	assert_int_equal(match(w, "", "nothing"), 0);
	assert_string_equal(w->why, "");
	assert_int_equal(match(w, "", "BEGIN"), 1);
	assert_int_equal(w->last->id, 1);
	assert_int_equal(match(w, "dtrace", "END"), 1);
	assert_int_equal(w->last->id, 2);
	assert_int_equal(match(w, "", "E*"), 2);
}

/* The suggestion for a description that matches nothing. */
static void expect_meant(struct providers_world *w, const char *typed, const char *prov, const char *func,
			 const char *name,
			 const char *want)
{
	struct probe_spec spec = { .prov = prov, .mod = "", .func = func, .name = name, .text = typed };
	char text[128] = "";

	if (*want)
		snprintf(text, sizeof text, " (did you mean '%s'?)", want);
	assert_int_equal(probe_match(&w->set, &spec, &(struct probe_sink){ found, w }, w->why, sizeof w->why), 0);
	assert_string_equal(probe_suggestion(&w->set, &spec), text);
}

static void test_meant(void **state)
{
	struct providers_world *w = *state;

	expect_meant(w, "begin", "", "", "begin", "BEGIN");
	expect_meant(w, "BEGN", "", "", "BEGN", "BEGIN");
	expect_meant(w, "dtrace:::EDN", "dtrace", "", "EDN", "dtrace:::END");
	expect_meant(w, "profle-123", "", "", "profle-123", "profile-123");
	expect_meant(w, "tikc-5s { }", "", "", "tikc-5s", "tick-5s");
	expect_meant(w, "profile:::tik-7", "profile", "", "tik-7", "profile:::tick-7");
	expect_meant(w, "profle:::tick-7", "profle", "", "tick-7", "profile:::tick-7");
	expect_meant(w, "syscall::raed:entry", "syscall", "raed", "entry", "syscall::read:entry");
	expect_meant(w, "syscal::read:enrty", "syscal", "read", "enrty", "syscall::read:entry");
	expect_meant(w, "raed:entry", "", "raed", "entry", "read:entry");
	expect_meant(w, "syscall::read*:enrty", "syscall", "read*", "enrty", "syscall::read*:entry");
	expect_meant(w, "syscal", "syscal", "", "", "syscall");		/* -P */
	expect_meant(w, "raed", "", "raed", "", "read");		/* -f */
	/* nothing is near, or it is clear what was meant */
	expect_meant(w, "nonsense", "", "", "nonsense", "");
	expect_meant(w, "tick-1secs", "", "", "tick-1secs", "");
	expect_meant(w, "profile-9999", "", "", "profile-9999", "");
	expect_meant(w, "fbt::read:entry", "fbt", "read", "entry", "");
	expect_meant(w, "pid1:::", "pid1", "", "", "");
}

/* ---- stability ---- */

static void check_stab(uint8_t name, uint8_t data, uint8_t class, const char *expected)
{
	char text[64];

	snprintf(text, sizeof text, "%s/%s/%s", stability_name(name), stability_name(data),
		 stability_class_name(class));
	assert_string_equal(text, expected);
}

#define STAB(x, expected) check_stab((x).name, (x).data, (x).class, expected)

static void test_stability(void **state)
{
	struct providers_world *w = *state;
	const struct provider_attr *a = w->set.list.v[0]->prov->attr;

	STAB(a->provider, "Stable/Stable/Common");
	STAB(a->module, "Private/Private/Unknown");
	STAB(a->function, "Private/Private/Unknown");
	STAB(a->probename, "Stable/Stable/Common");
	STAB(a->args, "Stable/Stable/Common");
	a = w->set.list.v[3]->prov->attr;
	STAB(a->provider, "Evolving/Evolving/Common");
	STAB(a->module, "Unstable/Unstable/Unknown");
	STAB(a->function, "Private/Private/Unknown");
	STAB(a->probename, "Evolving/Evolving/Common");
	STAB(a->args, "Evolving/Evolving/Common");
	assert_string_equal(stability_name(ST_INTERNAL), "Internal");
	assert_string_equal(stability_name(ST_OBSOLETE), "Obsolete");
	assert_string_equal(stability_name(ST_EXTERNAL), "External");
	assert_string_equal(stability_name(ST_STANDARD), "Standard");
	assert_string_equal(stability_class_name(SC_CPU), "CPU");
	assert_string_equal(stability_class_name(SC_PLATFORM), "Platform");
	assert_string_equal(stability_class_name(SC_GROUP), "Group");
	assert_string_equal(stability_class_name(SC_ISA), "ISA");
	assert_string_equal(stability_name(255), "Unknown");
	assert_string_equal(stability_class_name(255), "Unknown");
}

/* ---- how probes are entered ---- */

static void test_ctx(void **state)
{
	static const struct { enum ir_ctx ctx; enum ir_state state; } expected[] = {
		{ IR_C_RUN, IR_S_BEGIN }, { IR_C_RUN, IR_S_END }, { IR_C_ERROR, IR_S_ACTIVE },
	};
	struct providers_world *w = *state;

	for (size_t i = 0; i < COUNT(expected); i++) {
		const struct probe *p = w->set.list.v[i];

		assert_int_equal(p->prov->ctx(p), expected[i].ctx);
		assert_int_equal(probe_state(p), expected[i].state);
		assert_false(probe_has_alt(p));
	}
	assert_int_equal(match(w, "", "profile-97"), 1);
	assert_int_equal(w->last->prov->ctx(w->last), IR_C_PERF);
	assert_false(probe_has_alt(w->last));
	assert_int_equal(match(w, "", "tick-1s"), 1);
	assert_int_equal(w->last->prov->ctx(w->last), IR_C_PERF);
	assert_true(probe_has_alt(w->last));
	assert_true(!w->last->prov->firing || !w->last->prov->firing->state);	/* ACTIVE */
}

/* ---- what they emit, run by the interpreter ---- */

struct emitted {
	struct ir_prog prog;
	struct arena *arena;
	struct ir_func *func;
	uint64_t clock, pc, word0;
	void **mem;
	uint64_t out[5];	/* reached, arg0.. */
};

static void *emitted_mem(void *arg, uint32_t obj)
{
	struct emitted *e = arg;
	const struct ir_obj *o = &e->prog.objs.v[obj];

	if (!e->mem[obj]) {
		e->mem[obj] = arena_alloc(e->arena, o->size);
		if (o->init)
			memcpy(e->mem[obj], o->init, o->size);
	}
	return e->mem[obj];
}

static uint64_t emitted_read(void *arg, enum ir_op op, int64_t imm)
{
	struct emitted *e = arg;

	if (op == IR_CLOCK)
		return e->clock;
	if (op == IR_CALLERPC)
		return 0xffffffff81000000;
	if (op == IR_CTX && e->func->ctx == IR_C_RUN)
		return imm == 0 ? e->word0 : 0;
	if (op == IR_CTX)
		return imm < (int64_t)sizeof(struct bpf_perf_event_data) ? e->pc : 0;
	return 0;
}

/* A function that runs the prologue, then notes that it got here and all arguments. */
static struct ir_func *emit(struct emitted *e, const struct probe *p, bool alt)
{
	struct ir_func *f = ir_func_add(&e->prog, alt ? "alt" : "main", alt ? IR_C_RUN : p->prov->ctx(p));
	struct ir_builder b = { .prog = &e->prog, .func = f };
	uint32_t out = (uint32_t)ir_obj_find(&e->prog, "out");
	uint32_t skip;

	skip = ir_newblock(&b, "skip");
	if (p->prov->prologue)
		p->prov->prologue(&b, p, alt, skip);
	ir_emit(&b, IR_XADD, ir_m(out, 0), ir_i(1));
	for (unsigned i = 0; i < 4; i++) {
		ir_reg r = p->prov->arg(&b, p, i, alt);

		ir_emit(&b, IR_ST64, ir_m(out, 8 + 8 * i), r ? ir_r(r) : ir_i(0));
	}
	ir_enter(&b, skip);
	ir_emit0(&b, IR_RET);
	ir_func_order(&e->prog, f);
	return f;
}

static void emitted_init(struct emitted *e, struct arena *a)
{
	memset(e, 0, sizeof *e);
	e->arena = a;
	ir_prog_init(&e->prog, a);
	ir_obj_add(&e->prog, &(struct ir_obj){ .name = "out", .kind = IR_O_GLOBAL, .size = sizeof e->out });
}

/* Verifies once all functions are there. */
static void emitted_ready(struct emitted *e)
{
	struct diags d;
	struct buf text = { 0 };

	diags_init(&d, e->arena);
	if (ir_verify(&e->prog, &d)) {
		ir_print(&text, &e->prog);
		fail_msg("%s\n%s", d.list.v[0].text, buf_str(&text));
	}
	e->mem = arena_calloc(e->arena, e->prog.objs.n, sizeof *e->mem);
	e->mem[0] = e->out;
}

static bool fire(struct emitted *e, struct ir_func *f)
{
	struct ir_world w = { .arg = e, .mem = emitted_mem, .read = emitted_read };
	uint64_t before = e->out[0];

	e->func = f;
	ir_run(&e->prog, f, &w);
	return e->out[0] != before;
}

static void test_profile_args(void **state)
{
	struct providers_world *w = *state;
	struct emitted e;
	struct ir_func *f;

	match(w, "", "profile-1ms");
	emitted_init(&e, &w->arena);
	f = emit(&e, w->last, false);
	emitted_ready(&e);
	e.pc = 0xffffffff81234567;
	e.clock = 5000100;
	assert_true(fire(&e, f));
	assert_int_equal(e.out[1], e.pc);
	assert_int_equal(e.out[2], 0);
	assert_int_equal(e.out[3], 0);		/* the first one shows when firings are due */
	assert_int_equal(e.out[4], 0);
	e.clock = 6000050;
	assert_true(fire(&e, f));
	assert_int_equal(e.out[3], 0);		/* sooner: that one is on time */
	e.clock = 7000100;
	assert_true(fire(&e, f));
	assert_int_equal(e.out[3], 50);
	e.pc = 0x7ffff7dd1234;
	e.clock = 9900050;
	assert_true(fire(&e, f));
	assert_int_equal(e.out[1], 0);
	assert_int_equal(e.out[2], e.pc);
	assert_int_equal(e.out[3], 900000);
	assert_int_equal(e.out[4], 0);
}

static struct tick_words *words(struct emitted *e)
{
	return emitted_mem(e, (uint32_t)ir_obj_find(&e->prog, "tick-1ms.clock"));
}

/* Claims: each interval once, whichever form comes first. */
static void test_tick_claims(void **state)
{
	struct providers_world *w = *state;
	struct emitted e;
	struct ir_func *f, *alt;
	struct tick_words *k;
	const uint64_t start = 5 * SEC, ms = 1000000;

	match(w, "", "tick-1ms");
	emitted_init(&e, &w->arena);
	f = emit(&e, w->last, false);
	alt = emit(&e, w->last, true);
	emitted_ready(&e);
	k = words(&e);
	e.pc = 0x401000;
	e.clock = start;
	assert_true(fire(&e, f));		/* not paced: every firing counts */
	assert_true(fire(&e, f));
	assert_int_equal(k->seen, start);
	k->epoch = start - ms / 2;
	assert_false(fire(&e, f));		/* nothing is due at once */
	e.clock = start + ms - 400000;
	assert_true(fire(&e, f));		/* interval 1, early */
	e.clock = start + ms + 400000;
	assert_false(fire(&e, f));		/* still 1 */
	assert_int_equal(k->slot[1], 1);
	e.word0 = 1;
	assert_false(fire(&e, alt));
	e.word0 = 2;
	assert_true(fire(&e, alt));
	assert_int_equal(e.out[1], 0xffffffff81000000);
	assert_int_equal(e.out[2], 0);
	assert_int_equal(e.out[3], 0);
	e.clock = start + 2 * ms;
	assert_false(fire(&e, f));		/* the other form had it */
	assert_int_equal(k->seen, e.clock);
	e.clock = start + 7 * ms + 1;
	assert_true(fire(&e, f));
	assert_int_equal(e.out[1], 0);
	assert_int_equal(e.out[2], e.pc);
	assert_int_equal(e.out[3], 0);
	assert_int_equal(k->slot[7], 7);
	e.word0 = 5;
	assert_true(fire(&e, alt));		/* made up for, late */
	assert_false(fire(&e, alt));
	e.word0 = 7 + TICK_SLOTS;
	assert_true(fire(&e, alt));		/* the slot's next interval */
	e.word0 = 7;
	assert_false(fire(&e, alt));		/* never backwards in a slot */
}

/* An epoch before the clock's zero (the first seconds after boot, or an interval of years) counts as well. */
static void test_tick_epoch_wraps(void **state)
{
	struct providers_world *w = *state;
	struct emitted e;
	struct ir_func *f;
	struct tick_words *k;

	match(w, "", "tick-1ms");
	emitted_init(&e, &w->arena);
	f = emit(&e, w->last, false);
	emitted_ready(&e);
	k = words(&e);
	k->epoch = 0 - 400000ull;
	e.clock = 500000;
	assert_false(fire(&e, f));
	e.clock = 600000;
	assert_true(fire(&e, f));
	assert_int_equal(k->slot[1], 1);
}

static void test_error_args(void **state)
{
	struct providers_world *w = *state;
	struct ir_prog prog;
	struct diags d;
	struct ir_builder b;
	ir_reg r[6];

	ir_prog_init(&prog, &w->arena);
	b = (struct ir_builder){ .prog = &prog, .func = ir_func_add(&prog, "error", IR_C_ERROR) };
	for (unsigned i = 0; i < 6; i++)
		r[i] = w->set.list.v[2]->prov->arg(&b, w->set.list.v[2], i, false);
	assert_int_equal(r[0], 0);
	for (unsigned i = 1; i < 6; i++)
		assert_int_not_equal(r[i], 0);
	assert_int_equal(w->set.list.v[2]->prov->arg(&b, w->set.list.v[2], 6, false), 0);
	assert_int_equal(w->set.list.v[0]->prov->arg(&b, w->set.list.v[0], 1, false), 0);
	ir_emit0(&b, IR_RET);
	diags_init(&d, &w->arena);
	if (ir_verify(&prog, &d))
		fail_msg("%s", d.list.v[0].text);
}

#define SET_TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SET_TEST(test_canned),
		SET_TEST(test_elsewhere),
		SET_TEST(test_late),
		SET_TEST(test_lazy),
		SET_TEST(test_lazy_not),
		SET_TEST(test_hints),
		SET_TEST(test_meant),
		SET_TEST(test_stability),
		SET_TEST(test_ctx),
		SET_TEST(test_profile_args),
		SET_TEST(test_tick_claims),
		SET_TEST(test_tick_epoch_wraps),
		SET_TEST(test_error_args),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
