/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/bpf/families.h"

#include <bpf/bpf.h>
#include <errno.h>

#include "engine/bpf/code/bpf.h"
#include "engine/bpf/load/loaded.h"
#include "engine/bpf/load/program.h"
#include "lang/prog.h"
#include "providers/family.h"
#include "rt/programs/process.h"

_Static_assert((int)PROCESS_IDS == FAMILY_PIDS, "the programs know the table's size");

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

void families_symbols(const struct families *f, struct program_symbols *s)
{
	const struct family_layout *t = &f->prog->families;

	program_value(s, "families", f->data, f->off);
	program_number(s, "task_pid", t->pid);
	program_number(s, "task_tgid", t->tgid);
	program_number(s, "task_thread_pid", t->thread_pid);
	program_number(s, "task_signal", t->signal);
	program_number(s, "signal_live", t->live);
	program_number(s, "pid_level", t->level);
	program_number(s, "pid_numbers", t->numbers);
	program_number(s, "upid_ns", t->upid_ns);
	program_number(s, "ns_inum", t->ns_inum);
	program_number(s, "pidns_level", t->own_level);
}

int families_open(const struct families *f, struct arena *a, int fd[FAMILIES_FDS], unsigned *n)
{
	static const struct { struct kernel_program prog; const char *to; } progs[] = {
		{ { .function = "family_exit", .name = "dtr_family_exit" }, "sched_process_exit" },
		{ { .function = "family_fork", .name = "dtr_family_fork" }, "sched_process_fork" },
	};
	struct program_symbols symbols = { .arena = a };

	*n = 0;
	if (!f->prog->families.live)
		return -EOPNOTSUPP;
	program_common(&symbols, f->par);
	families_symbols(f, &symbols);
	for (unsigned i = 0; i < sizeof progs / sizeof *progs; i++) {
		int prog = program_load(&progs[i].prog, &symbols), link;

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
