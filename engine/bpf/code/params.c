/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/bpf/code/params.h"

#include "engine/bpf/code/direct.h"
#include "engine/host/cpus.h"
#include "engine/host/framelimit.h"
#include "engine/host/pidns.h"
#include "engine/run/options.h"
#include "engine/unwind/unwind.h"
#include "lang/prog.h"

enum { KEEP_RING = 1 << 20, RECORDS = 2048, ALL_TABLES = 4 << 20, MOST_TABLES = 256 << 20 };

static struct task_layout task_layout(const struct d_prog *p)
{
	const struct task_layout *t = &p->task;
	uint32_t most = t->comm + 8;

	most = t->pid > most ? t->pid : most;
	most = t->tgid > most ? t->tgid : most;
	most = t->cred > most ? t->cred : most;
	most = t->start > most ? t->start : most;
	return most > INT16_MAX ? (struct task_layout){ 0 } : *t;
}

/*
 * How many records can wait in a ring. If all probes fire once (BEGIN, END), each clause records once, or has a fault,
 * which each ERROR clause records; otherwise as many as are usual between two passes of the consumer.
 */
static uint32_t records_waiting(const struct d_prog *p)
{
	size_t clauses = p->epids.n + 1, most = clauses * clauses;

	for (size_t i = 0; i < p->probes.n; i++)
		if (probe_ctx(p->probes.v[i].probe) != IR_C_RUN || p->probes.v[i].alt)
			return RECORDS;
	return most < RECORDS ? (uint32_t)most : RECORDS;
}

struct bpf_params params_of(const struct d_prog *p, const struct options *o)
{
	struct bpf_params par = { .ncpus = cpus_possible(), .bufsize = o->bufsize, .aggsize = o->d.aggsize,
				  .dynvarsize = o->dynvarsize, .resize = o->bufresize == RESIZE_AUTO,
				  .want_exit = p->uses_exit, .frames = frame_limit(),
				  .task = task_layout(p), .loads = direct_loads(&p->loads),
				  .table = (uint32_t)o->aggtable, .tables = MOST_TABLES,
				  .vars = (uint32_t)o->vartable, .all_vars = MOST_TABLES };

	/* by default, scripts that record strings can buffer as many records as others */
	if (!options_given(o, offsetof(struct options, bufsize)))
		par.records = records_waiting(p);
	if (par.records && par.records < RECORDS)
		par.bufsize = 0;
	/* with these policies this process keeps the records; the ring only has to hold those between two polls */
	if (o->bufpolicy != BUF_SWITCH && par.bufsize < KEEP_RING)
		par.bufsize = KEEP_RING;
	/* by default, the tables of many aggregations or variables are smaller */
	if (!options_given(o, offsetof(struct options, aggtable)))
		par.tables = ALL_TABLES;
	if (!options_given(o, offsetof(struct options, vartable)))
		par.all_vars = ALL_TABLES / 2;
	par.unwind = o->unwind != UNWIND_FP && unwind_mask();
	par.pidns_ino = pidns_inode(&par.pidns_dev);
	return par;
}
