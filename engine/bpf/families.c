/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/bpf/families.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stddef.h>

#include "engine/bpf/asm.h"
#include "engine/bpf/bpf.h"
#include "engine/bpf/loaded.h"
#include "providers/family.h"

enum {
	LEVELS = 33,			/* PID name spaces can be nested so deep */
	UPID = 16,			/* bytes of struct upid */
	STACK_INFO = -16, STACK_VALUE = -8,
};

/* A program. */
struct family_code {
	struct asm_buf a;
	const struct families *f;
	uint32_t out;
};

bool families_find(struct families *f, const struct d_prog *prog, const struct bpf_loaded *l)
{
	int64_t obj = ir_obj_find(prog->ir, FAMILY_OBJECT);

	if (obj < 0)
		return false;
	*f = (struct families){
		.data = l->mapfd[l->im->map_of[BPF_MAP_DATA]], .off = l->im->place[obj].off, .prog = prog,
		.par = &l->im->par,
	};
	return true;
}

void families_current(struct asm_buf *a, const struct bpf_params *par, uint32_t out)
{
	if (!par->pidns_ino) {
		asm_call(a, BPF_FUNC_get_current_pid_tgid);
		asm_alui(a, BPF_RSH, R0, 32);
		return;
	}
	asm_movi(a, R1, (int64_t)par->pidns_dev);
	asm_movi(a, R2, (int64_t)par->pidns_ino);
	asm_mov(a, R3, FP);
	asm_alui(a, BPF_ADD, R3, STACK_INFO);
	asm_movi(a, R4, sizeof(struct bpf_pidns_info));
	asm_call(a, BPF_FUNC_get_ns_current_pid_tgid);
	asm_jcci(a, BPF_JNE, R0, 0, out);
	asm_ld(a, BPF_W, R0, FP, STACK_INFO + (int)offsetof(struct bpf_pidns_info, tgid));
}

void families_number(struct asm_buf *a, const struct families *f, int id, uint32_t out)
{
	asm_jcci(a, BPF_JGE, id, FAMILY_PIDS, out);
	asm_mov(a, R2, id);
	asm_alui(a, BPF_LSH, R2, 1);
	asm_fdval(a, R1, f->data, f->off);
	asm_alu(a, BPF_ADD, R1, R2);
}

/* dst = the number of `size` bytes in the kernel's memory at base + off; 0 if it cannot be read. */
static void kernel_load(struct family_code *c, int dst, int base, uint32_t off, uint8_t size)
{
	asm_sti(&c->a, BPF_DW, FP, STACK_VALUE, 0);
	asm_mov(&c->a, R3, base);
	asm_alui(&c->a, BPF_ADD, R3, (int32_t)off);
	asm_mov(&c->a, R1, FP);
	asm_alui(&c->a, BPF_ADD, R1, STACK_VALUE);
	asm_movi(&c->a, R2, size == BPF_DW ? 8 : 4);
	asm_call(&c->a, BPF_FUNC_probe_read_kernel);
	asm_ld(&c->a, size, dst, FP, STACK_VALUE);
}

/* R8 = the ID in dtr's name space of the process whose struct pid is in R7; R6 is lost. */
static void find_id(struct family_code *c)
{
	const struct family_layout *t = &c->f->prog->families;
	uint32_t found = asm_label(&c->a);

	kernel_load(c, R6, R7, t->level, BPF_W);
	for (int32_t i = 0; i < LEVELS; i++) {
		uint32_t next = asm_label(&c->a), at = t->numbers + (uint32_t)i * UPID;

		asm_jcci(&c->a, BPF_JLT, R6, i, c->out);
		kernel_load(c, R8, R7, at + t->upid_ns, BPF_DW);
		kernel_load(c, R8, R8, t->ns_inum, BPF_W);
		asm_movi(&c->a, R1, (int64_t)c->f->par->pidns_ino);
		asm_jcc(&c->a, BPF_JNE, R8, R1, next);
		kernel_load(c, R8, R7, at, BPF_W);
		asm_jmp(&c->a, found);
		asm_bind(&c->a, next);
	}
	asm_jmp(&c->a, c->out);
	asm_bind(&c->a, found);
}

/* The arguments: the current thread, the new one. R9: the number of the family. */
static void at_fork(struct family_code *c)
{
	const struct family_layout *t = &c->f->prog->families;

	asm_ld(&c->a, BPF_DW, R6, R1, 8);
	families_current(&c->a, c->f->par, c->out);
	families_number(&c->a, c->f, R0, c->out);
	asm_ld(&c->a, BPF_H, R9, R1, 0);
	asm_jcci(&c->a, BPF_JEQ, R9, 0, c->out);
	kernel_load(c, R8, R6, t->tgid, BPF_W);
	kernel_load(c, R7, R6, t->pid, BPF_W);
	asm_jcc(&c->a, BPF_JNE, R7, R8, c->out);	/* a thread */
	if (c->f->par->pidns_ino) {
		kernel_load(c, R7, R6, t->thread_pid, BPF_DW);
		find_id(c);
	}
	families_number(&c->a, c->f, R8, c->out);
	asm_st(&c->a, BPF_H, R1, 0, R9);
}

static void at_exit(struct family_code *c)
{
	const struct family_layout *t = &c->f->prog->families;

	families_current(&c->a, c->f->par, c->out);
	families_number(&c->a, c->f, R0, c->out);
	asm_mov(&c->a, R9, R1);
	asm_ld(&c->a, BPF_H, R0, R9, 0);
	asm_jcci(&c->a, BPF_JEQ, R0, 0, c->out);
	asm_call(&c->a, BPF_FUNC_get_current_task);
	asm_mov(&c->a, R6, R0);
	kernel_load(c, R6, R6, t->signal, BPF_DW);
	kernel_load(c, R6, R6, t->live, BPF_W);
	asm_jcci(&c->a, BPF_JNE, R6, 0, c->out);	/* other threads still run */
	asm_sti(&c->a, BPF_H, R9, 0, 0);
}

static int prog_load(const struct families *f, struct arena *a, const char *name, void (*make)(struct family_code *c))
{
	struct family_code c = { .f = f };
	int fd;

	asm_init(&c.a, a);
	c.out = asm_label(&c.a);
	make(&c);
	asm_bind(&c.a, c.out);
	asm_movi(&c.a, R0, 0);
	asm_exit(&c.a);
	if (!asm_finish(&c.a))
		return -E2BIG;
	fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, name, "GPL", c.a.code.v, c.a.code.n, NULL);
	return fd < 0 ? -errno : fd;
}

int families_open(const struct families *f, struct arena *a, int fd[FAMILIES_FDS], unsigned *n)
{
	static const struct { const char *name, *to; void (*make)(struct family_code *c); } progs[] = {
		{ "dtr_family_exit", "sched_process_exit", at_exit },
		{ "dtr_family_fork", "sched_process_fork", at_fork },
	};

	*n = 0;
	if (!f->prog->families.live)
		return -EOPNOTSUPP;
	for (unsigned i = 0; i < sizeof progs / sizeof *progs; i++) {
		int prog = prog_load(f, a, progs[i].name, progs[i].make), link;

		if (prog < 0)
			return prog;
		fd[(*n)++] = prog;
		link = bpf_raw_tracepoint_open(progs[i].to, prog);
		if (link < 0)
			return -errno;
		fd[(*n)++] = link;
	}
	return 0;
}
