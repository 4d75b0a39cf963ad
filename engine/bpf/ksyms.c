/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/bpf/ksyms.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/bpf/insn.h"
#include "engine/bpf/load.h"
#include "engine/host/refusal.h"
#include "engine/symbols/symbol.h"

enum { MOST_CALLS = 16384 };

void ksyms_init(struct ksyms *k)
{
	*k = (struct ksyms){ .prog = -1, .map = -1, .format = -1 };
}

/* The kernel accepts a format only in a map that nobody can change any more. */
static int format_open(void)
{
	static const char format[8] = "%pS";
	const uint32_t zero = 0;
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_RDONLY_PROG);
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "dtr_format", sizeof zero, sizeof format, 1, &opts);

	if (fd >= 0 && (bpf_map_update_elem(fd, &zero, format, 0) || bpf_map_freeze(fd))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* Formats the first word of its context into the map. */
static int program_open(const struct ksyms *k)
{
	const struct bpf_insn code[] = {
		insn(BPF_LDX | BPF_MEM | BPF_DW, R1, R1, 0, 0),
		insn(BPF_STX | BPF_MEM | BPF_DW, FP, R1, -8, 0),
		insn(BPF_LD | BPF_IMM | BPF_DW, R1, BPF_PSEUDO_MAP_VALUE, 0, k->map),
		insn(0, 0, 0, 0, 0),
		insn(BPF_ALU64 | BPF_MOV | BPF_K, R2, 0, 0, KSYMS_NAME),
		insn(BPF_LD | BPF_IMM | BPF_DW, R3, BPF_PSEUDO_MAP_VALUE, 0, k->format),
		insn(0, 0, 0, 0, 0),
		insn(BPF_ALU64 | BPF_MOV | BPF_X, R4, FP, 0, 0),
		insn(BPF_ALU64 | BPF_ADD | BPF_K, R4, 0, 0, -8),
		insn(BPF_ALU64 | BPF_MOV | BPF_K, R5, 0, 0, 8),
		insn(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_snprintf),
		insn(BPF_ALU64 | BPF_MOV | BPF_K, R0, 0, 0, 0),
		insn(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};

	return bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "dtr_ksyms", "GPL", code, sizeof code / sizeof *code, NULL);
}

static bool ksyms_ready(struct ksyms *k)
{
	if (!k->tried) {
		k->tried = true;
		if (!kernel_names_permitted())
			return false;
		k->map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "dtr_ksym", sizeof(uint32_t), KSYMS_NAME, 1, NULL);
		k->format = k->map < 0 ? -1 : format_open();
		k->prog = k->format < 0 ? -1 : program_open(k);
	}
	return k->prog >= 0 && k->calls++ < MOST_CALLS;
}

/* "name+0x1a/0x40" or "name+0x1a/0x40 [module]"; a number if there is no symbol. */
static void text_parse(struct ksyms *k, uint64_t addr, struct symbol *out)
{
	char *plus = strrchr(k->text, '+'), *end, *module;

	*out = (struct symbol){ 0 };
	if (!plus)
		return;
	out->name = k->text;
	out->start = addr - strtoull(plus + 1, &end, 16);
	out->object = "vmlinux";
	module = strchr(end, '[');
	if (module) {
		module++;
		module[strcspn(module, " ]")] = '\0';
		out->object = module;
	}
	*plus = '\0';
}

bool ksyms_find(struct ksyms *k, uint64_t addr, struct symbol *out)
{
	const uint32_t zero = 0;
	char *last = k->text + sizeof k->text - 1;

	if (!ksyms_ready(k) || bpf_run_with(k->prog, addr) || bpf_map_lookup_elem(k->map, &zero, k->text))
		return false;
	*last = '\0';
	text_parse(k, addr, out);
	return true;
}

void ksyms_close(struct ksyms *k)
{
	const int fd[] = { k->prog, k->map, k->format };

	for (size_t i = 0; i < sizeof fd / sizeof *fd; i++)
		if (fd[i] >= 0)
			close(fd[i]);
	k->prog = k->map = k->format = -1;
}
