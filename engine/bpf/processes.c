/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/bpf/processes.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/arch/arch.h"
#include "engine/bpf/code/bpf.h"
#include "engine/bpf/load/loaded.h"
#include "engine/bpf/load/program.h"
#include "engine/host/create.h"
#include "engine/host/refusal.h"
#include "rt/programs/process.h"

enum { RING_SIZE = 4096 };

/* When a program reports: after execve(), or when the dynamic linker has finished. */
enum report_at { AT_EXEC, AT_LINKER };

/* Returns the program's descriptor or -errno. */
static int load_program(struct processes *p, const struct backend_watched *w, enum report_at at)
{
	struct kernel_program prog[] = {
		[AT_EXEC] = { .function = "process_exec", .name = "dtr_exec" },
		[AT_LINKER] = {
			.function = "process_linker", .name = "dtr_linker", .type = BPF_PROG_TYPE_KPROBE,
			.attach = uprobe_many() ? (enum bpf_attach_type)UPROBE_MANY : 0,
		},
	};
	struct program_symbols symbols = { .arena = p->arena };
	int fd;

	program_common(&symbols, &p->loaded->im->par);
	if (w->family)
		families_symbols(&p->families, &symbols);
	else
		program_map(&symbols, "families", -1);
	program_map(&symbols, "processes", p->ring);
	program_number(&symbols, "process", (uint64_t)w->pid);
	program_number(&symbols, "family", w->family);
	program_number(&symbols, "stop", w->hold ? SIGSTOP : 0);
	program_number(&symbols, "program_counter", ARCH_PC);
	fd = program_load(&prog[at], &symbols);
	if (fd >= 0)
		*VEC_ADD(p->arena, &p->fds) = fd;
	return fd;
}

static void on_report(void *arg, const void *data, size_t size)
{
	struct processes *p = arg;

	if (size >= sizeof(struct process_report))
		*VEC_ADD(p->arena, &p->changed) = (int64_t)((const struct process_report *)data)->pid;
}

static int open_ring(struct processes *p)
{
	int fd, err;

	if (p->reader.taken)
		return 0;
	fd = create_map(BPF_MAP_TYPE_RINGBUF, "dtr_processes", 0, 0, RING_SIZE, NULL);
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
