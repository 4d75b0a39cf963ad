/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/bpf/load/program.h"

#include <errno.h>
#include <string.h>

#include "engine/bpf/code/bpf.h"
#include "engine/bpf/code/link.h"
#include "engine/host/create.h"
#include "rt/blob.h"

void program_number(struct program_symbols *s, const char *name, uint64_t number)
{
	*VEC_ADD(s->arena, &s->v) = (struct program_symbol){ name, SYMBOL_NUMBER, number, -1 };
}

void program_map(struct program_symbols *s, const char *name, int fd)
{
	*VEC_ADD(s->arena, &s->v) = (struct program_symbol){ name, SYMBOL_MAP, 0, fd };
}

void program_value(struct program_symbols *s, const char *name, int fd, uint64_t off)
{
	*VEC_ADD(s->arena, &s->v) = (struct program_symbol){ name, SYMBOL_VALUE, off, fd };
}

void program_common(struct program_symbols *s, const struct bpf_params *par)
{
	program_number(s, "pidns_dev", par->pidns_dev);
	program_number(s, "pidns_ino", par->pidns_ino);
}

static const struct rt_func *function_find(const struct rt_lib *lib, const char *name)
{
	const size_t prefix = sizeof "program_" - 1;

	for (uint32_t f = 0; lib && f < lib->nfuncs; f++)
		if (!strncmp(lib->func[f].name, "program_", prefix) && !strcmp(lib->func[f].name + prefix, name))
			return &lib->func[f];
	return NULL;
}

static const struct program_symbol *symbol_find(const struct program_symbols *s, const char *name)
{
	const char *prefix[] = { [SYMBOL_NUMBER] = "k_", [SYMBOL_MAP] = "map_", [SYMBOL_VALUE] = "map_" };

	for (size_t i = 0; i < s->v.n; i++) {
		const struct program_symbol *x = &s->v.v[i];
		size_t n = strlen(prefix[x->kind]);

		if (!strncmp(name, prefix[x->kind], n) && !strcmp(name + n, x->name))
			return x;
	}
	return NULL;
}

/* A load of a symbol's address: two instructions, each with half of a number. The source may add to the address. */
static void load_symbol(struct bpf_insn *in, const struct program_symbol *x)
{
	static const uint8_t pseudo[] = { [SYMBOL_MAP] = BPF_PSEUDO_MAP_FD, [SYMBOL_VALUE] = BPF_PSEUDO_MAP_VALUE };
	uint64_t number = x->number + (uint64_t)(int64_t)in[0].imm;

	if (x->kind == SYMBOL_NUMBER || x->fd < 0) {
		in[0].imm = (int32_t)number;
		in[1].imm = (int32_t)(number >> 32);
		return;
	}
	in[0].src_reg = pseudo[x->kind];
	in[0].imm = x->fd;
	in[1].imm = (int32_t)number;
}

int program_load(const struct kernel_program *p, struct program_symbols *s)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = p->attach);
	const struct rt_lib *lib = s->object ? s->object : link_read(s->arena, rt_programs, rt_programs_end);
	const struct rt_func *f = function_find(lib, p->function);
	struct bpf_insn *code;
	int fd;

	s->object = lib;
	if (!f)
		return -ENOENT;
	code = arena_memdup(s->arena, lib->code + f->start, f->n * sizeof *code);
	for (uint32_t i = 0; i < f->n; i++) {
		int32_t external = lib->external[f->start + i];
		const struct program_symbol *x = external < 0 ? NULL : symbol_find(s, lib->extern_name[external]);

		if (lib->callee[f->start + i] >= 0 || (external >= 0 && !x))
			return -ENOENT;
		if (x)
			load_symbol(&code[i], x);
	}
	fd = create_program(p->type ? p->type : BPF_PROG_TYPE_RAW_TRACEPOINT, p->name, code, f->n, &opts);
	return fd < 0 ? -errno : fd;
}
