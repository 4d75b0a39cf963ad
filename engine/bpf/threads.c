/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/bpf/threads.h"

#include <bpf/bpf.h>
#include <string.h>
#include <unistd.h>

#include "engine/bpf/code/asm.h"
#include "engine/bpf/code/layout.h"
#include "engine/bpf/code/vars.h"
#include "engine/bpf/load/load.h"
#include "engine/host/create.h"

/* One of the programs being generated. */
struct program {
	struct asm_buf a;
	const struct bpf_loaded *l;
	const struct bpf_place *pl;
	struct var_search s;
	uint32_t out;
};

/* The place of the thread-local variables that have a table, or NULL. */
static const struct bpf_place *find_table(const struct bpf_image *im)
{
	for (uint32_t i = 0; i < im->prog->objs.n; i++)
		if (im->prog->objs.v[i].kind == IR_O_THREAD && im->place[i].rows)
			return &im->place[i];
	return NULL;
}

/* R3 = the tag of the current thread, R0 = its task, R5 = the first row. */
static void current_tag(struct program *p)
{
	asm_call(&p->a, BPF_FUNC_get_current_task_btf);
	asm_fdval(&p->a, R5, p->l->mapfd[p->l->im->map_of[BPF_MAP_DATA]], p->pl->table + CACHE_LINE);
	asm_mov(&p->a, R3, R0);
	asm_alu(&p->a, BPF_SUB, R3, R5);
}

/* The tracepoint's argument is a number, and a tag is a distance of two addresses: computes it from the current
 * thread's. */
static void at_free(struct program *p)
{
	asm_ld(&p->a, BPF_DW, R6, R1, 0);
	asm_call(&p->a, BPF_FUNC_get_current_task);
	asm_alu(&p->a, BPF_SUB, R6, R0);
	current_tag(p);
	asm_alu(&p->a, BPF_ADD, R3, R6);
	var_remove(&p->a, &p->s);
}

/* The second argument is the thread's ID before. */
static void at_exec(struct program *p)
{
	uint32_t found = asm_label(&p->a);

	asm_ld(&p->a, BPF_W, R6, R1, 8);
	asm_call(&p->a, BPF_FUNC_get_current_pid_tgid);
	asm_alui(&p->a, BPF_LSH, R0, 32);
	asm_alui(&p->a, BPF_RSH, R0, 32);
	asm_jcc(&p->a, BPF_JEQ, R0, R6, p->out);
	current_tag(p);
	asm_ld(&p->a, BPF_DW, R4, R0, (int16_t)p->l->im->par.task.start);
	var_find(&p->a, &p->s, found);
	asm_jmp(&p->a, p->out);
	asm_bind(&p->a, found);
	asm_st(&p->a, BPF_DW, R2, VAR_START, R4);
}

/* Returns 0, or -1 if the kernel refuses it. */
static int prog_attach(struct bpf_threads *t, unsigned which, const struct bpf_loaded *l, const struct bpf_place *pl)
{
	static const struct { const char *name, *to; void (*make)(struct program *p); } progs[] = {
		[THREADS_FREE] = { "dtr_thread_free", "sched_process_free", at_free },
		[THREADS_EXEC] = { "dtr_thread_exec", "sched_process_exec", at_exec },
	};
	struct program p = { .l = l, .pl = pl, .s = var_search(l->im, pl) };

	asm_init(&p.a, l->im->arena);
	p.out = asm_label(&p.a);
	progs[which].make(&p);
	asm_bind(&p.a, p.out);
	asm_movi(&p.a, R0, 0);
	asm_exit(&p.a);
	if (!asm_finish(&p.a))
		return -1;
	t->prog[which] = create_program(BPF_PROG_TYPE_RAW_TRACEPOINT, progs[which].name, p.a.code.v, p.a.code.n,
				       NULL);
	if (t->prog[which] >= 0)
		t->link[which] = bpf_raw_tracepoint_open(progs[which].to, t->prog[which]);
	return t->link[which] < 0 ? -1 : 0;
}

/* Leaves no row free. */
static void fill_table(const struct bpf_loaded *l, const struct bpf_place *pl)
{
	uint8_t *table = l->data + pl->table;

	*(uint64_t *)table = 1;
	for (uint32_t i = 0; i < pl->rows; i++)
		*(uint64_t *)(table + CACHE_LINE + (size_t)i * vars_row(l->im, pl)) = VAR_TAKEN;
}

/* The table's programs. */
static void table_close(struct bpf_threads *t)
{
	for (unsigned i = 0; i < THREADS_NPROGS; i++) {
		if (t->link[i] >= 0)
			close(t->link[i]);
		if (t->prog[i] >= 0)
			close(t->prog[i]);
		t->link[i] = t->prog[i] = -1;
	}
}

/* The kernel runs the programs of a tracepoint in the order in which they were attached: the first one still finds the
 * variables of the thread. */
void threads_open(struct bpf_threads *t, const struct bpf_loaded *l, int end)
{
	const struct bpf_place *pl = find_table(l->im);

	t->open = true;
	memset(t->prog, 0xff, sizeof t->prog);
	memset(t->link, 0xff, sizeof t->link);
	t->end = end < 0 ? -1 : bpf_raw_tracepoint_open(NULL, end);
	for (unsigned i = 0; pl && i < THREADS_NPROGS; i++) {
		if (prog_attach(t, i, l, pl)) {
			fill_table(l, pl);
			table_close(t);
			return;
		}
	}
}

void threads_close(struct bpf_threads *t)
{
	if (!t->open)
		return;
	table_close(t);
	if (t->end >= 0)
		close(t->end);
	t->open = false;
}
