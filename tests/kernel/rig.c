/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "tests/kernel/rig.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "engine/host/cpus.h"
#include "tests/lib/kernel.h"

#define NOTE(obj, field) ir_m((obj), offsetof(struct rig_notes, field))

static void found(void *arg, struct probe *p)
{
	*(struct probe **)arg = p;
}

static void count_if(struct ir_builder *b, uint32_t obj, int64_t off, ir_reg cond)
{
	ir_emit(b, IR_XADD, ir_m(obj, off), ir_r(cond));
}

static ir_reg arg(struct ir_builder *b, const struct probe *p, unsigned n, bool alt)
{
	ir_reg r = p->prov->arg(b, p, n, alt);

	return r ? r : ir_emit(b, IR_MOV, ir_i(0));
}

static void body_args(struct ir_builder *b, const struct probe *p, uint32_t notes, bool alt)
{
	ir_reg kernel = ir_emit(b, IR_NE, ir_r(arg(b, p, 0, alt)), ir_i(0));
	ir_reg user = ir_emit(b, IR_NE, ir_r(arg(b, p, 1, alt)), ir_i(0));
	ir_reg late = arg(b, p, 2, alt);

	count_if(b, notes, offsetof(struct rig_notes, kernel), kernel);
	count_if(b, notes, offsetof(struct rig_notes, user), user);
	count_if(b, notes, offsetof(struct rig_notes, both), ir_emit(b, IR_EQ, ir_r(kernel), ir_r(user)));
	ir_emit(b, IR_XADD, NOTE(notes, late), ir_r(late));
	ir_emit(b, IR_XMAX, NOTE(notes, late_max), ir_r(late));
}

/* The interval of this firing. The perf form stores its time; nothing else writes that on this CPU. */
static void body_number(struct ir_builder *b, const struct rig *r, uint32_t notes, bool alt)
{
	char name[64];
	int64_t words;
	ir_reg n, epoch;

	snprintf(name, sizeof name, "%s.clock", r->probe->name);
	words = ir_obj_find(b->prog, name);
	if (words < 0)
		return;
	if (alt) {
		n = ir_emit(b, IR_CTX, ir_i(0));
	} else {
		n = ir_emit(b, IR_LD64, ir_m((uint32_t)words, offsetof(struct tick_words, seen)));
		epoch = ir_emit(b, IR_LD64, ir_m((uint32_t)words, offsetof(struct tick_words, epoch)));
		n = ir_emit(b, IR_SUB, ir_r(n), ir_r(epoch));
		n = ir_emit(b, IR_UDIV, ir_r(n), ir_i((int64_t)timer_of(r->probe)->interval));
	}
	ir_emit(b, IR_XADD, ir_mx(0, notes, offsetof(struct rig_notes, hits), n, RIG_HITS), ir_i(1));
}

static struct ir_func *body(struct rig *r, uint32_t notes, bool alt)
{
	struct ir_func *f = ir_func_add(&r->ir, alt ? "alt" : "main", alt ? IR_C_RUN : IR_C_PERF);
	struct ir_builder b = { .prog = &r->ir, .func = f };
	uint32_t skip = ir_newblock(&b, "skip");
	ir_reg cpu, pid;

	r->probe->prov->prologue(&b, r->probe, alt, skip);
	body_number(&b, r, notes, alt);
	cpu = ir_emit0(&b, IR_CPU);
	ir_emit(&b, IR_XADD, ir_mx(0, notes, offsetof(struct rig_notes, count), cpu, RIG_CPUS), ir_i(1));
	ir_emit(&b, IR_XADD, NOTE(notes, alt), ir_i(alt));
	ir_emit(&b, IR_XCAS, NOTE(notes, first), ir_i(0), ir_r(ir_emit0(&b, IR_CLOCK)));
	pid = ir_emit(&b, IR_ZEXT32, ir_r(ir_emit0(&b, IR_PIDTGID)));
	count_if(&b, notes, offsetof(struct rig_notes, idle), ir_emit(&b, IR_EQ, ir_r(pid), ir_i(0)));
	body_args(&b, r->probe, notes, alt);
	ir_enter(&b, skip);
	ir_emit0(&b, IR_RET);
	ir_func_order(&r->ir, f);
	return f;
}

static bool failed(struct rig *r)
{
	for (size_t i = 0; i < r->diags.list.n; i++)
		printf("# %s\n", r->diags.list.v[i].text);
	return false;
}

bool rig_open(struct rig *r, const char *probe)
{
	struct probe_spec spec = { .prov = "", .mod = "", .func = "", .name = probe, .text = probe };
	struct bpf_params par = { .ncpus = cpus_possible(), .bufsize = 4096, .aggsize = 4096, .dynvarsize = 4096 };
	struct enabled_probe e = { 0 };
	uint32_t notes;

	memset(r, 0, sizeof *r);
	arena_init(&r->arena, NULL, NULL);
	diags_init(&r->diags, &r->arena);
	probe_set_init(&r->probes, &r->arena);
	probe_match(&r->probes, &spec, &(struct probe_sink){ found, &r->probe }, r->env.reason, sizeof r->env.reason);
	if (!r->probe) {
		printf("# %s: %s\n", probe, r->env.reason);
		return false;
	}
	ir_prog_init(&r->ir, &r->arena);
	notes = ir_obj_add(&r->ir, &(struct ir_obj){
		.name = "notes", .kind = IR_O_GLOBAL, .size = sizeof(struct rig_notes),
	});
	e.probe = r->probe;
	e.func = body(r, notes, false);
	e.alt = probe_has_alt(r->probe) ? body(r, notes, true) : NULL;
	r->prog = (struct d_prog){ .arena = &r->arena, .ir = &r->ir };
	*VEC_ADD(&r->arena, &r->prog.probes) = e;
	r->ncpus = cpus_online(r->cpus, RIG_CPUS);
	return (!ir_verify(&r->ir, &r->diags) && !bpf_generate(&r->im, &r->arena, &r->ir, &par, &r->diags) &&
		!bpf_load(&r->loaded, &r->im, &r->diags)) || failed(r);
}

void rig_reverse(struct rig *r)
{
	for (unsigned i = 0; i < r->ncpus / 2; i++) {
		int cpu = r->cpus[i];

		r->cpus[i] = r->cpus[r->ncpus - 1 - i];
		r->cpus[r->ncpus - 1 - i] = cpu;
	}
}

static int prog_fd(const struct rig *r, const struct ir_func *f)
{
	for (size_t i = 0; f && i < r->im.codes.n; i++) {
		if (r->im.codes.v[i].func == f)
			return r->loaded.progfd[i];
	}
	return -1;
}

static void *global(struct attach_env *env, const char *name)
{
	struct rig *r = env->arg;
	int64_t obj = ir_obj_find(&r->ir, name);

	return obj < 0 ? NULL : bpf_object(&r->loaded, (uint32_t)obj);
}

int rig_arm(struct rig *r, bool paced)
{
	const struct enabled_probe *e = &r->prog.probes.v[0];
	int err;

	r->env = (struct attach_env){
		.prog_fd = prog_fd(r, e->func), .alt_fd = prog_fd(r, e->alt), .cpus = r->cpus, .ncpus = r->ncpus,
		.prog = &r->ir, .global = global, .arg = r, .clock_source = r->clock_source,
	};
	memset((void *)rig_notes(r), 0, sizeof(struct rig_notes));
	r->armed = clock_now();
	err = r->probe->prov->attach(r->probe, &r->env);
	if (!err)
		err = r->probe->prov->clock->start(r->probe);
	if (!err && paced)
		err = pacer_start(&r->pacer, &r->arena, &r->prog);
	return err;
}

void rig_disarm(struct rig *r)
{
	pacer_stop(&r->pacer);
	if (r->probe)
		r->probe->prov->detach(r->probe);
	r->stopped = clock_now();
}

void rig_close(struct rig *r)
{
	rig_disarm(r);
	bpf_unload(&r->loaded);
	arena_free(&r->arena);
}

volatile struct rig_notes *rig_notes(struct rig *r)
{
	return bpf_object(&r->loaded, (uint32_t)ir_obj_find(&r->ir, "notes"));
}

struct timer *rig_timer(struct rig *r)
{
	return timer_of(r->probe);
}

uint64_t rig_total(struct rig *r)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < RIG_CPUS; i++)
		n += rig_notes(r)->count[i];
	return n;
}
