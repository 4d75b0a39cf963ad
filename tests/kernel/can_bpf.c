/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * can_bpf		exit status 0 if kernel tests can run here; else 1 and the reason
 * can_bpf write	exit status 0 if this kernel permits BPF programs to write to processes
 */
#include <bpf/bpf.h>
#include <stdio.h>
#include <string.h>

#include "tests/lib/kernel.h"

static bool can_write(void)
{
	const struct bpf_insn code[] = {
		{ .code = BPF_ST | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_10, .off = -8, .imm = 0 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_1, .imm = 0 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_2, .src_reg = BPF_REG_10 },
		{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_2, .imm = -8 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_3, .imm = 8 },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_probe_write_user },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};

	return bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "test_write", "GPL", code, sizeof code / sizeof *code,
			     NULL) >= 0;
}

int main(int argc, char **argv)
{
	char why[128];

	if (argc > 1)
		return strcmp(argv[1], "write") || !can_write();
	if (kernel_can_trace(why, sizeof why))
		return 0;
	puts(why);
	return 1;
}
