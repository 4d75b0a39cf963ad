/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "tests/kernel/burn.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/bpf/code/insn.h"

enum {
	EVERY_NS = 10000000,
	HOLD_NS = 1000000,	/* five intervals at 5 kHz */
	BYTES = 2 << 20,	/* copied at once: a fraction of a millisecond */
	COPIES = 64,		/* at most; at 100 GB/s they take HOLD_NS */
	CODE_MAX = 1024,
};

static struct bpf_insn *put(struct bpf_insn *p, struct bpf_insn i)
{
	*p = i;
	return p + 1;
}

/* dst = the address of the map's value; its first 8 bytes are followed by memory to copy. */
static struct bpf_insn *value(struct bpf_insn *p, int dst, int map)
{
	p = put(p, insn(BPF_LD | BPF_IMM | BPF_DW, dst, BPF_PSEUDO_MAP_VALUE, 0, map));
	return put(p, insn(0, 0, 0, 0, 0));
}

/* Copies; r0 = the time for which the program has been running. */
static struct bpf_insn *copy(struct bpf_insn *p)
{
	p = put(p, insn(BPF_ALU64 | BPF_MOV | BPF_X, R1, R6, 0, 0));
	p = put(p, insn(BPF_ALU64 | BPF_ADD | BPF_K, R1, 0, 0, 8));
	p = put(p, insn(BPF_ALU64 | BPF_MOV | BPF_K, R2, 0, 0, BYTES));
	p = put(p, insn(BPF_ALU64 | BPF_MOV | BPF_X, R3, R1, 0, 0));
	p = put(p, insn(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_probe_read_kernel));
	p = put(p, insn(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_ktime_get_ns));
	return put(p, insn(BPF_ALU64 | BPF_SUB | BPF_X, R0, R7, 0, 0));
}

/* if (this CPU && now > due) { due = now + EVERY_NS; copy until HOLD_NS have passed; } */
static unsigned code(struct bpf_insn *out, int map, int cpu)
{
	struct bpf_insn *p = out, *leave[COPIES + 2];
	int n = 0;

	p = put(p, insn(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_get_smp_processor_id));
	leave[n++] = p;
	p = put(p, insn(BPF_JMP | BPF_JNE | BPF_K, R0, 0, 0, cpu));
	p = value(p, R6, map);
	p = put(p, insn(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_ktime_get_ns));
	p = put(p, insn(BPF_ALU64 | BPF_MOV | BPF_X, R7, R0, 0, 0));
	p = put(p, insn(BPF_LDX | BPF_MEM | BPF_DW, R1, R6, 0, 0));
	leave[n++] = p;
	p = put(p, insn(BPF_JMP | BPF_JLT | BPF_X, R0, R1, 0, 0));
	p = put(p, insn(BPF_ALU64 | BPF_ADD | BPF_K, R0, 0, 0, EVERY_NS));
	p = put(p, insn(BPF_STX | BPF_MEM | BPF_DW, R6, R0, 0, 0));
	for (int i = 0; i < COPIES; i++) {
		p = copy(p);
		leave[n++] = p;
		p = put(p, insn(BPF_JMP | BPF_JGE | BPF_K, R0, 0, 0, HOLD_NS));
	}
	while (n-- > 0)
		leave[n]->off = (int16_t)(p - leave[n] - 1);
	p = put(p, insn(BPF_ALU64 | BPF_MOV | BPF_K, R0, 0, 0, 0));
	p = put(p, insn(BPF_JMP | BPF_EXIT, 0, 0, 0, 0));
	return (unsigned)(p - out);
}

bool burn_start(struct burn *b, int cpu)
{
	struct bpf_insn insns[CODE_MAX];

	*b = (struct burn){ .prog = -1, .link = -1 };
	b->map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "test_burn", 4, BYTES + 8, 1, NULL);
	if (b->map >= 0)
		b->prog = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "test_burn", "GPL", insns, code(insns, b->map,
			cpu), NULL);
	if (b->prog >= 0)
		b->link = bpf_raw_tracepoint_open("hrtimer_expire_exit", b->prog);
	if (b->link < 0)
		printf("# burn: %s\n", strerror(errno));
	return b->link >= 0;
}

void burn_stop(struct burn *b)
{
	const int fds[] = { b->link, b->prog, b->map };

	for (int i = 0; i < 3; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
	}
}
