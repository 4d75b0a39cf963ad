/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One probe in the kernel without the D compiler: its prologue and arguments, and a body that counts every firing.
 *
 * Who owns what: everything from rig_open to rig_close. What can fail: opening; the reason is printed on standard
 * output.
 */
#ifndef TESTS_KERNEL_RIG_H
#define TESTS_KERNEL_RIG_H

#include "engine/bpf/code/bpf.h"
#include "engine/bpf/load/load.h"
#include "engine/bpf/pacer.h"
#include "lang/prog.h"
#include "providers/profile/profile.h"
#include "providers/profile/timer.h"

enum { RIG_CPUS = 1024, RIG_HITS = 1 << 16 };

/* The counts of the body, in one GLOBAL object. */
struct rig_notes {
	uint64_t count[RIG_CPUS];	/* firings by CPU */
	uint64_t hits[RIG_HITS];	/* firings by number of the interval */
	uint64_t kernel, user, both;	/* arg0 is set, arg1 is set, both or none is */
	uint64_t late, late_max;	/* arg2: sum, largest */
	uint64_t idle;			/* firings that saw the idle task */
	uint64_t alt;			/* firings of the second form */
	uint64_t first;			/* when the first one was */
};

struct rig {
	struct arena arena;
	struct diags diags;
	struct probe_set probes;
	struct probe *probe;
	struct ir_prog ir;
	struct d_prog prog;
	struct bpf_image im;
	struct bpf_loaded loaded;
	struct pacer pacer;
	const char *clock_source;
	struct attach_env env;
	int cpus[RIG_CPUS];
	unsigned ncpus;
	uint64_t armed, stopped;
};

/* Makes and loads the program of this probe. */
bool rig_open(struct rig *r, const char *probe);
/* The last CPU comes first: a tick starts there. */
void rig_reverse(struct rig *r);
/* Enables it. paced: with the pacer thread. 0 or -errno (r->env.reason). */
int rig_arm(struct rig *r, bool paced);
void rig_disarm(struct rig *r);
void rig_close(struct rig *r);

volatile struct rig_notes *rig_notes(struct rig *r);
struct timer *rig_timer(struct rig *r);
uint64_t rig_total(struct rig *r);

#endif
