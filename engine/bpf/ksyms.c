/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/bpf/ksyms.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/bpf/load/load.h"
#include "engine/bpf/load/program.h"
#include "engine/host/create.h"
#include "engine/host/refusal.h"
#include "engine/symbols/symbol.h"

enum { MOST_CALLS = 16384 };

void ksyms_init(struct ksyms *k, struct arena *a)
{
	*k = (struct ksyms){ .arena = a, .prog = -1, .map = -1, .format = -1 };
}

/* The kernel accepts a format only in a map that nobody can change any more. */
static int format_open(void)
{
	static const char format[8] = "%pS";
	const uint32_t zero = 0;
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_RDONLY_PROG);
	int fd = create_map(BPF_MAP_TYPE_ARRAY, "dtr_format", sizeof zero, sizeof format, 1, &opts);

	if (fd >= 0 && (bpf_map_update_elem(fd, &zero, format, 0) || bpf_map_freeze(fd))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static int program_open(const struct ksyms *k)
{
	static const struct kernel_program prog = { .function = "ksym", .name = "dtr_ksyms" };
	struct program_symbols symbols = { .arena = k->arena };

	program_value(&symbols, "ksym_text", k->map, 0);
	program_value(&symbols, "ksym_format", k->format, 0);
	return program_load(&prog, &symbols);
}

static bool ksyms_ready(struct ksyms *k)
{
	if (!k->tried) {
		k->tried = true;
		if (!kernel_names_permitted())
			return false;
		k->map = create_map(BPF_MAP_TYPE_ARRAY, "dtr_ksym", sizeof(uint32_t), KSYM_TEXT, 1, NULL);
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
