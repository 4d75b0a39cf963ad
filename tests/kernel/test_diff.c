/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Differential test: random IR programs run by the interpreter and by the kernel (both.h).
 *
 *	test_diff [FIRST [COUNT]]	runs the programs FIRST .. FIRST + COUNT - 1; without arguments the first 150,
 *					under emulation, where each takes seconds, 50
 */
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/bpf/code/direct.h"
#include "engine/host/cpus.h"
#include "tests/kernel/both.h"
#include "tests/kernel/diff_gen.h"
#include "tests/lib/kernel.h"

static void generate(struct both *t, uint64_t number, enum ir_ctx ctx)
{
	both_open(t, number);
	t->prog = arena_alloc(&t->arena, sizeof *t->prog);
	ir_prog_init(t->prog, &t->arena);
	diff_generate(t->prog, number, ctx);
}

static bool compare_once(uint64_t number, bool optimise, bool *again)
{
	struct both t;
	bool ok;

	generate(&t, number, IR_C_RUN);
	ir_seed(t.prog);
	if (optimise)
		ir_optimise(t.prog);
	diff_seed(&both_fire(&t, t.prog->funcs.v[0])->seed, number);
	ok = both_run(&t, again);
	both_show(&t);
	both_dump(&t);
	both_close(&t);
	return ok;
}

static bool compare_one(uint64_t number, bool optimise)
{
	bool again = true, ok = false;

	for (unsigned i = 0; again && both_try(i); i++)
		ok = compare_once(number, optimise, &again);
	if (again)
		printf("# program %llu: no thread variable can be made\n", (unsigned long long)number);
	return ok && !again;
}

static uint32_t id_of(const struct btf *btf, const char *name, uint32_t kind)
{
	int id = btf__find_by_name_kind(btf, name, kind);

	return id > 0 ? (uint32_t)id : 0;
}

static struct kernel_loads loads(void)
{
	static struct kernel_loads usable, found;
	struct btf *btf = found.number ? NULL : btf__load_vmlinux_btf();

	if (btf) {
		found.number = id_of(btf, "timespec64", BTF_KIND_STRUCT);
		found.cast = id_of(btf, "bpf_rdonly_cast", BTF_KIND_FUNC);
		usable = direct_loads(&found);
		btf__free(btf);
	}
	return usable;
}

/* Loads the program as for a probe: a perf event program that reads real values. It must load. */
static bool load_one(uint64_t number)
{
	struct bpf_params par = { .ncpus = cpus_possible(), .bufsize = 4096, .aggsize = 4096, .dynvarsize = 4096,
				  .want_exit = true, .seed = number, .table = number % 3 * 1024, .tables = 1 << 20,
				  .loads = number % 4 ? loads() : (struct kernel_loads){ 0 } };
	struct both t;
	bool ok;

	generate(&t, number, IR_C_PERF);
	ok = !ir_verify(t.prog, &t.diags) && !bpf_generate(&t.im, &t.arena, t.prog, &par, &t.diags) &&
	     !bpf_load(&t.l, &t.im, &t.diags);
	both_show(&t);
	both_dump(&t);
	both_close(&t);
	return ok;
}

static bool all(const char *what, uint64_t first, uint64_t count, bool (*one)(uint64_t number))
{
	uint64_t failed = 0;

	for (uint64_t i = first; i < first + count; i++)
		failed += !one(i);
	printf("%sok - %llu programs %s\n", failed ? "not " : "", (unsigned long long)count, what);
	return !failed;
}

static bool compare_plain(uint64_t number)
{
	return compare_one(number, false);
}

static bool compare_optimised(uint64_t number)
{
	return compare_one(number, true);
}

int main(int argc, char **argv)
{
	uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 0) : getenv("DTR_VM") ? 50 : 150;
	cpu_set_t one;
	bool ok = true;

	if (kernel_skip())
		return 0;
	libbpf_set_print(NULL);
	/* per-CPU values are looked up on the CPU that stored them */
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof one, &one);
	puts("1..3");
	ok &= all("leave the same in the kernel as in the interpreter", first, count, compare_plain);
	ok &= all("do so when optimised", first, count, compare_optimised);
	ok &= all("load as perf event programs", first, count, load_one);
	return !ok;
}
