/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/bpf/code/direct.h"

#include <bpf/bpf.h>
#include <unistd.h>

#include "base/arch/arch.h"
#include "engine/bpf/code/asm.h"
#include "engine/host/create.h"

static bool kernel_accepts(const struct kernel_loads *loads)
{
	const struct bpf_insn code[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_1 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_2, .imm = (int32_t)loads->number },
		{ .code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_KFUNC_CALL, .imm = (int32_t)loads->cast },
		{ .code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_0, .src_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	size_t n = sizeof code / sizeof *code;
	int fd = create_program(BPF_PROG_TYPE_RAW_TRACEPOINT, "dtr_loads", code, n, NULL);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

struct kernel_loads direct_loads(const struct kernel_loads *loads)
{
	if (ARCH_LOADS_REFUSED && loads->cast && loads->number && kernel_accepts(loads))
		return *loads;
	return (struct kernel_loads){ 0 };
}
