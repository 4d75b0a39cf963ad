/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/bpf/processes.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/arch/arch.h"
#include "engine/bpf/asm.h"
#include "engine/bpf/bpf.h"
#include "engine/bpf/loaded.h"
#include "engine/host/refusal.h"

enum { RING_SIZE = 4096, REPORT = 8, STACK_STATE = -8 };

/* A program. R6: the context, R7: the report, R8: the process. */
struct report_code {
	struct asm_buf a;
	const struct processes *p;
	uint32_t out;
};

/* Continues only in the process, or in those of its family. R8 = the ID of the current one. */
static void only_process(struct report_code *c, const struct backend_watched *w)
{
	families_current(&c->a, &c->p->loaded->im->par, c->out);
	asm_mov(&c->a, R8, R0);
	if (!w->family) {
		asm_jcci(&c->a, BPF_JNE, R8, (int32_t)w->pid, c->out);
		return;
	}
	families_number(&c->a, &c->p->families, R8, c->out);
	asm_ld(&c->a, BPF_H, R0, R1, 0);
	asm_jcci(&c->a, BPF_JNE, R0, w->family, c->out);
}

/* Continues only if the linker has finished: struct r_debug is at a known distance from the instruction. */
static void only_consistent(struct report_code *c)
{
	asm_mov(&c->a, R1, R6);
	asm_call(&c->a, BPF_FUNC_get_attach_cookie);
	asm_ld(&c->a, BPF_DW, R3, R6, ARCH_PC);
	asm_alu(&c->a, BPF_ADD, R3, R0);
	asm_sti(&c->a, BPF_DW, FP, STACK_STATE, 0);
	asm_mov(&c->a, R1, FP);
	asm_alui(&c->a, BPF_ADD, R1, STACK_STATE);
	asm_movi(&c->a, R2, 4);
	asm_call(&c->a, BPF_FUNC_probe_read_user);
	asm_ld(&c->a, BPF_W, R0, FP, STACK_STATE);
	asm_jcci(&c->a, BPF_JNE, R0, 0, c->out);
}

/* The signal comes before the report is visible: the consumer answers it with SIGCONT. Without room for the report, the
 * process is not held. */
static void emit_report(struct report_code *c, const struct backend_watched *w)
{
	asm_fd(&c->a, R1, c->p->ring);
	asm_movi(&c->a, R2, REPORT);
	asm_movi(&c->a, R3, 0);
	asm_call(&c->a, BPF_FUNC_ringbuf_reserve);
	asm_jcci(&c->a, BPF_JEQ, R0, 0, c->out);
	asm_mov(&c->a, R7, R0);
	asm_st(&c->a, BPF_DW, R7, 0, R8);
	if (w->hold) {
		asm_movi(&c->a, R1, SIGSTOP);
		asm_call(&c->a, BPF_FUNC_send_signal);
	}
	asm_mov(&c->a, R1, R7);
	asm_movi(&c->a, R2, BPF_RB_FORCE_WAKEUP);
	asm_call(&c->a, BPF_FUNC_ringbuf_submit);
}

/* When a program reports: after execve(), or when the dynamic linker has finished. */
enum report_at { AT_EXEC, AT_LINKER };

/* Returns the program's descriptor or -errno. */
static int load_program(struct processes *p, const struct backend_watched *w, enum report_at at)
{
	static const struct { const char *name; enum bpf_prog_type type; } kinds[] = {
		[AT_EXEC] = { "dtr_exec", BPF_PROG_TYPE_RAW_TRACEPOINT },
		[AT_LINKER] = { "dtr_linker", BPF_PROG_TYPE_KPROBE },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts);
	struct report_code c = { .p = p };
	int fd;

	asm_init(&c.a, p->arena);
	c.out = asm_label(&c.a);
	asm_mov(&c.a, R6, R1);
	only_process(&c, w);
	if (at == AT_LINKER)
		only_consistent(&c);
	emit_report(&c, w);
	asm_bind(&c.a, c.out);
	asm_movi(&c.a, R0, 0);
	asm_exit(&c.a);
	if (!asm_finish(&c.a))
		return -E2BIG;
	if (at == AT_LINKER && uprobe_many())
		opts.expected_attach_type = (enum bpf_attach_type)UPROBE_MANY;
	fd = bpf_prog_load(kinds[at].type, kinds[at].name, "GPL", c.a.code.v, c.a.code.n, &opts);
	if (fd < 0)
		return -errno;
	*VEC_ADD(p->arena, &p->fds) = fd;
	return fd;
}

static void on_report(void *arg, const void *data, size_t size)
{
	struct processes *p = arg;

	if (size >= REPORT)
		*VEC_ADD(p->arena, &p->changed) = *(const int64_t *)data;
}

static int open_ring(struct processes *p)
{
	int fd, err;

	if (p->reader.taken)
		return 0;
	fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "dtr_processes", 0, 0, RING_SIZE, NULL);
	if (fd < 0)
		return -errno;
	err = reader_open(&p->reader, fd);
	if (err) {
		close(fd);
		return err;
	}
	p->ring = fd;
	*VEC_ADD(p->arena, &p->fds) = fd;
	return 0;
}

/* The programs that maintain the table of families run before a process is added. */
static int maintain_families(struct processes *p)
{
	int fd[FAMILIES_FDS], r;
	unsigned n;

	if (p->maintained)
		return 0;
	r = families_open(&p->families, p->arena, fd, &n);
	for (unsigned i = 0; i < n; i++)
		*VEC_ADD(p->arena, &p->fds) = fd[i];
	p->maintained = !r;
	return r;
}

void processes_init(struct processes *p, struct arena *a, const struct d_prog *prog, const struct bpf_loaded *l)
{
	*p = (struct processes){ .arena = a, .prog = prog, .loaded = l };
}

int processes_watch(struct processes *p, const struct backend_watched *w, char *reason, size_t n)
{
	int r = open_ring(p), fd;

	if (!r && w->family)
		r = families_find(&p->families, p->prog, p->loaded) ? maintain_families(p) : -ENOENT;
	if (!r)
		r = load_program(p, w, AT_EXEC);
	if (r >= 0) {
		fd = bpf_raw_tracepoint_open("sched_process_exec", r);
		r = fd < 0 ? -errno : 0;
		if (!r)
			*VEC_ADD(p->arena, &p->fds) = fd;
	}
	if (r < 0)
		refusal_bpf(reason, n, r, "watching a process");
	return r;
}

int processes_linker(struct processes *p, const struct backend_watched *w, const struct backend_linker *l,
		     char *reason, size_t n)
{
	const struct uprobe_site site = { .off = l->off, .cookie = (uint64_t)l->state };
	int fd = load_program(p, w, AT_LINKER);
	const struct uprobe_want want = {
		.prog_fd = fd, .file = l->file, .pid = w->family ? 0 : (int)w->pid, .site = &site, .n = 1,
	};

	if (fd >= 0)
		return uprobes_open(&p->linkers, &want, reason, n);
	refusal_bpf(reason, n, fd, "watching a process");
	return fd;
}

bool processes_changed(struct processes *p, int64_t *pid)
{
	if (p->reader.taken)
		reader_take(&p->reader, on_report, p);
	if (!p->changed.n)
		return false;
	*pid = p->changed.v[--p->changed.n];
	return true;
}

void processes_close(struct processes *p)
{
	links_close(&p->linkers);
	reader_close(&p->reader);
	for (size_t i = 0; i < p->fds.n; i++)
		close(p->fds.v[i]);
	*p = (struct processes){ 0 };
}
